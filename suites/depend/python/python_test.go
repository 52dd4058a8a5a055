package python

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hookwatch/suites/depend/script"
)

// pythonSource has most of the syntax that the parser knows.
const pythonSource = `#!/usr/bin/env python3
"""Documentation
of the module."""
from __future__ import annotations
import os.path as p, sys  # comment
from typing import (
    Any,
    Optional,
)
x: int = 0x1F + 1_000 - .5e-3j * 0o17 // 0b11 ** -1
a, *b = c = [1, (2, 3), {4: 5, **{}}, {6, *[]}, 7 if x else 8]
s = 'it''s' "\x41\u00e9\101" rb'\d' if False else b"\xff" b'a'
f = f'{x!r:>{x + 1}} {{}} {x["a"]:%Y-%m} {p.join("a", "b")=}' f"""{
    x
}"""
if x == 1 and not a or b is not None: pass
elif (n := len(a)) > 2: x = 1; y = 2
else:
	while x not in a and n:
		x += 1; continue
	else:
		del a[0], (b, c)
for i, (j, k) in enumerate(zip(a, b)):
    if i: break
else: print(i, *a, sep='', **{})
try:
    assert x, "no"
except (ValueError, OSError) as e:
    raise RuntimeError from e
except Exception: ...
else:
    pass
finally:
    x = \
        3
with open('f') as g, open('h') as h: g.read()
@p.decorator
@other(1, key=lambda *a, b=1, **k: (yield))
async def coroutine(a, /, b: "int" = 1, *args: Any, c, d=2, **kw) -> Optional[int]:
    """Documentation."""
    global g1
    async with a as b, c:
        await b
    async for i in a: yield i
    return
class A(B, metaclass=C):
    "Documentation"
    y = [z async for z in a] if False else 1 if 0 else {k: v for k, v in a if k if v}
    def method(self): return super().method()[1:2, ::3, ...]

    def nested(self):
        n = 1
        def inner():
            nonlocal n
            n = yield from (q for q in range(n))
        return inner
match = 1
match x:
    case 1 | -2 | "a": pass
    case [A, *rest] | (A(),): pass
    case {"k": v, **others} if v: pass
    case A.b | None: pass
    case A(1, c=[d, _]) as whole: pass
    case _:
        match(x)
lambda: (yield)
x if x else lambda y=1: y
print(not x, ~x, x @ x, x < 1 <= 2, [*a], a[-1:][0](1)(2).b)
`

// asPython returns the spans of statements according to Python.
const asPython = `
import ast, json, sys
spans = []
for n in ast.walk(ast.parse(sys.stdin.buffer.read())):
    if isinstance(n, ast.stmt):
        start = min([n.lineno] + [d.lineno for d in getattr(n, "decorator_list", [])])
        spans.append([start, n.end_lineno])
print(json.dumps(sorted(spans)))
`

// TestPythonSpans compares statements with those of Python's own parser.
func TestPythonSpans(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3")
	}
	cases := map[string]string{"pythonSource": strings.Replace(strings.Replace(pythonSource, "    case [A, *rest] | (A(),): pass\n", "", 1), "    y = [z async for z in a] if False else 1", "    y = 1", 1)}
	cases["pythonSource"] = strings.Replace(cases["pythonSource"], ` rb'\d' if False else b"\xff" b'a'`, "", 1)
	own, err := filepath.Glob("../../../cmd/mutatetest/testdata/*/.claude/*/*.py")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(own, "../trace/python_start.py") {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		cases[file] = string(src)
	}
	for name, src := range cases {
		s, err := parsePython(src)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got, want [][2]int
		for _, st := range s.Statements {
			got = append(got, [2]int{st.Start, st.End})
		}
		slices.SortFunc(got, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
		cmd := exec.CommandContext(t.Context(), python, "-I", "-c", asPython)
		cmd.Stdin = strings.NewReader(src)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v: %s", name, err, stderr.String())
		}
		if err := json.Unmarshal(out, &want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: statements (- Python, + here):\n%s", name, diff)
		}
	}
}

// TestPythonLiterals compiles random regular expressions and numbers that count as valid with a real
// Python, without warnings.
func TestPythonLiterals(t *testing.T) {
	t.Parallel()
	for _, p := range []string{`^a+$`, `\bfoo\b`, `[a-z]{2,3}`, `(?:a|b)*?`, `\d+(\.\d+)?`, `[^\s"']+`} {
		if !safePattern(`r"""` + p + `"""`) {
			t.Errorf("%s is not known to be valid", p)
		}
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3")
	}
	random := rand.New(rand.NewPCG(1, 2))
	draw := func(pieces string) string {
		var b strings.Builder
		of := strings.Fields(pieces)
		for range 1 + random.IntN(6) {
			b.WriteString(of[random.IntN(len(of))])
		}
		return b.String()
	}
	var code strings.Builder
	for range 20_000 {
		if p := `r"` + draw(`a - ^ $ * + ? | ( ) [ ] { } {2} {1,3} {,2} (?: \b \d \w \. \] \- \B \x41 \u0041 [^ [a-z] & ~ : é`) + `"`; safePattern(p) {
			fmt.Fprintf(&code, "re.compile(%s)\n", p)
		}
		if n := draw("0 1 9 00 _ . e e+ e- j x b o f 0x 12"); numbers().MatchString(n) {
			fmt.Fprintln(&code, n)
		}
	}
	cmd := exec.CommandContext(t.Context(), python, "-I", "-W", "error", "-c", "import re, sys\nfor line in sys.stdin.reconfigure(encoding='utf-8') or sys.stdin: exec(line)")
	cmd.Stdin = strings.NewReader(code.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func parsePython(src string) (*script.Script, error) { return Script([]byte(src)) }

// TestPythonRejects checks that code which no interpreter compiles is rejected, because an edit to
// it affects every case.
func TestPythonRejects(t *testing.T) {
	t.Parallel()
	for _, src := range []string{
		"x = = 1", "x =", "(1", "1)", "if x:\n", "if x\n  y", "  x", "if x:\n  y\n z", "def f(a, a): pass", "def f(a=1, b): pass", "def f(*): pass",
		"f(a=1, 2)", "f(a=1, a=2)", "f(**a, *b)", "f(x for x in y, 1)", "return", "yield", "await x", "break", "continue", "def f():\n  await x",
		"1 = x", "f() = 1", "x + 1 = 2", "*a = b", "a, *b, *c = d", "(x, y): int = 1", "x, y += 1", "del f()", "nonlocal x", "def f():\n  nonlocal x",
		"def f():\n  x = 1\n  global x", "def f(x):\n  global x", "class A:\n  return", "try:\n  x", "try:\n  x\nexcept:\n  y\nexcept A:\n  z", "else:\n  x",
		"import a.b as", "from a import", "from a import (b", "from . import *\ndef f():\n  from a import *", "import x\nfrom __future__ import annotations",
		"from __future__ import nothing", "lambda x: yield", "[x for x in y", "[*x for x in y]", "{1: 2, 3}", "{**a, b}", "x = *a", "print 'x'", "exec 'x'",
		"x = 0777", "1_", "0x", "1e", "1abc", "'a", "'''a", "'\\x4'", "'\\u12'", "'\\N{no such}'", "b'\u00e9'", "f'{'", "f'{}'", "f'}'", "f'{x!z}'", "f'{a b}'", "b'a' 'b'",
		"x := 1", "[x := 1 for x in y]", "def f():\n  yield\n  async def g():\n    return 1\n    yield", "async def f():\n  yield from x", "@\ndef f(): pass",
		"with x as 1: pass", "for 1 in x: pass", "for x in: pass", "assert", "raise from x", "a b", "a ? b", "a $ b", "x = $", "\u00e9 = 1", "if x: if y: z",
		"match x:\n  case _: pass\n  case 1: pass", "match x:\n  case a | b: pass", "match x:\n  case [a, a]: pass", "class A\n  pass", "not = 1", "None = 1", "__debug__ = 1",
		"x\x00", "x\r\ny", "async x", "def f(a, *, **k): pass", "x = (yield)", "class A:\n  [x := 1 for y in z]", "while x: pass\nelse: continue", "def f(): continue\nfor x in y: f()",
	} {
		if _, err := parsePython(src + "\n"); err == nil {
			t.Errorf("accepted: %q", src)
		}
	}
}

// TestPythonPatterns checks which constants count as regular expressions that Python certainly compiles.
func TestPythonPatterns(t *testing.T) {
	t.Parallel()
	for arg, risky := range map[string]bool{`"a+"`: false, `r"\d"`: false, `"\d"`: true, `b"a"`: false, "5": true, "...": true, "None": true, `"a", re.I`: false, `"a", 5`: true} {
		s, err := parsePython("import re\nx = re.compile(" + arg + ")\n")
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Statements[1].Risky || s.Statements[1].Binds == nil; got != risky {
			t.Errorf("re.compile(%s): risky %t, want %t", arg, got, risky)
		}
	}
}

func FuzzPython(f *testing.F) {
	f.Add(pythonSource)
	f.Add("import re\nx = re.compile(5)\n")
	f.Add("def f():\n  x\nclass A: pass\n")
	f.Fuzz(func(t *testing.T, src string) {
		s, err := parsePython(src)
		if err != nil {
			return
		}
		again, err := parsePython(src)
		if err != nil || again.Structure != s.Structure || len(again.Statements) != len(s.Statements) {
			t.Fatalf("the second reading differs: %v", err)
		}
		lines := strings.Count(src, "\n") + 1
		for i, st := range s.Statements {
			if st.Key != again.Statements[i].Key {
				t.Errorf("statement %d has two keys", i)
			}
			if st.Start < 1 || st.Start > st.End || st.End > lines {
				t.Errorf("statement at lines %d-%d of %d", st.Start, st.End, lines)
			}
		}
		if commented, err := parsePython("# a comment\n" + src); err == nil && commented.Structure != s.Structure && !strings.HasPrefix(src, "\ufeff") {
			t.Error("a comment changes the structure")
		}
	})
}
