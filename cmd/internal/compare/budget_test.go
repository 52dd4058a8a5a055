package compare

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"hookwatch/suites"
	"hookwatch/suites/bench"
	"hookwatch/suites/check"
	"hookwatch/suites/discover"
	"hookwatch/suites/disk"
)

// TestExploreEnds checks that what was explored until the budget ended counts, so that the comparison does not begin
// with it again and again; and that another error is one.
func TestExploreEnds(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	const script = "guard.sh"
	if err := os.WriteFile(filepath.Join(root, script), []byte("#!/bin/bash\ncommand=$(jq -r .tool_input.command)\n[[ $command == *rm* ]] && exit 2\nexit 0\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	h := &discover.Hook{ID: "guard", Event: "PreToolUse", Matcher: "Bash", Type: "command", Command: "bash " + script, Scripts: []string{script}, Root: root}
	tree := check.Tree{Root: root, Reader: disk.Reader{Root: root}, Installed: func(string) bool { return true }}
	for late, want := range map[bool]bool{true: false, false: true} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		fired := 0
		b := bench.New(1, func(context.Context, suites.Request) (suites.Outcome, error) {
			if fired++; late {
				cancel()
			}
			return suites.Outcome{}, os.ErrNotExist
		})
		side := &Side{bench: b, tree: tree}
		x := &Comparison{ctx: ctx, Sides: []*Side{side, side}}
		if _, err := x.explore(&comparing{pair: pair{h, h}}); (err != nil) != want || fired == 0 {
			t.Errorf("late %t: %v after %d firings", late, err, fired)
		}
	}
}

// TestLook checks which hooks use what differs.
func TestLook(t *testing.T) {
	t.Parallel()
	h := &discover.Hook{ID: "guard", Event: "PreToolUse", Matcher: "Bash", Type: "command", Command: "bash guard.sh", Scripts: []string{"guard.sh"}}
	accesses := func(path string, kind suites.AccessKind) suites.Outcome {
		return suites.Outcome{Project: "/p", Accesses: []suites.Access{suites.NewAccess(path, []suites.Use{{Kind: kind}})}}
	}
	for name, tt := range map[string]struct {
		outcome suites.Outcome
		want    uses
	}{
		"the library":               {accesses("/p/lib.sh", suites.Read), usesDiffering},
		"another file":              {accesses("/p/other.sh", suites.Read), usesOther},
		"what it lists has changed": {accesses("/p/rules", suites.Listed), usesDiffering},
		"what it uses is not known": {suites.Outcome{Unobserved: "it timed out"}, usesDiffering},
	} {
		b := bench.New(1, func(context.Context, suites.Request) (suites.Outcome, error) { return tt.outcome, nil })
		x := &Comparison{ctx: t.Context(), Sides: []*Side{{bench: b, seen: map[string]Seen{}}, {bench: b, seen: map[string]Seen{}}}, differing: map[string]bool{"lib.sh": true}, listing: map[string]bool{"rules": true}}
		c := &comparing{pair: pair{h, h}, calls: []*Call{{Input: "ls", c: check.Input{Tool: "Bash", Command: "ls"}.Case(*h)}}}
		if err := x.look([]*comparing{c}); err != nil || c.uses != tt.want {
			t.Errorf("%s: %v, %v", name, c.uses, err)
		}
	}
}
