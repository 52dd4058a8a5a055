package verdict

import (
	"testing"

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
	if len(all) != 2 || all[0].Key.ID != "A" || all[1].Key.ID != "B" {
		t.Fatalf("%+v", all)
	}
	h := &all[0]
	second, third := h.Entries[1], h.Entries[2]
	if len(second.Changes) != 1 || second.Changes[0].String() != "biome 2.3.15 -> 2.4.0" || !second.ToolsChanged {
		t.Errorf("the second: %+v", second)
	}
	if len(second.Tools) != 2 || second.Tools[1].Name != "jq" || second.Tools[1].Present() {
		t.Errorf("its tools: %+v", second.Tools)
	}
	if !third.ToolsChanged || third.Changes != nil || third.Tools != nil {
		t.Errorf("the third, of tools that are not on record: %+v", third)
	}
	if h.Median() != 20 || h.Since().Timestamp != "new" || h.Last().Timestamp != "lost" || h.Verdicts() != (suites.Tally{Passed: 1, Failed: 2}) {
		t.Errorf("median %d, since %s, %+v", h.Median(), h.Since().Timestamp, h.Verdicts())
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
