package session

import (
	"hookwatch/cmd/internal/notify"
	"hookwatch/suites"
	"hookwatch/suites/record"
	"hookwatch/suites/selection"
)

// records are the store's, or what there is of the project's without one.
func (s *Session) records() selection.Records {
	if s.o.Store != nil {
		return s.o.Store
	}
	if s.kept == nil {
		r, err := record.OpenReader(s.o.Records)
		if err != nil {
			r = new(record.Reader) // without it every edit affects
		}
		s.kept = r
	}
	return s.kept
}

// unaffected asks whether the verdict of a case stands although its inputs are
// others now; see selection.Selector.
func (s *Session) unaffected(c *suites.Case, past suites.Digests) (stands bool, because []string, changed []suites.Input) {
	v := selection.Verdict{Digests: past}
	if last := s.present[c.Key()]; last != nil {
		v.Skipped = last.layer == suites.Live && last.status == suites.Skip
	}
	v.Inputs, v.Known = s.inputs[past.Inputs]
	return s.selector.Unaffected(c, v, s.withoutOwn)
}

// NotAffected lists the cases that the latest change did not affect, and why.
func (s *Session) NotAffected() []notify.Selection {
	why := s.selector.NotAffected()
	if len(why) == 0 {
		return nil
	}
	var out []notify.Selection
	for _, c := range s.p.Every() {
		if because, ok := why[c.Key()]; ok {
			out = append(out, notify.Selection{Key: c.Key(), Because: []string{because}})
		}
	}
	return out
}

// Uncovered names the places of the latest change that no case executes.
func (s *Session) Uncovered() []string {
	var running []*suites.Case
	for _, c := range s.p.Every() {
		if v := s.present[c.Key()]; v == nil || v.status != suites.Skip { // else what it needs is absent
			running = append(running, c)
		}
	}
	return s.selector.Uncovered(running)
}

// save writes evidence that is not on disk yet.
func (s *Session) save() {
	if s.o.Store != nil {
		s.selector.Save(s.o.Store)
	}
}
