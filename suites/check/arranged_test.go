package check

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hookwatch/suites"
	"hookwatch/suites/discover"
	"hookwatch/suites/disk"
	"hookwatch/suites/explore"
)

// TestArrange checks which firings are arranged for a decision that no input reaches.
func TestArrange(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ src, want string }{
		{"npm test || exit 1 # no decision\nif true; then", `x if npm prints "zq_npm" and fails`},
		{"if git diff --cached | grep -q x; then", `x if git prints "zq_git"`},
		{"if ! npm test; then", `x if npm prints "zq_npm" and fails; x if npm prints "zq_npm"`},
		{`if grep -q x "$c"; then`, ""},
		{`echo 1 >> "$HOME/calls"; if [ "$n" = 5 ]; then`, `x after the same in another session; x, sent 6 times`},
		{`# npm test` + "\n" + `if grep -q x "$c"; then`, ""}, // in a remark
	} {
		src := "#!/bin/bash\nc=$(jq -r .tool_input.command)\n" + tt.src + "\n  exit 2\nfi\n"
		if strings.Contains(tt.src, "no decision") {
			src = strings.Replace(src, "exit 2", "exit 1", 1)
		}
		x := newExplorationOf(discover.Hook{ID: "h", Event: "PreToolUse", Matcher: "Bash"}, nil, "guard.sh")
		x.courses = map[string]*explore.Course{}
		x.add("guard.sh", []byte(src))
		x.decide()
		r := explore.Read(map[string][]byte{"bash/log": []byte(logOf("2 jq -r .tool_input.command", "3 grep -q x", "4 grep -q x"))}, "")
		x.courses["guard.sh"].Take("Bash", r)
		x.taken = []taken{{firing{event: "PreToolUse", tool: "Bash", command: "y"}, explore.Read(nil, ""), suites.Proceeds}, {firing{event: "PreToolUse", tool: "Bash", command: "x"}, r, suites.Proceeds}}
		var got []string
		for _, f := range x.arrange() {
			got = append(got, f.input())
		}
		if all := strings.Join(got, "; "); all != tt.want {
			t.Errorf("%s: %s, want %s", tt.src, all, tt.want)
		}
		if x.reached[0] = true; len(x.decisions) == 0 {
			continue
		}
		if all := x.arrange(); len(all) > 0 {
			t.Errorf("%s: arranged although the decision was reached", tt.src)
		}
	}
}

// TestArrangeFiles checks that what came closest to a decision is fired once more with each file that the hook looks
// for, unless it had it.
func TestArrangeFiles(t *testing.T) {
	t.Parallel()
	const state, other = "{project}/.claude/tests", "{project}/.claude/other"
	x := newExplorationOf(discover.Hook{ID: "h", Event: "PreToolUse", Matcher: "Bash"}, nil, "guard.sh")
	x.courses = map[string]*explore.Course{"guard.sh": courseOf("c=$(jq -r .tool_input.command)\nif [ \"$tests\" = x ]; then\n  exit 2\nfi\n", "Bash", "1 jq -r .tool_input.command", "2 [ none = x ]")}
	x.decide()
	x.files = map[explore.Field]string{state: "zq_file\n", other: "{}\n"}
	r := explore.Read(map[string][]byte{"bash/log": []byte(logOf("1 jq -r .tool_input.command", "2 [ none = x ]"))}, "")
	base := firing{event: "PreToolUse", tool: "Bash", command: "git commit", state: map[explore.Field]string{other: "{}\n"}}
	x.taken = []taken{{base, r, suites.Proceeds}}
	all := x.arrange()
	want := map[explore.Field]string{state: "zq_file\n", other: "{}\n"}
	if len(all) != 1 || !maps.Equal(all[0].state, want) || all[0].command != "git commit" {
		t.Errorf("%+v, want a firing with %v", all, want)
	}
}

// TestArranges checks that more than the input is arranged again if that came to a decision, and never a third time.
func TestArranges(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		left   int
		before []int
		want   bool
	}{{2, nil, true}, {0, nil, false}, {2, []int{2}, false}, {1, []int{2}, true}, {0, []int{2}, false}, {1, []int{3, 2}, false}} {
		x := newExplorationOf(discover.Hook{ID: "h", Scripts: []string{"guard.sh"}}, nil, "guard.sh")
		x.courses = map[string]*explore.Course{"guard.sh": explore.CourseOf("guard.sh", []byte("exit 2\n"))}
		for i := range 3 {
			x.decisions = append(x.decisions, explore.Decision{File: "guard.sh", Line: 1})
			x.reached[i] = i >= tt.left
		}
		if x.arranged = tt.before; x.arranges() != tt.want {
			t.Errorf("%d left, before %v: arranged %v", tt.left, tt.before, !tt.want)
		}
	}
}

// TestAfterOther checks that a hook is fired after another one that writes the file which it names.
func TestAfterOther(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for name, text := range map[string]string{
		"gate.sh":  "if [ -f ~/.cache/pending.txt ]; then\n  exit 2\nfi\necho $$ > $x\n",
		"mark.sh":  "jq -r .tool_input.file_path >> \"$HOME/.cache/pending.txt\"\n",
		"reads.sh": "cat ~/.cache/pending.txt\n",
		"other.sh": "touch other.txt\n",
	} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	hooks := []discover.Hook{{ID: "gate", Event: "Stop", Scripts: []string{"gate.sh"}}}
	for _, name := range []string{"mark", "reads", "other"} {
		hooks = append(hooks, discover.Hook{ID: name, Event: "PostToolUse", Matcher: "Write", Type: "command", Scripts: []string{name + ".sh"}})
	}
	x := newExplorationOf(hooks[0], nil, "gate.sh")
	x.tree = Tree{Root: root, Reader: disk.Reader{Root: root}, Registered: discover.Registered{Hooks: hooks}}
	found := x.writers(x.tree.read("gate.sh"), 3)
	if len(found) != 1 || found[0].ID != "mark" {
		t.Fatalf("after %v, want mark", found)
	}
	f := firing{event: "Stop", earlier: []earlier{{found[0], typical(found[0], x.tree)[0]}}}
	c := f.asCase(hooks[0])
	if len(c.Steps) != 2 || c.Steps[0].Registered != "mark" || c.Steps[1].Registered != "" || c.Steps[1].Event != "Stop" {
		t.Errorf("%+v", c.Steps)
	}
	if want := "Stop after PostToolUse Write README.md"; !strings.HasPrefix(f.input(), "Stop after PostToolUse Write ") {
		t.Errorf("%q, want %q", f.input(), want)
	}
	p := subject{hook: hooks[0], tree: x.tree}.probe(f)
	q := &Inspection{results: results{subject: subject{hook: hooks[0]}, by: map[string][]fired{}}}
	p.part = "search"
	q.Take(p, suites.Outcome{Results: []suites.Result{{Effect: suites.Denied}, {Effect: suites.Proceeds}}})
	if got := q.by["search"]; len(got) != 1 || got[0].Effect != suites.Proceeds {
		t.Errorf("the other hook's result counts: %+v", got)
	}
}

// TestAnswers checks which programs answer in a firing, and that it has an environment of its own.
func TestAnswers(t *testing.T) {
	t.Parallel()
	f := firing{event: "Stop"}.withState("{1 npm}", "it's red").withState("{0 git}", "x.env").withState("$CI", "1")
	all := f.programs()
	if len(all) != 2 || all[0].Name != "git" || !strings.Contains(all[0].Script, "x.env") || all[1].Name != "npm" || !strings.HasSuffix(all[1].Script, "\nexit 1\n") {
		t.Errorf("%+v", all)
	}
	c := f.asCase(discover.Hook{ID: "h", Event: "Stop"})
	if len(c.CaseEnv.Programs) != 2 || c.Steps[0].Env["CI"] != "1" || len(c.Steps[0].Fixtures) != 1 {
		t.Errorf("%+v %+v", c.CaseEnv, c.Steps[0])
	}
	s := subject{hook: discover.Hook{ID: "h", Event: "Stop"}}
	plain := firing{event: "Stop"}
	for field, want := range map[explore.Field]int{"$MODE": 1, branchField: 2, "{project}/.claude/approved": 2} {
		if got := s.batches([]firing{plain.withState(field, "x"), plain}); len(got) != want {
			t.Errorf("%s: %d probes, want %d", field, len(got), want)
		}
	}
	if got := s.batches([]firing{plain, f, plain}); len(got) != 2 || len(got[0].sent) != 2 || got[1].Case.CaseEnv == nil {
		t.Errorf("%d probes", len(got))
	}
}

// TestMisnamedFiles checks that a text which names nearly a file of the project is reported.
func TestMisnamedFiles(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, name := range []string{"docs/LESSONS.md", "package.json", "yarn.lock"} {
		at := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		op      explore.Op
		pattern string
		src     string
		want    int
	}{
		{explore.Contains, "docs/LESSON.md", "", 1}, {explore.Regexp, `docs/LESSON\.md$`, "", 1}, {explore.Suffix, "/docs/LESSONS.md", "", 0},
		{explore.Equal, "packages.json", "", 1}, {explore.Equal, "packages.json", "package.json", 0}, // both are named
		{explore.Contains, "docs/LESSON.md", "LESSONS.md is kept by hand", 1}, {explore.Contains, "docs/LESSON.md", "docs/LESSONS.md", 0},
		{explore.Equal, "package-lock.json", "", 0}, {explore.Equal, "bun.lock", "", 0}, {explore.Equal, "docs/LESSON.txt", "", 0}, {explore.Equal, "../docs/LESSON.md", "", 0},
	} {
		x := newExplorationOf(discover.Hook{ID: "h", Event: "PreToolUse", Matcher: "Edit"}, nil, "guard.sh")
		x.tree, x.sources["guard.sh"] = Tree{Root: root, Reader: disk.Reader{Root: root}}, []byte(tt.src)
		x.seen = []explore.Comparison{{File: "/p/guard.sh", Line: 3, Op: tt.op, Pattern: tt.pattern, Value: "src/x.py"}}
		if found := x.findMisnamedFiles(); len(found) != tt.want {
			t.Errorf("%s %s: %+v, want %d", tt.op, tt.pattern, found, tt.want)
		}
	}
}

// TestAfterCall checks that the file which a call wrote is there after it, with its text.
func TestAfterCall(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "README.md"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	tree := Tree{Root: root, Reader: disk.Reader{Root: root}}
	for _, tt := range []struct {
		firing
		want string // the text of the file; "" for none
	}{
		{firing{event: "PostToolUse", tool: "Write", file: "x.py"}, "hello\n"}, {firing{event: "PostToolUse", tool: "Edit", file: "x.py", text: "y = 1"}, "y = 1"},
		{firing{event: "PreToolUse", tool: "Write", file: "x.py"}, ""}, {firing{event: "PostToolUse", tool: "Edit", file: "README.md"}, ""},
		{firing{event: "PostToolUse", tool: "Write", file: "/.claude/x.py"}, ""}, {firing{event: "PostToolUse", tool: "Edit", file: "README.md/x", text: "y", written: true}, ""}, // which no call can write
		{firing{event: "PostToolUse", tool: "Read", file: "x.py"}, ""}, {firing{event: "PostToolUse", tool: "Bash", command: "ls", file: "x.py"}, ""},
	} {
		text := ""
		for _, f := range tree.afterCall(tt.firing).asCase(discover.Hook{Event: tt.event}).Steps[0].Fixtures {
			if strings.HasSuffix(f.Path, tt.file) {
				text = f.Content
			}
		}
		if (text == "") != (tt.want == "") || tt.text != "" && text != tt.want {
			t.Errorf("%s %s %s: %q, want %q", tt.event, tt.tool, tt.file, text, tt.want)
		}
	}
}

// TestByOthers checks that a path that came further is sent by the other tools that write a file, once.
func TestByOthers(t *testing.T) {
	t.Parallel()
	h := discover.Hook{ID: "h", Event: "PreToolUse", Matcher: "Edit|Write|Bash"}
	x := newExplorationOf(h, nil, "guard.sh")
	x.sent = []firing{{event: h.Event, tool: "Bash", command: "ls"}, {event: h.Event, tool: "Edit", file: "a.py"}, {event: h.Event, tool: "Write", file: "a.py"}, {event: h.Event, tool: "Write", file: "b.py"}}
	for from, want := range map[int]int{1: 1, 2: 1} {
		of := observation{x.sent[from], explore.Input{From: from, Field: "tool_input.file_path", Text: "x.dart"}}
		of.file = "x.dart"
		all := x.byOthers(of)
		if len(all) != want || all[0].tool == of.tool || all[0].file != "x.dart" || all[0].in.From == from {
			t.Fatalf("%s: %+v", of.tool, all)
		}
		sent := x.sent
		if x.sent = append(x.sent, all[0].firing); len(x.byOthers(of)) != 0 {
			t.Errorf("%s: it is sent again", of.tool)
		}
		x.sent = sent
	}
}

// TestMisspelt checks which words of patterns are usual ones with two letters swapped, or one left out.
func TestMisspelt(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		op      explore.Op
		pattern string
		want    int
	}{
		{explore.Regexp, `\bmksf\.`, 1}, {explore.Regexp, `mkfs|shutdonw`, 1}, {explore.Regexp, `mkfs|shutdown`, 0}, {explore.Suffix, ".kye", 1}, {explore.Suffix, ".key", 0},
		{explore.Contains, "git psuh", 1}, {explore.Glob, "*froce*", 1}, {explore.Contains, "push x", 0}, {explore.Contains, "form", 0}, {explore.Equal, "grpe", 1}, {explore.Equal, "gerp", 0}, {explore.Equal, "x", 0}, {explore.Equal, "kube", 0},
		{explore.Contains, "git comit", 1}, {explore.Regexp, `terrafom\s+destroy`, 1}, {explore.Contains, "commi", 0}, {explore.Contains, "commits", 0}, {explore.Contains, "ommit", 0}, {explore.Equal, "rest", 0}, {explore.Equal, "crate", 0}, {explore.Regexp, "comm?it", 0},
	} {
		x := newExplorationOf(discover.Hook{ID: "h", Event: "PreToolUse", Matcher: "Bash"}, nil, "guard.sh")
		x.tree.Installed = func(name string) bool { return name == "gerp" }
		x.seen = []explore.Comparison{{File: "/p/guard.sh", Line: 3, Op: tt.op, Pattern: tt.pattern, Value: "src/x.py"}}
		if found := x.findMisspelt(); len(found) != tt.want {
			t.Errorf("%s %s: %+v, want %d", tt.op, tt.pattern, found, tt.want)
		}
	}
}
