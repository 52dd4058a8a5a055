package depend_test

import (
	"strings"
	"testing"

	"hookwatch/suites"
	"hookwatch/suites/depend"
	"hookwatch/suites/depend/trace"
)

func TestSpareKeys(t *testing.T) {
	t.Parallel()
	type change = func(*testing.T, *world, *depend.Difference, *depend.Question)
	script := func(text string) change {
		return func(t *testing.T, w *world, _ *depend.Difference, q *depend.Question) {
			w.before[hook] = text
			q.Trace = w.came(t, []int{1, 2, 3, 4, 5}, nil)
		}
	}
	for name, tt := range map[string]struct {
		old, new   string
		unaffected bool
		because    string
		change     change
	}{
		"a key that it reads":                 {old: `["x"]`, new: `["y"]`, because: ".allow.tools changed, which its hook reads"},
		"a key that it does not read":         {old: `true`, new: `false`, unaffected: true, because: "does not read .log"},
		"next to the key":                     {old: `"paths": []`, new: `"paths": [1]`, unaffected: true, because: "does not read .allow.paths"},
		"several that it does not read":       {old: `"paths": []}, "log": true`, new: `"paths": [1]}, "log": false, "b": 1, "c": 2`, unaffected: true, because: "..."},
		"above the key":                       {old: `{"tools": ["x"], "paths": []}`, new: "null", because: ".allow changed"},
		"key removed":                         {old: `"tools": ["x"], `, new: "", because: ".allow.tools"},
		"key added":                           {old: `"log"`, new: `"more": 1, "log"`, unaffected: true, because: ".more"},
		"white space":                         {old: `, "log"`, new: ",\n\t\"log\"", unaffected: true, because: "no value in hooks/config.json changed"},
		"no JSON":                             {old: `}`, new: "", because: "cannot be parsed"},
		"white space, of a file read as text": {old: `, "log"`, new: ",\n\t\"log\"", because: "otherwise than by a filter", change: script("grep log hooks/config.json\n")},
		"read by another language":            {old: `true`, new: `false`, because: "another language", change: script("python3 -c 'print(1)'\n")},
		"the output names lines": {old: `true`, new: `false`, because: "names lines",
			change: func(_ *testing.T, _ *world, _ *depend.Difference, q *depend.Question) { q.Trace.Lines = true }},
		"a lone surrogate": {old: `true`, new: `"\ud800"`, because: "surrogates"},
		"marked": {old: `true`, new: `false`, because: "why it is an input",
			change: func(_ *testing.T, _ *world, d *depend.Difference, _ *depend.Question) { d.By = suites.Marked }},
		"content is lost": {old: `true`, new: `false`, because: "its content changed",
			change: func(_ *testing.T, _ *world, d *depend.Difference, _ *depend.Question) { d.Was = "0123" }},
		"permissions changed": {old: `true`, new: `false`, because: "permissions changed",
			change: func(_ *testing.T, w *world, d *depend.Difference, _ *depend.Question) {
				w.bits = map[string]string{config: "-"}
				d.Digest = suites.Digest(w.now(config))
			}},
		"did not execute what reads it": {old: `["x"]`, new: `["y"]`, unaffected: true, because: "nothing that reads hooks/config.json",
			change: func(t *testing.T, w *world, _ *depend.Difference, q *depend.Question) {
				q.Trace = w.came(t, []int{2}, nil)
			}},
		"without a trace":                     {old: `true`, new: `false`, because: "there is no trace of the case", change: noTraceOfIt},
		"a name that is put together":         {old: `true`, new: `false`, because: "put together (*.json)", change: script("cat \"$dir/$name.json\"\n")},
		"a pattern":                           {old: `true`, new: `false`, because: "put together (*.json)", change: script("cat hooks/*.json\n")},
		"a program that reads the whole tree": {old: `true`, new: `false`, because: "put together (*)", change: script("git status\n")},
		"a pattern of other files":            {old: `["x"]`, new: `["y"]`, unaffected: true, because: "nothing that reads", change: script("cat \"$dir/$name.txt\"\n")},
		"a filter that is not spelled out": {old: `true`, new: `false`, because: "hooks/config.json: ",
			change: script("jq \"$filter\" config.json\n")},
		"a hook that is no shell script": {old: `true`, new: `false`, because: "no shell script and may read any of it",
			change: func(_ *testing.T, w *world, _ *depend.Difference, _ *depend.Question) {
				w.before[hook] = "#!/usr/bin/python3\nimport json\n"
			}},
		"a hook that is gone": {old: `true`, new: `false`, because: "no shell script and may read any of it",
			change: func(_ *testing.T, w *world, _ *depend.Difference, _ *depend.Question) { delete(w.before, hook) }},
		"a hook that was not traced as a whole": {old: `true`, new: `false`, because: "may have run untraced",
			change: func(_ *testing.T, _ *world, _ *depend.Difference, q *depend.Question) {
				q.Trace.Files[hook].Whole = "it was not started by a bash that is traced"
			}},
		"a script of another shell that the trace did not meet": {old: `true`, new: `false`, because: "hooks/lib.sh may have run untraced",
			change: func(_ *testing.T, w *world, _ *depend.Difference, q *depend.Question) {
				w.before[library] = "#!/bin/sh\necho\n"
				delete(q.Trace.Files, library)
			}},
		"a trace that is not complete": {old: `["x"]`, new: `["y"]`, because: "not complete",
			change: func(_ *testing.T, _ *world, _ *depend.Difference, q *depend.Question) {
				q.Trace.Incomplete = "it timed out"
			}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := plainWorld(config, tt.old, tt.new)
			d := w.changed(config, suites.Reached)
			q := depend.Question{Trace: w.ranA(t)}
			if tt.change != nil {
				tt.change(t, &w, &d, &q)
			}
			q.Changed = []depend.Difference{d}
			a := w.decide(q)
			if a.Unaffected != tt.unaffected || !strings.Contains(a.Because, tt.because) {
				t.Errorf("unaffected %v: %q; want %v, %q", a.Unaffected, a.Because, tt.unaffected, tt.because)
			}
		})
	}
}

func noTraceOfIt(_ *testing.T, _ *world, _ *depend.Difference, q *depend.Question) { q.Trace = nil }

// A Decider gives the same answer when asked again.
func TestAnswersAreRemembered(t *testing.T) {
	t.Parallel()
	w := plainWorld(config, `["x"]`, `["y"]`)
	asked := 0
	r := depend.NewDecider(func(file, digest string) []byte {
		asked++
		return w.contents(file, digest)
	})
	q := depend.Question{Changed: []depend.Difference{w.changed(config, suites.Reached)}, Scripts: []string{hook, library}, Trace: w.ranA(t)}
	first := r.Decide(q)
	once := asked
	var other *trace.Trace
	q.Trace = other
	if second := r.Decide(q); second.Unaffected != first.Unaffected || asked != once {
		t.Errorf("unaffected %v, then %v; contents were read %d times, then %d more", first.Unaffected, second.Unaffected, once, asked-once)
	}
}
