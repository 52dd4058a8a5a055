package why

import (
	"io"
	"maps"
	"slices"
	"strings"

	"hookwatch/cmd/internal/cli/page"
	"hookwatch/suites"
)

// Text lists each selected case with its reasons; the others by reason,
// or one by one.
func Text(w io.Writer, doc Document, verbose bool) {
	for _, c := range doc.Changed {
		page.Writef(w, "%s\n", strings.TrimSpace(c.Path+"  "+strings.Join(c.Sections, ", ")))
	}
	for _, u := range doc.Uncovered {
		page.Writef(w, "not covered: no case executes %s\n", u)
	}
	page.Writef(w, "%d of %d selected\n", len(doc.Selected), doc.Total)
	lines(w, doc.Selected)
	if len(doc.NotAffected) == 0 {
		return
	}
	page.Writef(w, "%d not affected\n", len(doc.NotAffected))
	if verbose {
		lines(w, doc.NotAffected)
		return
	}
	count := map[string]int{}
	for _, s := range doc.NotAffected {
		count[strings.Join(s.Because, "; ")]++
	}
	for _, because := range slices.Sorted(maps.Keys(count)) {
		page.Writef(w, "  %d: %s\n", count[because], because)
	}
}

func lines(w io.Writer, cases []Selected) {
	for _, s := range cases {
		page.Writef(w, "  %s/%s  %s\n", s.Suite, s.ID, strings.Join(s.Because, "; "))
	}
}

// CaseText says of one case what it depends on, and what it executes where traced.
func CaseText(w io.Writer, c *suites.Case, doc Case, traced bool) {
	page.Writef(w, "%s %s depends on\n", c.Key(), c.Name)
	for _, in := range doc.Inputs {
		missing := ""
		if in.Digest == "" {
			missing = "  (does not exist)"
		}
		page.Writef(w, "  %s: %s%s\n", in.Name(), in.Because, missing)
	}
	page.Writef(w, "  %s: its definition\n", c.At)
	if !traced {
		page.Writef(w, "what it executes is not known yet: an edit of these files selects it\n")
		return
	}
	page.Writef(w, "it executes this, and an edit of anything else there does not affect it:\n")
	for _, t := range doc.Executes {
		executes := strings.Join(t.Functions, " ")
		if t.Whole != "" {
			executes = "all of it: " + t.Whole
		}
		page.Writef(w, "%s\n", strings.TrimRight("  "+t.Path+": "+executes, ": "))
	}
	if doc.Limit != "" {
		page.Writef(w, "but every edit of these files selects it: %s\n", doc.Limit)
	}
}
