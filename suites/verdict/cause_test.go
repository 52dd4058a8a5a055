package verdict

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hookwatch/suites"
)

func record(id, hook, note, stderr string) *suites.Record {
	return &suites.Record{Suite: "s", ID: id, Hook: hook, Note: note, ActualStderr: stderr}
}

const brokenHook = "/p/.claude/hooks/lint.sh: line 214: syntax error near unexpected token `}'\n/p/.claude/hooks/lint.sh: line 214: `}'\n"

// TestCauseOf checks that the cause is the shell's report about a hook itself, and nothing else.
func TestCauseOf(t *testing.T) {
	t.Parallel()
	start := []suites.Mismatch{{Kind: suites.InStart, Field: "start", Got: "hook not executable: chmod +x lint.sh"}}
	for name, tt := range map[string]struct {
		f    Failure
		kind CauseKind
		want string
	}{
		"does not parse":   {Failure{Record: record("A", "lint.sh", "exit 2, want 0", brokenHook)}, CauseSyntax, "lint.sh does not parse: line 214: syntax error near unexpected token `}'"},
		"a quote is open":  {Failure{Record: record("A", "lint.sh", "", "lint.sh: line 3: unexpected EOF while looking for matching `\"'\n")}, CauseSyntax, "lint.sh does not parse: line 3: unexpected EOF while looking for matching `\"'"},
		"a library":        {Failure{Record: record("A", "lint.sh", "", "/p/lib/log.sh: line 2: syntax error: unexpected end of file\n")}, CauseLibrary, "log.sh does not parse: line 2: syntax error: unexpected end of file"},
		"no library":       {Failure{Record: record("A", "lint.sh", "", "/p/lint.sh: line 2: /p/lib/log.sh: No such file or directory\n")}, CauseLibrary, "log.sh cannot be read: lint.sh line 2: No such file or directory"},
		"not started":      {Failure{record("A", "lint.sh", "", ""), start}, CauseNotStarted, "lint.sh does not start: hook not executable: chmod +x lint.sh"},
		"a file it lints":  {Failure{Record: record("A", "lint.sh", "exit 0", "/t/s-A-12/tmp/x.sh: line 2: syntax error near unexpected token `}'\n")}, CauseEqual, "exit 0"},
		"a missing input":  {Failure{Record: record("A", "lint.sh", "exit 0", "/p/lint.sh: line 2: /p/notes.txt: No such file or directory\n")}, CauseEqual, "lint.sh line 2: /p/notes.txt: No such file or directory"},
		"a command":        {Failure{Record: record("A", "lint.sh", "exit 127", "checking\n/p/lint.sh: line 2: say: command not found\nstopped\n")}, CauseEqual, "lint.sh line 2: say: command not found"},
		"of a sandbox":     {Failure{Record: record("A", "lint.sh", "exit 1", "/p/lint.sh: line 2: /t/s-A-12/tmp/x: Permission denied\n")}, CauseEqual, "lint.sh line 2: {sandbox}/tmp/x: Permission denied"},
		"another's script": {Failure{Record: record("A", "lint.sh", "exit 0", "/p/other.sh: line 2: /p/lib/log.sh: No such file or directory\n")}, CauseEqual, "exit 0"},
		"python missing":   {Failure{Record: record("A", "guard.py", "exit 2, want 0", "/usr/bin/python3: can't open file '/p/guard.py': [Errno 2] No such file or directory\n")}, CauseNotStarted, "guard.py does not start: hook missing: what is registered runs a file that does not exist"},
		"node missing":     {Failure{Record: record("A", "paths.mjs", "exit 1", "node:internal/modules:1\n  throw err;\n\nError: Cannot find module '/p/paths.mjs'\n    at x\n")}, CauseNotStarted, "paths.mjs does not start: hook missing: what is registered runs a file that does not exist"},
		"another module":   {Failure{Record: record("A", "paths.mjs", "exit 1", "Error: Cannot find module 'yaml'\n")}, CauseEqual, "exit 1"},
		"shell missing":    {Failure{Record: record("A", "x.sh", "exit 127", "/bin/sh: 1: /p/x.sh: not found\n")}, CauseNotStarted, "x.sh does not start: hook missing: what is registered runs a file that does not exist"},
		"python no parse":  {Failure{Record: record("A", "guard.py", "exit 1", "  File \"/p/guard.py\", line 16\n    if why\n          ^\nSyntaxError: expected ':'\n")}, CauseSyntax, "guard.py does not parse: line 16: SyntaxError: expected ':'"},
		"node no parse":    {Failure{Record: record("A", "paths.mjs", "exit 1", "file:///p/paths.mjs:14\n})\n ^\n\nSyntaxError: Unexpected token ')'\n    at wrapSafe\n\nNode.js v18.19.1\n")}, CauseSyntax, "paths.mjs does not parse: line 14: SyntaxError: Unexpected token ')'"},
		"python raises":    {Failure{Record: record("A", "guard.py", "exit 1", "Traceback (most recent call last):\n  File \"/p/guard.py\", line 15, in <module>\n    x\n  File \"/usr/lib/python3/json.py\", line 3, in y\nKeyError: 'comand'\n")}, CauseEqual, "guard.py line 15: KeyError: 'comand'"},
		"node raises":      {Failure{Record: record("A", "paths.mjs", "exit 1", "file:///p/paths.mjs:5\nconst\n\nTypeError: no\n    at file:///p/paths.mjs:5:32\n    at file:///p/paths.mjs:9:1\n\nNode.js v18\n")}, CauseEqual, "paths.mjs line 5: TypeError: no"},
		"node parses JSON": {Failure{Record: record("A", "paths.mjs", "exit 1", "undefined:1\nx\n^\n\nSyntaxError: Unexpected token\n    at JSON.parse (<anonymous>)\n    at file:///p/paths.mjs:4:22\n\nNode.js v18\n")}, CauseEqual, "paths.mjs line 4: SyntaxError: Unexpected token"},
		"in the middle":    {Failure{Record: record("A", "lint.sh", "exit 0", "the file has: line 2: a syntax error\n")}, CauseEqual, "exit 0"},
	} {
		c := CauseOf(tt.f)
		if c.Kind != tt.kind || c.Headline() != tt.want {
			t.Errorf("%s: %s, %q, want %s, %q", name, c.Kind, c.Headline(), tt.kind, tt.want)
		}
	}
}

// TestCauseGroups checks that failures with one cause form one group, whatever each case
// expected: file errors first, then the largest groups. The output does not separate failures that
// differ in exit code or effect, because it contains the input. All others stay separate.
func TestCauseGroups(t *testing.T) {
	t.Parallel()
	failed := []Failure{
		{Record: record("A1", "guard.sh", "exit 0, want 2", "")},
		{Record: record("A2", "lint.sh", "exit 2, want 0", brokenHook)},
		{Record: record("A3", "guard.sh", `stderr "a", want "b"`, "see /t/s-A3-123/tmp/x")},
		{Record: record("A4", "guard.sh", `stderr "a", want "b"`, "see /t/s-A4-456/tmp/x")},
		{Record: record("A5", "lint.sh", "decision approve, want block", brokenHook)},
		{Record: record("A6", "guard.sh", "exit 0, want 2", "other")},
		{Record: record("A7", "other.sh", "exit 0, want 2", "")},
		{record("A8", "gone.sh", "", ""), []suites.Mismatch{{Kind: suites.InStart, Field: "start", Got: "hook missing"}}},
		{Record: record("B1", "say.sh", "exit 127, want 0", "/p/say.sh: line 8: say: command not found\n")},
		{Record: record("B2", "say.sh", "model_sees empty", "other\n/p/say.sh: line 8: say: command not found\n")},
		{Record: record("B3", "say.sh", "model_sees empty", "/p/say.sh: line 9: say: command not found\n")},
		{Record: record("A9", "protect.sh", "exit 2, want 0", "/p/lint.sh: line 214: syntax error near unexpected token `}'\n")},
	}
	var got []string
	for _, g := range CauseGroups(failed) {
		var ids []string
		for _, k := range g.Keys() {
			ids = append(ids, k.ID)
		}
		got = append(got, fmt.Sprint(g.Kind, ids))
	}
	want := "not_started[A8] syntax[A2 A5] library[A9] equal[A1 A6] equal[A3 A4] equal[B1 B2] equal[A7] equal[B3]"
	if strings.Join(got, " ") != want {
		t.Errorf("%s, want %s", strings.Join(got, " "), want)
	}
}

// TestAbsentProgram checks that hooks that lack one program have one cause.
func TestAbsentProgram(t *testing.T) {
	t.Parallel()
	lacks := func(hook, stderr string, exit int) Failure {
		r := record(hook, hook, "exit 127", stderr)
		r.ActualExit = &exit
		return Failure{Record: r}
	}
	groups := CauseGroups([]Failure{
		lacks("a.py", "/bin/sh: 1: uv: not found\n", 127),
		lacks("b.py", "bash: line 1: uv: command not found\n", 127),
		lacks("c.py", "/bin/sh: 1: bun: not found\n", 127),
		lacks("d.py", "/bin/sh: 1: uv: not found\n", 1),
		lacks("e.py", "/bin/sh: 1: uv: not found\nand so it ends\n", 127),
	})
	var got []string
	for _, g := range groups {
		got = append(got, fmt.Sprintf("%s %d %s", g.Kind, len(g.Cases), g.Headline()))
	}
	want := []string{
		"not_started 2 the program uv is not found", "not_started 1 the program bun is not found",
		"equal 1 exit 127", "equal 1 exit 127",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestFailed(t *testing.T) {
	t.Parallel()
	all := []suites.Record{{ID: "A", Pass: true}, {ID: "B"}, {ID: "C", Note: "ABORTED: " + "x"}}
	if f := Failures(all); len(f) != 1 || f[0].Record.ID != "B" {
		t.Errorf("%v", f)
	}
}
