package verdict

import (
	"slices"

	"hookwatch/suites"
)

// A CaseHistory is what is on record of one case, oldest first.
type CaseHistory struct {
	Key     suites.Key
	Name    string // as the latest record has it
	Hook    string
	Entries []Entry
	Flaky   bool // it had different verdicts on equal content, with equal tools
}

// An Entry is one verdict, and how what it is about differs from the one before.
type Entry struct {
	suites.Record
	Tools        []suites.Tool // that it reached, as far as that is on record
	Changes      []ToolChange  // of them since the entry before
	ToolsChanged bool          // also where it is not on record which
	Edited       bool          // the case's definition changed
	Inputs       bool          // what it tests changed
}

// Verdicts counts the entries by status.
func (h *CaseHistory) Verdicts() (t suites.Tally) {
	for i := range h.Entries {
		t.Add(h.Entries[i].Status())
	}
	return t
}

// Last is the latest entry.
func (h *CaseHistory) Last() *Entry { return &h.Entries[len(h.Entries)-1] }

// Since is the first of the latest entries that agree.
func (h *CaseHistory) Since() *Entry {
	i := len(h.Entries) - 1
	for i > 0 && h.Entries[i-1].Status() == h.Last().Status() {
		i--
	}
	return &h.Entries[i]
}

// Median is that of the durations of the entries that ran, in milliseconds.
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

// Histories groups records, which are in the order of time, by case. The
// environments say which tools a record's digest of them stands for.
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

// flaky reports whether the same content had two verdicts. A run that was aborted
// gave none, and a digest that is not known equals no other here.
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
