package conform

import (
	"testing"

	"hookwatch/suites"
	"hookwatch/suites/discover"
	"hookwatch/suites/symptom"
)

// TestUnloaded: of what a script of the tree loads it is said which does; what lies
// elsewhere may only be absent here.
func TestUnloaded(t *testing.T) {
	for by, want := range map[string]string{
		"/p/dist/context.js":    "./session does not exist, which dist/context.js loads",
		"/usr/lib/x/context.js": "session does not exist",
	} {
		q := &Inquiry{tree: Tree{Root: "/p"}, hook: discover.Hook{Command: "node dist/cli.js"}}
		text := "Error: Cannot find module './session'\nRequire stack:\n- " + by + "\n"
		q.gone(suites.Result{Exit: 1, Stderr: []byte(text)}, "./session", symptom.Module)
		if len(q.findings) != 1 || q.findings[0].What != want || !q.broken {
			t.Errorf("%s: %+v", by, q.findings)
		}
	}
}
