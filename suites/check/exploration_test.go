package check

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hookwatch/suites"
	"hookwatch/suites/discover"
	"hookwatch/suites/explore"
)

// TestUnreached checks how decisions are reported to which no input came.
func TestUnreached(t *testing.T) {
	t.Parallel()
	src := "#!/bin/bash\nf=$(jq -r .tool_input.file_path)\nif [[ $f == secrets/* ]]; then\n  exit 2\nfi\n[[ $f == *.env ]] && exit 2\n"
	decisions := explore.CourseOf("guard.sh", []byte(src)).Decisions()
	if len(decisions) != 2 {
		t.Fatalf("%d decisions", len(decisions))
	}
	compared := []explore.Comparison{
		{File: "/p/guard.sh", Line: 3, Op: explore.Glob, Value: "/p/src/a.py", Pattern: "secrets/*"},
		{File: "/p/guard.sh", Line: 6, Op: explore.Glob, Value: "/p/src/a.py", Pattern: "*.env"},
	}
	course := courseOf(src, "", "3 [[ x == y ]]", "6 [[ x == y ]]")
	for _, tt := range []struct {
		name    string
		event   string
		reached map[int]bool
		ran     bool
		want    []string // severity, and a part of the text
	}{
		{"all but one that no path passes", "PreToolUse", map[int]bool{1: true}, true, []string{`info "secrets/*"`}},
		{"all but one that some path passes", "PreToolUse", map[int]bool{0: true}, true, []string{`info "/p/src/a.py" with "*.env"`}},
		{"none of a guard", "PreToolUse", map[int]bool{}, true, []string{`warning "secrets/*"`, `warning with "*.env"`}},
		{"none of a hook that stops nothing", "PostToolUse", map[int]bool{}, true, []string{`info "secrets/*"`, `info with "*.env"`}},
		{"a script that was not seen to run", "PreToolUse", map[int]bool{}, false, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			x := &exploration{hook: discover.Hook{ID: "h", Event: tt.event, Matcher: "Edit"}, decisions: decisions, reached: tt.reached, ran: map[string]bool{"guard.sh": tt.ran}, seen: compared, compared: true, courses: map[string]*explore.Course{"guard.sh": course}}
			found := x.findUnreached(false)
			if len(found) != len(tt.want) {
				t.Fatalf("%d findings, want %d: %+v", len(found), len(tt.want), found)
			}
			for i, f := range found {
				severity, part, _ := strings.Cut(tt.want[i], " ")
				if f.Severity != suites.Severity(severity) || !strings.Contains(f.What, part) {
					t.Errorf("%s %s, want %s", f.Severity, f.What, tt.want[i])
				}
			}
		})
	}
}

// TestReasons checks what is said of decisions that are for errors, for a field that no input had, and for another
// program than the hook.
func TestReasons(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		src, scripts string
		ran          []int
		want         string
	}{
		{"import json, sys\ntry:\n    x = json.load(sys.stdin)\nexcept Exception:\n    sys.exit(2)\n", "guard.py", []int{1, 2, 3}, "info it is for an error in what begins at line 2"},
		{"import json, sys\nx = json.load(sys.stdin)\nif __name__ == '__main__':\n    sys.exit(2)\n", "guard.py", []int{1, 2, 3}, "warning it waits for line 3"},
		{"import json, sys\nx = json.load(sys.stdin)\nif __name__ == '__main__':\n    sys.exit(2)\n", "other.py", []int{1, 2, 3}, ""},
		{"import json, sys\np = json.load(sys.stdin)['tool_input'].get('path')\nif p:\n    sys.exit(2)\n", "guard.py", []int{1, 2, 3}, "info it waits for line 3, \"if p:\"; no input had tool_input.path"},
		{"import json, sys\nx = json.load(sys.stdin)\nn = 0\nif n > 1:\n    sys.exit(2)\n", "guard.py", []int{1, 2, 3, 4}, "warning it waits for line 4, \"if n > 1:\""},
		{"import json, sys\nx = json.load(sys.stdin)\nn = count()\nif n > 1:\n    sys.exit(2)\n", "guard.py", []int{1, 2, 3, 4}, "info it waits for line 4, \"if n > 1:\""},
		{"import json, sys\nx = json.load(sys.stdin)\nif fails(x):\n    sys.exit(2)\n", "guard.py", []int{1, 2, 3}, "info it waits for line 3, \"if fails(x):\""},
	} {
		h := discover.Hook{ID: "h", Event: "PreToolUse", Matcher: "EnterWorktree", Scripts: []string{tt.scripts}}
		x := newExplorationOf(h, nil, "guard.py")
		x.courses = map[string]*explore.Course{}
		x.add("guard.py", []byte(tt.src))
		log := ""
		for _, line := range tt.ran {
			text := strings.Split(tt.src, "\n")[line-1]
			log += fmt.Sprintf("L\x1f/p/guard.py\x1f%d\x1f%d\x00", line, len(text)-len(strings.TrimLeft(text, " ")))
		}
		r := explore.Read(map[string][]byte{"python/log": []byte(log)}, "")
		x.courses["guard.py"].Take("EnterWorktree", r)
		x.decide()
		x.ran["guard.py"], x.read, x.compared = true, true, strings.Contains(tt.want, "error") || strings.Contains(tt.want, "waits")
		x.sent = []firing{{event: "PreToolUse", tool: "EnterWorktree"}}
		x.reads, x.absent = []explore.FieldRead{readOf("guard.py", 2, "tool_input.path")}, map[explore.Field]bool{"tool_input.path": true}
		found := x.findUnreached(strings.Contains(tt.want, "line 3\""))
		severity, part, _ := strings.Cut(tt.want, " ")
		if (tt.want == "") != (len(found) == 0) || len(found) == 1 && (string(found[0].Severity) != severity || !strings.Contains(found[0].What, part)) {
			t.Errorf("%q: %+v, want %q", tt.src, found, tt.want)
		}
	}
}

// TestLastFirings checks what is fired in the end for the decisions that are left.
func TestLastFirings(t *testing.T) {
	t.Parallel()
	for condition, want := range map[string]string{
		"! command -v jq >/dev/null":  "without jq",
		"(( ${#c} > 65536 ))":         "long",
		`[ "$(wc -l <"$f")" -gt 80 ]`: "81 lines",
		`[[ $c == *x* ]]`:             "",
		`! source "$d/words.sh"`:      `with lib/words.sh ("return 1")`,
		`! . lib/words.sh`:            `with lib/words.sh ("return 1")`,
		`! source "$d/otherwords.sh"`: "",
		`! words.sh "$c"`:             "",
	} {
		src := "#!/bin/bash\nc=$(jq -r .tool_input.command)\nif " + condition + "; then\n  exit 2\nfi\n"
		x := newExplorationOf(discover.Hook{ID: "h", Event: "PreToolUse", Matcher: "Bash"}, nil, "guard.sh")
		x.courses = map[string]*explore.Course{"guard.sh": courseOf(src, "Bash", "2 jq -r .tool_input.command", "3 "+condition)}
		x.decide()
		x.sources["lib/words.sh"], x.sources["/usr/lib/words.sh"] = []byte("words=1\n"), nil
		x.sent = []firing{{event: "PreToolUse", tool: "Bash", command: "echo hello"}, {event: "PreToolUse", tool: "Write", file: "x.py"}}
		short := explore.Read(map[string][]byte{"bash/log": []byte(logOf("2 jq -r .tool_input.command"))}, "")
		long := explore.Read(map[string][]byte{"bash/log": []byte(logOf("2 jq -r .tool_input.command", "3 "+condition))}, "")
		x.taken = []taken{{firing{event: "PreToolUse", tool: "Write", file: "README.md"}, short, suites.Proceeds}, {x.sent[1], long, suites.Proceeds}, {x.sent[0], long, suites.Proceeds}}
		got := ""
		for _, f := range x.last() {
			switch {
			case f.without != nil:
				got += "without " + strings.Join(f.without, " ")
			case len(f.command) > 65536:
				got += "long"
			case f.state != nil:
				got += strings.TrimSpace(f.stateText())
			case strings.HasSuffix(f.description, "lines"):
				if got += f.description; f.file != "x.py" {
					t.Errorf("%s, which did not come furthest", f.file)
				}
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", condition, got, want)
		}
		if first, again := x.unusual(), x.unusual(); len(first) != len(x.last()) || len(again) > 0 {
			t.Errorf("%s: %d and then %d unusual firings, want %d and none", condition, len(first), len(again), len(x.last()))
		}
	}
}

// courseOf returns the course of a script of bash after a firing for a tool that ran commands, each with its line.
func courseOf(src, tool string, commands ...string) *explore.Course {
	c := explore.CourseOf("guard.sh", []byte(src))
	c.Take(tool, explore.Read(map[string][]byte{"bash/log": []byte(logOf(commands...))}, ""))
	return c
}

// logOf returns the log of commands of guard.sh, each with its line.
func logOf(commands ...string) (log string) {
	for _, c := range commands {
		line, text, _ := strings.Cut(c, " ")
		log += "\x1e\x1f/p/guard.sh\x1f" + line + "\x1f0\x1f" + text + "\n"
	}
	return log
}

// TestEnded checks how a guard is reported that ends before its decision whatever the input: by a variable that it
// read, by something else, always, or without reading its input.
func TestEnded(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		before, want string
		unread       bool
	}{
		{`[ -n "$f" ] && exit 0`, "warning all ended at line 3, `[ -n \"$f\" ] && exit 0`", false},
		{`[ -f "$f.ready" ] && exit 0`, "", false},
		{`[ -f "$f.ready" ] && exit 0`, "", true},
		{`[ -n "$OTHER" ] && exit 0`, "warning all ended at line 3", false},
		{`[ -n "$1" ] || exit 0`, "warning it never reads its input, which is JSON on stdin", true},
		{`exit 0`, "warning is never reached: line 3 ends the script before it", false},
	} {
		src := "#!/bin/bash\nf=$(jq -r .tool_input.file_path)\n" + tt.before + "\ncase $f in *.env) exit 2 ;; esac\n"
		x := newExplorationOf(discover.Hook{ID: "h", Event: "PreToolUse", Matcher: "Edit"}, nil, "guard.sh")
		x.sources["guard.sh"], x.decisions, x.ran["guard.sh"] = []byte(src), explore.CourseOf("guard.sh", []byte(src)).Decisions(), true
		x.courses = map[string]*explore.Course{"guard.sh": courseOf(src, "Edit", "2 jq -r .tool_input.file_path", "3 "+tt.before)}
		if x.read = !tt.unread; x.read {
			x.reads = []explore.FieldRead{readOf("guard.sh", 2, "tool_input.file_path")}
		}
		found := x.findUnreached(false)
		severity, part, _ := strings.Cut(tt.want, " ")
		if (tt.want == "") != (len(found) == 0) || len(found) == 1 && (string(found[0].Severity) != severity || !strings.Contains(found[0].What, part)) {
			t.Errorf("%s: %+v, want %q", tt.before, found, tt.want)
		}
	}
}

// TestNeverCalled checks that a guard is reported which only defines the function that decides, and reads nothing.
func TestNeverCalled(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		last string
		read bool
		want int
	}{{"", false, 1}, {"", true, 0}, {"import os; os.environ\n", false, 0}} {
		src := "import sys\ndef check(call):\n    if call:\n        sys.exit(2)\n" + tt.last
		x := newExplorationOf(discover.Hook{ID: "h", Event: "PreToolUse", Matcher: "Bash", Scripts: []string{"guard.py"}}, nil, "guard.py")
		x.courses = map[string]*explore.Course{}
		x.add("guard.py", []byte(src))
		x.courses["guard.py"].Take("Bash", explore.Read(map[string][]byte{"python/log": []byte("L\x1f/p/guard.py\x1f1\x1f0\x00L\x1f/p/guard.py\x1f2\x1f0\x00")}, ""))
		x.decide()
		x.ran["guard.py"], x.read = true, tt.read
		found := x.findUnreached(false)
		if len(found) != tt.want || tt.want > 0 && (found[0].Severity != suites.Warning || !strings.Contains(found[0].What, "nothing calls the function that it is in; it never reads its input") || !strings.HasPrefix(found[0].Remedy, "read the call")) {
			t.Errorf("%+v: %+v", tt, found)
		}
	}
}

// TestRate checks which firings an exploration keeps: those derived from another one or arranged that came to something
// new, and none of the first ones.
func TestRate(t *testing.T) {
	t.Parallel()
	first := firing{event: "PreToolUse", tool: "Bash", command: "ls"}
	arranged, derived := first, explore.Input{Field: "tool_input.command", Text: "rm x"}
	arranged.earlier = []earlier{{}}
	for _, tt := range []struct {
		of               observation
		decides, further bool
		deciding, kept   int
		searched, inVain int
	}{
		{observation{firing: first}, true, true, 0, 0, 0, 0},
		{observation{firing: arranged}, true, false, 1, 0, 0, 0},
		{observation{first, derived}, true, true, 1, 0, 1, 0},
		{observation{first, derived}, false, true, 0, 1, 1, 0},
		{observation{first, derived}, false, false, 0, 0, 1, 4},
	} {
		x := newExplorationOf(discover.Hook{ID: "h", Event: "PreToolUse"}, nil, "guard.sh")
		x.inVain = 3
		x.rate(tt.of, new(explore.Record), tt.decides, tt.further)
		if len(x.deciding) != tt.deciding || len(x.further) != tt.kept || x.searched != tt.searched || x.inVain != tt.inVain {
			t.Errorf("%+v decides %t, further %t: %d deciding, %d further, %d searched, %d in vain", tt.of.in, tt.decides, tt.further, len(x.deciding), len(x.further), x.searched, x.inVain)
		}
	}
}

// TestOtherEvent checks that a decision which was not reached is reported if it names another event than the hook's.
func TestOtherEvent(t *testing.T) {
	t.Parallel()
	for event, want := range map[string]suites.Severity{"PreToolUse": suites.Warning, "PostToolUse": suites.Info} {
		src := "#!/bin/bash\nf=$(jq -r .tool_input.file_path)\nif [[ $f == *.dsl ]]; then\n  echo '{\"hookSpecificOutput\": {\"hookEventName\": \"" + event + "\", \"additionalContext\": \"x\"}}'\nfi\n"
		x := newExplorationOf(discover.Hook{ID: "h", Event: "PostToolUse", Matcher: "Edit"}, nil, "guard.sh")
		course := courseOf(src, "Edit", "2 jq -r .tool_input.file_path", "3 [[ a == b ]]")
		x.decisions, x.ran["guard.sh"], x.courses, x.compared = course.Decisions(), true, map[string]*explore.Course{"guard.sh": course}, true
		if found := x.findUnreached(false); len(found) != 1 || found[0].Severity != want {
			t.Errorf("%s: %+v, want %s", event, found, want)
		}
	}
}

// TestConstant checks which conditions on the tool's name are reported because they go the same way for each tool.
func TestConstant(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		condition, matcher string
		then               bool // its commands ran, for the first tool
		want               string
	}{
		{`[ "$t" = "Edit" ] && [ "$t" = "Write" ]`, "Edit|Write|Bash", false, "goes the same way for each tool that was tried: Bash, Edit"},
		{`[ "$t" = "Edit" ]`, "Edit|Write|Bash", true, ""},
		{`[ "$t" = "bash" ]`, "Edit|Write|Bash", false, "the client sends Bash"},
		{`[ "$t" = "NotebookEdit" ]`, "Edit|Write|Bash", false, "asks for NotebookEdit, for which no matcher fires it"},
		{`[ "$t" = "NotebookEdit" ]`, "", false, ""},
		{"[ \"$t\" = \"NotebookEdit\" ]; then\n  echo no\nfi\nif [ \"$t\" = \"WebFetch\" ]", "Edit|Write|Bash", false, "and others ask for NotebookEdit, WebFetch, for which no matcher fires it"},
		{`[ "$t" = "Edit" ] && [ -n "$c" ]`, "Edit|Write|Bash", false, ""},
	} {
		src := "#!/bin/bash\nt=$(jq -r .tool_name)\nif " + tt.condition + "; then\n  echo no\nfi\necho end\n"
		course := courseOf(src, "Bash", "2 jq -r .tool_name", "3 [ x = y ]", "6 echo end")
		if tt.then {
			course.Take("Edit", explore.Read(map[string][]byte{"bash/log": []byte(logOf("3 [ x = y ]", "4 echo no", "6 echo end"))}, ""))
		} else {
			course.Take("Edit", explore.Read(map[string][]byte{"bash/log": []byte(logOf("3 [ x = y ]", "6 echo end"))}, ""))
		}
		h := discover.Hook{ID: "h", Event: "PreToolUse", Matcher: tt.matcher, Scripts: []string{"guard.sh"}}
		x := newExplorationOf(h, nil, "guard.sh")
		x.tree.Registered.Hooks, x.courses = []discover.Hook{h}, map[string]*explore.Course{"guard.sh": course}
		found := x.findConstant()
		if (tt.want == "") != (len(found) == 0) || len(found) == 1 && !strings.Contains(found[0].What, tt.want) {
			t.Errorf("%s: %+v, want %q", tt.condition, found, tt.want)
		}
	}
}

// TestInverted checks that a guard is reported whose pattern is of what it lets through.
func TestInverted(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]int{"*.env": 1, "*.md": 0} {
		for stops := range 2 {
			x := newExplorationOf(discover.Hook{ID: "h", Event: "PreToolUse", Matcher: "Edit"}, nil, "guard.sh")
			for i, file := range []string{"x/a" + strings.TrimPrefix(pattern, "*"), "x/a.py"} {
				r := &explore.Record{Comparisons: []explore.Comparison{{File: "/p/guard.sh", Line: 3, Op: explore.Glob, Value: file, Pattern: pattern}}}
				x.side(firing{event: "PreToolUse", tool: "Edit", file: file}, r, map[explore.Field]string{"tool_input.file_path": file}, i == stops)
			}
			if found := x.findInverted(); len(found) != want*stops {
				t.Errorf("%s, the other one is stopped: %v: %+v", pattern, stops == 1, found)
			}
			hazard := newExplorationOf(discover.Hook{ID: "h", Event: "PreToolUse", Matcher: "Edit"}, nil, "guard.sh")
			for i, file := range []string{"x/a.env", "x/id_rsa", "x/a.py"} { // which is a list of what is allowed
				r := &explore.Record{Comparisons: []explore.Comparison{{File: "/p/guard.sh", Line: 3, Op: explore.Glob, Value: file, Pattern: "*.env"}}}
				hazard.side(firing{event: "PreToolUse", tool: "Edit", file: file}, r, map[explore.Field]string{"tool_input.file_path": file}, i > 0)
			}
			if found := hazard.findInverted(); len(found) > 0 {
				t.Errorf("a guard that stops another hazard: %+v", found)
			}
			file := "x/b" + strings.TrimPrefix(pattern, "*")
			r := &explore.Record{Comparisons: []explore.Comparison{{File: "/p/guard.sh", Line: 3, Op: explore.Glob, Value: file, Pattern: pattern}}}
			x.side(firing{event: "PreToolUse", tool: "Edit", file: file}, r, map[explore.Field]string{"tool_input.file_path": file}, true)
			if found := x.findInverted(); len(found) > 0 {
				t.Errorf("%s, which is stopped sometimes: %+v", pattern, found)
			}
		}
	}
}

// TestFollow checks that a file of the project which a hook runs is one of its scripts, with the functions that
// decide for it, and that other files are not.
func TestFollow(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for name, text := range map[string]string{"rules.py": "import sys\ndef deny():\n    sys.exit(2)\n", "node_modules/x.py": "import sys\nsys.exit(2)\n"} {
		name = filepath.Join(root, name)
		if err := cmp.Or(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	x := newExplorationOf(discover.Hook{ID: "h", Event: "PreToolUse"}, nil, "guard.py")
	x.courses, x.tree = map[string]*explore.Course{}, Tree{Root: root}
	x.add("guard.py", []byte("from rules import deny\nif 1:\n    deny()\n"))
	x.follow(explore.Read(map[string][]byte{"python/log": []byte("L\x1f/s/rules.py\x1f2\x1f0\x00L\x1f/s/node_modules/x.py\x1f1\x1f0\x00L\x1f/lib/os.py\x1f1\x1f0\x00")}, "/s"))
	var got []string
	for _, d := range x.decisions {
		got = append(got, d.String())
	}
	if want := "guard.py:3 rules.py:3"; strings.Join(got, " ") != want {
		t.Errorf("%v, want %s", got, want)
	}
}

// TestUnobserved checks that an exploration ends where no firing is observed, as in place.
func TestUnobserved(t *testing.T) {
	t.Parallel()
	f := firing{event: "PreToolUse", tool: "Bash", command: "echo hello"}
	x := &exploration{hook: discover.Hook{Event: "PreToolUse", Matcher: "Bash"}, begin: []firing{f}}
	if probes := x.probes(); len(probes) != 1 || probes[0].Trace == nil {
		t.Fatalf("%d probes", len(probes))
	}
	if probes := x.probes(); len(probes) > 0 {
		t.Errorf("%d probes follow", len(probes))
	}
}

// TestInputs checks which texts make another call of a hook.
func TestInputs(t *testing.T) {
	t.Parallel()
	h := discover.Hook{Event: "PreToolUse", Matcher: "Edit|Write"}
	usual := firing{event: "PreToolUse", tool: "Write", file: "src/example.py"}
	for _, tt := range []struct {
		field explore.Field
		text  string
		ok    bool
		sent  string // in the payload
	}{
		{"tool_input.file_path", "x/.env", true, `"{override}/x/.env"`},
		{"tool_input.file_path", "/etc/passwd", true, `"/etc/passwd"`},
		{"tool_input.content", "a <b> & c", true, `"a <b> & c"`},
		{"tool_name", "Edit", true, `"tool_name":"Edit"`},
		{"tool_name", "Bash", false, ""},
		{"tool_input.other.deep", "x", true, `"tool_name":"Write"`}, // there is no such object
	} {
		f, ok := with(h, usual, explore.Input{Field: tt.field, Text: tt.text})
		if ok != tt.ok {
			t.Errorf("%s %q: %v", tt.field, tt.text, ok)
		}
		if sent := string(f.asCase(h).Steps[0].PayloadRaw); ok && !strings.Contains(sent, tt.sent) {
			t.Errorf("%s %q: sent %s", tt.field, tt.text, sent)
		}
	}
}

// TestOptional checks that an exploration begins with a call that has the texts which a call may also have.
func TestOptional(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "guard.sh"), []byte("#!/bin/bash\njq -r .tool_input.glob\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h := discover.Hook{ID: "h", Event: "PreToolUse", Matcher: "Grep", Type: "command", Command: "./guard.sh", Scripts: []string{"guard.sh"}, Root: root}
	x := newExploration(subjectOf(Tree{Root: root}, h), nil)
	last := x.begin[len(x.begin)-1]
	if sent := string(last.asCase(h).Steps[0].PayloadRaw); !strings.Contains(sent, `"glob":"zq.glob"`) || last.fields(h)["tool_input.glob"] != "zq.glob" {
		t.Errorf("%s", sent)
	}
}

// TestUnsent checks which fields are those of another event.
func TestUnsent(t *testing.T) {
	t.Parallel()
	at := func(line int, field explore.Field) explore.FieldRead {
		return explore.FieldRead{File: "/p/a.sh", Line: line, Field: field}
	}
	for _, tt := range []struct {
		event string
		reads []explore.FieldRead
		what  string // "" for none
	}{
		{"WorktreeCreate", []explore.FieldRead{at(2, "cwd"), at(3, "worktree_path")}, "reads worktree_path, which WorktreeCreate does not send; WorktreeRemove does"},
		{"UserPromptSubmit", []explore.FieldRead{at(3, "tool_input.command")}, "reads tool_input.command, which UserPromptSubmit does not send"},
		{"WorktreeCreate", []explore.FieldRead{at(3, "name")}, ""},
		{"WorktreeCreate", []explore.FieldRead{at(3, "base_ref")}, ""}, // of no event
		{"UserPromptSubmit", []explore.FieldRead{at(3, "prompt"), at(3, "tool_input.command")}, ""},
		{"PreToolUse", []explore.FieldRead{at(3, "tool_input.file_path")}, ""}, // of another tool
	} {
		x := &exploration{hook: discover.Hook{ID: "h", Event: tt.event}, sources: map[string][]byte{"a.sh": nil}, sent: []firing{{event: tt.event, tool: "Bash", command: "true"}}, reads: tt.reads}
		found := x.findUnsent()
		if (tt.what != "") != (len(found) == 1) || len(found) == 1 && !strings.Contains(found[0].What, tt.what) {
			t.Errorf("%s, %v: %+v, want %q", tt.event, tt.reads, found, tt.what)
		}
	}
}

// TestMisreadings checks that a field is misread if it is read under another name and never under the client's.
func TestMisreadings(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		event string
		reads []explore.Field
		what  string // "" for no finding without proof
		tried string // the alternative that needs proof
	}{
		{"PostToolUse", []explore.Field{"tool_output"}, "the client sends tool_response", ""},
		{"PostToolUse", []explore.Field{"tool_output", "tool_response"}, "", ""},
		{"PostToolUseFailure", []explore.Field{"tool_output"}, "the client sends error", ""},
		{"PreToolUse", []explore.Field{"tool_output"}, "which PreToolUse does not send", ""},
		{"PreToolUse", []explore.Field{"tool_input.cmd"}, "", "tool_input.cmd"},
		{"PreToolUse", []explore.Field{"cmd"}, "", ""},
		{"PreToolUse", []explore.Field{"tool_input.cmd", "tool_input.command"}, "", ""},
		{"PreToolUse", []explore.Field{"tool_input.command", "toolName"}, "the client sends tool_name", ""},
		{"UserPromptSubmit", []explore.Field{"message"}, "", "message"},
		{"Notification", []explore.Field{"message"}, "", ""},
		{"PostToolUse", []explore.Field{"agent_name"}, "which PostToolUse does not send", ""},
		{"PreToolUse", []explore.Field{"turn_id"}, "", ""},
	} {
		f := firing{event: tt.event, tool: "Bash", command: "true", prompt: "p"}
		x := &exploration{hook: discover.Hook{ID: "h", Event: tt.event}, sources: map[string][]byte{"a.sh": nil}, sent: []firing{f}}
		for _, field := range tt.reads {
			x.reads = append(x.reads, readOf("a.sh", 3, field))
		}
		found, tried := x.findMisreadFields(nil, ""), x.alternatives()
		if (tt.what == "") != (len(found) == 0) || len(found) == 1 && (!strings.Contains(found[0].What, tt.what) || found[0].At != "a.sh:3") {
			t.Errorf("%s %q: %+v, want %q", tt.event, tt.reads, found, tt.what)
		}
		if (tt.tried == "") != (len(tried) == 0) || len(tried) == 1 && string(tried[0].name) != tt.tried {
			t.Errorf("%s %q: %+v is tried, want %q", tt.event, tt.reads, tried, tt.tried)
		}
	}
}

// TestReadsForServers checks that what a hook reads of the input of an MCP server's tool is no misreading.
func TestReadsForServers(t *testing.T) {
	t.Parallel()
	for tool, want := range map[string]int{"mcp__pencil__open": 0, "Bash": 1} {
		x := newExplorationOf(discover.Hook{ID: "h", Event: "PreToolUse"}, nil, "a.py")
		f := echo
		f.tool = tool
		x.take(observation{firing: f}, suites.Outcome{Results: []suites.Result{{}}, Trace: map[string][]byte{"python/log": []byte("C\x1f/p/a.py\x1f3\x1fread\x1ftool_input.cmd\x1fread\x00")}})
		if len(x.reads) != want || len(x.absent) != want {
			t.Errorf("%s: %+v, absent %v", tool, x.reads, x.absent)
		}
	}
}

// TestAlternatives checks which inputs an alternative changes.
func TestAlternatives(t *testing.T) {
	t.Parallel()
	const payload = `{"tool_name":"Bash","tool_input":{"command":"ls"}}`
	for want, a := range map[string]alternative{
		`{"tool_input":{"cmd":"ls","command":"ls"},"tool_name":"Bash"}`:    {name: "tool_input.cmd", meant: "tool_input.command"},
		`{"tool":"Bash","tool_input":{"command":"ls"},"tool_name":"Bash"}`: {name: "tool", meant: "tool_name"},
	} {
		if got := string(a.with([]byte(payload))); got != want {
			t.Errorf("%+v: %s", a, got)
		}
	}
	for variable, want := range map[string]string{"CLAUDE_TOOL_INPUT": `{"command":"ls"}`, "CLAUDE_TOOL_NAME": "Bash", "CLAUDE_TOOL_INPUT_COMMAND": "ls", "CLAUDE_FILE_PATH": ""} {
		if got := (alternative{variable: variable}).env([]byte(payload))[variable]; got != want {
			t.Errorf("%s: %q", variable, got)
		}
	}
}

// TestVariablesTried checks that a variable which a script sets, itself or in a file that it loads, is not tried.
func TestVariablesTried(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		code, library string
		want          int
	}{
		{`case "${TOOL_NAME:-}" in`, "", 1},
		{"read -r TOOL_NAME REST < <(jq -r .tool_name)\ncase $TOOL_NAME in", "", 0},
		{`case "$TOOL_NAME" in`, "init() {\n  TOOL_NAME=$(jq -r .tool_name)\n}", 0},
		{`case "$TOOL_NAME" in`, "OTHER_TOOL_NAME=x", 1},
	} {
		x := &exploration{sources: map[string][]byte{"a.sh": []byte(tt.code), "lib.sh": []byte(tt.library)}}
		if got := x.alternatives(); len(got) != tt.want {
			t.Errorf("%q with %q: %+v", tt.code, tt.library, got)
		}
	}
	for text, want := range map[string]int{"TOOL_NAME=Bash": 0, "read -r TOOL_NAME": 0, "echo TOOL_NAME=": 1} {
		x := &exploration{hook: discover.Hook{Event: "PreToolUse"}, sources: map[string][]byte{"a.sh": []byte("echo $TOOL_NAME")}, reached: map[int]bool{}, effects: map[suites.Effect]bool{}, ran: map[string]bool{}}
		x.take(observation{firing: echo}, suites.Outcome{Results: []suites.Result{{}}, Trace: map[string][]byte{"bash/log": []byte("\x1e\x1f/lib.sh\x1f3\x1f0\x1f" + text + "\n")}})
		if got := x.alternatives(); len(got) != want {
			t.Errorf("%q was executed: %+v", text, got)
		}
	}
}

// TestSwallowed checks that the error which a guard hides is named with its place, and which pattern of the tool's
// name is an error.
func TestSwallowed(t *testing.T) {
	t.Parallel()
	x := &exploration{hook: discover.Hook{ID: "h", Event: "PreToolUse"}, sources: map[string][]byte{"a.py": nil}}
	if found := x.findHiddenError(); len(found) > 0 {
		t.Errorf("without an error: %+v", found)
	}
	x.message = []string{"", "a.sh", "2", "jqq: command not found"}
	if found := x.findHiddenError(); len(found) != 1 || found[0].Severity != suites.Error || !strings.HasSuffix(found[0].What, "jqq: command not found (a.sh:2)") {
		t.Errorf("a program: %+v", found)
	}
	x.errors = []explore.Failure{{File: "/usr/lib/x.py", Line: 1, What: "KeyError"}, {File: "/p/a.py", Line: 5, What: "NameError: re"}}
	if found := x.findHiddenError(); len(found) != 1 || found[0].At != "a.py:5" || found[0].Severity != suites.Warning {
		t.Errorf("an exception: %+v", found)
	}
	x.foreign = []foreign{{explore.Comparison{File: "a.py", Line: 3, Op: explore.Suffix, Value: "/p/x", Pattern: "*.key"}, "tool_input.file_path", "* stands for itself", false}}
	x.passed = []explore.Comparison{{File: "a.py", Line: 3, Op: explore.Suffix, Value: "/p/*.key", Pattern: "*.key"}}
	if found := x.findMisreadPatterns(true); len(found) != 1 {
		t.Errorf("a pattern that a made input passes: %+v", found)
	}
	x.foreign[0].why, x.foreign[0].varies = "the client sends absolute paths", true
	if found := x.findMisreadPatterns(true); len(found) > 0 {
		t.Errorf("a pattern that other paths pass: %+v", found)
	}
	x.foreign[0].Pattern, x.passed[0].Line, x.passed[0].Pattern = `.claude\x\`, 4, "/.claude/x/"
	if found := x.findMisreadPatterns(true); len(found) > 0 {
		t.Errorf("a pattern whose other form with a slash is next to it: %+v", found)
	}
	x.passed = nil
	x.foreign = []foreign{{explore.Comparison{File: "a.py", Line: 3, Op: explore.Equal, Pattern: "bash"}, "tool_name", "the client sends Bash", true}}
	for stopped, want := range map[bool]string{false: "misnamed-tool", true: "misread-pattern"} {
		if found := x.findMisreadPatterns(stopped); len(found) != 1 || found[0].Rule != want {
			t.Errorf("%v: %+v", stopped, found)
		}
	}
}

// newExplorationOf returns the exploration of a hook with a script.
func newExplorationOf(h discover.Hook, a *alternative, script string) *exploration {
	return &exploration{hook: h, change: a, sources: map[string][]byte{script: nil}, sides: map[suites.Position]*sides{}, absent: map[explore.Field]bool{}, reached: map[int]bool{}, effects: map[suites.Effect]bool{}, ran: map[string]bool{}, asked: map[string]bool{}}
}

// readOf returns a read of a field in a script.
func readOf(script string, line int, field explore.Field) explore.FieldRead {
	return explore.FieldRead{File: "/p/" + script, Line: line, Field: field}
}

// TestAsInput checks that the input of a command is without the file that other tools would get.
func TestAsInput(t *testing.T) {
	t.Parallel()
	for want, f := range map[Input]firing{
		{Tool: "Bash", Command: "rm -rf /"}: {tool: "Bash", command: "rm -rf /", file: "a.py"},
		{Tool: "Write", File: "b.py"}:       {tool: "Write", file: "b.py"},
		{Prompt: "hello"}:                   {prompt: "hello"},
	} {
		if got := f.asInput(); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
}

// TestMostExplored checks that a search goes on for longer while several decisions are left, up to a bound.
func TestMostExplored(t *testing.T) {
	t.Parallel()
	for left, want := range map[int]int{0: 48, 1: 48, 2: 56, 4: 72, 20: 96} {
		x := &exploration{hook: discover.Hook{Scripts: []string{"guard.sh"}}, courses: map[string]*explore.Course{"guard.sh": explore.CourseOf("guard.sh", []byte("exit 2\n"))}, reached: map[int]bool{0: true}}
		for range 1 + left {
			x.decisions = append(x.decisions, explore.Decision{File: "guard.sh", Line: 1})
		}
		if got := x.most(); got != want {
			t.Errorf("%d left: %d, want %d", left, got, want)
		}
	}
}

// TestPatient checks that a search ends sooner if no comparison stands before a decision that is left.
func TestPatient(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		line, left, want int
	}{{line: 1, left: 1, want: 12}, {line: 5, left: 1, want: 4}, {line: 5, left: 0, want: 12}} {
		x := newExplorationOf(discover.Hook{ID: "h", Event: "PreToolUse", Scripts: []string{"guard.sh"}}, nil, "guard.sh")
		x.courses = map[string]*explore.Course{"guard.sh": explore.CourseOf("guard.sh", []byte("exit 2\n"))}
		x.decisions, x.reached = []explore.Decision{{File: "guard.sh", Line: 1}}, map[int]bool{0: tt.left == 0}
		x.search.Take(explore.Input{}, map[explore.Field]string{"tool_input.command": "ls"}, &explore.Record{
			Comparisons: []explore.Comparison{{File: "guard.sh", Line: tt.line, Op: explore.Contains, Value: "ls", Pattern: "rm"}},
		})
		x.search.Awaited = []explore.Lines{{File: "guard.sh", From: 1, To: 1}}
		if got := x.patient(); got != tt.want {
			t.Errorf("a comparison at line %d, %d left: %d firings in vain, want %d", tt.line, tt.left, got, tt.want)
		}
	}
}
