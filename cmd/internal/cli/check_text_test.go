package cli

import (
	"strings"
	"testing"
)

// TestUnjudged checks that each reason has one line with the number of its hooks.
func TestUnjudged(t *testing.T) {
	doc := checkDocument{Hooks: []checkedHook{
		{ID: "a", Event: "PreToolUse", Absent: "uv is not on this machine", Effect: "proceeds"}, {ID: "b"},
		{ID: "c", Event: "PreToolUse", Absent: "uv is not on this machine", Effect: "proceeds"}, {ID: "d", Event: "PreToolUse", Absent: "uv is not on this machine", Effect: "denied"},
		{ID: "e", NotRun: "the client does not read a.json"}, {ID: "f", NotRun: "the client does not read b.json"},
	}}
	var out strings.Builder
	printCheck(&out, doc, false)
	for _, line := range []string{
		"not judged: uv is not on this machine; until then the call proceeds as if there were no hook (2 hooks)\n", "uv is not on this machine; until then every call is denied (1 hook)\n",
		"not judged: the client does not read a.json, b.json: they never run (2 hooks)\n", "1 hook judged",
	} {
		if !strings.Contains(out.String(), line) {
			t.Errorf("no %q in:\n%s", line, out.String())
		}
	}
}

func TestSome(t *testing.T) {
	names := []string{"a", "b", "c", "d", "e"}
	if got := some(names, false); got != "a, b, c and 2 more" {
		t.Error(got)
	}
	if got := some(names, true) + some(names[:4], false); got != "a, b, c, d, ea, b, c, d" {
		t.Error(got)
	}
}
