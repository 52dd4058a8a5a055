package plan

import (
	"slices"

	"hookwatch/suites"
)

// News keeps what was said of each case and tells what is worth saying now. A
// failure is said once it was reproduced; what came and went in between is not.
type News struct {
	said       map[suites.Key]bool           // failing, as far as was said
	latest     map[suites.Key]*suites.Record // of the cases that fail, or of which that was said
	reproduced map[suites.Key]bool
	excused    map[suites.Key]bool // its failure is explained or new: not news
	mended     []suites.Record     // of cases that were said to fail, and are no more
}

// NewNews starts from the present state: what fails there is known. The records
// stay as they are.
func NewNews(state []suites.Record) *News {
	n := &News{
		said:       make(map[suites.Key]bool),
		latest:     make(map[suites.Key]*suites.Record),
		reproduced: make(map[suites.Key]bool),
		excused:    make(map[suites.Key]bool),
	}
	for i := range state {
		if bad(&state[i]) {
			r := state[i] // alone: what it stands among need not stay
			n.said[r.Key()], n.latest[r.Key()] = true, &r
		}
	}
	return n
}

// bad reports whether a verdict is one that a person must hear of.
func bad(r *suites.Record) bool { return r.Status() == suites.Fail || r.Status() == suites.Unproven }

// Observe takes a new record. regression tells whether its failure counts as
// one: a case that is new, edited, or failing for want of a tool is excused. A
// case that was aborted is neither better nor worse.
func (n *News) Observe(r *suites.Record, regression bool) {
	if r.Status() == suites.Aborted {
		return
	}
	k := r.Key()
	was, failed := n.latest[k]
	failed = failed && bad(was)
	n.latest[k] = r
	switch {
	case !bad(r):
		delete(n.reproduced, k)
		delete(n.excused, k)
		if !n.said[k] {
			delete(n.latest, k)
		}
	case failed && was.Digests == r.Digests:
		n.reproduced[k] = true
	default:
		delete(n.reproduced, k)
		if !failed { // a failure that goes on keeps its standing
			n.excused[k] = !regression
		}
	}
}

// Unconfirmed are the failures that would be news and were seen only once.
func (n *News) Unconfirmed() []suites.Key {
	return n.pick(func(k suites.Key) bool { return n.fresh(k) && !n.reproduced[k] })
}

func (n *News) fresh(k suites.Key) bool {
	return bad(n.latest[k]) && !n.said[k] && !n.excused[k]
}

// Take returns what is to be said now, each by suite and ID, and counts it as
// said. Failures that were not reproduced yet stay for later, unless all is taken.
func (n *News) Take(all bool) (regressions, resolved []suites.Record) {
	for _, k := range n.pick(func(k suites.Key) bool { return n.fresh(k) && (all || n.reproduced[k]) }) {
		n.said[k] = true
		regressions = append(regressions, *n.latest[k])
	}
	for _, k := range n.pick(func(k suites.Key) bool { return n.said[k] && !bad(n.latest[k]) }) {
		resolved = append(resolved, *n.latest[k])
		delete(n.said, k)
		delete(n.latest, k)
	}
	resolved, n.mended = append(resolved, n.mended...), nil
	return regressions, resolved
}

// Forget drops what is known of cases that are no more. With one that is generated its
// fault is gone.
func (n *News) Forget(gone func(suites.Key) bool) {
	for _, k := range n.pick(gone) {
		if n.said[k] && k.Generated() {
			r := *n.latest[k]
			r.Mend()
			n.mended = append(n.mended, r)
		}
	}
	for k := range n.latest {
		if gone(k) {
			for _, known := range []map[suites.Key]bool{n.said, n.reproduced, n.excused} {
				delete(known, k)
			}
			delete(n.latest, k)
		}
	}
}

func (n *News) pick(is func(suites.Key) bool) []suites.Key {
	var out []suites.Key
	for k := range n.latest {
		if is(k) {
			out = append(out, k)
		}
	}
	slices.SortFunc(out, suites.Key.Compare)
	return out
}
