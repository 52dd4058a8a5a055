package trace_test

import (
	"strings"
	"testing"

	"hookwatch/suites/depend/trace"
)

// ranPython is ranLines for a Python script.
func ranPython(t *testing.T, src string) *trace.Trace {
	t.Helper()
	tr := ranLines(t, "h.py", src, "# no", true)
	tr.Interprets, tr.Traced, tr.Started = true, []string{"python"}, []string{"python"}
	return tr
}

const pythonHook = `#!/usr/bin/env python3
"""A hook."""
import json
import re
from functools import lru_cache

USED = ["a", "b"]
OTHER = {"d": 1}
BAD = re.compile(r"^rm")
KNOWN = frozenset(["x"])

def used(x):
    """Return a word."""
    global count
    if x: # no
        return OTHER # no
    elif not x:
        y = USED[0]
    else:
        z = 3 # no
    for i in range(2):
        if i > 1:
            pass # no
        continue
    try:
        int("x")
    except ValueError:
        y = "b"
    return y

def unused(a, b=2):
    return json.dumps(a) # no

@lru_cache(maxsize=None)
def cached(n: int) -> str:
    return BAD.match(n) # no

class Guard:
    limit = 3
    def check(self):
        return self.limit # no
    def idle(self):
        return 0 # no

count = 0
print(used(count), Guard)
`

func TestPythonEdits(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]replacement{
		"comment":                       {"count = 0", "# a comment\ncount = 0", ""},
		"indentation":                   {"        return OTHER # no\n", "            return OTHER # no\n", ""},
		"executed":                      {"USED[0]", "USED[1]", "executes it"},
		"not executed":                  {"return OTHER", "return None", ""},
		"new where nothing ran":         {"        return OTHER", "        more()\n        return OTHER", ""},
		"new where something ran":       {"    return y\n", "    more()\n    return y\n", "executes it"},
		"at the end of a block":         {"        y = \"b\"\n", "        y = \"b\"\n        more()\n", "executes it"},
		"a condition":                   {"elif not x", "elif x", "executes it"},
		"a statement without an event":  {"        continue\n", "        break\n", "executes it"},
		"a pass that did not run":       {"pass # no", "more() # no", "executes it"}, // nothing shows that it did not
		"a branch that did not run":     {"z = 3", "z = 4", ""},
		"a name becomes local":          {"        z = 3 # no", "        USED = 3 # no", "names changed"},
		"a function becomes a producer": {"        z = 3 # no", "        yield 3 # no", "executes it"},
		"a handler":                     {"except ValueError", "except KeyError", "branch changed"},
		"a used constant":               {"[\"a\", \"b\"]", "[\"a\", \"c\"]", "executes it"},
		"an unused constant":            {"{\"d\": 1}", "{\"d\": 2}", ""},
		"an effect instead":             {"{\"d\": 1}", "make()", "executes it"},
		"a valid pattern":               {"^rm", "^rf", ""},
		"a pattern that may not be":     {"^rm", "^(?P<x>", "executes it"},
		"an unused set":                 {"[\"x\"]", "[\"y\"]", ""},
		"a set that fails":              {"[\"x\"]", "[[]]", "executes it"},
		"an unused import is gone":      {"import json\n", "", ""},
		"a used import is gone":         {"import re\n", "", "executes it"}, // by BAD
		"a new import":                  {"import json\n", "import json\nimport other\n", "executes it"},
		"an unused function is gone":    {"def unused(a, b=2):\n    return json.dumps(a) # no\n", "", ""},
		"an unused function is new":     {"count = 0", "def more(a):\n    return a\n\ncount = 0", ""},
		"an unused signature":           {"(a, b=2)", "(a, c=3)", ""},
		"an unused default with effect": {"(a, b=2)", "(a, b=make())", "executes it"},
		"a used signature":              {"used(x)", "used(x, *y)", "executes it"},
		"an unused decorator is gone":   {"@lru_cache(maxsize=None)\n", "", ""},
		"an unused decorator is new":    {"def unused(", "@other\ndef unused(", "executes it"},
		"the text of a method":          {"return self.limit", "return 4", ""},
		"a new method":                  {"    def idle", "    def more(self):\n        pass\n    def idle", "executes it"},
		"a class attribute":             {"limit = 3", "limit = 4", "executes it"},
		"the documentation of a module": {"A hook", "My hook", ""},
		"that of a function":            {"Return a word", "Give a word", "executes it"},
		"does not compile":              {"count = 0", "count = = 0", "cannot be parsed"},
		"a name before its declaration": {"    global count\n", "    count = 1\n    global count\n", "cannot be parsed"},
		"an encoding":                   {"#!/usr/bin/env python3\n", "#!/usr/bin/env python3\n# coding: latin-1\n", "encoding"},
		"a future statement":            {"import json\n", "from __future__ import annotations\nimport json\n", "future"},
		"a shebang":                     {"env python3", "env -S python3 -I", "interpreter line"},
		"metadata":                      {"\"\"\"A hook", "# /// script\n# dependencies = []\n# ///\n\"\"\"A hook", "metadata"},
		"an escape that warns":          {"z = 3", "z = '\\d'", "may warn"},
		"new syntax":                    {"        z = 3 # no\n", "        match x: # no\n            case 1: # no\n                pass # no\n", "new syntax"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tt.check(t, "h.py", pythonHook, ranPython(t, pythonHook))
		})
	}
}

// TestPythonDynamic checks that code which uses names that are not in the text is affected by all
// definitions.
func TestPythonDynamic(t *testing.T) {
	t.Parallel()
	for _, use := range []string{"globals()", "eval(x)", "getattr(h, name)", "h.__dict__", "vars()", "from other import *"} {
		src := "X = 1\nimport h\n" + use + "\n"
		after := strings.Replace(src, "1", "2", 1)
		if affected, _ := trace.Affected(trace.Compare("h.py", []byte(src), []byte(after)), ranPython(t, src)); !affected {
			t.Errorf("%s: not affected", use)
		}
	}
	for _, use := range []string{"getattr(h, 'Y')", "h.Y", "print('X marks the spot')"} {
		src := "X = 1\nimport h\n" + use + "\n"
		after := strings.Replace(src, "1", "2", 1)
		if affected, why := trace.Affected(trace.Compare("h.py", []byte(src), []byte(after)), ranPython(t, src)); affected {
			t.Errorf("%s: %s", use, why)
		}
	}
}

// TestPythonUnseen checks cases that may run a file by an interpreter that is not traced.
func TestPythonUnseen(t *testing.T) {
	t.Parallel()
	before, after := []byte("x()\n"), []byte("y()\n")
	for name, tt := range map[string]struct {
		trace trace.Trace
		want  bool
	}{
		"another Python ran":    {trace.Trace{Traced: []string{"python"}, Started: []string{"python"}, Interprets: true, Starts: true}, false},
		"only bash ran":         {trace.Trace{Traced: []string{"python"}}, false},
		"another program":       {trace.Trace{Traced: []string{"python"}, Interprets: true}, true},
		"an older trace":        {trace.Trace{}, true},
		"a Python by itself":    {trace.Trace{Traced: []string{"python"}, Started: []string{"python"}, Hidden: []string{"python"}}, true},
		"a trace with its text": {trace.Trace{Traced: []string{"python"}, Files: map[string]*trace.Met{"lib.py": {Text: "the case reads it"}}}, true},
	} {
		if got, why := trace.Affected(trace.Compare("lib.py", before, after), &tt.trace); got != tt.want {
			t.Errorf("%s: affected %v: %s", name, got, why)
		}
	}
	commented := []byte("x()  # a comment\n")
	if got, _ := trace.Affected(trace.Compare("lib.py", before, commented), &trace.Trace{Files: map[string]*trace.Met{"lib.py": {Text: "the case reads it"}}}); !got {
		t.Error("a comment does not affect a case that reads the file")
	}
}
