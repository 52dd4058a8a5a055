package session

import (
	"slices"
	"strings"

	"hookwatch/cmd/internal/project"
	"hookwatch/cmd/internal/session/equipment"
	"hookwatch/suites"
	"hookwatch/suites/plan"
	"hookwatch/suites/record"
)

// Look makes a state that knows what is on record. It neither takes a lock nor writes
// anything.
func Look(p *project.Project, caller []string, at record.Place) (*Knowledge, error) {
	r, err := record.OpenReader(at)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	before, err := r.Present()
	if err != nil {
		return nil, err
	}
	with, err := equipment.New(equipment.Options{Env: caller}, p, before.Environment.Tools)
	if err != nil {
		return nil, err
	}
	s := NewKnowledge(p, nil, at)
	s.load(before)
	s.setTools(with.Tools)
	return s, nil
}

// A Selection is what a change selects, and what it does not.
type Selection struct {
	Selected    []plan.Selected
	NotAffected []suites.Selection // cases that depend on what changed and are not affected
	Uncovered   []string           // places of the change that no case executes
	Warnings    []string           // what is wrong with what is on record

	differing map[suites.Key][]string // paths, by case; see selection.Selector
}

// About returns the part of a selection that is about one path, and whether the path holds another content than a verdict is about.
func (s Selection) About(path string) (Selection, bool) {
	about := func(k suites.Key) bool { return slices.Contains(s.differing[k], path) }
	out := Selection{Warnings: s.Warnings}
	for _, n := range s.NotAffected {
		if about(n.Key) {
			out.NotAffected = append(out.NotAffected, n)
		}
	}
	for _, u := range s.Uncovered {
		if strings.HasPrefix(u, path+": ") {
			out.Uncovered = append(out.Uncovered, u)
		}
	}
	for _, sel := range s.Selected {
		if about(sel.Case.Key()) {
			out.Selected = append(out.Selected, sel)
		}
	}
	return out, len(out.Selected)+len(out.NotAffected) > 0
}

// StaleNow selects what a run of changed cases would run now. It takes no lock
// and writes nothing.
func StaleNow(p *project.Project, caller []string, at record.Place) (Selection, error) {
	s, err := Look(p, caller, at)
	if err != nil {
		return Selection{}, err
	}
	selected := s.Stale(func(suites.Key) *suites.Digests { return nil })
	return Selection{selected, s.NotAffected(), s.Uncovered(), s.warnings, s.Selector.Differing()}, nil
}
