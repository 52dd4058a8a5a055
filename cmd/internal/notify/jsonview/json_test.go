package jsonview

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"hookwatch/cmd/internal/notify"
	"hookwatch/cmd/internal/notify/notifytest"
	"hookwatch/suites"
)

func agentOf(suite string) string { return suite + "-agent" }

// indented makes a golden file of JSON lines readable.
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
	v := NewJSON(&out, agentOf)
	notifytest.Show(v, skipsInShort(), notifytest.Resolved(), []notify.Event{notify.RunStarted{RunID: "superseded"}, notify.Warning{Text: "x"}}, []notify.Event{notify.RunDone{}})
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(out.Bytes(), []byte("\n")); n != 3 {
		t.Errorf("three runs gave %d lines", n)
	}
	if !strings.Contains(out.String(), "pip install <x> & y") {
		t.Error("HTML signs are escaped")
	}
	notifytest.Golden(t, "runs.json", indented(t, out.Bytes()))
}

// skipsInShort is the scene of skips with two of the hundred.
func skipsInShort() []notify.Event {
	events := notifytest.Skips()
	end := events[len(events)-1].(notify.RunDone)
	end.Records = end.Records[98:104]
	end.Tally = suites.Tally{}
	for _, r := range end.Records {
		end.Tally.Add(r.Status())
	}
	return []notify.Event{end}
}

func TestJSONSumsAddUp(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	notifytest.Show(NewJSON(&out, nil), notifytest.Skips())
	var d Document
	if err := json.Unmarshal(out.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	parts := 0
	for _, s := range d.Suites {
		parts += s.Total
		if s.Total != s.Tally.Total() {
			t.Errorf("suite %s: %d is not the sum of %+v", s.Name, s.Total, s.Tally)
		}
	}
	if d.Total != 108 || d.Total != d.Tally.Total() || d.Total != parts || d.Total != len(d.Cases) {
		t.Errorf("total %d, sum %d, suites %d, cases %d, want 108 each", d.Total, d.Tally.Total(), parts, len(d.Cases))
	}
}

func TestJSONL(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	v := NewJSONL(&out, agentOf)
	r := notifytest.Regression()
	notifytest.Show(v, []notify.Event{notifytest.Opening()}, notifytest.Problems()[:3], r[:2], r[3:4], []notify.Event{notify.Help{}}, r[len(r)-1:], notifytest.Unrelated(),
		[]notify.Event{notify.Transitions{RunID: "r1", Project: "plankton", Regressions: notifytest.Regressed("P01").Regressions}})
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	notifytest.Golden(t, "events.jsonl.txt", indented(t, out.Bytes()))

	var names []string
	for l := range bytes.Lines(out.Bytes()) {
		var head LineHead
		if err := json.Unmarshal(l, &head); err != nil || head.Version != SchemaVersion {
			t.Errorf("%v, version %d in %s", err, head.Version, l)
		}
		names = append(names, head.Event)
	}
	want := strings.Fields("started problems problems warning changed run_started case run_done changed transitions")
	if !slices.Equal(names, want) {
		t.Errorf("events %q, want %q", names, want)
	}
	if strings.Contains(out.String(), "null,") && !strings.Contains(out.String(), "exit\":null") {
		t.Error("a list is null")
	}
}

// TestGroupsJSON: each failure is in one group.
func TestGroupsJSON(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	v := NewJSON(&out, nil)
	for _, e := range notifytest.Failing() {
		v.Handle(e)
	}
	var doc Document
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, g := range doc.Groups {
		got = append(got, fmt.Sprint(g.Cause, " ", g.Hook, " ", len(g.Cases), " ", g.Cases[0]))
	}
	if want := "syntax lint.sh 6 s/M00, equal guard.sh 4 s/P00, equal guard.sh 1 s/Q1"; strings.Join(got, ", ") != want {
		t.Errorf("%s, want %s", strings.Join(got, ", "), want)
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestWriteErrors(t *testing.T) {
	t.Parallel()
	for name, v := range map[string]notify.View{"json": NewJSON(brokenPipe{}, nil), "jsonl": NewJSONL(brokenPipe{}, nil)} {
		v.Handle(notify.RunDone{})
		if err := v.Close(); err == nil || err.Error() != "broken pipe" {
			t.Errorf("%s: Close says %v", name, err)
		}
	}
}
