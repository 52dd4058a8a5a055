package session

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"hookwatch/suites"
)

// A session may run for days, so the size of a verdictBook is limited by the size of the project.
const (
	keptDefinitions = 4  // verdicts per case in definitions other than the present one
	keptGone        = 40 // removed cases whose verdicts are kept, or the number of cases if that is larger
)

// A verdictBook holds the verdicts of all cases.
type verdictBook struct {
	present map[suites.Key]*keptVerdict
	earlier map[suites.Key][]*keptVerdict // in other definitions than the present one's, or before an aborted run; latest first
}

// newBook returns an empty verdictBook.
func newBook() *verdictBook {
	return &verdictBook{make(map[suites.Key]*keptVerdict), make(map[suites.Key][]*keptVerdict)}
}

// Present returns the present verdict of a case, or nil.
func (b *verdictBook) Present(k suites.Key) *keptVerdict { return b.present[k] }

// Put makes v the present verdict of a case.
func (b *verdictBook) Put(k suites.Key, v *keptVerdict) {
	if was := b.present[k]; was != nil && (v.Status == suites.Aborted || v.Digests.Case != was.Digests.Case) {
		b.Withdraw(k)
	}
	b.present[k] = v
}

// Withdraw removes the present verdict of a case. Unless it is Aborted, it remains the baseline
// of the next verdict in the same definition.
func (b *verdictBook) Withdraw(k suites.Key) {
	if was := b.present[k]; was.HasResult() {
		others := slices.DeleteFunc(b.earlier[k], func(v *keptVerdict) bool { return v.Digests.Case == was.Digests.Case })
		b.earlier[k] = slices.Insert(others[:min(len(others), keptDefinitions-1)], 0, was)
	}
	delete(b.present, k)
}

// Baseline returns the verdict to compare with a new verdict of a case in this definition, or
// nil. Aborted verdicts are no baseline. A generated case has no definition of its own: its
// latest verdict is the baseline.
func (b *verdictBook) Baseline(k suites.Key, definition string) *keptVerdict {
	if k.IsGenerated() {
		of := b.earlier[k]
		if v := b.present[k]; v.HasResult() {
			of = []*keptVerdict{v}
		}
		if len(of) == 0 {
			return nil
		}
		v := *of[0]
		v.Digests.Case = definition
		return &v
	}
	if v := b.present[k]; v.HasResult() && v.Digests.Case == definition {
		return v
	}
	for _, v := range b.earlier[k] {
		if v.Digests.Case == definition {
			return v
		}
	}
	return nil
}

// Tally counts the present verdicts of cases.
func (b *verdictBook) Tally(cases []*suites.Case) (t suites.Tally) {
	for _, c := range cases {
		if v := b.present[c.Key()]; v != nil {
			t.Add(v.Status)
		}
	}
	return t
}

// FailedCases returns the cases whose present verdict is a failure or unproven.
func (b *verdictBook) FailedCases(cases []*suites.Case) (out []*suites.Case) {
	for _, c := range cases {
		if v := b.present[c.Key()]; v != nil && (!v.Status.OK() || v.Status == suites.Unproven) {
			out = append(out, c)
		}
	}
	return out
}

// References returns the digests of inputs and of tools to which verdicts refer.
func (b *verdictBook) References() (inputs, tools map[string]bool) {
	inputs, tools = make(map[string]bool), make(map[string]bool)
	refer := func(v *keptVerdict) { inputs[v.Digests.Inputs], tools[v.Digests.Tools] = true, true }
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
func (b *verdictBook) PresentTools() map[string]bool {
	tools := make(map[string]bool)
	for _, v := range b.present {
		tools[v.Digests.Tools] = true
	}
	return tools
}

// ForgetGone discards the verdicts of removed cases, except the latest max(keptGone, cases): if a
// branch is checked out again, its cases still have their verdicts. cases is the current number
// of cases. Generated cases are discarded at once, because a fault that returns is a new one.
func (b *verdictBook) ForgetGone(gone func(suites.Key) bool, cases int) {
	fault := func(k suites.Key) bool { return k.IsGenerated() && gone(k) }
	maps.DeleteFunc(b.present, func(k suites.Key, _ *keptVerdict) bool { return fault(k) })
	maps.DeleteFunc(b.earlier, func(k suites.Key, _ []*keptVerdict) bool { return fault(k) })
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

// A keptVerdict is the part of a record that is kept in memory: enough to decide whether the
// case is stale and how a new verdict differs.
type keptVerdict struct {
	Status   suites.Status
	Layer    suites.Layer
	Digests  suites.Digests
	Run      string // its ID
	At       string // timestamp in the format of the record
	Duration int64  // milliseconds
	Printed  printed
	Began    int64 // when the case was started, by the clock of the file system's times; 0 for one that was recorded earlier
}

// startTime returns a time at which the case had been started: for a recorded verdict, the end of
// its last second, because the record has no fractions.
func (v *keptVerdict) startTime() time.Time {
	if v.Began > 0 {
		return time.Unix(0, v.Began)
	}
	at, _ := time.Parse(suites.TimestampLayout, v.At) // the zero time of a damaged record doubts it
	return at.Add(time.Second)
}

// keptVerdictOf returns the verdict of a record.
func keptVerdictOf(r *suites.Record) keptVerdict {
	return keptVerdict{
		Status: r.Status(), Layer: r.Layer, Digests: r.Digests, Run: r.RunID, At: r.Timestamp, Duration: r.DurationMS,
		Printed: printedOf(r.ActualExit, r.ActualOutput, r.ActualStderr),
	}
}

// HasResult reports whether there is a verdict with a result: v is neither nil nor aborted.
func (v *keptVerdict) HasResult() bool { return v != nil && v.Status != suites.Aborted }

// Traceable reports whether the case can have a trace: its hooks ran, and not in the real
// client.
func (v *keptVerdict) Traceable(c *suites.Case) bool {
	return v.HasResult() && v.Status != suites.Skip && c.Layer != suites.Live && c.Check == nil
}

// Recall adopts the records; find returns the case with a key, or nil. Strings that the project
// already holds are not stored twice.
func (b *verdictBook) Recall(records []suites.Record, find func(suites.Key) *suites.Case) {
	seen := make(texts)
	verdicts := make([]keptVerdict, len(records)) // in one allocation, apart from the records
	for i := range records {
		r := &records[i]
		key, v := r.Key(), &verdicts[i]
		*v = keptVerdictOf(r)
		v.Run, v.At = seen.one(v.Run), seen.one(v.At)
		v.Digests.Inputs, v.Digests.Tools = seen.one(v.Digests.Inputs), seen.one(v.Digests.Tools)
		if c := find(key); c != nil {
			key = c.Key()
			if v.Digests.Case == c.Digest {
				v.Digests.Case = c.Digest
			}
		}
		b.Put(key, v)
	}
}

// texts holds one copy of each string, because records repeat many of them.
type texts map[string]string

func (t texts) one(s string) string {
	if first, ok := t[s]; ok {
		return first
	}
	s = strings.Clone(s) // apart from the records
	t[s] = s
	return s
}
