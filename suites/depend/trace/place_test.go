package trace_test

import (
	"testing"

	"hookwatch/suites"
	"hookwatch/suites/depend/trace"
)

// TestReportedIn checks which line of which file the messages of interpreters name.
func TestReportedIn(t *testing.T) {
	t.Parallel()
	const root = "/home/me/a project"
	files := map[string]string{
		".claude/hooks/open.sh":  "x=1\nif [ $x = 1 ]; then\n  exit 2\n",
		".claude/hooks/quote.sh": "x=1\necho \"$x\necho done\n",
		".claude/hooks/g.sh":     "",
	}
	source := trace.Source{Own: trace.OwnIn(root, ".claude/hooks/g.sh"), Read: func(file string) string { return files[file] }}
	for name, tt := range map[string]struct {
		stderr string
		want   suites.Position
	}{
		"nothing":           {"not allowed\n", suites.Position{}},
		"a time":            {"12:30: started\n", suites.Position{}},
		"bash":              {root + "/.claude/hooks/g.sh: line 4: X: unbound variable\n", suites.Position{File: ".claude/hooks/g.sh", Line: 4}},
		"dash, by its name": {"g.sh: 8: Syntax error: \")\" unexpected\n", suites.Position{File: ".claude/hooks/g.sh", Line: 8}},
		"another file":      {"/usr/lib/x.sh: line 4: X: unbound variable\n", suites.Position{}},
		"an if without fi":  {root + "/.claude/hooks/open.sh: line 4: syntax error: unexpected end of file\n", suites.Position{File: ".claude/hooks/open.sh", Line: 2, Column: 1}},
		"an open quote":     {root + "/.claude/hooks/quote.sh: line 4: unexpected EOF while looking for matching `\"'\n", suites.Position{File: ".claude/hooks/quote.sh", Line: 2, Column: 6}},
		"Python": {"Traceback (most recent call last):\n  File \"" + root + "/g.py\", line 9, in <module>\n  File \"" + root + "/lib/m.py\", line 3, in judge\n" +
			"  File \"/usr/lib/python3.11/json/decoder.py\", line 355, in raw_decode\nKeyError: 'x'\n", suites.Position{File: "lib/m.py", Line: 3}},
		"Node, uncaught": {root + "/g.js:2\nif (comand) {\n^\n\nReferenceError: comand is not defined\n    at Object.<anonymous> (" + root + "/g.js:2:5)\n    at node:internal/main:28:49\n",
			suites.Position{File: "g.js", Line: 2}},
		"Node, a module": {"node:internal/errors:540\n      throw error;\nTypeError: x\n    at f (file://" + root + "/h.mjs:7:9)\n", suites.Position{File: "h.mjs", Line: 7}},
	} {
		if got := trace.ReportedIn(tt.stderr, source); got != tt.want {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

// FuzzPlaces checks that places lie in the project, whatever logs and messages have.
func FuzzPlaces(f *testing.F) {
	f.Add("g.sh: line 4: x\n", []byte("E\x1f1\x1f3\x1f\x1fg.sh\x1f/p\x1fexit 1\x00"), []byte("L\x1f/p/g.py\x1f2\x00"))
	f.Fuzz(func(t *testing.T, stderr string, bash, python []byte) {
		source := trace.Source{Own: trace.OwnIn("/p", "g.sh"), Read: func(string) string { return "if x\n" }}
		for _, at := range []suites.Position{
			trace.ReportedIn(stderr, source),
			trace.PlaceOf(map[string][]byte{"bash/log": bash, "python/log": python}, source, true),
		} {
			if at.Line != 0 && at.File == "" || at.Line < 0 {
				t.Errorf("%+v", at)
			}
		}
	})
}
