package session

import (
	"cmp"
	"slices"

	"hookwatch/suites"
	"hookwatch/suites/plan"
	"hookwatch/suites/selection"
)

// Stale returns the cases whose latest verdict, on record or under way, is not about the current
// content, with their controls. underway returns the digests of a case in progress, or nil.
func (s *Knowledge) Stale(underway func(suites.Key) *suites.Digests) []plan.Selected {
	s.refreshTools()
	s.Selector.Begin()
	past := func(c *suites.Case) plan.Past {
		k := c.Key()
		p := pastDigests(underway(k), s.Verdicts.Present(k), s.Freshness.Retracted(k))
		p.Digests.Inputs = s.Selector.Applied(k, p.Digests.Inputs)
		return p
	}
	selected := plan.Stale(s.project.Cases, past, s.Digests, s.sets.MayDiffer, s.unaffected)
	return plan.WithControls(plan.WithDependents(selected, s.project.Cases), s.project.Every())
}

// unaffected reports whether the verdict of a case remains valid although its inputs have
// changed; see selection.Selector.
func (s *Knowledge) unaffected(c *suites.Case, past suites.Digests) (stands bool, because []string, changed []suites.Input) {
	last := s.Verdicts.Present(c.Key())
	if last != nil && past.Inputs == s.Selector.Applied(c.Key(), last.Digests.Inputs) {
		past = last.Digests
	}
	v := selection.Verdict{Digests: past}
	if last != nil {
		v.Skipped = last.Layer == suites.Live && last.Status == suites.Skip && !s.tools.FindOne(s.project.Client()).Present()
		v.LacksTool = last.Status == suites.Skip && s.lacksTool(c)
	}
	v.Inputs, v.Known = s.inputs[past.Inputs]
	return s.Selector.Unaffected(c, v, s.Freshness.Without)
}

// lacksTool reports whether a tool without which a case is skipped is absent.
func (s *Knowledge) lacksTool(c *suites.Case) bool {
	return slices.ContainsFunc(c.Gates, func(g suites.Gate) bool {
		return g.Policy == suites.GateSkip && len(g.Places) == 0 && !s.tools.FindOne(g.Tool).Present()
	})
}

// LeftOut returns the reason why the latest selection left a case out.
func (s *Knowledge) LeftOut(k suites.Key) string {
	return cmp.Or(s.Selector.NotAffected()[k], "nothing that it depends on changed")
}

// NotAffected returns the cases that the latest change did not affect, with reasons.
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

// Uncovered returns the places of the latest change that no case executes.
func (s *Knowledge) Uncovered() []string {
	var running []*suites.Case
	for _, c := range s.project.Every() {
		if v := s.Verdicts.Present(c.Key()); v == nil || v.Status != suites.Skip { // a skipped case lacks a tool that it needs
			running = append(running, c)
		}
	}
	return s.Selector.Uncovered(running)
}

// Traceable returns the verdict of a case if it is current and has no trace yet, and nil
// otherwise.
func (s *Knowledge) Traceable(c *suites.Case) *keptVerdict {
	last := s.Verdicts.Present(c.Key())
	if !last.Traceable(c) {
		return nil
	}
	e := s.Selector.Evidence(c.Key(), last.Digests)
	s.Selector.Release(c.Key()) // because ten thousand of them would fill memory
	if e == nil {
		s.Selector.Unobserve(c.Key())
	}
	if !s.Current(c, last) {
		return nil
	}
	if e != nil && e.Trace != nil && e.Now == s.Selector.Applied(c.Key(), last.Digests.Inputs) {
		return nil
	}
	return last
}

// Current reports whether a verdict is for the current content.
func (s *Knowledge) Current(c *suites.Case, last *keptVerdict) bool {
	d := last.Digests
	d.Inputs = s.Selector.Applied(c.Key(), d.Inputs)
	return d == s.Digests(c)
}
