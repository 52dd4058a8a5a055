package decide

import (
	"cmp"
	"maps"
	"slices"

	"hookwatch/suites"
)

// A session may run for days, so the size of a Book is limited by the size of the project.
const (
	keptDefinitions = 4  // verdicts per case in definitions other than the present one
	keptGone        = 40 // removed cases whose verdicts are kept, or the number of cases if that is larger
)

// A Book holds the verdicts of all cases.
type Book struct {
	present map[suites.Key]*Verdict
	earlier map[suites.Key][]*Verdict // in other definitions than the present one's, or before an aborted run; latest first
}

// NewBook returns an empty Book.
func NewBook() *Book {
	return &Book{make(map[suites.Key]*Verdict), make(map[suites.Key][]*Verdict)}
}

// Present returns the present verdict of a case, or nil.
func (b *Book) Present(k suites.Key) *Verdict { return b.present[k] }

// Put makes v the present verdict of a case.
func (b *Book) Put(k suites.Key, v *Verdict) {
	if was := b.present[k]; was != nil && (v.Status == suites.Aborted || v.Digests.Case != was.Digests.Case) {
		b.Withdraw(k)
	}
	b.present[k] = v
}

// Withdraw removes the present verdict of a case. Unless it is Aborted, it remains the baseline
// of the next verdict in the same definition.
func (b *Book) Withdraw(k suites.Key) {
	if was := b.present[k]; was.Says() {
		others := slices.DeleteFunc(b.earlier[k], func(v *Verdict) bool { return v.Digests.Case == was.Digests.Case })
		b.earlier[k] = slices.Insert(others[:min(len(others), keptDefinitions-1)], 0, was)
	}
	delete(b.present, k)
}

// Baseline returns the verdict to compare with a new verdict of a case in this definition, or
// nil. Aborted verdicts are no baseline. A generated case has no definition of its own: its
// latest verdict is the baseline.
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

// latest returns the last verdict of a case, as if it were in this definition.
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

// Failed returns the cases whose present verdict is a failure or unproven.
func (b *Book) Failed(cases []*suites.Case) (out []*suites.Case) {
	for _, c := range cases {
		if v := b.present[c.Key()]; v != nil && (!v.Status.OK() || v.Status == suites.Unproven) {
			out = append(out, c)
		}
	}
	return out
}

// Referred returns the digests of inputs and of tools to which verdicts refer.
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

// PresentTools returns the digests of tools to which present verdicts refer.
func (b *Book) PresentTools() map[string]bool {
	tools := make(map[string]bool)
	for _, v := range b.present {
		tools[v.Digests.Tools] = true
	}
	return tools
}

// ForgetGone discards the verdicts of removed cases, except the latest max(keptGone, cases): if a
// branch is checked out again, its cases still have their verdicts. cases is the current number
// of cases. Generated cases are discarded at once, because a fault that returns is a new one.
func (b *Book) ForgetGone(gone func(suites.Key) bool, cases int) {
	fault := func(k suites.Key) bool { return k.Generated() && gone(k) }
	maps.DeleteFunc(b.present, func(k suites.Key, _ *Verdict) bool { return fault(k) })
	maps.DeleteFunc(b.earlier, func(k suites.Key, _ []*Verdict) bool { return fault(k) })
	latest := make(map[suites.Key]string) // time of the last verdict
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
