package cli

import (
	"io"
	"slices"

	"github.com/spf13/cobra"

	"hookwatch/suites/catalog"
)

func (a *app) suitesCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "suites",
		Short: "List the suites, built-in ones too, and how to switch one on",
		Long: `List the project's suites and the built-in ones: how many cases each has, for which
hooks, whether it is switched on, and how to do that. A suite that is on is not
applicable where the project has none of its hooks. hookwatch show SUITE shows one.
-v lists each suite of a family, and every hook.`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			p, err := a.loadHooks()
			if err != nil {
				return err
			}
			builtin, err := catalog.Builtin()
			if err != nil {
				return err
			}
			on := p.Config.BuiltinSuites()
			doc := newSuitesDocument(p.Suites, builtin, func(name string) bool { return slices.Contains(on, name) })
			return a.print(doc, len(doc.Suites), func(i int) any { return doc.Suites[i] }, func(w io.Writer) { printSuites(w, doc, a.verbose) })
		},
	}
}
