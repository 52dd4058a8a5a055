package session

import (
	"cmp"

	"hookwatch/cmd/internal/session/decide"
	"hookwatch/suites"
	"hookwatch/suites/plan"
	"hookwatch/suites/selection"
)

// Stale selects the cases whose latest verdict, on record or under way, is not
// about what is there now; and their controls. Underway gives the digests with which
// a case is, nil when it is not.
func (s *Knowledge) Stale(underway func(suites.Key) *suites.Digests) []plan.Selected {
	s.refreshTools()
	s.Selector.Begin()
	past := func(c *suites.Case) plan.Past {
		k := c.Key()
		return decide.Past(underway(k), s.Verdicts.Present(k), s.Freshness.Retracted(k))
	}
	selected := plan.Stale(s.project.Cases, past, s.Digests, s.sets.MayDiffer, s.unaffected)
	return plan.WithControls(plan.WithDependents(selected, s.project.Cases), s.project.Every())
}

// unaffected asks whether the verdict of a case stands although its inputs are
// others now; see selection.Selector.
func (s *Knowledge) unaffected(c *suites.Case, past suites.Digests) (stands bool, because []string, changed []suites.Input) {
	v := selection.Verdict{Digests: past}
	if last := s.Verdicts.Present(c.Key()); last != nil {
		v.Skipped = last.Layer == suites.Live && last.Status == suites.Skip && !s.tools.FindOne(s.project.Client()).Present()
	}
	v.Inputs, v.Known = s.inputs[past.Inputs]
	return s.Selector.Unaffected(c, v, s.Freshness.Without)
}

// LeftOut is why the latest selection left a case out that it did not select.
func (s *Knowledge) LeftOut(k suites.Key) string {
	return cmp.Or(s.Selector.NotAffected()[k], "nothing that it depends on changed")
}

// NotAffected lists the cases that the latest change did not affect, and why.
func (s *Knowledge) NotAffected() []suites.Selection {
	why := s.Selector.NotAffected()
	if len(why) == 0 {
		return nil
	}
	var out []suites.Selection
	for _, c := range s.project.Every() {
		if because, ok := why[c.Key()]; ok {
			out = append(out, suites.Selection{Key: c.Key(), Because: []string{because}})
		}
	}
	return out
}

// Uncovered names the places of the latest change that no case executes.
func (s *Knowledge) Uncovered() []string {
	var running []*suites.Case
	for _, c := range s.project.Every() {
		if v := s.Verdicts.Present(c.Key()); v == nil || v.Status != suites.Skip { // else what it needs is absent
			running = append(running, c)
		}
	}
	return s.Selector.Uncovered(running)
}

// Traceable is the verdict of a case that a trace would belong to: of a run on
// what is there now, without a trace so far. nil: there is none.
func (s *Knowledge) Traceable(c *suites.Case) *decide.Verdict {
	last := s.Verdicts.Present(c.Key())
	if !last.Traceable(c) || last.Digests != s.Digests(c) {
		return nil
	}
	e := s.Selector.Evidence(c.Key(), last.Digests)
	s.Selector.Release(c.Key()) // ten thousand of them need not stay in memory
	if e != nil && e.Trace != nil && e.Now == last.Digests.Inputs {
		return nil
	}
	return last
}
