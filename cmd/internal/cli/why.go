package cli

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"hookwatch/cmd/internal/notify"
	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
	"hookwatch/suites/plan"
)

// WhyDocument is what why prints as JSON: what a change selects.
type WhyDocument struct {
	Version  int             `json:"version"`
	Total    int             `json:"total"` // cases in all
	Changed  []notify.Change `json:"changed"`
	Selected []WhySelected   `json:"selected"`
}

// WhySelected is one case of a WhyDocument.
type WhySelected struct {
	ID      string   `json:"id"`
	Suite   string   `json:"suite"`
	Because []string `json:"because"`
}

// WhyCase is what why prints of one case: what its verdict depends on.
type WhyCase struct {
	Version int            `json:"version"`
	ID      string         `json:"id"`
	Suite   string         `json:"suite"`
	Inputs  []suites.Input `json:"inputs"`
}

func (a *app) whyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "why [PATH[#SECTION] | ID]",
		Short: "Say what a change selects, or what a case depends on",
		Long: `Without an argument: what --once --changed would run now, and why.
With a path, and a section of it if you like: the cases that a change of it selects.
With a case's ID: every file and section that its verdict depends on.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			p, err := a.load()
			if err != nil {
				return err
			}
			if len(args) == 0 {
				return a.whyNow(p)
			}
			if found := named(p, args[0]); len(found) > 0 {
				return a.whyCase(found[0], p.Graph.Inputs(found[0]))
			}
			return a.whyPath(p, args[0])
		},
	}
}

func (a *app) whyNow(p *session.Project) error {
	stale, err := session.StaleNow(p, os.Environ())
	if err != nil {
		return err
	}
	return a.printWhy(p, session.ChangesOf(stale), stale)
}

func (a *app) whyPath(p *session.Project, arg string) error {
	path, section, _ := strings.Cut(arg, "#")
	path = p.RelFrom(dirOf(a), path)
	var selected []plan.Selected
	for _, c := range p.Cases {
		var because []string
		for _, in := range p.Graph.Inputs(c) {
			if in.Path == path && (section == "" || in.Section == "" || session.SameSection(in.Section, section)) {
				because = append(because, in.Because)
			}
		}
		if len(because) > 0 {
			selected = append(selected, plan.Selected{Case: c, Because: because})
		}
	}
	change := notify.Change{Path: path}
	if section != "" {
		change.Sections = []string{section}
	}
	if len(selected) == 0 && !p.Exists(path) {
		return fmt.Errorf("%s: neither a case's ID nor a file of the project", arg)
	}
	return a.printWhy(p, []notify.Change{change}, plan.WithControls(selected, p.Every()))
}

func (a *app) printWhy(p *session.Project, changes []notify.Change, selected []plan.Selected) error {
	doc := WhyDocument{Version: 1, Total: len(p.Cases), Changed: changes, Selected: []WhySelected{}}
	if doc.Changed == nil {
		doc.Changed = []notify.Change{}
	}
	for _, s := range selected {
		doc.Selected = append(doc.Selected, WhySelected{s.Case.ID, s.Case.Suite, s.Because})
	}
	return a.print(doc, len(doc.Selected), func(i int) any { return doc.Selected[i] }, func(w io.Writer) { whyHuman(w, doc) })
}

func whyHuman(w io.Writer, doc WhyDocument) {
	for _, c := range doc.Changed {
		fmt.Fprintln(w, strings.TrimSpace(c.Path+"  "+strings.Join(c.Sections, ", ")))
	}
	fmt.Fprintf(w, "%d of %d selected\n", len(doc.Selected), doc.Total)
	for _, s := range doc.Selected {
		fmt.Fprintf(w, "  %s/%s  %s\n", s.Suite, s.ID, strings.Join(s.Because, "; "))
	}
}

func (a *app) whyCase(c *suites.Case, inputs []suites.Input) error {
	doc := WhyCase{Version: 1, ID: c.ID, Suite: c.Suite, Inputs: inputs}
	return a.print(doc, len(inputs), func(i int) any { return inputs[i] }, func(w io.Writer) {
		fmt.Fprintf(w, "%s %s depends on\n", c.Key(), c.Name)
		for _, in := range inputs {
			missing := ""
			if in.Digest == "" {
				missing = "  (does not exist)"
			}
			fmt.Fprintf(w, "  %s: %s%s\n", in.Name(), in.Because, missing)
		}
		fmt.Fprintf(w, "  %s: its definition\n", c.At)
	})
}
