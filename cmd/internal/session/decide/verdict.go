package decide

import (
	"hookwatch/suites"
	"hookwatch/suites/plan"
	"hookwatch/suites/verdict"
)

// Past is what a new selection takes to be known of a case: the digests with which it
// is under way, if it is, or else those of its verdict on record. A verdict that was
// taken back is about no inputs.
func Past(underway *suites.Digests, last *Verdict, retracted bool) plan.Past {
	if underway != nil {
		return plan.Past{Known: true, Digests: *underway}
	}
	if !last.Says() || last.Digests.Case == "" {
		return plan.Past{}
	}
	past := plan.Past{Known: true, Digests: last.Digests}
	if retracted {
		past.Digests.Inputs = ""
	}
	return past
}

// Transition tells how a record differs from the verdict that it is compared with:
// the case's latest in the same definition. Seen tells of one in any, first that nothing
// was known of the project; explain whether a tool that both sets have, and that concerns
// the case, is another one now.
func Transition(before *Verdict, seen, first bool, now suites.Record, explain func(before, now string) bool) verdict.Kind {
	switch {
	case before != nil:
		return verdict.Turn(before.Status, now.Status(), before.Digests, now.Digests, explain)
	case seen:
		return verdict.Edited
	case !first:
		return verdict.Come(&now)
	default:
		return verdict.Added
	}
}

// Shown decides whether a verdict is shown. Where a failure was only reproduced there
// is nothing to show, unless it was not: then the case is flaky.
func Shown(quiet bool, previous *Verdict, now suites.Status) (show, flaky bool) {
	flaky = quiet && previous != nil && previous.Status != now
	return !quiet || flaky, flaky
}

// Reproduce lists the failures that are run again before they are told, which is done
// once: what changes its own inputs never fails twice on the same content.
func Reproduce(unconfirmed []*suites.Case, done bool) []*suites.Case {
	if done {
		return nil
	}
	return unconfirmed
}

// Like reports whether a run of a case went as the one on record.
func Like(last *Verdict, c *suites.Case, o suites.Outcome, v suites.Verdict) bool {
	if v.Status.OK() != last.Status.OK() && last.Status != suites.Unproven {
		return false
	}
	i := ShownStep(c, v)
	return i < len(o.Results) && PrintedBy(o.Results[i]) == last.Printed
}
