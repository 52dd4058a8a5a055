package cli

import (
	"io"
	"maps"
	"slices"
	"strings"

	"hookwatch/cmd/internal/engine/state"
	"hookwatch/cmd/internal/notify"
	"hookwatch/suites"
)

// whyDocument is what why prints as JSON: what a change selects.
type whyDocument struct {
	Version  int             `json:"version"`
	Total    int             `json:"total"` // cases in all
	Changed  []notify.Change `json:"changed"`
	Selected []selected      `json:"selected"`
	// NotAffected are cases that depend on what changed and are not affected; places
	// of the change that no case executes are Uncovered.
	NotAffected []selected `json:"not_affected"`
	Uncovered   []string   `json:"uncovered"`
}

// selected is one case of a Document.
type selected struct {
	ID      string   `json:"id"`
	Suite   string   `json:"suite"`
	Because []string `json:"because"`
}

// whyCase is what why prints of one case: what its verdict depends on.
type whyCase struct {
	Version int            `json:"version"`
	ID      string         `json:"id"`
	Suite   string         `json:"suite"`
	Inputs  []suites.Input `json:"inputs"`
	// Executes is what it was last seen to execute; Limit says why that exempts
	// it nothing all the same.
	Executes []state.Executed `json:"executes"`
	Limit    string           `json:"limit,omitempty"`
}

// newWhyDocument makes the document of a selection among so many cases.
func newWhyDocument(total int, changes []notify.Change, now state.Selection) whyDocument {
	doc := whyDocument{
		Version: 1, Total: total, Changed: changes,
		Selected: []selected{}, NotAffected: []selected{}, Uncovered: []string{},
	}
	if doc.Changed == nil {
		doc.Changed = []notify.Change{}
	}
	for _, s := range now.Selected {
		doc.Selected = append(doc.Selected, selected{ID: s.Case.ID, Suite: s.Case.Suite, Because: s.Because})
	}
	for _, s := range now.NotAffected {
		doc.NotAffected = append(doc.NotAffected, selected{ID: s.Key.ID, Suite: s.Key.Suite, Because: s.Because})
	}
	doc.Uncovered = append(doc.Uncovered, now.Uncovered...)
	return doc
}

// printWhy lists each selected case with its reasons; the others by reason,
// or one by one.
func printWhy(w io.Writer, doc whyDocument, verbose bool) {
	for _, c := range doc.Changed {
		writef(w, "%s\n", strings.TrimSpace(c.Path+"  "+strings.Join(c.Sections, ", ")))
	}
	for _, u := range doc.Uncovered {
		writef(w, "not covered: no case executes %s\n", u)
	}
	writef(w, "%d of %d selected\n", len(doc.Selected), doc.Total)
	whyLines(w, doc.Selected)
	if len(doc.NotAffected) == 0 {
		return
	}
	writef(w, "%d not affected\n", len(doc.NotAffected))
	if verbose {
		whyLines(w, doc.NotAffected)
		return
	}
	count := map[string]int{}
	for _, s := range doc.NotAffected {
		count[strings.Join(s.Because, "; ")]++
	}
	for _, because := range slices.Sorted(maps.Keys(count)) {
		writef(w, "  %d: %s\n", count[because], because)
	}
}

func whyLines(w io.Writer, cases []selected) {
	for _, s := range cases {
		writef(w, "  %s/%s  %s\n", s.Suite, s.ID, strings.Join(s.Because, "; "))
	}
}

// printWhyCase says of one case what it depends on, and what it executes where traced.
func printWhyCase(w io.Writer, c *suites.Case, doc whyCase, traced bool) {
	writef(w, "%s %s depends on\n", c.Key(), c.Name)
	for _, in := range doc.Inputs {
		missing := ""
		if in.Digest == "" {
			missing = "  (does not exist)"
		}
		writef(w, "  %s: %s%s\n", in.Name(), in.Because, missing)
	}
	writef(w, "  %s: its definition\n", c.At)
	if !traced {
		writef(w, "what it executes is not known yet: an edit of these files selects it\n")
		return
	}
	writef(w, "it executes this, and an edit of anything else there does not affect it:\n")
	for _, t := range doc.Executes {
		executes := strings.Join(t.Functions, " ")
		if t.Whole != "" {
			executes = "all of it: " + t.Whole
		}
		writef(w, "%s\n", strings.TrimRight("  "+t.Path+": "+executes, ": "))
	}
	if doc.Limit != "" {
		writef(w, "but every edit of these files selects it: %s\n", doc.Limit)
	}
}
