package trace_test

import (
	"strings"
	"testing"

	"hookwatch/suites/depend/script"
	"hookwatch/suites/depend/trace"
)

// ranLines returns the trace of a case that executed the lines of a script that do not end in unrun. If
// sure is set, the trace has only statements that are certain to be recorded.
func ranLines(t *testing.T, name, src, unrun string, sure bool) *trace.Trace {
	t.Helper()
	s, err := trace.Parse(name, []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(src, "\n")
	keys, words, entered := map[script.Key]bool{}, map[script.Key]bool{}, map[script.Key]bool{}
	dynamic := false
	for _, st := range s.Statements {
		if sure && !st.Sure || strings.HasSuffix(lines[st.Start-1], unrun) {
			continue
		}
		keys[st.Key] = true
		dynamic = dynamic || st.Facts.Dynamic
		for _, w := range st.Facts.Words {
			words[trace.WordKey(w)] = true
		}
		if fn := st.In.Function; fn != nil {
			entered[fn.Key] = true
		}
	}
	met := &trace.Met{Digest: s.Digest, Statements: trace.NewSet(keys), Functions: trace.NewSet(entered), Main: true}
	return &trace.Trace{Files: map[string]*trace.Met{name: met}, Words: trace.NewSet(words), Dynamic: dynamic}
}

func ranNode(t *testing.T, src string) *trace.Trace {
	t.Helper()
	return ranLines(t, "h.js", src, "// no", false)
}

const nodeHook = `#!/usr/bin/env node
'use strict';
const fs = require('fs');
const LIST = ['a', /b/];
const BOTH = [LIST, 'c'];
const OTHER = { d: 1 };
function used(x) {
  if (x) { // no
    return OTHER; // no
  }
  log(x);
  return BOTH;
}
function unused() { // no
  return fs; // no
} // no
const helper = (y) => {
  return y; // no
};
let count = 0;
count += used(count);
console.log(count);
`

func TestNodeEdits(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]replacement{
		"comment":                     {"let count", "// a comment\nlet count", ""},
		"executed":                    {"log(x)", "log(!x)", "executes it"},
		"not executed":                {"return fs;", "return null;", ""},
		"new where nothing ran":       {"return OTHER;", "more(); return OTHER;", ""},
		"new where something ran":     {"  return BOTH", "  more();\n  return BOTH", "executes it"},
		"at the end of a block":       {"  return BOTH;\n", "  return BOTH;\n  more();\n", "executes it"},
		"a constant that is used":     {"/b/", "/c/", "executes it"},
		"a constant by another one":   {"'c'", "'e'", "executes it"},
		"an unused constant":          {"d: 1", "d: 2", ""},
		"an unused import":            {"const fs = require('fs');", "const fs = require('os');", ""},
		"a side effect instead":       {"{ d: 1 }", "make()", "executes it"},
		"an unused function's header": {"unused()", "unused(a, b)", ""},
		"a used function's header":    {"used(x) {", "used(x, y) {", "executes it"},
		"an unused function is gone":  {"function unused() { // no\n  return fs; // no\n} // no\n", "", ""},
		"an unused function is new":   {"let count", "function more() { count = 2 }\nlet count", ""},
		"a name that hides another":   {"return BOTH;\n", "return BOTH;\n  var log = 1;\n", "names changed"},
		"in a block that did not run": {"return OTHER;", "let log; return OTHER;", ""},
		"a function is hidden":        {"console.log(count);", "console.log(count);\nfunction log() {}\n", "names changed"},
		"an unused name":              {"log(x)", "log(x)\n  // no\n", ""},
		"does not compile":            {"log(x)", "log(x", "cannot be parsed"},
		"a directive":                 {"'use strict';\n", "", "directives"},
		"a shebang":                   {"#!/usr/bin/env node", "#!/usr/bin/env -S node --check", "interpreter line"},
		"a valid pattern":             {"d: 1", "d: /x{1,2}[a-f]/", ""},
		"a pattern that may not be":   {"d: 1", `d: /x{2,1}/`, "regular expression"},
		"becomes a module":            {"const fs = require('fs');", "import fs from 'fs';", "script and module"},
		"reads itself":                {"d: 1", "d: fs.readFileSync(__filename)", "its own text"},
		"an arrow function's body":    {"return y;", "return !y;", ""},
		"an arrow function's header":  {"(y) =>", "(y, z) =>", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tt.check(t, "h.js", nodeHook, ranNode(t, nodeHook))
		})
	}
}

// TestNodeModules checks how values pass from one file to another.
func TestNodeModules(t *testing.T) {
	t.Parallel()
	const lib = "const A = [1];\nconst B = [2];\nmodule.exports = { A, B };\n"
	met := ranNode(t, lib).Files["h.js"]
	for name, tt := range map[string]struct {
		hook string
		want bool // an edit of A affects it
	}{
		"does not use it":         {"const { A, B } = require('./lib');\nconsole.log(B);\n", false},
		"uses it":                 {"const { A, B } = require('./lib');\nconsole.log(A);\n", true},
		"uses it by another name": {"const { A: c, B } = require('./lib');\nconsole.log(B);\n", true},
		"uses a member":           {"const lib = require('./lib');\nconsole.log(lib.B);\n", false},
		"uses that member":        {"const lib = require('./lib');\nconsole.log(lib.A);\n", true},
		"uses all":                {"const lib = require('./lib');\nconsole.log(Object.values(lib));\n", true},
		"uses a computed name":    {"const lib = require('./lib');\nconsole.log(lib[x]);\n", true},
		"loads it by a variable":  {"const { B } = require(name);\nconsole.log(B);\n", true},
		"uses it by default":      {"const { A, B } = require('./lib');\nfunction f(x = A) { return x }\nf();\n", true},
		"passes it on":            {"module.exports = require('./lib');\n", true},
	} {
		tr := ranNode(t, tt.hook)
		tr.Files["lib.js"] = met
		got, why := trace.Affected(trace.Compare("lib.js", []byte(lib), []byte(strings.Replace(lib, "1", "3", 1))), tr)
		if got != tt.want {
			t.Errorf("%s: affected %v: %s", name, got, why)
		}
	}
}

// TestNodeEffects checks an edit that makes another statement fail.
func TestNodeEffects(t *testing.T) {
	t.Parallel()
	const lib = "f();\nconst a = (x) => x;\nconst b = [1];\nmodule.exports = { a, b };\n"
	for name, after := range map[string]string{
		"gone":      strings.Replace(lib, "const a = (x) => x;\n", "", 1),
		"too late":  strings.Replace(lib, "const a = (x) => x;\n", "", 1) + "const a = (x) => x;\n",
		"elsewhere": strings.Replace(lib, "const a = (x) => x;\n", "{ const a = 1; }\n", 1),
	} {
		if got, _ := trace.Affected(trace.Compare("h.js", []byte(lib), []byte(after)), ranNode(t, lib)); !got {
			t.Errorf("%s: not affected", name)
		}
	}
}

// TestNodeSecond checks edits after one that did not affect a case, whose trace lacks what was
// added.
func TestNodeSecond(t *testing.T) {
	t.Parallel()
	tr := ranNode(t, nodeHook)
	first := strings.Replace(nodeHook, "let count", "const added = [1];\nlet count", 1)
	e := trace.Compare("h.js", []byte(nodeHook), []byte(first))
	if got, why := trace.Affected(e, tr); got {
		t.Fatalf("affected: %s", why)
	}
	tr = tr.Carry(e)
	for _, second := range []string{"process.exit(1);\nconst added", "const other = make();\nconst added"} {
		after := strings.Replace(first, "const added", second, 1)
		if got, _ := trace.Affected(trace.Compare("h.js", []byte(first), []byte(after)), tr); !got {
			t.Errorf("%q does not affect the case", second)
		}
	}
	after := strings.Replace(first, "[1]", "make()", 1)
	if got, _ := trace.Affected(trace.Compare("h.js", []byte(first), []byte(after)), tr); !got {
		t.Error("a call instead of the constant does not affect the case")
	}
}
