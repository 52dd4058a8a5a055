package verdict

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"hookwatch/suites"
)

// Tally counts records by status.
func Tally(records []suites.Record) suites.Tally {
	var t suites.Tally
	for i := range records {
		t.Add(records[i].Status())
	}
	return t
}

// tallyByAgent counts records by agent and status. It calls agentOf because a record does not
// contain its agent.
func tallyByAgent(records []suites.Record, agentOf func(*suites.Record) string) map[string]suites.Tally {
	tallies := map[string]suites.Tally{}
	for i := range records {
		agent := agentOf(&records[i])
		t := tallies[agent]
		t.Add(records[i].Status())
		tallies[agent] = t
	}
	return tallies
}

// CheckCounts compares the number of records of each agent with the expected number, and returns
// a line for each agent with too few or too many. Cases without a record are unknown failures.
func CheckCounts(records []suites.Record, agentOf func(*suites.Record) string, expected map[string]int) []string {
	tallies := tallyByAgent(records, agentOf)
	var lines []string
	for _, agent := range slices.Sorted(maps.Keys(expected)) {
		want, have := expected[agent], tallies[agent].Total()
		switch {
		case have == want:
		case have == 0:
			lines = append(lines, fmt.Sprintf("%s: no records, want %d: %s", agent, want, unknown(want)))
		case have < want:
			lines = append(lines, fmt.Sprintf("%s: %d records, want %d: %s", agent, have, want, unknown(want-have)))
		default:
			lines = append(lines, fmt.Sprintf("%s: %d records, want %d: %d too many", agent, have, want, have-want))
		}
	}
	return lines
}

func unknown(n int) string {
	if n == 1 {
		return "1 unknown failure"
	}
	return fmt.Sprintf("%d unknown failures", n)
}

// adrFilter is the aggregation that the format's own document prescribes for its records. It has
// no unproven, aborted or version skip. Next to Tally it shows how other tools interpret the
// same files.
const adrFilter = `. as $all |
  ($all | map(select(.pass == false)) | length) as $fails |
  ($all | map(select(.pass == true and (.note | test("absent|BIOME_ABSENT") | not))) | length) as $pass |
  ($all | map(select(.pass == true and (.note | test("absent|BIOME_ABSENT")))) | length) as $skipped |
  {
    passed: $pass,
    failed: $fails,
    skipped: $skipped,
    failures: (
      $all | map(select(.pass == false)) |
      map({hook, test_name, note})
    ),
    skips: (
      $all | map(select(.pass == true and (.note | test("absent|BIOME_ABSENT")))) |
      map({hook, test_name, note})
    )
  }`

var adrQuery = sync.OnceValues(func() (*Query, error) { return CompileQuery(adrFilter) })

// ADRAggregate runs adrFilter. The result has passed, failed and skipped as int, and failures
// and skips as lists of hook, test_name and note.
func ADRAggregate(records []suites.Record) (map[string]any, error) {
	q, err := adrQuery()
	if err != nil {
		return nil, err
	}
	var result map[string]any
	err = q.Run(context.Background(), records, func(v any) error {
		result, _ = v.(map[string]any)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("aggregate: %w", err)
	}
	return result, nil
}

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
	Hook   string   `json:"hook"`
	Runs   int      `json:"runs"`
	P50    int64    `json:"p50_ms"`
	P95    int64    `json:"p95_ms"`
	Slower []Slower `json:"slower"` // the most first
}

// Slower has the medians of the latest runs of a case and of those before them.
type Slower struct {
	suites.Key
	Before int64 `json:"before_ms"`
	Now    int64 `json:"now_ms"`
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
		all = append(all, HookTime{hook, len(d), d.Quantile(0.5), d.Quantile(0.95), append([]Slower{}, slower[hook]...)})
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
		all[i].Flaky = isFlaky(all[i].Entries)
	}
	slices.SortFunc(all, func(a, b CaseHistory) int { return a.Key.Compare(b.Key) })
	return all
}

func (h *CaseHistory) add(r *suites.Record, tools *toolSets) {
	e := Entry{Record: *r, Tools: tools.toolsOf(r)}
	h.Name, h.Hook = r.TestName, r.Hook
	if len(h.Entries) > 0 {
		before := h.Last()
		e.Edited = differ(before.Digests.Case, r.Digests.Case)
		e.Inputs = differ(before.Digests.Inputs, r.Digests.Inputs)
		e.ToolsChanged = differ(before.Digests.Tools, r.Digests.Tools)
		if e.ToolsChanged && before.Tools != nil && e.Tools != nil {
			e.Changes = toolChanges(before.Tools, e.Tools)
		}
	}
	h.Entries = append(h.Entries, e)
}

// isFlaky reports whether the same content had two verdicts. Aborted runs have none, and an
// unknown digest equals no other here.
func isFlaky(entries []Entry) bool {
	seen := map[suites.Digests]suites.Status{}
	for i := range entries {
		d, status := entries[i].Digests, entries[i].Status()
		if status == suites.Aborted || slices.Contains([]string{d.Case, d.Inputs, d.Tools}, "") {
			continue
		}
		if before, known := seen[d]; known && before != status {
			return true
		}
		seen[d] = status
	}
	return false
}
