package verdict

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"hookwatch/suites"
)

func TestTallyBesideTheADRsAggregation(t *testing.T) {
	t.Parallel()
	records := []suites.Record{recordOf("P01", "pass"), recordOf("P02", "fail"), recordOf("P03", "skip"), recordOf("P04", "unproven"), recordOf("P05", "aborted"),
		{TestName: "theirs", Hook: "hook.sh", Pass: true, Note: "absent"}, {TestName: "version", Pass: true, Note: "version_skip: biome 2.3"}}
	if got, want := Tally(records), (suites.Tally{Passed: 1, Failed: 1, Skipped: 3, Unproven: 1, Aborted: 1}); got != want || got.Total() != len(records) {
		t.Errorf("tally %+v, want %+v", got, want)
	}
	got, err := ADRAggregate(records)
	if err != nil {
		t.Fatal(err)
	}
	line := func(name, note string) any {
		return map[string]any{"hook": "hook.sh", "test_name": name, "note": note}
	}
	want := map[string]any{ // no unproven, no aborted, and a version skip passes
		"passed": 3, "failed": 2, "skipped": 2,
		"failures": []any{line("case_P02", ""), line("case_P05", "ABORTED: DEP01")},
		"skips":    []any{line("case_P03", "absent: jaq"), line("theirs", "absent")},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestCheckCounts(t *testing.T) {
	t.Parallel()
	records := []suites.Record{recordOf("P01", "pass"), recordOf("P02", "pass"), {Suite: "ml", ID: "M01"}, {Suite: "own", ID: "O1"}}
	agentOf := func(r *suites.Record) string { return r.Suite + "-agent" }
	got := CheckCounts(records, agentOf, map[string]int{"pm-agent": 3, "dep-agent": 29, "ml-agent": 1, "own-agent": 0})
	want := []string{"dep-agent: no records, want 29: 29 unknown failures", "own-agent: 1 records, want 0: 1 too many", "pm-agent: 2 records, want 3: 1 unknown failure"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(suites.Tally{Passed: 2}, TallyByAgent(records, agentOf)["pm-agent"]); d != "" {
		t.Error(d)
	}
}
