package session

import (
	"path"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/record"
	"hookwatch/suites/verdict"
)

// Look returns the knowledge of a project as recorded. It takes no lock and writes nothing.
func Look(p *Project, caller []string, at record.Place) (*Knowledge, error) {
	r, err := record.OpenReader(at)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	before, err := r.Present()
	if err != nil {
		return nil, err
	}
	with, err := newEquipment(EquipmentOptions{Env: caller}, p, before.Environment.Tools)
	if err != nil {
		return nil, err
	}
	s := NewKnowledge(p, nil, at)
	s.load(before)
	s.setTools(with.Tools)
	return s, nil
}

// A Selection is the effect of a change: the selected cases and the unaffected ones.
type Selection struct {
	Selected    []verdict.Selected
	NotAffected []suites.Selection // cases that depend on a changed file but are not affected
	Uncovered   []string           // changed places that no case executes
	Warnings    []string           // problems with the records

	differing map[suites.Key][]string // paths, by case; see selector
}

// About returns the part of a selection that concerns one file. It reports whether the content of
// the file differs from the content of some verdict.
func (s Selection) About(file string) (Selection, bool) {
	about := func(k suites.Key) bool {
		return slices.Contains(s.differing[k], file) || slices.Contains(s.differing[k], path.Dir(file)+"/") // its name in the directory
	}
	out := Selection{Warnings: s.Warnings}
	for _, n := range s.NotAffected {
		if about(n.Key) {
			out.NotAffected = append(out.NotAffected, n)
		}
	}
	for _, u := range s.Uncovered {
		if strings.HasPrefix(u, file+": ") {
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

// StaleNow returns the cases that a run of changed cases would run now. It takes no lock and
// writes nothing.
func StaleNow(p *Project, caller []string, at record.Place) (Selection, error) {
	s, err := Look(p, caller, at)
	if err != nil {
		return Selection{}, err
	}
	selected := s.Stale(func(suites.Key) *suites.Digests { return nil })
	return Selection{selected, s.NotAffected(), s.Uncovered(), s.warnings, s.Selector.Differing()}, nil
}
