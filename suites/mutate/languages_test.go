package mutate

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"hookwatch/suites/depend/trace"
)

const pythonText = `#!/usr/bin/env python3
"""What it does."""
import sys

WORDS = ["rm", "mkfs", "dd"]
KINDS = {"a": 1, "b": 2}


def judge(command, force=False):
    """Documented."""
    if not command or command in ("x", "y"):
        return False
    elif force and len(command) > 3:
        return command[0:2]
    for word in WORDS:
        if word in command: return True
    names = [w for w in WORDS if w is not None]
    return "yes" if names else None


try:
    found = judge(sys.stdin.read())
except (OSError, ValueError):
    sys.exit(1)
if found:
    print(f"no {found}"); sys.exit(2)
`

const nodeText = `#!/usr/bin/env node
const fs = require('fs');
const words = ['rm', /mkfs/, 3];

function judge(command) {
  if (command && words.some((w) => command.match(w))) {
    return true;
  }
  return;
}

if (judge(fs.readFileSync(0, 'utf8'))) {
  console.error('no');
  process.exit(2);
}
`

// TestOperatorsOfLanguages checks edits of each operator, as the line before and after.
func TestOperatorsOfLanguages(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		file, text string
		want       map[string][]string
		not        map[string][]string
	}{
		{"hook.py", pythonText, map[string][]string{
			"delete": {
				"import sys => pass", "return False => pass", "if word in command: return True => pass", `print(f"no {found}"); sys.exit(2) => pass; sys.exit(2)`,
				`print(f"no {found}"); sys.exit(2) => print(f"no {found}"); pass`,
			},
			"negate": {
				`if not command or command in ("x", "y"): => if not (not command or command in ("x", "y")):`, "elif force and len(command) > 3: => elif not (force and len(command) > 3):",
				"names = [w for w in WORDS if w is not None] => names = [w for w in WORDS if (not (w is not None))]", `return "yes" if names else None => return "yes" if (not (names)) else None`,
				"if word in command: return True => if not (word in command): return True",
			},
			"exit": {"return False => return None", "return False => return not (False)", "sys.exit(1) => sys.exit(2)", `print(f"no {found}"); sys.exit(2) => print(f"no {found}"); sys.exit(0)`},
			"constant": {
				`WORDS = ["rm", "mkfs", "dd"] => WORDS = ["xrm", "mkfs", "dd"]`, "return False => return True", `print(f"no {found}"); sys.exit(2) => print(f"xno {found}"); sys.exit(2)`,
				"return command[0:2] => return command[0:3]", `KINDS = {"a": 1, "b": 2} => KINDS = {"a": 2, "b": 2}`,
			},
			"swap": {
				`if not command or command in ("x", "y"): => if not command and command in ("x", "y"):`, `if not command or command in ("x", "y"): => if not command or command not in ("x", "y"):`,
				"names = [w for w in WORDS if w is not None] => names = [w for w in WORDS if w is None]", "elif force and len(command) > 3: => elif force and len(command) <= 3:",
			},
			"print": {`return False => print("printed") return False`, `return False => open(2, "w", closefd=False).write("printed\n") return False`},
			"arm": {
				`WORDS = ["rm", "mkfs", "dd"] => WORDS = ["mkfs", "dd"]`, `KINDS = {"a": 1, "b": 2} => KINDS = {"b": 2}`, `if not command or command in ("x", "y"): => if not command or command in ("y",):`,
				"except (OSError, ValueError): => except (ValueError,):",
			},
		}, map[string][]string{
			"delete":   {`"""Documented.""" => pass`},
			"constant": {`"""Documented.""" => """xDocumented."""`},
			"swap":     {"for word in WORDS: => for word not in WORDS:"},
			"arm":      {"def judge(command, force=False): => def judge(force=False):"},
		}},
		{"hook.js", nodeText, map[string][]string{
			"delete":   {"return true; => ;;", "process.exit(2); => ;;"},
			"negate":   {"if (judge(fs.readFileSync(0, 'utf8'))) { => if (!(judge(fs.readFileSync(0, 'utf8')))) {"},
			"exit":     {"return true; => return !( true);", "return true; => return 3;", "return; => return 3;", "process.exit(2); => process.exit(0);"},
			"constant": {"console.error('no'); => console.error('nox');", "return true; => return false;"},
			"swap":     {"if (command && words.some((w) => command.match(w))) { => if (command || words.some((w) => command.match(w))) {"},
			"print":    {"return true; => console.log('printed'); return true;", "return true; => console.error('printed'); return true;"},
			"arm":      {"const words = ['rm', /mkfs/, 3]; => const words = [ /mkfs/, 3];"},
		}, nil},
	} {
		s, err := NewScript(test.file, []byte(test.text), 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, op := range []string{"insert", "lines", "reorder", "global", "rename", "comment", "blank", "indent"} {
			if len(diffs(s, op)) == 0 {
				t.Errorf("%s: %s made nothing", test.file, op)
			}
		}
		for op, want := range test.want {
			made := diffs(s, op)
			for _, w := range want {
				if !slices.Contains(made, w) {
					t.Errorf("%s: %s made none that is %q:\n%s", test.file, op, w, strings.Join(made, "\n"))
				}
			}
			for _, w := range test.not[op] {
				if slices.Contains(made, w) {
					t.Errorf("%s: %s made %q", test.file, op, w)
				}
			}
		}
	}
}

func diffs(s Script, operator string) (list []string) {
	for _, m := range subjects(s, operator) {
		before, after := m.Diff()
		list = append(list, before+" => "+after)
	}
	return list
}

// TestFunctions checks the places of mutants.
func TestFunctions(t *testing.T) {
	t.Parallel()
	s, err := NewScript("hook.py", []byte(pythonText), 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range subjects(s, "exit") {
		if in := map[bool]string{true: "judge"}[strings.HasPrefix(m.What, "make it")]; m.ID.Function != in {
			t.Errorf("%s is in %q, want %q", m, m.ID.Function, in)
		}
		if text := strings.Split(pythonText, "\n")[m.Line-1][m.Column-1:]; !strings.HasPrefix(text, "return") && !strings.HasPrefix(text, "(") {
			t.Errorf("%s: column %d is at %q", m, m.Column, text)
		}
	}
}

// TestPythonCompiles checks that Python accepts every mutant, because one that it rejects fails in
// each case.
func TestPythonCompiles(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("absent: python3")
	}
	s, err := NewScript("hook.py", []byte(pythonText), 1)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for op := range pythonOperators {
		for _, m := range subjects(s, op) {
			all = append(all, string(m.Content))
		}
	}
	cmd := exec.Command(python, "-I", "-W", "ignore", "-c", "import sys\nfor text in sys.stdin.buffer.read().decode().split('\\0'):\n    try:\n        compile(text, 'x', 'exec')\n    except SyntaxError as e:\n        print(e, text)")
	cmd.Stdin = strings.NewReader(strings.Join(all, "\x00"))
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 || len(all) < 100 {
		t.Errorf("%d mutants: %v\n%s", len(all), err, out)
	}
}

func FuzzScripts(f *testing.F) {
	f.Add("hook.py", pythonText)
	f.Add("hook.py", "if a: b\nelif c: d; e\nelse:\n\tf(lambda x: (1, 2), [3 if x else 4])\n")
	f.Add("hook.py", "match x:\n  case [1, 2] if y: pass\n  case _: return\n@d\nclass C(A, B): x = {1, 2}\n")
	f.Add("hook.js", nodeText)
	f.Add("hook.sh", twoFunctions)
	f.Fuzz(func(t *testing.T, file, text string) {
		s, err := NewScript(file, []byte(text), 1)
		if err != nil || len(text) > 2000 { // each mutant is parsed
			return
		}
		for _, list := range All(s, Operators) {
			for _, m := range list {
				if _, err := trace.Parse(file, m.Content); err != nil || string(m.Content) == text || m.Line < 1 || m.Column < 1 {
					t.Errorf("%s at %d:%d: %v", m, m.Line, m.Column, err)
				}
				m.Diff()
			}
		}
	})
}

func TestOperators(t *testing.T) {
	t.Parallel()
	const text = `#!/bin/bash
# a comment
x=1
f() {
  if [[ $1 == a && -n $x ]]; then
    echo one
  fi
  case $1 in a) return 1 ;; b) : ;; esac
  return 1
}
f a || exit 2
`
	for name, want := range map[string]string{
		"delete":   "delete echo one",
		"negate":   "negate [[ $1 == a && -n $x ]]",
		"constant": "change a",
		"swap":     "&& to ||",
		"exit":     "make it return 2",
		"insert":   "append",
		"lines":    "append for added",
		"reorder":  "exchange",
		"global":   "change x=1",
		"rename":   "rename f",
		"comment":  "change # a comment",
		"blank":    "add blank lines",
		"indent":   "indent by 7",
		"print":    "print on stdout before echo one",
		"arm":      "drop the arm b) :",
	} {
		s, err := NewSource("x.sh", []byte(text), 1) // of its own, because its numbers are random
		if err != nil {
			t.Fatal(err)
		}
		var made []string
		for _, c := range s.Changes(name) {
			if m, ok := s.Mutant(name, c); ok {
				made = append(made, m.What)
			}
		}
		if !strings.Contains(strings.Join(made, "\n"), want) {
			t.Errorf("%s made %q, none of them %q", name, made, want)
		}
	}
}
