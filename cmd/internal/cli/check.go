package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"hookwatch/cmd/internal/cli/terminal"
	"hookwatch/cmd/internal/project"
	"hookwatch/suites/conform"
)

func (a *app) checkCommand() *cobra.Command {
	var static, user bool
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Check that every registered hook works; needs no suite",
		Long: `Look at what registers hooks and at their scripts, fire every hook as the client
would, in isolation, and say which of them the client would drop, could not start or
would not heed, and which let through what they mean to stop. No suite and no
configuration are needed. Errors make the exit code 1; with --strict warnings too.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.checkHooks(cmd, static, user)
		},
	}
	cmd.Flags().BoolVar(&static, "static", false, "fire nothing; look only at files")
	withUser(cmd.Flags(), &user)
	return cmd
}

func (a *app) checkHooks(cmd *cobra.Command, static, user bool) error {
	if len(a.suites) > 0 {
		return errors.New("--suite does not go with check: it judges registered hooks, not cases (--filter names hooks)")
	}
	filter := a.filter
	a.filter = "" // of hooks here, not of cases
	p, err := a.loadWithUser(user)
	if err != nil {
		return err
	}
	if len(p.Registered.Hooks)+len(p.Registered.Others)+len(p.Registered.Problems)+len(p.Scripts())+len(p.Stray) == 0 {
		return p.Empty
	}
	began := time.Now()
	tree := checkTree(p, os.Environ())
	if tree.Named = filter; filter != "" && len(hooksToCheck(tree)) == 0 {
		return fmt.Errorf("no registered hook has %q in its ID, its command or its script (hookwatch list --hooks shows them)", filter)
	}
	res, err := a.asked(cmd, p, tree, static)
	if err != nil {
		return err
	}
	doc := newCheckDocument(p, res, time.Since(began))
	if err := a.print(doc, len(doc.Findings), doc.Line, func(w io.Writer) { printCheck(w, doc, a.verbose) }); err != nil {
		return err
	}
	if doc.Errors > 0 || a.strict && doc.Warnings > 0 {
		return ErrFailed
	}
	return nil
}

// asked fires the hooks, unless only files are to be looked at.
func (a *app) asked(cmd *cobra.Command, p *project.Project, tree conform.Tree, static bool) (checkResult, error) {
	if static {
		return runCheck(cmd.Context(), tree, nil, 0, nil)
	}
	if cmd.Flags().Changed("timeout") {
		tree.Timeout = p.Config.Run.Timeout
	}
	r, close, err := a.bare(p)
	if err != nil {
		return checkResult{}, err
	}
	defer close()
	jobs, err := jobs(p)
	if err != nil {
		return checkResult{}, err
	}
	r.KeepReady(jobs)
	shown := newProgressLine(cmd.ErrOrStderr(), terminal.Is(cmd.ErrOrStderr()) && !a.verbose, len(hooksToCheck(tree)))
	defer shown.End()
	res, err := runCheck(cmd.Context(), tree, r, jobs, shown.Show)
	res.ranIn = ranIn{string(r.Isolation), r.Weaker}
	return res, err
}
