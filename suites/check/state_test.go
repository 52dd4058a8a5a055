package check

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hookwatch/suites"
	"hookwatch/suites/discover"
	"hookwatch/suites/disk"
	"hookwatch/suites/explore"
)

// TestWithVariables checks which variables of the environment an exploration sets.
func TestWithVariables(t *testing.T) {
	t.Parallel()
	h := discover.Hook{Event: "PreToolUse", Matcher: "Bash"}
	for text, want := range map[string]map[explore.Field]string{
		`agent = os.environ.get("MY_AGENT")`:                   {"$MY_AGENT": "zq_my_agent"},
		`if os.environ["MODE"] == os.getenv('OTHER_MODE'):`:    {"$MODE": "zq_mode", "$OTHER_MODE": "zq_other_mode"},
		`process.env.GUARD_OFF || process.env["GUARD_LEVEL"]`:  {"$GUARD_OFF": "zq_guard_off", "$GUARD_LEVEL": "zq_guard_level"},
		`[[ ${GUARD_MODE:-} == strict ]] && exit 2`:            {"$GUARD_MODE": "zq_guard_mode"},
		"GUARD_MODE=strict\n[[ $GUARD_MODE == strict ]]":       nil,
		`cd "$CLAUDE_PROJECT_DIR"; echo "$BASH_VERSION" $HOME`: nil,
		`[[ $A_A$A_B$A_C$A_D$A_E ]]`:                           {"$A_A": "zq_a_a", "$A_B": "zq_a_b", "$A_C": "zq_a_c", "$A_D": "zq_a_d"},
	} {
		x := newExplorationOf(h, nil, "guard")
		x.sources["guard"] = []byte(text)
		var got map[explore.Field]string
		for _, f := range x.withVariables() {
			got = f.state
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

// TestWithFiles checks which files that a hook did not find an exploration makes.
func TestWithFiles(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, name := range []string{"there.txt", "module.js"} {
		if err := os.WriteFile(filepath.Join(root, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	x := newExplorationOf(discover.Hook{Event: "PreToolUse", Matcher: "Bash"}, nil, "guard.sh")
	x.tree = Tree{Root: root, Reader: disk.Reader{Root: root}}
	x.sources["guard.sh"] = []byte("[ -f .claude/approved ] || [ -f there.txt ] && jq . rules.json; cat a ../outside; require('./module'); package.json; python3 -c 'import json\nprint()' " + strings.Repeat("long", 99))
	o := suites.Outcome{Project: "/p"}
	for _, name := range []string{".claude", ".claude/approved", "there.txt", "rules.json", "a", "unnamed.txt", ".git/approved", "../outside", "module", "package.json", "import json\nprint()", strings.Repeat("long", 99)} {
		o.Accesses = append(o.Accesses, suites.NewAccess("/p/"+name, []suites.Use{{Kind: suites.Looked}}))
	}
	o.Accesses = append(o.Accesses, suites.NewAccess("/p/.claude/rules.json", []suites.Use{{Kind: suites.Wrote}}))
	var got []map[explore.Field]string
	for _, f := range x.withFiles(firing{}, o) {
		got = append(got, f.state)
	}
	want := []map[explore.Field]string{{"{project}/.claude/approved": "zq_file\n"}, {"{project}/rules.json": "{}\n"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[explore.Field]string{"{project}/.claude/approved": "zq_file\n", "{project}/rules.json": "{}\n"}, x.files); diff != "" {
		t.Errorf("for later (-want +got):\n%s", diff)
	}
}

// TestBranch checks that a firing on another branch has the commit of the present one there, also if it is packed, and
// which names are tried.
func TestBranch(t *testing.T) {
	t.Parallel()
	for name, files := range map[string]map[string]string{
		"loose":    {"HEAD": "ref: refs/heads/a/b\n", "refs/heads/a/b": "0123\n"},
		"packed":   {"HEAD": "ref: refs/heads/a/b\n", "packed-refs": "# pack-refs\n0123 refs/heads/a/b\n4567 refs/heads/b\n"},
		"detached": {"HEAD": "0123\n"},
		"outside":  {"HEAD": "ref: refs/heads/../../../secret\n", "../secret": "0123\n"},
		"no name":  {"HEAD": "ref: refs/heads/a\n", "refs/heads/a": "a secret\n"},
		"unborn":   {"HEAD": "ref: refs/heads/a/b\n"},
	} {
		root := t.TempDir()
		for file, text := range files {
			file = filepath.Join(root, ".git", file)
			if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
				t.Fatal(err)
			}
		}
		branch, commit := Tree{Root: root, Reader: disk.Reader{Root: root}}.branch()
		if on := branch + " " + commit; on != map[bool]string{true: "a/b 0123", false: " "}[name == "loose" || name == "packed"] {
			t.Errorf("%s: %q", name, on)
		}
	}
	h := discover.Hook{Event: "PreToolUse", Matcher: "Bash"}
	usual := firing{event: "PreToolUse", tool: "Bash", command: "echo hello", commit: "0123"}
	for text, ok := range map[string]bool{"main": true, "release/1.0": true, "a b": false, "../x": false, "-f": false, "": false} {
		f, tried := with(h, usual, explore.Input{Field: branchField, Text: text})
		if tried != ok {
			t.Errorf("%q is tried: %v", text, tried)
		}
		if !tried {
			continue
		}
		want := []suites.Fixture{{Path: "{project}/.git/refs/heads/" + text, Content: "0123\n"}, {Path: "{project}/.git/HEAD", Content: "ref: refs/heads/" + text + "\n"}}
		if diff := cmp.Diff(want, f.asCase(h).Steps[0].Fixtures[1:]); diff != "" || f.input() != "echo hello on branch "+text {
			t.Errorf("%s (-want +got):\n%s", f.input(), diff)
		}
	}
}

// TestCreatable checks where a firing can have a file.
func TestCreatable(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if err := errors.Join(os.MkdirAll(filepath.Join(root, "refs/feature"), 0o755), os.WriteFile(filepath.Join(root, "refs/main"), nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	for slash, want := range map[string]bool{"refs/main": true, "refs/new": true, "new/new": true, "refs/feature/x": true, "refs/feature": false, "refs/main/x": false} {
		if got := (Tree{Root: root}).creatable(slash); got != want {
			t.Errorf("%s: %v", slash, got)
		}
	}
}

// TestState checks what a firing with variables and files sends, and how it is described.
func TestState(t *testing.T) {
	t.Parallel()
	h := discover.Hook{Event: "PreToolUse", Matcher: "Bash"}
	f := firing{event: h.Event, tool: "Bash", command: "ls", state: map[explore.Field]string{"$MODE": "zq_mode", "$OTHER": "zq_other", "{project}/flag": "zq_file\n"}}
	f, ok := with(h, f, explore.Input{Field: "$MODE", Text: "strict"})
	g, _ := with(h, firing{event: h.Event, tool: "Bash", command: "ls", state: f.state}, explore.Input{Field: "tool_input.command", Text: "rm"})
	if got, want := g.input(), `rm with MODE=strict and flag`; got != want || g.marked() || !(firing{state: map[explore.Field]string{"$A": "zq_a"}}).marked() {
		t.Errorf("described as %q, want %q", got, want)
	}
	f = f.withState("{project}/level", "high")
	step := f.asCase(h).Steps[0]
	if !ok || step.Env["MODE"] != "strict" || len(step.Env) != 1 {
		t.Errorf("variables %v", step.Env)
	}
	if last := step.Fixtures[len(step.Fixtures)-1]; last.Path != "{project}/level" || last.Content != "high" || len(step.Fixtures) != 3 {
		t.Errorf("files %v", step.Fixtures)
	}
	if got, want := f.input(), `ls with MODE=strict and flag and level ("high")`; got != want {
		t.Errorf("described as %q, want %q", got, want)
	}
	if fields := f.fields(h); fields["$MODE"] != "strict" || fields["tool_input.command"] != "ls" {
		t.Errorf("fields %v", fields)
	}
}

// TestOnAnotherBranch checks that the first firings are made on another branch, once, if the present one passes a
// comparison.
func TestOnAnotherBranch(t *testing.T) {
	t.Parallel()
	usual := firing{event: "PreToolUse", tool: "Bash", command: "echo hello"}
	marked := usual.withState("$MODE", "zq_mode")
	for _, tt := range []struct {
		branch, compared string
		sent             []firing
		want             int
	}{
		{"main", "refs/heads/main", []firing{usual, marked}, 1},
		{"main", "main", []firing{usual, usual.withState(branchField, "feature/x")}, 0}, // it was
		{"main", "other", []firing{usual}, 0},
		{"feature/x", "feature/x", []firing{usual}, 0}, // it is that
		{"", "main", []firing{usual}, 0},               // it is not asked for
	} {
		x := newExplorationOf(discover.Hook{Event: "PreToolUse", Matcher: "Bash"}, nil, "guard.sh")
		x.branch, x.sent = tt.branch, tt.sent
		x.passed = []explore.Comparison{{File: "guard.sh", Line: 3, Op: explore.Suffix, Value: tt.compared, Pattern: tt.compared}}
		all := x.onAnotherBranch()
		if len(all) != tt.want || tt.want > 0 && all[0].input() != "echo hello on branch feature/x" {
			t.Errorf("on %q, compared %q: %v", tt.branch, tt.compared, all)
		}
	}
}
