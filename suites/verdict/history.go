package verdict

import (
	"cmp"
	"slices"

	"hookwatch/suites"
)

// A CaseHistory contains all recorded verdicts of one case, oldest first.
type CaseHistory struct {
	Key     suites.Key
	Name    string // in the latest record
	Hook    string
	Entries []Entry
	Flaky   bool // it had different verdicts on equal content, with equal tools
}

// An Entry is one verdict, with the differences of its subject from the previous entry.
type Entry struct {
	suites.Record
	Tools        []suites.Tool // that it reached, as far as known
	Changes      []ToolChange  // of them since the previous entry
	ToolsChanged bool          // also if it is unknown which
	Edited       bool          // the case's definition changed
	Inputs       bool          // the inputs of its verdict changed
}

// Verdicts counts the entries by status.
func (h *CaseHistory) Verdicts() (t suites.Tally) {
	for i := range h.Entries {
		t.Add(h.Entries[i].Status())
	}
	return t
}

// Last returns the latest entry.
func (h *CaseHistory) Last() *Entry { return &h.Entries[len(h.Entries)-1] }

// Since returns the first of the latest entries that have the same status.
func (h *CaseHistory) Since() *Entry {
	i := len(h.Entries) - 1
	for i > 0 && h.Entries[i-1].Status() == h.Last().Status() {
		i--
	}
	return &h.Entries[i]
}

// Durations returns the durations of the entries that ran, oldest first.
func (h *CaseHistory) Durations() (d Durations) {
	for i := range h.Entries {
		if s := h.Entries[i].Status(); s != suites.Skip && s != suites.Aborted {
			d = append(d, h.Entries[i].DurationMS)
		}
	}
	return d
}

// Durations are milliseconds, oldest first.
type Durations []int64

// Quantile returns the least duration that a share of them does not exceed, or 0 if there are
// none: 0.5 is the median.
func (d Durations) Quantile(share float64) int64 {
	if len(d) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(d))
	return sorted[min(len(d)-1, int(share*float64(len(d))))]
}

// A HookTime describes how long the cases of a hook took.
type HookTime struct {
	Hook   string
	Runs   int
	P50    int64 // milliseconds
	P95    int64
	Slower []Slower // cases, the most first
}

// Slower is a case that became slower.
type Slower struct {
	Key         suites.Key
	Before, Now int64 // median in milliseconds
}

// What counts as slower: a median that is this much higher over so many runs than over as many
// before them. A few milliseconds are noise of the machine.
const (
	slowerRuns  = 20
	slowerShare = 1.2
	slowerLeast = 5 // milliseconds
)

// slower returns how much slower the latest runs of a case are than those before them.
func (h *CaseHistory) slower() (Slower, bool) {
	all := h.Durations()
	if len(all) < 2*slowerRuns {
		return Slower{}, false
	}
	now, earlier := all[len(all)-slowerRuns:], all[:len(all)-slowerRuns]
	s := Slower{h.Key, earlier[len(earlier)-slowerRuns:].Quantile(0.5), now.Quantile(0.5)}
	return s, float64(s.Now) >= slowerShare*float64(s.Before) && s.Now-s.Before >= slowerLeast
}

// HookTimes returns the times of each hook, the slowest first.
func HookTimes(histories []CaseHistory) []HookTime {
	durations, slower := map[string]Durations{}, map[string][]Slower{}
	for i := range histories {
		h := &histories[i]
		if d := h.Durations(); len(d) > 0 && h.Hook != "" {
			durations[h.Hook] = append(durations[h.Hook], d...)
			if s, ok := h.slower(); ok {
				slower[h.Hook] = append(slower[h.Hook], s)
			}
		}
	}
	var all []HookTime
	for hook, d := range durations {
		slices.SortStableFunc(slower[hook], func(a, b Slower) int { return cmp.Compare(b.Now-b.Before, a.Now-a.Before) })
		all = append(all, HookTime{hook, len(d), d.Quantile(0.5), d.Quantile(0.95), slower[hook]})
	}
	slices.SortFunc(all, func(a, b HookTime) int { return cmp.Or(cmp.Compare(b.P95, a.P95), cmp.Compare(a.Hook, b.Hook)) })
	return all
}

// Histories groups records, which are in chronological order, by case. The environments are used
// to find the tools of a record's digest.
func Histories(records []suites.Record, environments []suites.Environment) []CaseHistory {
	tools := newToolSets(environments)
	at := map[suites.Key]int{}
	var all []CaseHistory
	for i := range records {
		tools.meets(&records[i])
	}
	for i := range records {
		r := &records[i]
		key := identity(r)
		n, known := at[key]
		if !known {
			n = len(all)
			at[key] = n
			all = append(all, CaseHistory{Key: key})
		}
		all[n].add(r, tools)
	}
	for i := range all {
		all[i].Flaky = flaky(all[i].Entries)
	}
	slices.SortFunc(all, func(a, b CaseHistory) int { return a.Key.Compare(b.Key) })
	return all
}

func (h *CaseHistory) add(r *suites.Record, tools *toolSets) {
	e := Entry{Record: *r, Tools: tools.of(r)}
	h.Name, h.Hook = r.TestName, r.Hook
	if len(h.Entries) > 0 {
		before := h.Last()
		e.Edited = differ(before.Digests.Case, r.Digests.Case)
		e.Inputs = differ(before.Digests.Inputs, r.Digests.Inputs)
		e.ToolsChanged = differ(before.Digests.Tools, r.Digests.Tools)
		if e.ToolsChanged && before.Tools != nil && e.Tools != nil {
			e.Changes = ToolChanges(before.Tools, e.Tools)
		}
	}
	h.Entries = append(h.Entries, e)
}

// flaky reports whether the same content had two verdicts. Aborted runs have none, and an
// unknown digest equals no other here.
func flaky(entries []Entry) bool {
	seen := map[suites.Digests]suites.Status{}
	for i := range entries {
		d, status := entries[i].Digests, entries[i].Status()
		if status == suites.Aborted || d.Case == "" || d.Inputs == "" || d.Tools == "" {
			continue
		}
		if before, known := seen[d]; known && before != status {
			return true
		}
		seen[d] = status
	}
	return false
}
