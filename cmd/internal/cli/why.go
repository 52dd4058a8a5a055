package cli

import (
	"errors"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
	"hookwatch/suites/verdict"
)

func newWhyCmd(a *app, g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "why [PATH[#SECTION] | ID]",
		Short: "Show what a change selects, or what a case depends on",
		Long: `Without an argument: what --once --changed would run now, and why.
Cases that depend on what changed and are not affected are counted by reason, or with -v
listed. With a path: the cases that its edit since the last run selects; if it was not
edited, or with a section of it: the cases that an edit may select.
With a case's ID: every file and section that its verdict depends on, and what it was
seen to execute.`,
		Args: oneArg,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 && args[0] == "" { // an unset variable of a script
				return errors.New("why needs no argument, or a path or the ID of a case that is not empty")
			}
			return runWhy(a, *g, strings.Join(args, ""))
		},
	}
}

// runWhy explains the selection of what changed, or a file or case if it is named.
func runWhy(a *app, g globals, name string) error {
	p, err := g.loadCases()
	if err != nil {
		return err
	}
	a.warn(p.Unread)
	switch found := findCases(p, name); len(found) {
	case 0:
	case 1:
		return showInputs(a, g, p, found[0])
	default:
		return severalCases(name, found)
	}
	changes, selection, err := findSelection(g, p, name)
	if err != nil {
		return err
	}
	doc := newWhyDocument(len(p.Cases), changes, selection)
	return a.print(doc, jsonLines(doc.Selected, ranIn{}), func(w io.Writer) { printWhy(w, doc, a.verbose) })
}

// findSelection returns what --once --changed would select, because of a file if it is named. If
// its content is that of recorded verdicts, or a section of it is named, it returns the cases that
// an edit may select.
func findSelection(g globals, p *session.Project, name string) (changes []session.Change, now session.Selection, err error) {
	path, section := name, ""
	if name != "" && !p.Exists(p.RelFrom(g.workDir, name)) { // a file name may contain #
		path, section, _ = strings.Cut(name, "#")
	}
	if section == "" {
		if now, err = session.StaleNow(p, os.Environ(), g.recordsPlace(p.Config)); err != nil {
			return nil, now, err
		}
	}
	if name == "" {
		g.warn(now.Warnings)
		return session.ChangesOf(now.Selected), now, nil
	}
	change := session.Change{Path: p.RelFrom(g.workDir, path)}
	if section != "" {
		change.Sections = []string{section}
	} else if about, edited := now.About(change.Path); edited {
		g.warn(now.Warnings)
		about.Selected = verdict.WithControls(verdict.WithDependents(about.Selected, p.Cases), p.Every())
		return []session.Change{change}, about, nil
	}
	selected, err := session.SelectAffected(p, change.Path, section)
	return []session.Change{change}, session.Selection{Selected: verdict.WithControls(selected, p.Every())}, err
}

func showInputs(a *app, g globals, p *session.Project, c *suites.Case) error {
	doc := whyCase{Version: 1, ID: c.ID, Suite: c.Suite, Executes: []session.Executed{}}
	traced := false
	if s, err := session.Look(p, os.Environ(), g.recordsPlace(p.Config)); err == nil {
		var executes []session.Executed
		executes, doc.Limit, traced = s.ExecutedParts(c)
		doc.Executes = append(doc.Executes, executes...)
	}
	doc.Inputs = p.Graph.Inputs(c) // after Look, because the inputs of a traced case are in its records
	return a.print(doc, jsonLines(doc.Inputs, ranIn{}), func(w io.Writer) {
		printWhyCase(w, c, doc, traced)
	})
}

// whyDocument is the JSON document of why: the effect of a change.
type whyDocument struct {
	Version  int                `json:"version"`
	Total    int                `json:"total"` // total number of cases
	Changed  []session.Change   `json:"changed"`
	Selected []suites.Selection `json:"selected"`
	// NotAffected are cases that depend on changed files but are not affected; Uncovered are
	// changed places that no case executes.
	NotAffected []suites.Selection `json:"not_affected"`
	Uncovered   []string           `json:"uncovered"`
}

// whyCase is the JSON document of why for one case: the inputs of its verdict.
type whyCase struct {
	Version int            `json:"version"`
	ID      string         `json:"id"`
	Suite   string         `json:"suite"`
	Inputs  []suites.Input `json:"inputs"`
	// Executes comes from the last trace; Limit is the reason why every edit selects the case
	// nevertheless.
	Executes []session.Executed `json:"executes"`
	Limit    string             `json:"limit,omitempty"`
}

// newWhyDocument returns the document of a selection from total cases.
func newWhyDocument(total int, changes []session.Change, now session.Selection) whyDocument {
	doc := whyDocument{
		Version: 1, Total: total, Changed: changes,
		Selected: []suites.Selection{}, NotAffected: []suites.Selection{}, Uncovered: []string{},
	}
	if doc.Changed == nil {
		doc.Changed = []session.Change{}
	}
	for _, s := range now.Selected {
		doc.Selected = append(doc.Selected, s.Selection())
	}
	doc.NotAffected = append(doc.NotAffected, now.NotAffected...)
	doc.Uncovered = append(doc.Uncovered, now.Uncovered...)
	return doc
}

// printWhy prints each selected case with its reasons, and the others counted by reason or, with
// verbose, one by one.
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

func whyLines(w io.Writer, cases []suites.Selection) {
	for _, s := range cases {
		writef(w, "  %s  %s\n", s.Key, strings.Join(s.Because, "; "))
	}
}

// printWhyCase prints the inputs of a case, and the parts of scripts it executes if it was
// traced.
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
