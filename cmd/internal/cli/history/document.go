// Package history puts the past of cases into a document and into text.
package history

import (
	"fmt"
	"slices"
	"strings"

	"hookwatch/cmd/internal/cli/ids"
	"hookwatch/suites"
	"hookwatch/suites/record"
	"hookwatch/suites/verdict"
)

// Document is what history prints as JSON.
type Document struct {
	Version int    `json:"version"`
	Cases   []Case `json:"cases"`
}

// Case is one case's past. Entries are listed for cases that were asked
// for by ID.
type Case struct {
	ID       string        `json:"id"`
	Suite    string        `json:"suite"`
	Name     string        `json:"name"`
	Hook     string        `json:"hook"`
	Runs     int           `json:"runs"`
	Status   suites.Status `json:"status"` // latest
	Since    string        `json:"since"`  // when it became that
	Flaky    bool          `json:"flaky"`  // different verdicts on equal digests
	MedianMS int64         `json:"median_ms"`
	Verdicts suites.Tally  `json:"verdicts"`
	Entries  []Entry       `json:"entries,omitempty"`
}

// Entry is one verdict, oldest first. Changed says how what it is about
// differs from the entry before: the case, its inputs, or tools.
type Entry struct {
	Time       string         `json:"time"`
	RunID      string         `json:"run_id"`
	Status     suites.Status  `json:"status"`
	Exit       *int           `json:"exit"`
	Note       string         `json:"note"`
	DurationMS int64          `json:"duration_ms"`
	Isolation  string         `json:"isolation"`
	Digests    suites.Digests `json:"digests"`
	Tools      []suites.Tool  `json:"tools,omitempty"`
	Changed    []string       `json:"changed,omitempty"`
}

// New makes the document of cases, with the entries of each where they are asked for.
func New(all []verdict.CaseHistory, entries bool) Document {
	doc := Document{Version: 1, Cases: []Case{}}
	for i := range all {
		h := &all[i]
		c := Case{
			ID: h.Key.ID, Suite: h.Key.Suite, Name: h.Name, Hook: h.Hook, Runs: len(h.Entries), Status: h.Last().Status(),
			Since: h.Since().Timestamp, Flaky: h.Flaky, MedianMS: h.Median(), Verdicts: h.Verdicts(),
		}
		for j := range h.Entries {
			if !entries {
				break
			}
			e := &h.Entries[j]
			c.Entries = append(c.Entries, Entry{
				Time: e.Timestamp, RunID: e.RunID, Status: e.Status(), Exit: e.ActualExit, Note: e.Note, DurationMS: e.DurationMS,
				Isolation: e.Isolation, Digests: e.Digests, Tools: e.Tools, Changed: changedIn(e),
			})
		}
		doc.Cases = append(doc.Cases, c)
	}
	return doc
}

// changedIn says in words how what an entry is about differs from the one before.
func changedIn(e *verdict.Entry) []string {
	var out []string
	if e.Edited {
		out = append(out, "the case was edited")
	}
	if e.Inputs {
		out = append(out, "what it tests changed")
	}
	for _, t := range e.Changes {
		out = append(out, t.String())
	}
	if e.ToolsChanged && len(e.Changes) == 0 {
		out = append(out, "a tool changed; which is not on record")
	}
	return out
}

// Pick picks the histories that are asked for, of these suites if there are any. Cases that the project no longer has
// are on record all the same.
func Pick(past *record.Past, of, asked []string, dir string) ([]verdict.CaseHistory, error) {
	if len(past.Records) == 0 {
		return nil, fmt.Errorf("nothing is on record in %s (hookwatch --once runs all cases)", dir)
	}
	all := slices.DeleteFunc(verdict.Histories(past.Records, past.Environments), func(h verdict.CaseHistory) bool {
		return len(of) > 0 && !slices.Contains(of, h.Key.Suite)
	})
	if len(asked) == 0 {
		return all, nil
	}
	var picked []verdict.CaseHistory
	var unknown []string
	for _, id := range asked {
		found := ids.Pick(all, id, func(h verdict.CaseHistory) (suites.Key, string) { return h.Key, h.Name })
		if len(found) == 0 {
			unknown = append(unknown, id)
		}
		picked = append(picked, found...)
	}
	if len(unknown) > 0 {
		return nil, fmt.Errorf("nothing is on record of %s (hookwatch history lists what is)", strings.Join(unknown, ", "))
	}
	return picked, nil
}
