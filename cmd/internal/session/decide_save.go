package session

import (
	"maps"
	"slices"

	"hookwatch/suites"
	"hookwatch/suites/verdict"
)

// ownCases returns the selection without cases that already wait because of other files than the
// ones changed now, because each save reports only its own cases.
func ownCases(selected []verdict.Selected, changed []string, waits func(suites.Key) bool) []verdict.Selected {
	return slices.DeleteFunc(slices.Clone(selected), func(s verdict.Selected) bool {
		return waits(s.Case.Key()) && !slices.ContainsFunc(s.Changed, func(in suites.Input) bool { return slices.Contains(changed, in.Path) })
	})
}

// atRest holds the digests of changed files from the last time nothing was left to run.
type atRest struct {
	rest   map[string]string // digests
	latest map[string]string // current digests
}

// newAtRest returns an atRest without files.
func newAtRest() *atRest { return &atRest{make(map[string]string), make(map[string]string)} }

// Same records a change of a file's digest, and reports whether the content is the same as when
// nothing was left to run.
func (a *atRest) Same(path, was, digest string) bool {
	if _, seen := a.rest[path]; !seen {
		a.rest[path] = was
	}
	a.latest[path] = digest
	return a.rest[path] == digest
}

// Rest records that nothing is left to run. Missing files are treated like unknown ones.
func (a *atRest) Rest() {
	maps.Copy(a.rest, a.latest)
	maps.DeleteFunc(a.rest, func(_, digest string) bool { return digest == "" })
	clear(a.latest)
}

// pastDigests returns the digests that a new selection compares: those of the case in progress,
// or else those of its recorded verdict. A retracted verdict has no inputs digest.
func pastDigests(underway *suites.Digests, last *keptVerdict, retracted bool) verdict.Past {
	if underway != nil {
		return verdict.Past{Known: true, Digests: *underway}
	}
	if !last.Says() || last.Digests.Case == "" {
		return verdict.Past{}
	}
	past := verdict.Past{Known: true, Digests: last.Digests}
	if retracted {
		past.Digests.Inputs = ""
	}
	return past
}

// transition returns how a record differs from before, the latest verdict of the case in the same
// definition. seen is set if there is a verdict in any definition, first if nothing was known of
// the project. explain reports whether a tool in both sets that concerns the case has changed.
func transition(before *keptVerdict, seen, first bool, now suites.Record, explain func(before, now string) bool) verdict.Kind {
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

// shownInRun reports whether a verdict is shown. In a quiet run, which only reproduces failures,
// it is shown only if it differs from the previous verdict: then the case is flaky.
func shownInRun(quiet bool, previous *keptVerdict, now suites.Status) (show, flaky bool) {
	flaky = quiet && previous != nil && previous.Status != now
	return !quiet || flaky, flaky
}

// toReproduce returns the failures to run again before they are announced. This is done only once,
// because a case that changes its own inputs never fails twice on the same content.
func toReproduce(unconfirmed []*suites.Case, done bool) []*suites.Case {
	if done {
		return nil
	}
	return unconfirmed
}

// sameResult reports whether a run of a case had the same result as the recorded one.
func sameResult(last *keptVerdict, c *suites.Case, o suites.Outcome, v suites.Verdict) bool {
	if v.Status.OK() != last.Status.OK() && last.Status != suites.Unproven {
		return false
	}
	i := shownStep(c, v)
	return i < len(o.Results) && printedBy(o.Results[i]) == last.Printed
}
