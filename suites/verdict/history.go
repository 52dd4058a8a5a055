package verdict

import (
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

// Median returns the median duration of the entries that ran, in milliseconds.
func (h *CaseHistory) Median() int64 {
	var all []int64
	for i := range h.Entries {
		if s := h.Entries[i].Status(); s != suites.Skip && s != suites.Aborted {
			all = append(all, h.Entries[i].DurationMS)
		}
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[len(all)/2]
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
