package cli

import (
	"strings"
	"testing"

	"hookwatch/suites"
	"hookwatch/suites/check"
)

// TestUnjudged checks that each reason has one line with the number of its hooks.
func TestUnjudged(t *testing.T) {
	doc := checkDocument{Hooks: []checkedHook{
		{ID: "a", Event: "PreToolUse", Absent: "uv is not on this machine", Effect: "proceeds"}, {ID: "b"},
		{ID: "c", Event: "PreToolUse", Absent: "uv is not on this machine", Effect: "proceeds"}, {ID: "d", Event: "PreToolUse", Absent: "uv is not on this machine", Effect: "denied"},
		{ID: "e", NotRun: "the client does not read a.json"}, {ID: "f", NotRun: "the client does not read b.json"},
	}}
	var out strings.Builder
	printCheck(&out, doc, false, 0)
	for _, line := range []string{
		"not judged: uv is not on this machine; until then the call proceeds as if there were no hook (2 hooks)\n", "uv is not on this machine; until then every call is denied (1 hook)\n",
		"not judged: the client does not read a.json, b.json: they never run (2 hooks)\n", "1 hook judged",
	} {
		if !strings.Contains(out.String(), line) {
			t.Errorf("no %q in:\n%s", line, out.String())
		}
	}
}

// TestFindingOnTerminal checks that a finding is broken between words on a terminal, and stays on its lines in a file.
func TestFindingOnTerminal(t *testing.T) {
	f := check.FindingOf("swallowed-error", "a", suites.Position{File: ".claude/settings.json", Line: 7}, "it ends with 0 if  its input is no JSON")
	f.At, f.Effect, f.Remedy = ".claude/settings.json:7", "the client goes on as if there were no hook, and nobody is told", "let it end with 2"
	for columns, want := range map[int]string{
		0: `WARNING  .claude/settings.json:7  it ends with 0 if  its input is no JSON
         the client goes on as if there were no hook, and nobody is told
         to do: let it end with 2   [swallowed-error]
`,
		200: `WARNING  .claude/settings.json:7  it ends with 0 if  its input is no JSON
         the client goes on as if there were no hook, and nobody is told
         to do: let it end with 2   [swallowed-error]
`,
		50: `WARNING  .claude/settings.json:7 it ends with 0 if
         its input is no JSON
         the client goes on as if there were no
         hook, and nobody is told
         to do: let it end with 2
         [swallowed-error]
`,
	} {
		var out strings.Builder
		f.Severity = suites.Warning
		printCheck(&out, checkDocument{Findings: []check.Finding{f}}, false, columns)
		if got, _, _ := strings.Cut(out.String(), "0 errors"); got != want {
			t.Errorf("%d columns:\n%s\nwant\n%s", columns, got, want)
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
