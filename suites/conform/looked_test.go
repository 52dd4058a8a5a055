package conform

import (
	"slices"
	"testing"

	"hookwatch/suites"
	"hookwatch/suites/discover"
)

// TestEndsOtherwise checks that a program counts as absent if, with it, the hook ends with another
// code or without the same words.
func TestEndsOtherwise(t *testing.T) {
	const said = "[12:00] warning: jq not found\nError 17: no"
	for name, tt := range map[string]struct {
		with suites.Result
		want bool
	}{
		"another code":            {suites.Result{Exit: 0, Stderr: []byte(said)}, true},
		"other words":             {suites.Result{Exit: 1, Stderr: []byte("write EPIPE")}, true},
		"the same last words":     {suites.Result{Exit: 1, Stderr: []byte("Error 18: no")}, false},
		"a time-out shows little": {suites.Result{Exit: 0, TimedOut: true}, false},
	} {
		if got := endsOtherwise(suites.Result{Exit: 1, Stderr: []byte(said)}, tt.with); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestAbsentFor(t *testing.T) {
	text := "command -v gh || exit 1\nif which 'rg'; then :; fi\nspawnSync('which', ['bun'])\nexecFileSync(\"uvx\", [])\ncommand -v git\n"
	q := &Inquiry{hook: discover.Hook{}, text: text, tree: Tree{Installed: func(p string) bool { return p == "git" || p == "which" }}}
	got := q.absentFor(suites.Result{Exit: 1, Stderr: []byte("Error: Deno not found. Please install it")})
	if want := []string{"deno", "rg", "bun", "gh", "uvx"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
