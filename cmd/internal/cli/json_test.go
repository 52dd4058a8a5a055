package cli

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hookwatch/suites"
)

// guarded is a project with a registered hook that denies, two that allow, and documents with
// markers.
func guarded(t *testing.T) string {
	t.Helper()
	return newProject(t, map[string]string{
		".hookwatch.yaml":       "suites: [suite.yaml]\nhooks: [.claude/hooks]\nspecs: [docs/*.md]\nverify: warn\nresults: {dir: results}\nnotify: {desktop: false}\n",
		"docs/spec.md":          "# Spec\n\n## D1\n\nNo bad thing.\n\n## D2\n\nAll else.\n",
		".claude/settings.json": `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/guard.sh"}]}]}}`,
		".claude/hooks/guard.sh": "#!/bin/bash\n" +
			"if grep -qw bad; then echo '<no> & never' >&2; exit 2; fi\n",
		"suite.yaml": `suite: s
hook: .claude/hooks/guard.sh
event: PreToolUse
tool: Bash
cases:
  - {id: B1, name: blocked, command: bad, expect: {exit: 2}, verify: ["docs/spec.md §D1"]}
  - {id: A1, name: let_through, command: fine, control: B1, expect: {exit: 0}, verify: ["docs/spec.md §D2", "docs/none.md §X"]}
`,
	})
}

// document runs a command with --format json and parses its output: one document of version 1.
func document[D any](t *testing.T, dir string, args ...string) (doc D) {
	t.Helper()
	code, out, stderr := call(t, dir, "", append(args, "--format", "json")...)
	if code != 0 {
		t.Fatalf("%v: exit %d, %s", args, code, stderr)
	}
	var version struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal([]byte(out), &version); err != nil || version.Version != 1 {
		t.Errorf("%v: version %d, %v in %s", args, version.Version, err, out)
	}
	d := json.NewDecoder(strings.NewReader(out))
	d.DisallowUnknownFields()
	if err := d.Decode(&doc); err != nil {
		t.Fatalf("%v: %v in %s", args, err, out)
	}
	return doc
}

func TestListJSON(t *testing.T) {
	t.Parallel()
	doc := document[listDocument](t, guarded(t), "list")
	if len(doc.Cases) != 2 {
		t.Fatalf("%d cases", len(doc.Cases))
	}
	c := doc.Cases[1]
	if c.ID != "A1" || c.Name != "let_through" || c.Suite != "s" || c.Hook != ".claude/hooks/guard.sh" || c.Event != "PreToolUse" || c.Layer != suites.Direct {
		t.Errorf("case %+v", c)
	}
	if len(c.Verify) != 2 || c.Verify[0].Source != "docs/spec.md" || c.Verify[0].Section != "D2" || !strings.HasPrefix(c.Verify[0].At, "docs/spec.md:7") {
		t.Errorf("markers %+v", c.Verify)
	}
	if lost := c.Verify[1]; lost.At != "" || lost.Why == "" {
		t.Errorf("a marker that leads nowhere: %+v", lost)
	}
	none := document[listDocument](t, guarded(t), "list", "--filter", "B1")
	if len(none.Cases) != 1 {
		t.Errorf("filtered: %+v", none)
	}
}

func TestWhyJSON(t *testing.T) {
	t.Parallel()
	root := guarded(t)
	now := document[whyDocument](t, root, "why")
	if now.Total != 2 || len(now.Selected) != 2 || now.Selected[0].Because[0] != "never run" || now.Changed == nil || len(now.Changed) != 0 {
		t.Errorf("at first: %+v", now)
	}
	if code, _, stderr := call(t, root, "", "--once"); code != 0 {
		t.Fatal(stderr)
	}
	if now = document[whyDocument](t, root, "why"); len(now.Selected) != 0 || now.Selected == nil {
		t.Errorf("when all has run: %+v", now)
	}
	path := document[whyDocument](t, root, "why", "docs/spec.md#D2")
	if len(path.Changed) != 1 || path.Changed[0].Path != "docs/spec.md" || !slices.Equal(path.Changed[0].Sections, []string{"D2"}) {
		t.Errorf("changed %+v", path.Changed)
	}
	// A1 because of its marker, and B1 as its control.
	if len(path.Selected) != 2 || path.Selected[0].ID != "B1" || path.Selected[0].Because[0] != "control of A1" || path.Selected[1].ID != "A1" || path.Selected[1].Suite != "s" {
		t.Errorf("selected %+v", path.Selected)
	}
	one := document[whyCase](t, root, "why", "b1")
	i := slices.IndexFunc(one.Inputs, func(in suites.Input) bool { return in.Path == ".claude/hooks/guard.sh" })
	if one.ID != "B1" || one.Suite != "s" || i < 0 || one.Inputs[i].Digest == "" || one.Inputs[i].Because == "" {
		t.Errorf("case %+v", one)
	}
}

func TestFireJSON(t *testing.T) {
	t.Parallel()
	root := guarded(t)
	denied := document[fireDocument](t, root, "fire", "PreToolUse", "Bash", "--command", "bad")
	if denied.Event != "PreToolUse" || denied.Tool != "Bash" || denied.Effect != suites.Denied || denied.Because == "" || len(denied.Hooks) != 1 {
		t.Fatalf("%+v", denied)
	}
	h := denied.Hooks[0]
	if h.Exit != 2 || h.Stderr != "<no> & never\n" || h.Stdout != "" || h.Effect != suites.Denied || h.ID == "" || !strings.Contains(h.Command, "guard.sh") ||
		len(h.ModelSees) != 1 || !strings.Contains(h.ModelSees[0], "<no> & never") {
		t.Errorf("%+v", h)
	}
	if _, out, _ := call(t, root, "", "fire", "PreToolUse", "Bash", "--command", "bad", "--format", "json"); !strings.Contains(out, `"<no> & never\n"`) {
		t.Errorf("text is not as it was written: %s", out)
	}
	let := document[fireDocument](t, root, "fire", "PreToolUse", "Bash", "--command", "fine", "--hook", ".claude/hooks/guard.sh")
	if let.Effect != suites.Proceeds || let.Hooks[0].Exit != 0 || let.Hooks[0].ID != ".claude/hooks/guard.sh" {
		t.Errorf("%+v", let)
	}
	if code, out, _ := call(t, root, "", "fire", "PreToolUse", "Bash", "--command", "bad"); code != 0 ||
		!strings.Contains(out, "exit    2") || !strings.Contains(out, "stderr  <no> & never") || !strings.Contains(out, "effect  denied") {
		t.Errorf("for people, exit %d: %s", code, out)
	}
	// A payload is an argument, standard input, or a file.
	payload := `{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "bad"}}`
	for _, tt := range []struct{ arg, stdin string }{{payload, ""}, {"-", payload}} {
		if code, out, stderr := call(t, root, tt.stdin, "fire", "PreToolUse", "Bash", "--payload", tt.arg); code != 0 || !strings.Contains(out, "effect  denied") {
			t.Errorf("payload %s: exit %d, %s%s", tt.arg, code, out, stderr)
		}
	}
	if code, _, stderr := call(t, root, "", "fire", "PreToolUse", "Bash", "--payload", "{"); code != 2 || !strings.Contains(stderr, "--stdin") {
		t.Errorf("a payload that is none: exit %d, %s", code, stderr)
	}
}

// TestFireFileFromDirectory checks that with -C a path is relative to that directory.
func TestFireFileFromDirectory(t *testing.T) {
	t.Parallel()
	root := newProject(t, map[string]string{
		".hookwatch.yaml": "hooks: [hooks]\nverify: off\nnotify: {desktop: false}\n", "hooks/h.sh": "#!/bin/bash\ncat\n", "src/a.py": "",
	})
	_, out, stderr := call(t, root, "", "fire", "PostToolUse", "Edit", "--hook", "hooks/h.sh", "--file", "src/a.py", "--format", "json")
	var doc fireDocument
	if err := json.Unmarshal([]byte(out), &doc); err != nil || len(doc.Hooks) != 1 {
		t.Fatalf("%v: %s %s", err, out, stderr)
	}
	if want := filepath.Join(root, "src", "a.py"); !strings.Contains(doc.Hooks[0].Stdout, want) {
		t.Errorf("the hook got %s, want %s in it", doc.Hooks[0].Stdout, want)
	}
}

// TestJSONLines checks that list, why and fire print one object per line.
func TestJSONLines(t *testing.T) {
	t.Parallel()
	root := guarded(t)
	for _, tt := range []struct {
		args  []string
		lines int
	}{{[]string{"list"}, 2}, {[]string{"why"}, 2}, {[]string{"fire", "PreToolUse", "Bash", "--command", "fine"}, 1}} {
		code, out, stderr := call(t, root, "", append(tt.args, "--format", "jsonl")...)
		lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
		if code != 0 || len(lines) != tt.lines {
			t.Errorf("%v: exit %d, %d lines, want %d: %s%s", tt.args, code, len(lines), tt.lines, out, stderr)
		}
		for _, line := range lines {
			var object struct{ ID string }
			if err := json.Unmarshal([]byte(line), &object); err != nil || object.ID == "" {
				t.Errorf("%v: %v in %s", tt.args, err, line)
			}
		}
	}
}
