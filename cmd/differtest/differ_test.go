package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hookwatch/suites/client"
	"hookwatch/suites/client/clients"
)

// TestProject checks that a seed gives the same project again, that its files are JSON unless they have
// a mistake, and that a few hundred projects have entries of all events.
func TestProject(t *testing.T) {
	t.Parallel()
	for _, name := range playable {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := readDraws(name)
			if err != nil {
				t.Fatal(err)
			}
			testProjects(t, d)
		})
	}
}

func testProjects(t *testing.T, d draws) {
	t.Helper()
	seen := map[string]bool{}
	for seed := range uint64(300) {
		p := d.project(seed)
		if !reflect.DeepEqual(p, d.project(seed)) {
			t.Fatalf("seed %d gives two projects", seed)
		}
		for _, f := range p.Files {
			text, isJSON := d.content(p, f, strings.NewReplacer("{rec}", "/r/rec.sh")), strings.HasSuffix(d.layer(f.Layer).File, ".json")
			if isJSON && f.Mistake == nil && !json.Valid(text) {
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
	for _, event := range d.Events {
		if _, known := client.EventByName(event.Name); !known || !seen[event.Name] {
			t.Errorf("no entry of %s", event.Name)
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
	claude := &sessionOnDisk{}
	claude.draws.of.Name = clients.Claude
	all := claude.firingsIn(0, []record{{N: "0", Stdin: one}, {N: "2", Stdin: one}, {N: "2", Stdin: one}, {N: "3", Stdin: other}})
	if len(all) != 2 || !all[0].Seen || all[1].Seen || len(all[0].Runs) != 2 || all[0].Tool != "Bash" || all[1].Event != "Stop" {
		t.Errorf("%+v", all)
	}
	if got := marks("a RSN-h4- b CTX-h4- c RSN-h12-"); !reflect.DeepEqual(got, map[string][]string{"4": {"RSN", "CTX"}, "12": {"RSN"}}) {
		t.Errorf("%v", got)
	}
}

// TestRecorded compares hookwatch with what the clients did in recorded sessions, in which nothing is of
// the machine that recorded them.
func TestRecorded(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatal("no recorded sessions in testdata", err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if found := machine.Find(text); found != nil {
			t.Errorf("%s has %q: record it again (differtest -record)", name, found)
		}
		for line := range bytes.Lines(text) {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				p, all, err := replay(t.Context(), line)
				if err != nil {
					t.Fatal(err)
				}
				for _, d := range all {
					if d.known == "" {
						t.Errorf("seed %d, turn %d, hooks %v: %s\n%s", p.Seed, d.turn, d.hooks, d.kind, d.detail)
					}
				}
			})
		}
	}
}

var machine = regexp.MustCompile(`[\s"'=:(]/(tmp|root|work|home)/[\w.-]*`)

// replay writes the project of a recording and compares hookwatch with what the client did.
func replay(ctx context.Context, line []byte) (p project, all []difference, err error) {
	var r recording
	if err = json.Unmarshal(line, &r); err != nil {
		return p, nil, err
	}
	r.Project.wholeNumbers()
	for _, e := range r.Project.Entries {
		if n, ok := e.Keys["timeout"].(int); ok && e.Output.Sleep == 0 {
			e.Keys["timeout"] = 60 * n // it ended in time in the client, and this machine may be busier
		}
	}
	s := &sessionOnDisk{project: r.Project, recorded: true}
	if s.draws, err = readDraws(r.Project.Client); err != nil {
		return r.Project, nil, err
	}
	defer func() { s.remove() }()
	if err = s.write(); err != nil {
		return r.Project, nil, err
	}
	r.Seen = nil
	if err = json.Unmarshal(bytes.ReplaceAll(line, []byte("{dir}"), []byte(s.dir)), &r); err != nil {
		return s.project, nil, err
	}
	for i, o := range r.Seen {
		for j := range o.Firings {
			f := &o.Firings[j]
			f.Turn = i
			for k := range f.Runs {
				f.Runs[k].Stdin = cmp.Or(f.Runs[k].Stdin, f.Stdin)
			}
		}
	}
	all, err = s.compare(ctx, r.Seen)
	return s.project, all, err
}
