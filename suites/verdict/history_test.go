package verdict

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"hookwatch/suites"
)

func TestHistories(t *testing.T) {
	t.Parallel()
	fail := func(r *suites.Record) { r.Pass = false }
	aborted := func(r *suites.Record) { r.Pass, r.Note = false, "ABORTED: x" }
	at := func(tools string, changes ...func(*suites.Record)) suites.Record {
		r := suites.Record{
			Suite: "s", ID: "A", TestName: "a", Pass: true, DurationMS: 4,
			Digests: suites.Digests{Case: "c", Inputs: "i", Tools: tools},
		}
		for _, c := range changes {
			c(&r)
		}
		return r
	}
	edited := func(r *suites.Record) { r.Digests.Case = "d" }
	input := func(r *suites.Record) { r.Digests.Inputs = "j" }
	none := func(r *suites.Record) { r.Digests = suites.Digests{} }
	for _, tt := range []struct {
		name    string
		records []suites.Record
		flaky   bool
	}{
		{"the same twice", []suites.Record{at("t"), at("t")}, false},
		{"pass, then fail", []suites.Record{at("t"), at("t", fail)}, true},
		{"back to what it was", []suites.Record{at("t"), at("u", fail), at("t", fail)}, true},
		{"other tools", []suites.Record{at("t"), at("u", fail)}, false},
		{"edited", []suites.Record{at("t"), at("t", edited, fail)}, false},
		{"other inputs", []suites.Record{at("t"), at("t", input, fail)}, false},
		{"aborted", []suites.Record{at("t"), at("t", aborted), at("t")}, false},
		{"no digests", []suites.Record{at("t", none), at("t", none, fail)}, false},
	} {
		got := Histories(tt.records, nil)
		if len(got) != 1 || got[0].Flaky != tt.flaky {
			t.Errorf("%s: %+v", tt.name, got)
		}
	}
}

func TestHistoryEntries(t *testing.T) {
	t.Parallel()
	tool := func(version string) suites.Tool {
		return suites.Tool{Name: "biome", Path: "/b", Version: version, Digest: version}
	}
	environments := []suites.Environment{
		{Tools: []suites.Tool{tool("2.4.0")}, CaseTools: map[string][]string{"new": {"biome", "jq"}}},
		{Tools: []suites.Tool{tool("2.3.15")}, CaseTools: map[string][]string{"old": {"biome", "jq"}, "new": {"biome"}}},
	}
	r := func(tools string, pass bool, ms int64) suites.Record {
		return suites.Record{Suite: "s", ID: "A", TestName: "a", Pass: pass, DurationMS: ms, Timestamp: tools,
			Digests: suites.Digests{Case: "c", Inputs: "i", Tools: tools}}
	}
	b := r("old", true, 9)
	b.ID = "B"
	all := Histories([]suites.Record{b, r("old", true, 10), r("new", false, 30), r("lost", false, 20)}, environments)
	var ids []string
	for i := range all {
		ids = append(ids, all[i].Key.ID)
	}
	if d := cmp.Diff([]string{"A", "B"}, ids); d != "" {
		t.Fatalf("cases (-want +got):\n%s", d)
	}
	h := &all[0]
	second, third := h.Entries[1], h.Entries[2]
	before, after := tool("2.3.15"), tool("2.4.0")
	want := []Entry{
		{ToolsChanged: true, Tools: []suites.Tool{after, {Name: "jq"}}, Changes: []ToolChange{{Name: "biome", Kind: ToolVersion, Prev: before, Cur: after}}},
		{ToolsChanged: true}, // its tools are not on record
	}
	if d := cmp.Diff(want, []Entry{second, third}, cmpopts.IgnoreFields(Entry{}, "Record")); d != "" {
		t.Errorf("the later entries (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"new", "lost"}, []string{h.Since().Timestamp, h.Last().Timestamp}); d != "" {
		t.Errorf("first and last of the current status (-want +got):\n%s", d)
	}
	if d := cmp.Diff(suites.Tally{Passed: 1, Failed: 2}, h.Verdicts()); d != "" {
		t.Errorf("verdicts (-want +got):\n%s", d)
	}
	if median := h.Durations().Quantile(0.5); median != 20 {
		t.Errorf("median %d, want 20", median)
	}
}

// TestToolsOfOneCase checks that if one case cannot resolve a digest, another case that can
// still does, in any order of queries.
func TestToolsOfOneCase(t *testing.T) {
	t.Parallel()
	set := func(version string) []suites.Tool {
		return []suites.Tool{{Name: "a", Path: "/a", Digest: version}, {Name: "b", Path: "/b", Digest: version}}
	}
	earlier, later := suites.ToolsDigest(set("1")), suites.ToolsDigest(set("2"))
	environments := []suites.Environment{
		{Tools: set("1"), CaseTools: map[string][]string{earlier: {"a", "b"}}}, {Tools: set("2")},
	}
	record := func(id, tools string) suites.Record {
		return suites.Record{Suite: "s", ID: id, Digests: suites.Digests{Tools: tools}}
	}
	unknown, knows, knew := record("X", later), record("Y", later), record("Y", earlier)
	for _, records := range [][]suites.Record{{unknown, knows, knew}, {knows, unknown, knew}, {unknown, unknown, knows, knew}} {
		for _, h := range Histories(records, environments) {
			if h.Key.ID == "Y" && (len(h.Entries[0].Tools) != 2 || h.Entries[0].Tools[0].Digest != "2" || len(h.Entries[1].Changes) != 2) {
				t.Errorf("%s first: tools %v, then %v", records[0].ID, h.Entries[0].Tools, h.Entries[1].Changes)
			}
		}
	}
}

// TestHookTimes checks the times of hooks, and which cases are slower than before: 20 % and 5 ms
// over the latest 20 runs, compared with the 20 before them.
func TestHookTimes(t *testing.T) {
	t.Parallel()
	entries := func(groups ...int64) (all []Entry) { // pairs of a number of runs and their duration
		for i := 0; i < len(groups); i += 2 {
			for range groups[i] {
				all = append(all, Entry{Record: suites.Record{Pass: true, DurationMS: groups[i+1]}})
			}
		}
		return all
	}
	skip := Entry{Record: suites.Record{Pass: true, Note: "absent: jq", DurationMS: 9000}}
	key := func(id string) suites.Key { return suites.Key{Suite: "s", ID: id} }
	for name, tt := range map[string]struct {
		histories []CaseHistory
		want      []HookTime
	}{
		"nothing":        {nil, nil},
		"never ran":      {[]CaseHistory{{Key: key("A"), Hook: "a.sh", Entries: []Entry{skip}}}, nil},
		"without a hook": {[]CaseHistory{{Key: key("A"), Entries: entries(3, 5)}}, nil},
		"two hooks": {
			[]CaseHistory{{Key: key("A"), Hook: "a.sh", Entries: entries(3, 5)}, {Key: key("B"), Hook: "b.sh", Entries: append(entries(18, 10, 2, 90), skip)}},
			[]HookTime{{"b.sh", 20, 10, 90, []Slower{}}, {"a.sh", 3, 5, 5, []Slower{}}},
		},
		"slower":                    {[]CaseHistory{{Key: key("A"), Hook: "a.sh", Entries: entries(30, 50, 20, 60)}}, []HookTime{{"a.sh", 50, 50, 60, []Slower{{key("A"), 50, 60}}}}},
		"a little slower":           {[]CaseHistory{{Key: key("A"), Hook: "a.sh", Entries: entries(20, 50, 20, 59)}}, []HookTime{{"a.sh", 40, 59, 59, []Slower{}}}},
		"a few milliseconds slower": {[]CaseHistory{{Key: key("A"), Hook: "a.sh", Entries: entries(20, 5, 20, 9)}}, []HookTime{{"a.sh", 40, 9, 9, []Slower{}}}},
		"slower in too few runs":    {[]CaseHistory{{Key: key("A"), Hook: "a.sh", Entries: entries(19, 50, 20, 99)}}, []HookTime{{"a.sh", 39, 99, 99, []Slower{}}}},
		"faster":                    {[]CaseHistory{{Key: key("A"), Hook: "a.sh", Entries: entries(20, 99, 20, 50)}}, []HookTime{{"a.sh", 40, 99, 99, []Slower{}}}},
	} {
		if d := cmp.Diff(tt.want, HookTimes(tt.histories)); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}
