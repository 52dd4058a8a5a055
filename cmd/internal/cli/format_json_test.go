package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
)

func agentOf(suite string) string { return suite + "-agent" }

// indented formats JSON lines for a readable golden file.
func indented(t *testing.T, lines []byte) string {
	t.Helper()
	var b bytes.Buffer
	for l := range bytes.Lines(lines) {
		if err := json.Indent(&b, l, "", "  "); err != nil {
			t.Fatalf("%v in %s", err, l)
		}
	}
	return b.String()
}

func TestJSON(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	v := newJSON(&out, agentOf)
	handle(v, sampleSession(), []session.Event{session.RunStarted{RunID: "superseded"}, session.Warning{Text: "x"}, session.RunDone{}})
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(out.Bytes(), []byte("\n")); n != 2 {
		t.Errorf("two runs gave %d lines", n)
	}
	golden(t, "runs.json", indented(t, out.Bytes()))

	var d runDocument
	if err := json.NewDecoder(&out).Decode(&d); err != nil {
		t.Fatal(err)
	}
	parts := 0
	for _, s := range d.Suites {
		parts += s.Total
		if s.Total != s.Tally.Total() {
			t.Errorf("suite %s: %d is not the sum of %+v", s.Name, s.Total, s.Tally)
		}
	}
	if d.Total != 5 || d.Total != d.Tally.Total() || d.Total != parts || d.Total != len(d.Cases) {
		t.Errorf("total %d, sum %d, suites %d, cases %d, want 5 each", d.Total, d.Tally.Total(), parts, len(d.Cases))
	}
}

func TestJSONL(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	v := newJSONL(&out, agentOf)
	handle(v, sampleSession(), []session.Event{session.Help{}, session.Changed{}})
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	golden(t, "events.jsonl.txt", indented(t, out.Bytes()))

	var names []string
	for l := range bytes.Lines(out.Bytes()) {
		var head lineHead
		if err := json.Unmarshal(l, &head); err != nil || head.Version != schemaVersion {
			t.Errorf("%v, version %d in %s", err, head.Version, l)
		}
		names = append(names, head.Event)
	}
	want := strings.Fields("started problems problems warning changed run_started case case case case case run_done transitions rested changed")
	if !slices.Equal(names, want) {
		t.Errorf("events %q, want %q", names, want)
	}
	if text := strings.ReplaceAll(out.String(), `_exit":null`, ""); strings.Contains(text, "null") {
		t.Error("a list is null")
	}
}

// TestGroupsJSON checks that each failure is in one group.
func TestGroupsJSON(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	v := newJSON(&out, nil)
	var records []suites.Record
	v.Handle(session.RunStarted{})
	for _, f := range []struct{ id, hook, note, stderr string }{
		{"M1", "lint.sh", "exit 2, want 3", "/p/lint.sh: line 214: syntax error near unexpected token `}'\n"},
		{"P1", "guard.sh", "exit 0, want 2", ""},
		{"M2", "lint.sh", "exit 2, want 4", "/p/lint.sh: line 214: syntax error near unexpected token `}'\n"},
		{"P2", "guard.sh", "exit 0, want 2", ""},
		{"Q1", "guard.sh", "exit 1, want 2", "Traceback"},
	} {
		r := suites.Record{Suite: "s", ID: f.id, TestName: "n", Hook: f.hook, Note: f.note, ActualStderr: f.stderr}
		records = append(records, r)
		v.Handle(session.CaseDone{Record: r, Verdict: suites.Verdict{Status: suites.Fail, Note: f.note}})
	}
	v.Handle(session.RunDone{Records: records})
	var doc runDocument
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, g := range doc.Groups {
		got = append(got, fmt.Sprint(g.Cause, " ", g.Hook, " ", strings.Join(g.Cases, " ")))
	}
	if want := "syntax lint.sh s/M1 s/M2, equal guard.sh s/P1 s/P2, equal guard.sh s/Q1"; strings.Join(got, ", ") != want {
		t.Errorf("%s, want %s", strings.Join(got, ", "), want)
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestWriteErrors(t *testing.T) {
	t.Parallel()
	for name, v := range map[string]session.View{"json": newJSON(brokenPipe{}, nil), "jsonl": newJSONL(brokenPipe{}, nil), "junit": newJUnit(brokenPipe{}, nil)} {
		v.Handle(session.RunDone{})
		if err := v.Close(); err == nil || err.Error() != "broken pipe" {
			t.Errorf("%s: Close returns %v", name, err)
		}
	}
}
