package cli

import (
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"hookwatch/cmd/internal/engine/state"
	"hookwatch/cmd/internal/notify"
	"hookwatch/cmd/internal/project"
	"hookwatch/suites"
	"hookwatch/suites/plan"
)

func (a *app) whyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "why [PATH[#SECTION] | ID]",
		Short: "Show what a change selects, or what a case depends on",
		Long: `Without an argument: what --once --changed would run now, and why.
Cases that depend on what changed and are not affected are counted by reason, or with -v
listed. With a path: the cases that its edit since the last run selects; if it was not
edited, or with a section of it: the cases that an edit may select.
With a case's ID: every file and section that its verdict depends on, and what it was
seen to execute.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			p, err := a.loadShown()
			if err != nil {
				return err
			}
			a.warn(p.Unread)
			if len(args) == 0 {
				return a.whyNow(p)
			}
			switch found := named(p, args[0]); len(found) {
			case 0:
				return a.whyPath(p, args[0])
			case 1:
				return a.whyCase(p, found[0])
			default:
				return severalCases(args[0], found)
			}
		},
	}
}

func (a *app) whyNow(p *project.Project) error {
	now, err := state.StaleNow(p, os.Environ(), a.records(p.Config))
	if err != nil {
		return err
	}
	a.warn(now.Warnings)
	return a.printWhy(p, state.ChangesOf(now.Selected), now)
}

func (a *app) whyPath(p *project.Project, arg string) error {
	path, section := arg, ""
	if !p.Exists(p.RelFrom(dirOf(a), arg)) { // a name may hold the sign
		path, section, _ = strings.Cut(arg, "#")
	}
	path = p.RelFrom(dirOf(a), path)
	if section == "" {
		if done, err := a.whyEdited(p, path); done || err != nil {
			return err
		}
	}
	for _, c := range p.Every() {
		p.Graph.Inputs(c) // what is followed is what cases were asked for
	}
	selected, err := p.Affected(path, section)
	if err != nil {
		return err
	}
	change := notify.Change{Path: path}
	if section != "" {
		change.Sections = []string{section}
	}
	return a.printWhy(p, []notify.Change{change}, state.Selection{Selected: plan.WithControls(selected, p.Every())})
}

// whyEdited prints what the edit of a file selects that holds another content than
// the verdicts on record are about, as --once --changed would select it. It reports
// whether there is such an edit.
func (a *app) whyEdited(p *project.Project, path string) (bool, error) {
	now, err := state.StaleNow(p, os.Environ(), a.records(p.Config))
	if err != nil {
		return false, err
	}
	about, edited := now.About(path)
	if !edited {
		return false, nil
	}
	a.warn(now.Warnings)
	about.Selected = plan.WithControls(plan.WithDependents(about.Selected, p.Cases), p.Every())
	return true, a.printWhy(p, []notify.Change{{Path: path}}, about)
}

func (a *app) printWhy(p *project.Project, changes []notify.Change, now state.Selection) error {
	doc := newWhyDocument(len(p.Cases), changes, now)
	return a.print(doc, len(doc.Selected), func(i int) any { return doc.Selected[i] }, func(w io.Writer) { printWhy(w, doc, a.verbose) })
}

func (a *app) whyCase(p *project.Project, c *suites.Case) error {
	doc := whyCase{Version: 1, ID: c.ID, Suite: c.Suite, Inputs: p.Graph.Inputs(c), Executes: []state.Executed{}}
	traced := false
	if s, err := state.Look(p, os.Environ(), a.records(p.Config)); err == nil {
		var executes []state.Executed
		executes, doc.Limit, traced = s.Executed(c)
		doc.Executes = append(doc.Executes, executes...)
	}
	return a.print(doc, len(doc.Inputs), func(i int) any { return doc.Inputs[i] }, func(w io.Writer) {
		printWhyCase(w, c, doc, traced)
	})
}
