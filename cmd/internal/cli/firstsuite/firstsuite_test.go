package firstsuite

import (
	"testing"

	"hookwatch/suites"
	"hookwatch/suites/catalog"
)

// TestFor: whatever the hooks are called, the first suite loads without a
// problem and fires each of them with a call that its matcher lets through.
func TestFor(t *testing.T) {
	t.Parallel()
	hooks := []Hook{
		{".claude/hooks/guard.sh", "PreToolUse", "Bash"},
		{".claude/hooks/guard.sh", "PostToolUse", "Edit|Write"},
		{".claude/hooks/stop-it.sh", "Stop", ""},
		{".claude/hooks/all.v2.py", "PreToolUse", ""},
		{".claude/hooks/star.sh", "PreToolUse", "*"},
		{".claude/hooks/read.sh", "PreToolUse", "Read|Grep"},
		{".claude/hooks/write.sh", "PreToolUse", "^Write$"},
		{`.claude/hooks/it's "quoted".sh`, "SessionStart", "startup"},
		{`.claude/hooks/back\slash.sh`, "Stop", ""},
		{".claude/hooks/ünïcode ✓.sh", "Stop", ""},
		{".claude/hooks/.hidden", "Stop", ""},
		{"a.b.c/x.tar.gz", "Stop", ""},
		{".claude/hooks/100%.sh", "Stop", ""},
		{"odd: #1, [x] {y}/a.sh", "Stop", ""},
	}
	suite, problems := catalog.Load("first.yaml", For(hooks))
	if problems = append(problems, catalog.Check([]suites.Suite{suite})...); len(problems) > 0 {
		t.Fatalf("%v\n%s", problems, For(hooks))
	}
	if len(suite.Cases) != len(hooks) || suite.Name != "first" {
		t.Fatalf("suite %s of %d cases", suite.Name, len(suite.Cases))
	}
	tools := []string{"Bash", "Edit", "", "Bash", "Bash", "Read", "Write"}
	for i, h := range hooks {
		c := &suite.Cases[i]
		st := c.Steps[0]
		if c.Hook != h.Script || st.Event != h.Event || len(c.Verify) != 1 || c.Verify[0] != h.Script {
			t.Errorf("%s: hook %q, event %s, verify %q", c.ID, c.Hook, st.Event, c.Verify)
		}
		if st.Expect.Exit == nil || *st.Expect.Exit != 0 {
			t.Errorf("%s expects %+v", c.ID, st.Expect)
		}
		if i < len(tools) && st.Tool != tools[i] {
			t.Errorf("%s: tool %q for matcher %q, want %q", c.ID, st.Tool, h.Matcher, tools[i])
		}
		if (st.FilePath != "") != (len(st.Fixtures) > 0) || st.Tool == "Bash" && st.Command == "" {
			t.Errorf("%s: command %q, file %q, fixtures %v", c.ID, st.Command, st.FilePath, st.Fixtures)
		}
	}
}
