package verdict

import (
	"slices"

	"hookwatch/suites"
)

// News tracks the reported state of each case and decides which changes to report. A failure is
// reported once it was reproduced; failures that come and go in between are not.
type News struct {
	reported   map[suites.Key]bool           // reported as failing
	latest     map[suites.Key]*suites.Record // of the cases that fail, or were reported as failing
	reproduced map[suites.Key]bool
	excused    map[suites.Key]bool // its failure is explained or new, so not reported
	mended     []suites.Record     // of cases that were reported as failing and no longer exist
}

// NewNews returns a News for the current state, whose failures are known already. The records
// are not modified.
func NewNews(state []suites.Record) *News {
	n := &News{
		reported:   make(map[suites.Key]bool),
		latest:     make(map[suites.Key]*suites.Record),
		reproduced: make(map[suites.Key]bool),
		excused:    make(map[suites.Key]bool),
	}
	for i := range state {
		if isBad(&state[i]) {
			r := state[i] // a copy, so that the slice can be freed
			n.reported[r.Key()], n.latest[r.Key()] = true, &r
		}
	}
	return n
}

// isBad reports whether the user must be notified of a verdict.
func isBad(r *suites.Record) bool { return r.Status() == suites.Fail || r.Status() == suites.Unproven }

// Observe adds a new record. regression reports whether its failure counts as one: a case that
// is new, edited, or failing because a tool is missing is excused. An aborted case is neither
// better nor worse.
func (n *News) Observe(r *suites.Record, regression bool) {
	if r.Status() == suites.Aborted {
		return
	}
	k := r.Key()
	was, failed := n.latest[k]
	failed = failed && isBad(was)
	n.latest[k] = r
	switch {
	case !isBad(r):
		delete(n.reproduced, k)
		delete(n.excused, k)
		if !n.reported[k] {
			delete(n.latest, k)
		}
	case failed && was.Digests == r.Digests:
		n.reproduced[k] = true
	default:
		delete(n.reproduced, k)
		if !failed { // a continued failure keeps its classification
			n.excused[k] = !regression
		}
	}
}

// ListUnconfirmed returns the failures that would be reported but were seen only once.
func (n *News) ListUnconfirmed() []suites.Key {
	return n.pick(func(k suites.Key) bool { return n.isFresh(k) && !n.reproduced[k] })
}

func (n *News) isFresh(k suites.Key) bool {
	return isBad(n.latest[k]) && !n.reported[k] && !n.excused[k]
}

// Take returns the changes to report now, each sorted by suite and ID, and marks them as
// reported. Failures that were not reproduced yet remain for later, unless all is set.
func (n *News) Take(all bool) (regressions, resolved []suites.Record) {
	for _, k := range n.pick(func(k suites.Key) bool { return n.isFresh(k) && (all || n.reproduced[k]) }) {
		n.reported[k] = true
		regressions = append(regressions, *n.latest[k])
	}
	for _, k := range n.pick(func(k suites.Key) bool { return n.reported[k] && !isBad(n.latest[k]) }) {
		resolved = append(resolved, *n.latest[k])
		delete(n.reported, k)
		delete(n.latest, k)
	}
	resolved, n.mended = append(resolved, n.mended...), nil
	return regressions, resolved
}

// Forget removes cases that no longer exist. If such a case is generated, its fault counts as
// resolved.
func (n *News) Forget(gone func(suites.Key) bool) {
	for _, k := range n.pick(gone) {
		if n.reported[k] && k.IsGenerated() {
			r := *n.latest[k]
			r.Mend()
			n.mended = append(n.mended, r)
		}
	}
	for k := range n.latest {
		if gone(k) {
			for _, known := range []map[suites.Key]bool{n.reported, n.reproduced, n.excused} {
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
