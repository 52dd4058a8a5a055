package verdict

import "hookwatch/suites"

// A Kind is how a case's record differs from the one before it.
type Kind string

// The kinds. Added and Removed are cases that only one side has, unless Come and Gone say
// otherwise.
const (
	Unchanged  Kind = "unchanged"
	Added      Kind = "added"
	Removed    Kind = "removed"
	Regression Kind = "regression" // it did not fail, and nothing but the hooks and documents explains that it now does
	Resolved   Kind = "resolved"   // it failed or was unproven, and now passes
	Changed    Kind = "changed"    // exit, decision, note or kind of verdict differ, for no better or worse
	Edited     Kind = "edited"     // the case's definition differs
	Explained  Kind = "explained"  // the verdict changed, and so did tools that the case reaches
)

// Kinds lists the kinds in the order in which sums name them.
var Kinds = []Kind{Added, Removed, Regression, Resolved, Changed, Edited, Explained, Unchanged}

// Transition tells how a record differs from the case's earlier one, which is
// nil when there is none. ToolsExplain says whether two digests of tools differ
// because a tool did; it is asked only when the verdict changed and the digests
// differ. A digest that is empty, as in other tools' records, equals any.
func Transition(prev *suites.Record, cur suites.Record, toolsExplain func(prev, cur string) bool) Kind {
	if prev == nil {
		return Come(&cur)
	}
	before := prev.Digests
	if cur.Key().Generated() {
		before.Case = cur.Digests.Case
	}
	kind := Turn(prev.Status(), cur.Status(), before, cur.Digests, toolsExplain)
	if kind == Unchanged {
		return sameVerdict(prev, &cur)
	}
	return kind
}

// Come is the Transition of a case that was not there before. One that is generated and
// fails is a fault that was not there.
func Come(cur *suites.Record) Kind {
	if cur.Key().Generated() && cur.Status() == suites.Fail {
		return Regression
	}
	return Added
}

// Gone is the Transition of a case that is there no more. One that is generated and
// failed is a fault that is mended.
func Gone(prev *suites.Record) Kind {
	if prev.Key().Generated() && prev.Status() == suites.Fail {
		return Resolved
	}
	return Removed
}

// Turn is the Transition from one status to another, which is all that it looks
// at beside the digests.
func Turn(was, is suites.Status, before, now suites.Digests, toolsExplain func(before, now string) bool) Kind {
	switch {
	case differ(before.Case, now.Case):
		return Edited
	case was == is:
		return Unchanged
	case was == suites.Aborted || is == suites.Aborted:
		return Changed // the case did not run, so nothing is known about it
	case differ(before.Tools, now.Tools) && toolsExplain(before.Tools, now.Tools):
		return Explained
	case is == suites.Fail:
		return Regression // from pass, skip or unproven: it did not fail before
	case is == suites.Pass && (was == suites.Fail || was == suites.Unproven):
		return Resolved
	default:
		// From or to a skip, or to unproven: neither better nor worse is known of the
		// case itself. What became of the control is told of the control.
		return Changed
	}
}

func sameVerdict(a, b *suites.Record) Kind {
	if equalExit(a.ActualExit, b.ActualExit) && a.ActualDecision == b.ActualDecision && a.Note == b.Note {
		return Unchanged
	}
	return Changed
}

func equalExit(a, b *int) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// differ compares digests; one that is not known differs from none.
func differ(a, b string) bool { return a != "" && b != "" && a != b }
