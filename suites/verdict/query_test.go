package verdict

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hookwatch/suites"
)

func TestQuery(t *testing.T) {
	t.Parallel()
	two := 2
	records := []suites.Record{
		{Suite: "pm", ID: "P01", Pass: true, ActualExit: &two, DurationMS: 10, Note: "a < b"},
		{Suite: "pm", ID: "P02", DurationMS: 30},
	}
	for filter, want := range map[string]string{
		`length`:                        "2",
		`map(.duration_ms) | add / 2`:   "20",
		`.[0].actual_exit + 0.5`:        "2.5",
		`.[] | select(.pass | not).id`:  `"P02"`,
		`.[1].actual_exit`:              "null",
		`.[0] | {id, note, layer}`:      `{"id":"P01","layer":0,"note":"a \u003c b"}`,
		`nan, infinite`:                 "null 1.7976931348623157e+308",
		`1, halt, 2`:                    "1",
		`env | length`:                  "0",
		`map(.digests.case) | unique[]`: `""`,
		`[.[] | [.duration_ms / 10]]`:   "[[1],[3]]",
	} {
		q, err := CompileQuery(filter)
		if err != nil {
			t.Errorf("%s: %v", filter, err)
			continue
		}
		var got []string
		err = q.Run(context.Background(), records, func(v any) error {
			if f, ok := v.(float64); ok && f == float64(int64(f)) && f < 1e10 {
				t.Errorf("%s: %v is a float64", filter, v)
			}
			text, err := json.Marshal(v)
			got = append(got, string(text))
			return err
		})
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s gives %v, error %v, want %s", filter, got, err, want)
		}
	}
}

func TestBadQuery(t *testing.T) {
	t.Parallel()
	for filter, want := range map[string]string{
		".[] | ]":                  `query:1:7: unexpected token "]" in ".[] | ]"`,
		".[] |":                    `query:1:6: unexpected EOF in ".[] |"`,
		"":                         `query: missing query (try ".") in ""`,
		".[]\n| select(.é == \t})": `query:2:11: unexpected token "é" in ".[]\n| select(.é == \t})"`,
		"map(lenght)":              `query:1:5: function not defined: lenght/0 in "map(lenght)"`,
		"$x | foo(1)":              "query:1:1: variable not defined: $x in ",
		`.foo | foo(1)`:            "query:1:8: function not defined: foo/1 in ",
	} {
		_, err := CompileQuery(filter)
		var bad *QueryError
		if !errors.As(err, &bad) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q gives\n%v\nwant\n%s", filter, err, want)
		}
	}
}

func TestQueryEnds(t *testing.T) {
	t.Parallel()
	q, err := CompileQuery(`repeat(1)`)
	if err != nil {
		t.Fatal(err)
	}
	object, err := CompileQuery(".verdict")
	if err != nil {
		t.Fatal(err)
	}
	if err := object.Run(context.Background(), nil, func(any) error { return nil }); err == nil || !strings.HasSuffix(err.Error(), "the records are an array: begin with .[]") {
		t.Errorf("a field of the array gives %v", err)
	}
	within, err := CompileQuery(".[] | .changes | .kind")
	if err != nil {
		t.Fatal(err)
	}
	if err := within.Run(context.Background(), []suites.Record{{Changes: []suites.Change{{}}}}, func(any) error { return nil }); err == nil || strings.Contains(err.Error(), "begin with") {
		t.Errorf("a field of a list in a record gives %v", err)
	}
	stop := errors.New("enough")
	if err := q.Run(context.Background(), nil, func(any) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("an error of emit gives %v", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if err := q.Run(ctx, nil, func(any) error { return nil }); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("at its deadline it gives %v", err)
	}
	q, err = CompileQuery(`.[0].id + 1`)
	if err != nil {
		t.Fatal(err)
	}
	err = q.Run(context.Background(), []suites.Record{{ID: "P01"}}, func(any) error { return nil })
	if err == nil || !strings.HasPrefix(err.Error(), "query: cannot add") {
		t.Errorf("a filter that fails gives %v", err)
	}
}

func FuzzCompileQuery(f *testing.F) {
	for _, filter := range []string{".[] | ]", "map(.pass)", "\"\\u12\"", "é\t\n| .a[", "$x", "@foo"} {
		f.Add(filter)
	}
	f.Fuzz(func(t *testing.T, filter string) {
		_, err := CompileQuery(filter)
		var bad *QueryError
		if err != nil && !errors.As(err, &bad) {
			t.Fatalf("%q gives %T", filter, err)
		}
		if err != nil && fmt.Sprint(err) == "" {
			t.Fatal("an empty message")
		}
	})
}

func TestShard(t *testing.T) {
	t.Parallel()
	var cases []*suites.Case
	for id, control := range map[string]string{"A": "", "B": "A", "C": "B", "D": "", "E": "", "F": ""} {
		cases = append(cases, &suites.Case{Suite: "s", ID: id, Control: control, Steps: []suites.Step{{}}})
	}
	took := map[string]int64{"A": 10, "B": 10, "C": 10, "D": 25, "E": 20, "F": 5}
	shards := func(cases []*suites.Case, n int) map[string]int {
		in := map[string]int{}
		for i := 1; i <= n; i++ {
			for _, c := range Shard(cases, i, n, func(k suites.Key) int64 { return took[k.ID] }) {
				if in[c.ID] != 0 {
					t.Errorf("%s is in two shards", c.ID)
				}
				in[c.ID] = i
			}
		}
		return in
	}
	for n, want := range map[int]map[string]int{
		1: {"A": 1, "B": 1, "C": 1, "D": 1, "E": 1, "F": 1},
		2: {"A": 1, "B": 1, "C": 1, "D": 2, "E": 2, "F": 1}, // 35 and 45 ms
		3: {"A": 1, "B": 1, "C": 1, "D": 2, "E": 3, "F": 3}, // 30, 25 and 25 ms
	} {
		if d := cmp.Diff(want, shards(cases, n)); d != "" { // the order of the cases, here that of a map, does not matter
			t.Errorf("%d shards (-want +got):\n%s", n, d)
		}
	}
}

func TestTallyOfADRsAggregation(t *testing.T) {
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
	if d := cmp.Diff(suites.Tally{Passed: 2}, tallyByAgent(records, agentOf)["pm-agent"]); d != "" {
		t.Error(d)
	}
}
