package check

import (
	"slices"
	"testing"

	"hookwatch/suites"
	"hookwatch/suites/discover"
)

// TestOtherClients checks which parts of an inspection are for hooks of other clients: what a guard stops is
// known of measured clients only.
func TestOtherClients(t *testing.T) {
	t.Parallel()
	for client, want := range map[string]bool{"codex": true, "gemini": true, "qwen": false} {
		h := discover.Hook{ID: "h", Client: client}
		h.Event, h.Type, h.Command = "PreToolUse", "command", "true"
		var names []string
		for _, p := range Inspect(Tree{Root: t.TempDir()}, h).parts {
			names = append(names, p.name)
		}
		for _, name := range []string{"harmless", "search", "decisions"} {
			if slices.Contains(names, name) != want {
				t.Errorf("%s: %s among %q", client, name, names)
			}
		}
		if !slices.Contains(names, "typical") || slices.Contains(names, "explored") {
			t.Errorf("%s: %q", client, names)
		}
	}
}

// TestTriesUninstalled checks that nothing is fired of a hook that would download a package, also in a
// tree that does not know which programs are installed.
func TestTriesUninstalled(t *testing.T) {
	t.Parallel()
	h := discover.Hook{ID: "h"}
	h.Event, h.Type, h.Matcher, h.Command = "PreToolUse", "command", "Bash", "bunx some-tool check"
	_ = Tries(Tree{Root: t.TempDir()}, h) // which once was a nil function call
	for _, p := range Inspect(Tree{Root: t.TempDir(), Installed: func(string) bool { return false }}, h).Next() {
		t.Errorf("%+v", p.Case)
	}
}

// TestDenied checks which of the inputs that were stopped is the first: one that needs no state, if there is one.
func TestDenied(t *testing.T) {
	t.Parallel()
	on := func(f firing, e suites.Effect) fired { return fired{firing: f, Result: suites.Result{Effect: e}} }
	plain, again := firing{event: "PreToolUse", tool: "Bash", command: "rm x"}, firing{event: "PreToolUse", tool: "Bash", command: "ls", earlier: []earlier{{}}}
	elsewhere := plain.withState(branchField, "feature/x")
	for _, tt := range []struct {
		named, searched []fired
		want            string
	}{
		{nil, []fired{on(plain, suites.Proceeds)}, ""},
		{nil, []fired{on(elsewhere, suites.Denied), on(again, suites.Denied)}, "rm x on branch feature/x"},
		{nil, []fired{on(elsewhere, suites.Denied), on(plain, suites.Denied)}, "rm x"},
		{[]fired{on(elsewhere, suites.Denied)}, []fired{on(plain, suites.Denied)}, "rm x"},
	} {
		r := &results{by: map[string][]fired{"named": tt.named, "search": tt.searched}}
		got := ""
		if f := r.denied(); f != nil {
			got = f.input()
		}
		if got != tt.want {
			t.Errorf("%v and %v: %q, want %q", tt.named, tt.searched, got, tt.want)
		}
	}
}
