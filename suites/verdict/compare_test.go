package verdict

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hookwatch/suites"
)

// recordOf returns a record for comparisons: "pass", "fail", or a note that contains the status.
func recordOf(id, status string) suites.Record {
	exit := 0
	r := suites.Record{Suite: "pm", ID: id, TestName: "case_" + id, Hook: "hook.sh", ActualExit: &exit, ActualDecision: "block",
		Digests: suites.Digests{Case: "c1", Inputs: "i1", Tools: "t1"}}
	switch status {
	case "pass":
		r.Pass = true
	case "fail":
	case "aborted":
		r.Note = "ABORTED: DEP01"
	case "skip":
		r.Pass, r.Note = true, "absent: jaq"
	case "unproven":
		r.Pass, r.Note = true, "unproven: control P01"
	default:
		panic(status)
	}
	return r
}

// never is for tools that explain nothing.
func never(string, string) bool { return false }

func TestTransition(t *testing.T) {
	t.Parallel()
	is := []string{"pass", "fail", "skip", "unproven", "aborted"}
	for was, want := range map[string][]Kind{ // by the status of the later record
		"pass":     {Unchanged, Regression, Changed, Changed, Changed},
		"fail":     {Resolved, Unchanged, Changed, Changed, Changed},
		"skip":     {Changed, Regression, Unchanged, Changed, Changed},
		"unproven": {Resolved, Regression, Changed, Unchanged, Changed},
		"aborted":  {Changed, Changed, Changed, Changed, Unchanged},
	} {
		for i, status := range is {
			prev, cur := recordOf("P01", was), recordOf("P01", status)
			if got := transition(&prev, cur, never); got != want[i] {
				t.Errorf("%s -> %s is %s, want %s", was, status, got, want[i])
			}
			cur.Digests.Tools = "t2"
			wantTools := want[i]
			if was != status && was != "aborted" && status != "aborted" {
				wantTools = Explained
			}
			if got := transition(&prev, cur, func(a, b string) bool { return a == "t1" && b == "t2" }); got != wantTools {
				t.Errorf("%s -> %s with other tools is %s, want %s", was, status, got, wantTools)
			}
			if got := transition(&prev, cur, never); got != want[i] {
				t.Errorf("%s -> %s with tools that explain nothing is %s, want %s", was, status, got, want[i])
			}
			cur.Digests.Case = "c2"
			if got := transition(&prev, cur, never); got != Edited {
				t.Errorf("%s -> %s of an edited case is %s", was, status, got)
			}
		}
	}
	if got := transition(nil, recordOf("P01", "fail"), nil); got != Added {
		t.Errorf("the first record is %s", got)
	}
}

func TestTransitionOfEqualVerdicts(t *testing.T) {
	t.Parallel()
	two := 2
	for name, change := range map[string]func(*suites.Record){
		"exit":     func(r *suites.Record) { r.ActualExit = &two },
		"no exit":  func(r *suites.Record) { r.ActualExit = nil },
		"decision": func(r *suites.Record) { r.ActualDecision = "approve" },
		"note":     func(r *suites.Record) { r.Note = "found" },
	} {
		prev, cur := recordOf("P01", "pass"), recordOf("P01", "pass")
		change(&cur)
		if got := transition(&prev, cur, never); got != Changed {
			t.Errorf("another %s is %s", name, got)
		}
	}
	prev, cur := recordOf("P01", "pass"), recordOf("P01", "pass")
	cur.Timestamp, cur.DurationMS, cur.RunID, cur.ActualStderr = "later", 7, "r2", "took 7 ms"
	if got := transition(&prev, cur, never); got != Unchanged {
		t.Errorf("another time is %s", got)
	}
	prev.Digests, cur.Digests = suites.Digests{}, suites.Digests{Case: "c9", Tools: "t9"}
	if got := transition(&prev, cur, never); got != Unchanged {
		t.Errorf("digests that another tool does not write make it %s", got)
	}
}

func TestCompare(t *testing.T) {
	t.Parallel()
	tool := func(name, version string) suites.Tool {
		return suites.Tool{Name: name, Path: "/usr/bin/" + name, Version: version, Digest: version}
	}
	reaches := map[string][]string{"t1": {"biome", "jaq"}, "t2": {"biome", "jaq"}, "t3": {"biome", "jaq", "rg"}}
	explained, edited, otherTools := recordOf("P05", "fail"), recordOf("P06", "fail"), recordOf("P07", "fail")
	explained.Digests.Tools, explained.Digests.Inputs = "t2", "i2"
	edited.Digests.Case = "c2"
	otherTools.Digests.Tools = "t2"
	prev := Run{ID: "a", Env: suites.Environment{CaseTools: reaches, Tools: []suites.Tool{tool("biome", "2.3.15"), tool("jaq", "1"), tool("sed", "4")}},
		Records: []suites.Record{recordOf("P09", "pass"), recordOf("P01", "pass"), recordOf("P02", "pass"), recordOf("P03", "fail"),
			recordOf("P04", "pass"), recordOf("P05", "pass"), recordOf("P06", "pass"), recordOf("P07", "pass"), recordOf("P01", "fail")}}
	cur := Run{ID: "b", Env: suites.Environment{CaseTools: reaches, Tools: []suites.Tool{tool("biome", "2.4.0"), {Name: "jaq"}, tool("sed", "4")}},
		Records: []suites.Record{recordOf("P01", "fail"), recordOf("P02", "fail"), recordOf("P03", "pass"), recordOf("P04", "skip"),
			explained, edited, otherTools, recordOf("P08", "pass")}}
	c := Compare(prev, cur)
	var got []string
	for _, d := range c.Deltas {
		got = append(got, fmt.Sprintf("%s %s %v", d.Key.ID, d.Kind, d.Tools))
	}
	want := []string{"P02 regression []", "P03 resolved []", "P04 changed []", "P05 explained [biome 2.3.15 -> 2.4.0 jaq vanished (was 1)]",
		"P06 edited []", "P07 explained [biome 2.3.15 -> 2.4.0 jaq vanished (was 1)]", "P08 added []", "P09 removed []"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	counts := map[Kind]int{Regression: 1, Resolved: 1, Changed: 1, Explained: 2, Edited: 1, Added: 1, Removed: 1, Unchanged: 1}
	if d := cmp.Diff(counts, c.Counts); d != "" {
		t.Errorf("counts (-want +got):\n%s", d)
	}
	summaries := []RunSummary{{ID: "a", Cases: 8, Tally: suites.Tally{Passed: 6, Failed: 2}}, {ID: "b", Cases: 8, Tally: suites.Tally{Passed: 2, Failed: 5, Skipped: 1}}}
	if d := cmp.Diff(summaries, []RunSummary{c.Prev, c.Cur}); d != "" {
		t.Errorf("summaries (-want +got):\n%s", d)
	}
	if !c.Deltas[3].Inputs || c.Deltas[0].Inputs {
		t.Error("changed inputs are not reported")
	}
	if got, want := fmt.Sprint(c.Environment), "[biome 2.3.15 -> 2.4.0 jaq vanished (was 1)]"; got != want {
		t.Errorf("environment %s, want %s", got, want)
	}
	if d := cmp.Diff([]string{"the earlier run holds 1 records of cases that it has already: of each case the last one counts",
		"the runs do not hold the same cases: 1 only in the later, 1 only in the earlier"}, c.Warnings); d != "" {
		t.Error(d)
	}
}

// TestCompareFaults checks that a new generated case that fails is a new fault, a removed one
// that failed is resolved, and a changed definition is never an edit.
func TestCompareFaults(t *testing.T) {
	t.Parallel()
	of := func(id, status, definition string) suites.Record {
		r := recordOf(id, status)
		r.Suite, r.Digests.Case = suites.Registered, definition
		return r
	}
	c := Compare(Run{ID: "a", Records: []suites.Record{of("A", "pass", "1"), of("B", "fail", "1"), of("C", "pass", "1")}},
		Run{ID: "b", Records: []suites.Record{of("A", "fail", "2"), of("D", "fail", "1"), of("E", "pass", "1")}})
	var got []string
	for _, d := range c.Deltas {
		got = append(got, d.Key.ID+" "+string(d.Kind))
	}
	if d := cmp.Diff([]string{"A regression", "B resolved", "C removed", "D regression", "E added"}, got); d != "" {
		t.Error(d)
	}
}

func TestAnEditedHookThatCallsAnotherToolIsNotExplained(t *testing.T) {
	t.Parallel()
	bash, rg := suites.Tool{Name: "bash", Path: "/bin/bash", Digest: "1"}, suites.Tool{Name: "rg", Path: "/bin/rg", Digest: "1"}
	cur := recordOf("P01", "fail")
	cur.Digests.Tools = "t2"
	a := Run{Records: []suites.Record{recordOf("P01", "pass")}, Env: suites.Environment{Tools: []suites.Tool{bash}, CaseTools: map[string][]string{"t1": {"bash"}}}}
	b := Run{Records: []suites.Record{cur}, Env: suites.Environment{Tools: []suites.Tool{bash, rg}, CaseTools: map[string][]string{"t2": {"bash", "rg"}}}}
	if c := Compare(a, b); c.Deltas[0].Kind != Regression {
		t.Errorf("a hook that newly calls rg is %s", c.Deltas[0].Kind)
	}
	a.Env.Tools = append(a.Env.Tools, suites.Tool{Name: "rg"}) // it was searched for, and absent
	if c := Compare(a, b); c.Deltas[0].Kind != Explained {
		t.Errorf("with rg installed meanwhile it is %s", c.Deltas[0].Kind)
	}
}

func TestCompareRecordsWithoutID(t *testing.T) {
	t.Parallel()
	foreign := func(name string, pass bool) suites.Record {
		return suites.Record{Hook: "hook.sh", TestName: name, Pass: pass}
	}
	c := Compare(Run{Records: []suites.Record{foreign("a", true), foreign("b", true)}}, Run{Records: []suites.Record{foreign("a", false), recordOf("P01", "pass")}})
	counts := map[Kind]int{Regression: 1, Added: 1, Removed: 1}
	if d := cmp.Diff(counts, c.Counts); d != "" {
		t.Errorf("counts (-want +got):\n%s", d)
	}
	text := strings.Join(c.Warnings, "\n")
	for _, want := range []string{"2 of 2 records of the earlier run have no ID", "1 of 2 records of the later run have no ID", "the tools of the earlier run are not on record"} {
		if !strings.Contains(text, want) {
			t.Errorf("no warning %q in %s", want, text)
		}
	}
	if empty := Compare(Run{}, Run{}); empty.Total() != 0 || len(empty.Deltas) != 0 {
		t.Errorf("nothing compared with nothing is %+v", empty)
	}
}

// randomRun returns a run of random cases in random order.
func randomRun(r *rand.Rand, cases int) Run {
	var run Run
	for i := range cases {
		if r.IntN(5) == 0 {
			continue
		}
		rec := recordOf(fmt.Sprintf("C%03d", i), []string{"pass", "fail", "skip", "unproven", "aborted"}[r.IntN(5)])
		rec.Suite = []string{"pm", "ml"}[i%2]
		rec.Digests = suites.Digests{Case: fmt.Sprint(r.IntN(2)), Tools: fmt.Sprint(r.IntN(2))}
		if exit := r.IntN(4); exit == 3 {
			rec.ActualExit = nil
		} else {
			rec.ActualExit = &exit
		}
		run.Records = append(run.Records, rec)
	}
	r.Shuffle(len(run.Records), func(i, j int) { run.Records[i], run.Records[j] = run.Records[j], run.Records[i] })
	return run
}

// differential finds the same sets in another way: by object keys, in jq. Records of the earlier
// run have the run_id "a".
const differential = `def key: "\(.suite)/\(.id)";
  (map(select(.run_id == "a") | {key: key, value: .}) | from_entries) as $prev |
  (map(select(.run_id == "b") | {key: key, value: .}) | from_entries) as $cur |
  {
    added: [$cur | keys[] | select(in($prev) | not)],
    removed: [$prev | keys[] | select(in($cur) | not)],
    changed: [$cur | keys[] | select(in($prev)) | . as $k | $prev[$k] as $p | $cur[$k] as $c |
      select($c.pass != $p.pass or $c.actual_exit != $p.actual_exit or $c.note != $p.note
        or $c.actual_decision != $p.actual_decision or $c.digests.case != $p.digests.case) | $k]
  }`

func TestCompareAgreesWithJQ(t *testing.T) {
	t.Parallel()
	q, err := CompileQuery(differential)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 30 {
		a, b := randomRun(r, 60), randomRun(r, 60)
		var both []suites.Record
		for id, run := range map[string]*Run{"a": &a, "b": &b} {
			for i := range run.Records {
				run.Records[i].RunID = id
			}
			both = append(both, run.Records...)
		}
		got := map[string]any{"added": []any{}, "removed": []any{}, "changed": []any{}}
		c := Compare(a, b)
		for _, d := range c.Deltas {
			set := "changed"
			if d.Kind == Added || d.Kind == Removed {
				set = string(d.Kind)
			}
			got[set] = append(got[set].([]any), d.Key.String())
		}
		err := q.Run(context.Background(), both, func(want any) error {
			if d := cmp.Diff(want, any(got)); d != "" {
				t.Error(d)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if union := len(a.Records) + c.Counts[Added]; c.Total() != union || len(c.Deltas)+c.Counts[Unchanged] != union {
			t.Errorf("counts %v give %d, want %d", c.Counts, c.Total(), union)
		}
	}
}

func TestCompareLeavesItsInputAlone(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	a, b := randomRun(r, 40), randomRun(r, 40)
	wasA, wasB := slices.Clone(a.Records), slices.Clone(b.Records)
	Compare(a, b)
	if d := cmp.Diff([][]suites.Record{wasA, wasB}, [][]suites.Record{a.Records, b.Records}); d != "" {
		t.Error(d)
	}
}

// BenchmarkCompare100k compares two runs of 100,000 records in shuffled order, a tenth of which
// differ.
func BenchmarkCompare100k(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 6))
	side := func() Run {
		var run Run
		for i := range 100_000 {
			rec := recordOf(fmt.Sprintf("C%06d", i), "pass")
			if r.IntN(20) == 0 {
				rec = recordOf(rec.ID, "fail")
			}
			rec.ActualOutput = strings.Repeat("x", 200)
			run.Records = append(run.Records, rec)
		}
		r.Shuffle(len(run.Records), func(i, j int) { run.Records[i], run.Records[j] = run.Records[j], run.Records[i] })
		return run
	}
	prev, cur := side(), side()
	b.ReportAllocs()
	for b.Loop() {
		if c := Compare(prev, cur); c.Total() != 100_000 {
			b.Fatalf("total %d", c.Total())
		}
	}
}
