package checked

import (
	"strings"
	"testing"

	"hookwatch/suites/conform"
	"hookwatch/suites/discover"
)

// TestUnjudged: each reason is one line, with how many hooks it holds for.
func TestUnjudged(t *testing.T) {
	doc := Document{Hooks: []Hook{
		{ID: "a", Absent: "uv is not on this machine"}, {ID: "b"}, {ID: "c", Absent: "uv is not on this machine"}, {ID: "d", Absent: "uv is not on this machine"},
		{ID: "e", NotRun: "the client does not read a.json"}, {ID: "f", NotRun: "the client does not read b.json"},
	}}
	var out strings.Builder
	Text(&out, doc, false)
	for _, line := range []string{"not judged: uv is not on this machine (3 hooks)\n", "not judged: the client does not read a.json, b.json (2 hooks)\n", "1 hook judged"} {
		if !strings.Contains(out.String(), line) {
			t.Errorf("no %q in:\n%s", line, out.String())
		}
	}
}

func TestSome(t *testing.T) {
	names := []string{"a", "b", "c", "d"}
	if got := some(names, false); got != "a, b and 2 more" {
		t.Error(got)
	}
	if got := some(names, true) + some(names[:3], false); got != "a, b, c, da, b, c" {
		t.Error(got)
	}
}

// TestProgress: the line is overwritten and taken away, and none is written to what
// is no terminal.
func TestProgress(t *testing.T) {
	var out strings.Builder
	p := Progress(&out, true, 2)
	p.Done(conform.Report{Hook: discover.Hook{ID: "Stop-x.sh-1"}})
	p.End()
	if got, want := out.String(), clearLine+"firing hooks: 0 of 2  "+clearLine+"firing hooks: 1 of 2  Stop-x.sh-1"+clearLine; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	out.Reset()
	p = Progress(&out, false, 2)
	p.Done(conform.Report{})
	if p.End(); out.Len() > 0 {
		t.Errorf("%q", out.String())
	}
}
