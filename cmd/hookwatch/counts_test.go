package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"hookwatch/suites"
)

// counted is a suite of cases, of which those pass that want exit code 0.
func counted(name string, exits map[string]int) string {
	var s strings.Builder
	fmt.Fprintf(&s, "suite: %s\nevent: Stop\nhook: %s\ncases:\n", name, smallHook)
	for _, id := range strings.Fields("1 2 3 4 5") {
		if exit, ok := exits[id]; ok {
			fmt.Fprintf(&s, "  - {id: %s%s, name: n_%s, expect: {exit: %d}}\n", name, id, id, exit)
		}
	}
	return s.String()
}

func standing(passed, failed, notRun int) suites.State {
	return suites.State{Tally: suites.Tally{Passed: passed, Failed: failed}, NotRun: notRun}
}

// TestCountsAddUp: whatever becomes of cases and suites, the counts that an event
// carries are of all cases that there are then, and the last ones are right.
func TestCountsAddUp(t *testing.T) {
	t.Parallel()
	root := newSmall(t, 1)
	four := map[string]int{"1": 0, "2": 0, "3": 0, "4": 0}
	writeFiles(t, root, map[string]string{"suites/s.yaml": counted("s", four), "suites/t.yaml": counted("t", map[string]int{"1": 1, "2": 1})})
	w := watch(t, root)
	remove := func(name string) func() {
		return func() {
			if err := os.Remove(w.path(name)); err != nil {
				t.Error(err)
			}
		}
	}
	save := func(exits map[string]int) func() {
		return func() { w.replace("suites/s.yaml", counted("s", exits)) }
	}
	for _, step := range []struct {
		name   string
		do     func()
		states []suites.State // one after the other
	}{
		{"the first run", func() {}, []suites.State{standing(0, 0, 6), standing(4, 2, 0)}},
		{"a case is deleted", save(map[string]int{"1": 0, "2": 0, "3": 0}), []suites.State{standing(3, 2, 0)}},
		{"a case is added", save(map[string]int{"1": 0, "2": 0, "3": 0, "5": 0}), []suites.State{standing(3, 2, 1), standing(4, 2, 0)}},
		{"a case is edited", save(map[string]int{"1": 1, "2": 0, "3": 0, "5": 0}), []suites.State{standing(4, 2, 0), standing(3, 3, 0)}},
		{"no case can be read", save(map[string]int{"1": 77777}), []suites.State{standing(3, 3, 0)}},
		{"all can be read", save(map[string]int{"1": 1, "2": 0, "3": 0, "5": 0}), []suites.State{standing(3, 3, 0)}},
		{"a suite is deleted", remove("suites/t.yaml"), []suites.State{standing(3, 1, 0)}},
		{"all suites are deleted", remove("suites/s.yaml"), []suites.State{{}}},
		{"a suite is there again", save(four), []suites.State{standing(3, 1, 0), standing(4, 0, 0)}},
	} {
		step.do()
		w.counts(step.name, step.states)
	}
	w.quit()
}

// counts compares the reported counts until the session rests.
func (w *watched) counts(what string, want []suites.State) {
	w.t.Helper()
	var got []suites.State
	for _, e := range w.rested() {
		if e.State == nil {
			continue
		}
		total := e.Total
		switch e.Event {
		case "started":
			total = e.Cases
		case "run_done":
			total = e.All
		}
		if e.State.Total() != total {
			w.t.Errorf("%s: %s has %+v, of %d cases", what, e.Event, *e.State, total)
		}
		got = append(got, *e.State)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		w.t.Errorf("%s: %+v, want %+v", what, got, want)
	}
}
