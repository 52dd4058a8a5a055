package session

import (
	"slices"

	"hookwatch/cmd/internal/notify"
	"hookwatch/cmd/internal/project"
	"hookwatch/suites"
	"hookwatch/suites/plan"
	"hookwatch/suites/record"
)

// Stale selects what changed since the last run affects, and controls.
func (s *Session) Stale() []plan.Selected { return s.stale() }

// State counts the verdicts on record of the project's cases.
func (s *Session) State() suites.Tally { return s.tallyState() }

// Announce tells what the run made worse or better, without waiting for a
// failure to be reproduced.
func (s *Session) Announce(runID string) { s.announce(runID, true) }

// A Selection is what a change selects, and what it does not.
type Selection struct {
	Selected    []plan.Selected
	NotAffected []notify.Selection // cases that depend on what changed and are not affected
	Uncovered   []string           // places of the change that no case executes
	Warnings    []string           // what is wrong with what is on record
}

// Look makes a session that knows what is on record, and neither takes a lock nor
// writes anything. It is not for running cases.
func Look(p *project.Project, caller []string, at record.Place) (*Session, error) {
	r, err := record.OpenReader(at)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	before, err := r.Present()
	if err != nil {
		return nil, err
	}
	s, err := New(Options{Project: p, Env: caller, Records: at}, before)
	if err == nil {
		s.warnings = before.Warnings
	}
	return s, err
}

// StaleNow selects what a run of changed cases would run now. It takes no lock
// and writes nothing.
func StaleNow(p *project.Project, caller []string, at record.Place) (Selection, error) {
	s, err := Look(p, caller, at)
	if err != nil {
		return Selection{}, err
	}
	selected := s.stale()
	return Selection{selected, s.NotAffected(), s.Uncovered(), s.warnings}, nil
}

// ChangesOf gathers the files and sections for whose sake cases are selected.
func ChangesOf(selected []plan.Selected) []notify.Change {
	var out []notify.Change
	for _, s := range selected {
		for _, in := range s.Changed {
			out = addChange(out, in.Path, in.Section)
		}
	}
	return out
}

func addChange(out []notify.Change, path, section string) []notify.Change {
	i := slices.IndexFunc(out, func(c notify.Change) bool { return c.Path == path })
	if i < 0 {
		out = append(out, notify.Change{Path: path})
		i = len(out) - 1
	}
	if section != "" && !slices.Contains(out[i].Sections, section) {
		out[i].Sections = append(out[i].Sections, section)
	}
	return out
}
