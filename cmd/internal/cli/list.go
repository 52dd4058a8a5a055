package cli

import (
	"errors"
	"io"

	"github.com/spf13/cobra"

	"hookwatch/cmd/internal/cli/list"
)

func (a *app) listCommand() *cobra.Command {
	var hooks, user bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the cases with the markers that authorise them, or the registered hooks",
		Long: `List the cases, -v with the markers that authorise them. With --hooks: every hook
that is registered, in settings, plugins, and the fronts of skills, agents and commands.`,
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
				doc := list.HooksOf(p)
				return a.print(doc, len(doc.Hooks), func(i int) any { return doc.Hooks[i] }, func(w io.Writer) { list.HooksText(w, doc) })
			}
			p, err := a.loadShown()
			if err != nil {
				return err
			}
			a.warn(p.Unread)
			doc := list.New(p)
			return a.print(doc, len(doc.Cases), func(i int) any { return doc.Cases[i] }, func(w io.Writer) {
				list.Text(w, doc, a.verbose)
			})
		},
	}
	cmd.Flags().BoolVar(&hooks, "hooks", false, "the registered hooks instead of cases")
	withUser(cmd.Flags(), &user)
	return cmd
}
