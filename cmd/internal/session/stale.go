package session

import (
	"slices"
	"strings"

	"hookwatch/cmd/internal/notify"
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

// StaleNow selects what a run of changed cases would run now. It takes no lock
// and writes nothing.
func StaleNow(p *Project, caller []string) ([]plan.Selected, error) {
	before, err := record.Read(p.Config.ResultsDir)
	if err != nil {
		return nil, err
	}
	s, err := New(Options{Project: p, Env: caller}, before)
	if err != nil {
		return nil, err
	}
	return s.stale(), nil
}

// ChangesOf gathers the files and sections that reasons name.
func ChangesOf(selected []plan.Selected) []notify.Change {
	var out []notify.Change
	for _, s := range selected {
		for _, b := range s.Because {
			path, section, _ := strings.Cut(b, " §")
			if !strings.ContainsAny(path, "./") || strings.Contains(path, " ") {
				continue // a reason that names no file
			}
			out = addChange(out, path, section)
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

// cutSection is the section that a reason names of a file.
func cutSection(because, path string) (string, bool) {
	section, ok := strings.CutPrefix(because, path+" §")
	return section, ok
}

// SameSection reports whether a person's word for a section means this one.
func SameSection(section, asked string) bool {
	return strings.EqualFold(section, asked) || strings.HasPrefix(section, asked+".") || strings.HasPrefix(asked, section+".")
}
