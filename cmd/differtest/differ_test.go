package main

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"hookwatch/suites/client"
)

// TestProject checks that a seed gives the same project again, that its files are JSON unless they have
// a mistake, and that a few hundred projects have entries of all events.
func TestProject(t *testing.T) {
	t.Parallel()
	d, err := readDraws()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for seed := range uint64(300) {
		p := d.project(seed)
		if !reflect.DeepEqual(p, d.project(seed)) {
			t.Fatalf("seed %d gives two projects", seed)
		}
		for _, f := range p.Files {
			if text := p.content(f, strings.NewReplacer("{rec}", "/r/rec.sh")); f.Mistake == nil && !json.Valid(text) {
				t.Errorf("seed %d, %s: %s", seed, f.Layer, text)
			}
		}
		for _, e := range p.Entries {
			seen[e.Event] = true
			if e.Layer == plugin && p.Plugin == "" || len(e.Form.In) > 0 && !slices.Contains(e.Form.In, e.Layer) {
				t.Errorf("seed %d: entry %d is in %s", seed, e.N, e.Layer)
			}
		}
	}
	for _, event := range events {
		if _, known := client.EventByName(event.name); !known || !seen[event.name] {
			t.Errorf("no entry of %s", event.name)
		}
	}
}

// TestSteps checks that the reductions leave out all that a difference is not about.
func TestSteps(t *testing.T) {
	t.Parallel()
	p := project{
		Files: []settings{{Layer: user, Mode: "plan"}, {Layer: shared}}, Calls: []call{{Tool: "Bash"}, {Tool: "Read"}},
		Entries: []entry{{N: 1, Layer: user}, {N: 2, Layer: shared}, {N: 3, Layer: shared}},
	}
	about := difference{turn: 1, hooks: []string{"2"}}
	for _, step := range steps(p, about)[1:] {
		if smaller, changed := step(p); changed && !slices.ContainsFunc(smaller.Entries, func(e entry) bool { return e.N == 2 }) {
			continue
		} else if changed {
			p = smaller
		}
	}
	if len(p.Entries) != 1 || len(p.Calls) != 1 || p.Calls[0].Tool != "Read" || p.Files[0].Mode != "" {
		t.Errorf("left: %+v", p)
	}
}

// TestFirings checks that runs of one firing are grouped, and the texts of hooks found.
func TestFirings(t *testing.T) {
	t.Parallel()
	one, other := `{"hook_event_name":"PreToolUse","tool_name":"Bash"}`, `{"hook_event_name":"Stop"}`
	all := firingsIn([]record{{n: "0", stdin: one}, {n: "2", stdin: one}, {n: "2", stdin: one}, {n: "3", stdin: other}})
	if len(all) != 2 || !all[0].seen || all[1].seen || len(all[0].runs) != 2 || all[0].tool != "Bash" || all[1].event != "Stop" {
		t.Errorf("%+v", all)
	}
	if got := marks("a RSN-h4- b CTX-h4- c RSN-h12-"); !reflect.DeepEqual(got, map[string][]string{"4": {"RSN", "CTX"}, "12": {"RSN"}}) {
		t.Errorf("%v", got)
	}
}
