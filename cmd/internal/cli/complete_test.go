package cli

import (
	"strings"
	"testing"
)

// TestCompleteNames checks that the tables name commands and flags that exist, and that outside of a project,
// and of one with errors, nothing of a project is completed and nothing is said.
func TestCompleteNames(t *testing.T) {
	t.Parallel()
	ofProject := map[string]bool{"run": true, "history": true, "why": true, "check": true, "prove": true, "score": true, "diff": true}
	empty, broken := t.TempDir(), newProject(t, map[string]string{".hookwatch.yaml": "nonsense: ["})
	root := newRoot(newApp(Streams{Out: t.Output(), Err: t.Output()}))
	for name, args := range completedArgs {
		cmd, _, err := root.Find([]string{name})
		if err != nil || cmd.Name() != name || len(args) == 0 {
			t.Errorf("there is no command %s with arguments: %v", name, err)
		}
		for _, dir := range []string{empty, broken} {
			code, out, stderr := call(t, dir, "", "__complete", name, "")
			if values := strings.Count(out, "\n") - 1; code != 0 || ofProject[name] == (values > 0) || strings.Count(stderr, "\n") != 1 {
				t.Errorf("%s: exit %d, %q, %q", name, code, out, stderr)
			}
		}
	}
	for name := range completedFlags {
		used := root.PersistentFlags().Lookup(name) != nil
		for _, cmd := range root.Commands() {
			if cmd.Flags().Lookup(name) != nil {
				_, registered := cmd.GetFlagCompletionFunc(name)
				used = used || registered
			}
		}
		if !used {
			t.Errorf("no command completes --%s", name)
		}
	}
}
