package catalog

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"hookwatch/suites"
	"hookwatch/suites/process/testdata/processtest"
)

// TestWrite checks that reading a written suite returns the same suite, including the digests of
// its cases, for all built-in and starter suites and for suites of one of their cases.
func TestWrite(t *testing.T) {
	t.Parallel()
	all, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	all = append(all, loadFull(t), loadText(t, oddities))
	own, err := filepath.Glob("../reference/*/.claude/tests/hooks/suites/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range own {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, loadText(t, string(text)))
	}
	for _, s := range all {
		checkWritten(t, s)
		for _, c := range processtest.Sample(s.Cases, 10) {
			one := s
			one.Cases = []suites.Case{c}
			checkWritten(t, one)
		}
	}
}

// oddities are texts that YAML reads as another type, or must fold or quote.
const oddities = `suite: odd
hook: h.sh
event: PreToolUse
env: {A: "1", B: "true", C: "", D: " x ", E: "a: b # c"}
cases:
  - id: "1e3"
    name: "yes"
    summary: "null"
    args: ["", "-", "*a", "&a", "!x", "0777", "~", "2026-01-01", "\ttab", "trail ", "é\u2028\u00a0\ufeff"]
    fixtures:
      - {path: a, content: "  indented\n first\n\n\n", mode: 0600}
      - {path: b, content: "no end\nof line"}
      - {path: c, content: "\r\n\x01\x7f\n \n"}
      - {path: d, content: "\n\n"}
      - {path: e, content: "a\n# b\n--- c\n"}
      - path: f
        content: "trailing  \n\tt\n"
    payload: {hook_event_name: Stop, a: [1, -2.5, 1e21, true, null, "12", {}, []], "": x, z: "line\nline\n"}
    expect: {exit: 0}
  - id: ON
    name: "on"
    stdin: "{\"a\":\n1}\n"
    expect: {stderr: {empty: true}}
`

func loadText(t *testing.T, text string) suites.Suite {
	t.Helper()
	s, problems := Load("a.yaml", []byte(text))
	for _, p := range problems {
		t.Fatal(p)
	}
	return s
}

func checkWritten(t *testing.T, s suites.Suite) {
	t.Helper()
	checkWrittenAs(t, s, false)
	checkWrittenAs(t, s, true)
}

func checkWrittenAs(t *testing.T, s suites.Suite, ascii bool) {
	t.Helper()
	text, err := Write(s, ascii)
	if err != nil {
		t.Fatal(err)
	}
	again, problems := Load("again.yaml", text)
	if len(problems) > 0 {
		t.Fatalf("%s: %v\n%s", s.Name, problems, text)
	}
	opts := cmp.Options{cmpopts.IgnoreTypes(suites.Position{}), cmpopts.IgnoreFields(suites.Suite{}, "Builtin")}
	if diff := cmp.Diff(s, again, opts); diff != "" {
		t.Errorf("%s: %s\n%s", s.Name, diff, text)
	}
	if ascii && strings.ContainsFunc(string(text), func(r rune) bool { return r != '\n' && r != '\t' && (r < ' ' || r > '~') }) {
		t.Errorf("not ASCII: %q", text)
	}
	if !strings.HasPrefix(string(text), "suite: "+s.Name+"\n") {
		t.Errorf("begins %.40q", text)
	}
}
