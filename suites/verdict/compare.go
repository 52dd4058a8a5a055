package verdict

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/cause"
)

// A Run is one side of a comparison.
type Run struct {
	ID      string
	Time    time.Time
	Records []suites.Record
	Env     suites.Environment
	// Concerns reports whether a tool can explain another verdict of the case; nil:
	// any that it reaches can. That of the later run counts.
	Concerns func(k suites.Key, tool string) bool
}

// A Side is what one run says of a case.
type Side struct {
	Status   suites.Status `json:"status"`
	Exit     *int          `json:"exit"`
	Decision string        `json:"decision"`
	Note     string        `json:"note"`
	record   *suites.Record
}

// Cause is what the failure of a side has in common with others.
func (s *Side) Cause() cause.Cause { return cause.Of(cause.Failure{Record: s.record}) }

// A Delta is a case that differs between two runs. Prev is nil for an added
// case, Cur for a removed one.
type Delta struct {
	suites.Key
	Name   string       `json:"name"` // as the newer of the two runs calls it
	Hook   string       `json:"hook"`
	Kind   Kind         `json:"kind"`
	Prev   *Side        `json:"before"`
	Cur    *Side        `json:"after"`
	Tools  []ToolChange `json:"-"`      // tools the case reaches that changed
	Inputs bool         `json:"inputs"` // whether the inputs of the verdict changed as well
}

// A RunSummary identifies one side and counts its records.
type RunSummary struct {
	ID    string    `json:"run_id"`
	Time  time.Time `json:"-"`
	Cases int       `json:"cases"` // keys; records of one key count once
	suites.Tally
}

// A Comparison is how two runs differ. Counts holds every kind, Unchanged too:
// they add up to the cases that either run has.
type Comparison struct {
	Prev, Cur   RunSummary
	Deltas      []Delta // by suite and ID
	Counts      map[Kind]int
	Environment []ToolChange
	Warnings    []string
}

// Total is the number of cases that either run has.
func (c *Comparison) Total() int {
	total := 0
	for _, n := range c.Counts {
		total += n
	}
	return total
}

// Compare merges two runs by the identity of their cases. Records without an ID
// are compared by hook and name, with a warning; give them their identity first
// where it is known. Of several records of one case the last one counts.
func Compare(prev, cur Run) Comparison {
	c := Comparison{Counts: make(map[Kind]int, len(Kinds))}
	a, b := c.side(&prev, "earlier"), c.side(&cur, "later")
	c.Prev, c.Cur = summary(&prev, a), summary(&cur, b)
	tools := newExplainer(&prev.Env, &cur.Env)
	tools.concerns = cur.Concerns
	c.Environment = tools.changes
	if !tools.known {
		c.warn("the tools of the %s run are not on record, so what they explain is not known", unknownSide(&prev))
	}
	for len(a) > 0 || len(b) > 0 {
		order := 0
		switch {
		case len(a) == 0:
			order = 1
		case len(b) == 0:
			order = -1
		default:
			order = a[0].key.Compare(b[0].key)
		}
		var p, q *suites.Record
		if order <= 0 {
			p, a = a[0].record, a[1:]
		}
		if order >= 0 {
			q, b = b[0].record, b[1:]
		}
		c.add(p, q, tools)
	}
	c.warnOfSets()
	return c
}

func (c *Comparison) add(p, q *suites.Record, tools *explainer) {
	kind, key := Unchanged, identity(cmp.Or(q, p))
	if q == nil {
		kind = Gone(p)
	} else {
		kind = Transition(p, *q, func(prev, cur string) bool { return tools.explains(key, prev, cur) })
	}
	c.Counts[kind]++
	if kind == Unchanged {
		return
	}
	of := cmp.Or(q, p)
	d := Delta{Key: key, Name: of.TestName, Hook: of.Hook, Kind: kind, Prev: sideOf(p), Cur: sideOf(q)}
	if p != nil && q != nil {
		d.Tools = tools.between(key, p.Digests.Tools, q.Digests.Tools)
		d.Inputs = differ(p.Digests.Inputs, q.Digests.Inputs)
	}
	c.Deltas = append(c.Deltas, d)
}

func sideOf(r *suites.Record) *Side {
	if r == nil {
		return nil
	}
	return &Side{r.Status(), r.ActualExit, r.ActualDecision, r.Note, r}
}

// keyed is a record with the key that it is sorted by.
type keyed struct {
	key    suites.Key
	record *suites.Record
}

// side sorts a run's records by key, without copying them, and drops all but
// the last of each.
func (c *Comparison) side(r *Run, which string) []keyed {
	sorted := make([]keyed, len(r.Records))
	noID := 0
	for i := range r.Records {
		rec := &r.Records[i]
		sorted[i] = keyed{identity(rec), rec}
		if rec.ID == "" {
			noID++
		}
	}
	slices.SortStableFunc(sorted, func(a, b keyed) int { return a.key.Compare(b.key) })
	once := sorted[:0]
	for i := range sorted {
		if n := len(once); n > 0 && once[n-1].key == sorted[i].key {
			once[n-1] = sorted[i]
			continue
		}
		once = append(once, sorted[i])
	}
	if noID > 0 {
		c.warn("%d of %d records of the %s run have no ID: they are compared by hook and test name", noID, len(r.Records), which)
	}
	if twice := len(r.Records) - len(once); twice > 0 {
		c.warn("the %s run holds %d records of cases that it has already: of each case the last one counts", which, twice)
	}
	return once
}

// identity is the record's key, or for a record without ID one made of its hook
// and name, which no case has.
func identity(r *suites.Record) suites.Key {
	if r.ID != "" {
		return r.Key()
	}
	return suites.Key{Suite: r.Suite, ID: r.Hook + ":" + r.TestName}
}

func summary(r *Run, once []keyed) RunSummary {
	s := RunSummary{ID: r.ID, Time: r.Time, Cases: len(once)}
	for _, k := range once {
		s.Tally.Add(k.record.Status())
	}
	return s
}

func unknownSide(prev *Run) string {
	if len(prev.Env.Tools) == 0 {
		return "earlier"
	}
	return "later"
}

func (c *Comparison) warnOfSets() {
	if added, removed := c.Counts[Added], c.Counts[Removed]; added+removed > 0 {
		c.warn("the runs do not hold the same cases: %d only in the later, %d only in the earlier", added, removed)
	}
}

// Warn adds warnings that were found elsewhere, each behind the same words.
func (c *Comparison) Warn(what string, lines []string) {
	for _, line := range lines {
		c.Warnings = append(c.Warnings, what+line)
	}
}

func (c *Comparison) warn(format string, args ...any) {
	c.Warnings = append(c.Warnings, fmt.Sprintf(format, args...))
}

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
