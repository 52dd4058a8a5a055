package decide

import (
	"cmp"
	"maps"
	"slices"

	"hookwatch/suites"
)

// It is kept for days. What it holds is bounded by what the project is.
const (
	keptDefinitions = 4  // verdicts in other definitions than the present one, of a case
	keptGone        = 40 // cases that are no more of which there are verdicts, or as many as there are cases
)

// A Book holds the verdicts of all cases.
type Book struct {
	present map[suites.Key]*Verdict
	earlier map[suites.Key][]*Verdict // in other definitions than the present one's, or before it was aborted; the latest first
}

// NewBook makes an empty book.
func NewBook() *Book {
	return &Book{make(map[suites.Key]*Verdict), make(map[suites.Key][]*Verdict)}
}

// Present is the present verdict of a case, nil when there is none.
func (b *Book) Present(k suites.Key) *Verdict { return b.present[k] }

// Put makes v the present verdict of a case.
func (b *Book) Put(k suites.Key, v *Verdict) {
	if was := b.present[k]; was != nil && (v.Status == suites.Aborted || v.Digests.Case != was.Digests.Case) {
		b.Withdraw(k)
	}
	b.present[k] = v
}

// Withdraw leaves a case without a present verdict. What that was is still what
// the next one in its definition is compared with, unless it says nothing.
func (b *Book) Withdraw(k suites.Key) {
	if was := b.present[k]; was.Says() {
		others := slices.DeleteFunc(b.earlier[k], func(v *Verdict) bool { return v.Digests.Case == was.Digests.Case })
		b.earlier[k] = slices.Insert(others[:min(len(others), keptDefinitions-1)], 0, was)
	}
	delete(b.present, k)
}

// Baseline is what a new verdict of a case in this definition is compared with,
// nil when there is nothing: an aborted run says nothing to compare with.
// One that is generated is always in the present definition.
func (b *Book) Baseline(k suites.Key, definition string) *Verdict {
	if k.Generated() {
		return b.latest(k, definition)
	}
	if v := b.present[k]; v.Says() && v.Digests.Case == definition {
		return v
	}
	for _, v := range b.earlier[k] {
		if v.Digests.Case == definition {
			return v
		}
	}
	return nil
}

// latest is the last verdict of a case, as one in this definition.
func (b *Book) latest(k suites.Key, definition string) *Verdict {
	of := b.earlier[k]
	if v := b.present[k]; v.Says() {
		of = []*Verdict{v}
	}
	if len(of) == 0 {
		return nil
	}
	v := *of[0]
	v.Digests.Case = definition
	return &v
}

// Tally counts the present verdicts of cases.
func (b *Book) Tally(cases []*suites.Case) (t suites.Tally) {
	for _, c := range cases {
		if v := b.present[c.Key()]; v != nil {
			t.Add(v.Status)
		}
	}
	return t
}

// Failed lists those of the cases whose present verdict is a failure.
func (b *Book) Failed(cases []*suites.Case) (out []*suites.Case) {
	for _, c := range cases {
		if v := b.present[c.Key()]; v != nil && (!v.Status.OK() || v.Status == suites.Unproven) {
			out = append(out, c)
		}
	}
	return out
}

// Referred lists the digests of inputs and of tools that verdicts are about.
func (b *Book) Referred() (inputs, tools map[string]bool) {
	inputs, tools = make(map[string]bool), make(map[string]bool)
	refer := func(v *Verdict) { inputs[v.Digests.Inputs], tools[v.Digests.Tools] = true, true }
	for _, v := range b.present {
		refer(v)
	}
	for _, of := range b.earlier {
		for _, v := range of {
			refer(v)
		}
	}
	return inputs, tools
}

// PresentTools lists the digests of tools that present verdicts are about.
func (b *Book) PresentTools() map[string]bool {
	tools := make(map[string]bool)
	for _, v := range b.present {
		tools[v.Digests.Tools] = true
	}
	return tools
}

// ForgetGone gives up the verdicts of cases that are no more, but for the latest of
// them: a branch that is checked out again finds those as it left them. Cases is how
// many there are.
// What is generated is given up at once: a fault that comes again is a new one.
func (b *Book) ForgetGone(gone func(suites.Key) bool, cases int) {
	fault := func(k suites.Key) bool { return k.Generated() && gone(k) }
	maps.DeleteFunc(b.present, func(k suites.Key, _ *Verdict) bool { return fault(k) })
	maps.DeleteFunc(b.earlier, func(k suites.Key, _ []*Verdict) bool { return fault(k) })
	latest := make(map[suites.Key]string) // when each was judged last
	for k, v := range b.present {
		if gone(k) {
			latest[k] = v.At
		}
	}
	for k, of := range b.earlier {
		if gone(k) {
			latest[k] = max(latest[k], of[0].At)
		}
	}
	most := max(keptGone, cases)
	if len(latest) <= most {
		return
	}
	keys := slices.SortedFunc(maps.Keys(latest), func(a, b suites.Key) int {
		return cmp.Or(cmp.Compare(latest[b], latest[a]), a.Compare(b))
	})
	for _, k := range keys[most:] {
		delete(b.present, k)
		delete(b.earlier, k)
	}
}
