package main

import (
	"testing"

	"hookwatch/suites/depend/edit"
	"hookwatch/suites/depend/trace"
)

// TestUnitKeys: an edit in a statement at top level is about all of that
// statement; one beside it is not.
func TestUnitKeys(t *testing.T) {
	t.Parallel()
	const before = "a\nif b; then\n  c\n  d\nfi\nf() { g; }\nf\n"
	for name, tt := range map[string]struct {
		after string
		in    bool // the statement of lines 2 to 5
	}{
		"changed within": {"a\nif b; then\n  x\n  d\nfi\nf() { g; }\nf\n", true},
		"new within":     {"a\nif b; then\n  c\n  x\n  d\nfi\nf() { g; }\nf\n", true},
		"removed within": {"a\nif b; then\n  d\nfi\nf() { g; }\nf\n", true},
		"new beside":     {"a\nx\nif b; then\n  c\n  d\nfi\nf() { g; }\nf\n", false},
		"in a function":  {"a\nif b; then\n  c\n  d\nfi\nf() { x; }\nf\n", false},
	} {
		old, err := trace.Parse("h.sh", []byte(before))
		if err != nil {
			t.Fatal(err)
		}
		want := map[trace.Key]bool{}
		if tt.in {
			for _, k := range around(old, 2).Keys(nil) {
				want[k] = true
			}
		}
		got := map[trace.Key]bool{}
		for _, k := range unitKeys(edit.Compare("h.sh", []byte(before), []byte(tt.after)), []byte(before), []byte(tt.after)) {
			got[k] = true
		}
		if trace.NewSet(got) != trace.NewSet(want) {
			t.Errorf("%s: %d keys, want %d", name, len(got), len(want))
		}
	}
}

func TestSameUnit(t *testing.T) {
	t.Parallel()
	before, after := []byte("a\nif b; then\n  c\n  d\nfi\nf() { g; }\nf\n"), []byte("a\nif b; then\n  c\n  x\n  d\nfi\nf() { y; }\nf\n")
	old, err := trace.Parse("h.sh", before)
	if err != nil {
		t.Fatal(err)
	}
	e := edit.Compare("h.sh", before, after)
	keys := unitKeys(e, before, after)
	met := func(functions, statements map[trace.Key]bool) *trace.Trace {
		return &trace.Trace{Files: map[string]*trace.Met{"h.sh": {Digest: old.Digest, Functions: trace.NewSet(functions), Statements: trace.NewSet(statements)}}}
	}
	condition := map[trace.Key]bool{around(old, 2).Blocks[0].Statements[0].Key: true}
	for name, tt := range map[string]struct {
		trace *trace.Trace
		want  bool
	}{
		"elsewhere":        {met(nil, map[trace.Key]bool{around(old, 1).Key: true}), false},
		"in the statement": {met(nil, condition), true},
		"in the function":  {met(map[trace.Key]bool{trace.WordKey("f"): true}, nil), true},
	} {
		if got := sameUnit(e, keys, tt.trace); got != tt.want {
			affected, why := edit.Affected(e, tt.trace)
			t.Errorf("%s: %v, want %v (affected: %v, %s)", name, got, tt.want, affected, why)
		}
	}
}
