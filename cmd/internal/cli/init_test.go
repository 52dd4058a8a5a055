package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hookwatch/suites"
	"hookwatch/suites/catalog"
	"hookwatch/suites/disk"
)

// TestSuiteFor: whatever the hooks are called, the first suite loads without a
// problem and fires each of them with a call that its matcher lets through.
func TestSuiteFor(t *testing.T) {
	t.Parallel()
	hooks := []foundHook{
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
	suite, problems := catalog.Load("first.yaml", suiteFor(hooks))
	if problems = append(problems, catalog.Check([]suites.Suite{suite})...); len(problems) > 0 {
		t.Fatalf("%v\n%s", problems, suiteFor(hooks))
	}
	if len(suite.Cases) != len(hooks) || suite.Name != "first" {
		t.Fatalf("suite %s of %d cases", suite.Name, len(suite.Cases))
	}
	tools := []string{"Bash", "Edit", "", "Bash", "Bash", "Read", "Write"}
	for i, h := range hooks {
		c := &suite.Cases[i]
		st := c.Steps[0]
		if c.Hook != h.script || st.Event != h.event || len(c.Verify) != 1 || c.Verify[0] != h.script {
			t.Errorf("%s: hook %q, event %s, verify %q", c.ID, c.Hook, st.Event, c.Verify)
		}
		if st.Expect.Exit == nil || *st.Expect.Exit != 0 {
			t.Errorf("%s expects %+v", c.ID, st.Expect)
		}
		if i < len(tools) && st.Tool != tools[i] {
			t.Errorf("%s: tool %q for matcher %q, want %q", c.ID, st.Tool, h.matcher, tools[i])
		}
		if (st.FilePath != "") != (len(st.Fixtures) > 0) || st.Tool == "Bash" && st.Command == "" {
			t.Errorf("%s: command %q, file %q, fixtures %v", c.ID, st.Command, st.FilePath, st.Fixtures)
		}
	}
}

// TestWriteNew never writes over anything, nor through a link.
func TestWriteNew(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	root, outside := filepath.Join(top, "clone"), filepath.Join(top, "outside")
	for _, dir := range []string{root, outside} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := writeNew(root, "a/b/c.yaml", []byte("one")); err != nil {
		t.Fatal(err)
	}
	if err := writeNew(root, "a/b/c.yaml", []byte("two")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second time: %v", err)
	}
	if text, err := os.ReadFile(filepath.Join(root, "a/b/c.yaml")); err != nil || string(text) != "one" {
		t.Errorf("%q, %v", text, err)
	}
	for link, name := range map[string]string{
		".claude": ".claude/tests/hooks/suites/first.yaml", "a/tests": "a/tests/first.yaml", ".hookwatch.yaml": ".hookwatch.yaml",
	} {
		if err := os.Symlink(filepath.Join(outside, "absent"), filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
		if err := writeNew(root, name, []byte("x")); !disk.IsRefused(err) || !strings.Contains(err.Error(), filepath.Join(root, link)) {
			t.Errorf("%s is a link: %v", link, err)
		}
	}
	if entries, err := os.ReadDir(outside); err != nil || len(entries) != 0 {
		t.Errorf("outside: %v, %v", entries, err)
	}
}
