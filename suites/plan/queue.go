package plan

import (
	"cmp"
	"hash/fnv"
	"math/rand/v2"
	"slices"

	"hookwatch/suites"
)

// A Rank orders waiting cases: the answer that a person waits for comes first.
// Where that is the end of them all, the long ones do, so that none of them runs
// alone at last.
type Rank struct {
	Control  bool  // others wait for its verdict
	Failed   bool  // failed when last run
	Duration int64 // milliseconds when last run; quick ones first
	Order    int   // of definition
	Awaited  bool  // the end of all is
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

// A Queue holds the cases that wait for a worker. A case waits at most once:
// asking again while it waits changes nothing, since it will run on the content
// of the moment at which it starts.
type Queue struct {
	waiting map[suites.Key]entry
	order   []suites.Key // sorted, but for what came since; may name what no longer waits
	sorted  bool
	seed    uint64
}

type entry struct {
	c    *suites.Case
	rank Rank
}

// NewQueue makes an empty queue. With a seed other than 0 the order is random
// instead of by rank.
func NewQueue(seed uint64) *Queue {
	return &Queue{waiting: make(map[suites.Key]entry), seed: seed}
}

// Add lets a case wait, in its newest definition.
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

// place is a case's own in the random order: it is the same however often, and
// beside whichever others, the case waits.
func (q *Queue) place(k suites.Key) int {
	h := fnv.New64a()
	_, _ = h.Write([]byte(k.String()))
	return rand.New(rand.NewPCG(q.seed, h.Sum64())).Int()
}

// Has reports whether the case waits.
func (q *Queue) Has(k suites.Key) bool { _, ok := q.waiting[k]; return ok }

// Len is the number of waiting cases.
func (q *Queue) Len() int { return len(q.waiting) }

// Clear empties the queue and returns what waited, in order.
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

// Next takes up to free cases out, given how many run and whether a serial one
// does: a serial case runs while no other does.
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
			later = append(later, k) // its turn comes when the others are done
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

// sort brings the order up to date.
func (q *Queue) sort() {
	if q.sorted && len(q.order) == len(q.waiting) {
		return
	}
	q.order = slices.DeleteFunc(q.order, func(k suites.Key) bool { return !q.Has(k) })
	slices.SortFunc(q.order, func(a, b suites.Key) int { return q.waiting[a].rank.compare(q.waiting[b].rank) })
	q.sorted = true
}
