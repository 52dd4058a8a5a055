package decide

import (
	"hookwatch/suites"
	"hookwatch/suites/plan"
	"hookwatch/suites/verdict"
)

// Past returns the digests that a new selection compares: those of the case in progress, or else
// those of its recorded verdict. A retracted verdict has no inputs digest.
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

// Transition returns how a record differs from before, the latest verdict of the case in the same
// definition. seen is set if there is a verdict in any definition, first if nothing was known of
// the project. explain reports whether a tool in both sets that concerns the case has changed.
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

// Shown reports whether a verdict is shown. In a quiet run, which only reproduces failures, it is
// shown only if it differs from the previous verdict: then the case is flaky.
func Shown(quiet bool, previous *Verdict, now suites.Status) (show, flaky bool) {
	flaky = quiet && previous != nil && previous.Status != now
	return !quiet || flaky, flaky
}

// Reproduce returns the failures to run again before they are announced. This is done only once,
// because a case that changes its own inputs never fails twice on the same content.
func Reproduce(unconfirmed []*suites.Case, done bool) []*suites.Case {
	if done {
		return nil
	}
	return unconfirmed
}

// Like reports whether a run of a case had the same result as the recorded one.
func Like(last *Verdict, c *suites.Case, o suites.Outcome, v suites.Verdict) bool {
	if v.Status.OK() != last.Status.OK() && last.Status != suites.Unproven {
		return false
	}
	i := ShownStep(c, v)
	return i < len(o.Results) && PrintedBy(o.Results[i]) == last.Printed
}
