package notify

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

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
	show(v, skipsInShort(), resolved(), []Event{RunStarted{RunID: "superseded"}, Warning{"x"}}, []Event{RunDone{}})
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(out.Bytes(), []byte("\n")); n != 3 {
		t.Errorf("three runs gave %d lines", n)
	}
	if !strings.Contains(out.String(), "pip install <x> & y") {
		t.Error("HTML signs are escaped")
	}
	golden(t, "runs.json", indented(t, out.Bytes()))
}

// skipsInShort is the scene of skips with two of the hundred.
func skipsInShort() []Event {
	events := skips()
	end := events[len(events)-1].(RunDone)
	end.Records = end.Records[98:104]
	end.Tally = suites.Tally{}
	for _, r := range end.Records {
		end.Tally.Add(r.Status())
	}
	return []Event{end}
}

func TestJSONSumsAddUp(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	show(NewJSON(&out, nil), skips())
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
	r := regression()
	show(v, []Event{opening()}, problems()[:3], r[:2], r[3:4], []Event{Help{}}, r[len(r)-1:], unrelated(),
		[]Event{Transitions{RunID: "r1", Project: "plankton", Regressions: regressed("P01").Regressions}})
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	golden(t, "events.jsonl.txt", indented(t, out.Bytes()))

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
