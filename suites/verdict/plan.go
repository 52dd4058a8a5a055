package verdict

import (
	"cmp"
	"hash/fnv"
	"math/rand/v2"
	"slices"

	"hookwatch/suites"
)

// A Selected is a case that must run, with the reasons.
type Selected struct {
	Case    *suites.Case
	Because []string
	Changed []suites.Input // whose content differs from the content of the recorded verdict
}

// Selection returns the parts of s that views show.
func (s Selected) Selection() suites.Selection {
	return suites.Selection{Key: s.Case.Key(), Because: s.Because}
}

// A Past describes the recorded verdict of a case.
type Past struct {
	Known   bool
	Digests suites.Digests
}

// A Candidate is a case with its recorded verdict and the digests of the current content.
type Candidate struct {
	Case      *suites.Case
	Past      Past
	Now       suites.Digests
	OtherTool bool        // one of the tools that it reaches is another program now
	Inputs    InputChange // valid if the digests of the inputs differ
}

// InputChange is the effect of changed inputs on a recorded verdict.
type InputChange struct {
	Unaffected bool           // the verdict is still valid
	Because    []string       // otherwise, why the change matters
	Changed    []suites.Input // that matter
}

// Reasons that Stale adds itself.
const (
	NeverRun     = "never run"
	CaseEdited   = "its definition changed"
	ToolsChanged = "a tool it reaches changed"
)

// Stale reports whether the recorded verdict of a case is not for the current content, and why.
func Stale(of Candidate) (Selected, bool) {
	s := Selected{Case: of.Case}
	if !of.Past.Known {
		s.Because = []string{NeverRun}
		return s, true
	}
	if of.Past.Digests.Case != of.Now.Case {
		s.Because = append(s.Because, CaseEdited)
	}
	if of.OtherTool {
		s.Because = append(s.Because, ToolsChanged)
	}
	if of.Past.Digests.Inputs != of.Now.Inputs && !of.Inputs.Unaffected {
		s.Because, s.Changed = append(s.Because, of.Inputs.Because...), of.Inputs.Changed
	}
	return s, len(s.Because) > 0
}

// All selects every case for one reason.
func All(cases []*suites.Case, because string) []Selected {
	out := make([]Selected, len(cases))
	for i, c := range cases {
		out[i] = Selected{Case: c, Because: []string{because}}
	}
	return out
}

// WithControls adds the controls of selected cases, and the controls of these, because a pass
// proves something only together with a control of the same content. The result has the order of
// all.
func WithControls(selected []Selected, all []*suites.Case) []Selected {
	if len(selected) == 0 {
		return nil
	}
	chosen := make(map[suites.Key]Selected, len(selected))
	for _, s := range selected {
		chosen[s.Case.Key()] = s
	}
	missing := controls(selected, chosen)
	if len(missing) == 0 && isOrdered(selected, all) {
		return selected // the usual case: thousands of others need not be examined
	}
	for len(missing) > 0 {
		var added []Selected
		for _, c := range all {
			if of, ok := missing[c.Key()]; ok {
				added = append(added, Selected{Case: c, Because: []string{"control of " + of}})
				chosen[c.Key()] = added[len(added)-1]
			}
		}
		missing = controls(added, chosen)
	}
	ordered := make([]Selected, 0, len(chosen))
	for _, c := range all {
		if s, ok := chosen[c.Key()]; ok {
			ordered = append(ordered, s)
		}
	}
	return ordered
}

// isOrdered reports whether the selected cases are a subsequence of all.
func isOrdered(selected []Selected, all []*suites.Case) bool {
	for _, c := range all {
		if len(selected) > 0 && selected[0].Case == c {
			selected = selected[1:]
		}
	}
	return len(selected) == 0
}

// controls returns the controls of the selected cases that are not chosen yet, each with the ID
// of the first case that needs it.
func controls(selected []Selected, chosen map[suites.Key]Selected) map[suites.Key]string {
	missing := make(map[suites.Key]string)
	for _, s := range selected {
		key, ok := ControlOf(s.Case)
		if _, have := chosen[key]; !ok || have {
			continue
		}
		if _, known := missing[key]; !known {
			missing[key] = s.Case.ID
		}
	}
	return missing
}

// WithDependents adds the cases whose control is selected, because their result depends on its
// verdict.
func WithDependents(selected []Selected, all []*suites.Case) []Selected {
	have := make(map[suites.Key]bool, len(selected))
	for _, s := range selected {
		have[s.Case.Key()] = true
	}
	for grown := true; grown; {
		grown = false
		for _, c := range all {
			control, ok := ControlOf(c)
			if ok && have[control] && !have[c.Key()] {
				have[c.Key()], grown = true, true
				selected = append(selected, Selected{Case: c, Because: []string{"its control " + control.ID + " is run"}})
			}
		}
	}
	return selected
}

// ControlOf returns the key of the case's control, if it names one.
func ControlOf(c *suites.Case) (suites.Key, bool) {
	if c.Control == "" {
		return suites.Key{}, false
	}
	return c.ControlKey(), true
}

// MaxTries limits how often a case restarts because its inputs changed while it ran. Only a hook
// that changes its own inputs reaches this limit.
const MaxTries = 5

// A Next is the next step for a case that has run.
type Next int

// The next steps.
const (
	Conclude Next = iota + 1 // its verdict counts
	Again                    // its verdict is for content that no longer exists: queue it again
	Drop                     // the case no longer exists
)

// IsSuperseded reports whether a running case must be cancelled, because its current definition,
// now, is different or nil (removed), or because one of its files changed.
func IsSuperseded(c, now *suites.Case, inputs []suites.Input, changed []string) bool {
	return now == nil || now.Digest != c.Digest ||
		slices.ContainsFunc(inputs, func(in suites.Input) bool { return slices.Contains(changed, in.Path) })
}

// Finish returns the next step for a case that has run. superseded reports whether IsSuperseded was
// true for it, disturbed whether its files changed since it started, tries how often it
// restarted because of that, and there whether the project still contains it.
func Finish(superseded, disturbed bool, tries int, there bool) Next {
	switch {
	case !superseded && (!disturbed || tries >= MaxTries):
		return Conclude
	case there:
		return Again
	default:
		return Drop
	}
}

// A Rank orders waiting cases: the result that the user waits for comes first. If the user waits
// for the end of all cases, long ones come first, so that none of them runs alone at the end.
type Rank struct {
	Rounds   int   // verdicts that the case has had while others waited, because the user kept saving
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
		cmp.Compare(r.Rounds, o.Rounds),
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
func NewQueue(seed uint64) *Queue { return &Queue{waiting: make(map[suites.Key]entry), seed: seed} }

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

func (q *Queue) sort() {
	if q.sorted && len(q.order) == len(q.waiting) {
		return
	}
	q.order = slices.DeleteFunc(q.order, func(k suites.Key) bool { return !q.Has(k) })
	slices.SortFunc(q.order, func(a, b suites.Key) int { return q.waiting[a].rank.compare(q.waiting[b].rank) })
	q.sorted = true
}

// Shard returns the cases of shard number i of n, counted from 1, in their order. Each case is in
// one shard, together with the cases that it is a control of. The sums of the times of the shards,
// which took estimates, are about equal. The same cases and times give the same shards.
func Shard(cases []*suites.Case, i, n int, took func(suites.Key) int64) []*suites.Case {
	parent := map[suites.Key]suites.Key{}
	var first func(k suites.Key) suites.Key
	first = func(k suites.Key) suites.Key {
		if to, ok := parent[k]; ok {
			return first(to)
		}
		return k
	}
	for _, c := range cases {
		if control, ok := ControlOf(c); ok && first(control) != first(c.Key()) {
			parent[first(c.Key())] = first(control)
		}
	}
	type group struct {
		key  suites.Key
		took int64
	}
	var groups []*group
	byKey := map[suites.Key]*group{}
	for _, c := range cases {
		k := first(c.Key())
		if byKey[k] == nil {
			byKey[k] = &group{key: k}
			groups = append(groups, byKey[k])
		}
		byKey[k].took += took(c.Key())
	}
	slices.SortFunc(groups, func(a, b *group) int { return cmp.Or(cmp.Compare(b.took, a.took), a.key.Compare(b.key)) })
	sums := make([]int64, n)
	in := map[suites.Key]int{}
	for _, g := range groups { // each to the shard that has least to do
		least := slices.Index(sums, slices.Min(sums))
		sums[least] += g.took
		in[g.key] = least + 1
	}
	return slices.DeleteFunc(slices.Clone(cases), func(c *suites.Case) bool { return in[first(c.Key())] != i })
}
