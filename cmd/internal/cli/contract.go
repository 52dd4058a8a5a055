package cli

import (
	"fmt"
	"io"
	"slices"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/spf13/cobra"
)

func (a *app) contractCommand() *cobra.Command {
	var only string
	cmd := &cobra.Command{
		Use:   "contract",
		Short: "Compare hookwatch's model of the client with the installed client",
		Long: `Play each measured cell of the client's contract, one output of a hook at one
event, one matcher or one settings file, to the installed client, and tell whether it
does what hookwatch predicts: confirmed, changed with what was seen, or not reachable
with the reason. A changed cell makes the exit code 1. Without a client it is skipped.

The client runs against a scripted model on loopback, with a dummy key and a HOME of
its own. --format json gives a document without times or paths, in a fixed order: two
clients are compared by a diff of theirs.`,
		Example: `  hookwatch contract
  hookwatch contract --cell '3/PreToolUse/*' -v
  hookwatch contract --format json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.contract(cmd, only) },
	}
	cmd.Flags().StringVar(&only, "cell", "", "only cells whose ID matches this `GLOB`, such as '3a/Stop/*'")
	return cmd
}

func (a *app) contract(cmd *cobra.Command, only string) error {
	all := questions()
	if only != "" {
		if !doublestar.ValidatePattern(only) {
			return fmt.Errorf("--cell %s is no pattern", only)
		}
		all = slices.DeleteFunc(all, func(q question) bool { return !doublestar.MatchUnvalidated(only, q.ID()) })
	}
	if len(all) == 0 {
		return fmt.Errorf("--cell %s matches no cell; hookwatch contract -v lists them", only)
	}
	p, err := a.loadHooks()
	if err != nil {
		return err
	}
	r, close, err := a.bare(p)
	if err != nil {
		return err
	}
	defer close()
	jobs, err := jobs(p)
	if err != nil {
		return err
	}
	res, err := playQuestions(cmd.Context(), r, jobs, all)
	if err != nil {
		return err
	}
	doc := newDocument(res)
	doc.ranIn = ranIn{string(r.Isolation), r.Weaker}
	err = a.print(doc, len(doc.Cells), doc.Line, func(w io.Writer) { printContract(w, doc, a.verbose) })
	if err == nil && doc.Failed() {
		return ErrFailed
	}
	return err
}
