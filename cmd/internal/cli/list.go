package cli

import (
	"errors"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"hookwatch/cmd/internal/project"
	"hookwatch/suites"
	"hookwatch/suites/catalog"
)

func (a *app) listCommand() *cobra.Command {
	var hooks, user bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the cases with their markers, or the registered hooks",
		Long: `List the cases, -v with the markers that authorise them; with --suite also those of a
built-in suite or family that is not switched on. With --hooks: every hook that is
registered, in settings, plugins, and the fronts of skills, agents and commands.`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			if user && !hooks {
				return errors.New("--user goes with --hooks: cases are never your own settings'")
			}
			if hooks {
				p, err := a.loadWithUser(user)
				if err != nil {
					return err
				}
				doc := hooksOf(p)
				return a.print(doc, len(doc.Hooks), func(i int) any { return doc.Hooks[i] }, func(w io.Writer) { hooksText(w, doc) })
			}
			p, off, err := a.loadListed()
			if err != nil {
				return err
			}
			a.warn(p.Unread)
			doc := newListDocument(p, off)
			return a.print(doc, len(doc.Cases), func(i int) any { return doc.Cases[i] }, func(w io.Writer) {
				printList(w, doc, a.verbose)
			})
		},
	}
	cmd.Flags().BoolVar(&hooks, "hooks", false, "the registered hooks instead of cases")
	withUser(cmd.Flags(), &user)
	return cmd
}

// loadListed reads the project and, of the suites that --suite names, the built-in ones
// that it does not run. What is not here is an error only beside none of them.
func (a *app) loadListed() (p *project.Project, off []suites.Case, err error) {
	if len(a.suites) == 0 {
		p, err = a.loadShown()
		return p, nil, err
	}
	asked := a.suites
	a.suites = nil
	p, err = a.loadHooks()
	a.suites = asked
	if err != nil {
		return nil, nil, err
	}
	builtin, err := catalog.Builtin()
	if err != nil {
		return nil, nil, err
	}
	off = slices.DeleteFunc(casesOff(p.Suites, builtin, asked), func(c suites.Case) bool { return !project.Filter{Text: a.filter}.Matches(&c) })
	if len(off) == 0 {
		p, err = a.loadShown()
		return p, nil, err
	}
	p.Cases = slices.DeleteFunc(p.Cases, func(c *suites.Case) bool {
		return !asksFor(c.Suite, asked) || slices.ContainsFunc(off, func(o suites.Case) bool { return o.Key() == c.Key() })
	})
	return p, off, nil
}
