package verdict

import (
	"cmp"
	"hash/fnv"
	"math/rand/v2"
	"slices"

	"hookwatch/suites"
)

// A Rank orders waiting cases: the result that the user waits for comes first. If the user waits
// for the end of all cases, long ones come first, so that none of them runs alone at the end.
type Rank struct {
	Control  bool  // others need its verdict
	Failed   bool  // failed in its last run
	Duration int64 // of its last run in milliseconds; shorter ones first
	Order    int   // of definition
	Awaited  bool  // the user waits for the end of all cases
}

func (r Rank) compare(o Rank) int {
	if r.Awaited && o.Awaited {
		return cmp.Or(cmp.Compare(o.Duration, r.Duration), cmp.Compare(r.Order, o.Order))
	}
	return cmp.Or(
		first(r.Control, o.Control),
		first(r.Failed, o.Failed),
		cmp.Compare(r.Duration, o.Duration),
		cmp.Compare(r.Order, o.Order),
	)
}

func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	default:
		return 1
	}
}

// A Queue contains the cases that wait for a worker, each at most once. Adding a waiting case
// again does not run it twice, because it runs on the content at the moment when it starts.
type Queue struct {
	waiting map[suites.Key]entry
	order   []suites.Key // sorted except for new ones; may contain keys that no longer wait
	sorted  bool
	seed    uint64
}

type entry struct {
	c    *suites.Case
	rank Rank
}

// NewQueue returns an empty queue. If seed is not 0, the order is random instead of by rank.
func NewQueue(seed uint64) *Queue {
	return &Queue{waiting: make(map[suites.Key]entry), seed: seed}
}

// Add adds a case, or replaces the definition of a waiting one.
func (q *Queue) Add(c *suites.Case, r Rank) {
	if q.seed != 0 {
		r = Rank{Order: q.place(c.Key())}
	}
	if !q.Has(c.Key()) {
		q.order = append(q.order, c.Key())
	}
	q.waiting[c.Key()] = entry{c, r}
	q.sorted = false
}

// place returns the position of a case in the random order, which does not depend on the number
// of calls or on other cases.
func (q *Queue) place(k suites.Key) int {
	h := fnv.New64a()
	_, _ = h.Write([]byte(k.String()))
	return rand.New(rand.NewPCG(q.seed, h.Sum64())).Int()
}

// Has reports whether the case waits.
func (q *Queue) Has(k suites.Key) bool { _, ok := q.waiting[k]; return ok }

// Len is the number of waiting cases.
func (q *Queue) Len() int { return len(q.waiting) }

// Clear empties the queue and returns its cases in order.
func (q *Queue) Clear() []*suites.Case {
	q.sort()
	var out []*suites.Case
	for _, k := range q.order {
		out = append(out, q.waiting[k].c)
	}
	clear(q.waiting)
	q.order = nil
	return out
}

// Next removes and returns up to free cases, given how many run and whether a serial one does,
// because a serial case runs alone.
func (q *Queue) Next(free, running int, serialRunning bool) []*suites.Case {
	if serialRunning || free <= 0 || len(q.waiting) == 0 {
		return nil
	}
	q.sort()
	var out []*suites.Case
	var later []suites.Key
	rest := q.order
	for len(rest) > 0 && len(out) < free {
		k := rest[0]
		rest = rest[1:]
		c := q.waiting[k].c
		if c.Serial && running+len(out) > 0 {
			later = append(later, k) // it runs when the others are done
			continue
		}
		delete(q.waiting, k)
		out = append(out, c)
		if c.Serial {
			break
		}
	}
	q.order = slices.Concat(later, rest)
	return out
}

// sort updates the order.
func (q *Queue) sort() {
	if q.sorted && len(q.order) == len(q.waiting) {
		return
	}
	q.order = slices.DeleteFunc(q.order, func(k suites.Key) bool { return !q.Has(k) })
	slices.SortFunc(q.order, func(a, b suites.Key) int { return q.waiting[a].rank.compare(q.waiting[b].rank) })
	q.sorted = true
}
