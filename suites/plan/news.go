package plan

import (
	"slices"

	"hookwatch/suites"
)

// News keeps what was said of each case and tells what is worth saying now. A
// failure is said once it was reproduced; what came and went in between is not.
type News struct {
	order      []suites.Key
	said       map[suites.Key]bool // failing, as far as was said
	current    map[suites.Key]*suites.Record
	reproduced map[suites.Key]bool
	excused    map[suites.Key]bool // its failure is explained or new: not news
}

// NewNews starts from the present state: what fails there is known. The records
// stay as they are.
func NewNews(state []suites.Record) *News {
	n := &News{
		said:       make(map[suites.Key]bool),
		current:    make(map[suites.Key]*suites.Record, len(state)),
		reproduced: make(map[suites.Key]bool),
		excused:    make(map[suites.Key]bool),
	}
	n.order = make([]suites.Key, 0, len(state))
	for i := range state {
		r := &state[i]
		n.order = append(n.order, r.Key())
		n.current[r.Key()] = r
		if bad(r) {
			n.said[r.Key()] = true
		}
	}
	return n
}

// bad reports whether a verdict is one that a person must hear of.
func bad(r *suites.Record) bool { return r.Status() == suites.Fail || r.Status() == suites.Unproven }

// Observe takes a new record. regression tells whether its failure counts as
// one: a case that is new, edited, or failing for want of a tool is excused.
func (n *News) Observe(r *suites.Record, regression bool) {
	k := r.Key()
	if _, seen := n.current[k]; !seen {
		n.order = append(n.order, k)
	}
	was, known := n.current[k]
	n.current[k] = r
	switch {
	case !bad(r):
		delete(n.reproduced, k)
		delete(n.excused, k)
	case known && bad(was) && was.Digests == r.Digests:
		n.reproduced[k] = true
	default:
		delete(n.reproduced, k)
		if !known || !bad(was) { // a failure that goes on keeps its standing
			n.excused[k] = !regression
		}
	}
}

// Unconfirmed are the failures that would be news and were seen only once.
func (n *News) Unconfirmed() []suites.Key {
	return n.pick(func(k suites.Key) bool { return n.fresh(k) && !n.reproduced[k] })
}

func (n *News) fresh(k suites.Key) bool {
	return bad(n.current[k]) && !n.said[k] && !n.excused[k]
}

// Take returns what is to be said now and counts it as said. Failures that were
// not reproduced yet stay for later, unless all is taken.
func (n *News) Take(all bool) (regressions, resolved []suites.Record) {
	for _, k := range n.pick(func(k suites.Key) bool { return n.fresh(k) && (all || n.reproduced[k]) }) {
		n.said[k] = true
		regressions = append(regressions, *n.current[k])
	}
	for _, k := range n.pick(func(k suites.Key) bool { return n.said[k] && !bad(n.current[k]) }) {
		delete(n.said, k)
		resolved = append(resolved, *n.current[k])
	}
	return regressions, resolved
}

func (n *News) pick(is func(suites.Key) bool) []suites.Key {
	return slices.DeleteFunc(slices.Clone(n.order), func(k suites.Key) bool { return !is(k) })
}
