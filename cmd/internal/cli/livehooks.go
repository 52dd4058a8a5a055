package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"hookwatch/cmd/internal/check"
	"hookwatch/cmd/internal/cli/exit"
	"hookwatch/cmd/internal/cli/livehooks"
	"hookwatch/cmd/internal/engine/sandboxes"
	"hookwatch/cmd/internal/live"
	"hookwatch/cmd/internal/notify"
)

func (a *app) liveCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "live",
		Short: "Have the real client fire every registered hook once, and show what it did",
		Long: `Start the real client in a sandbox, against a scripted model and without your login
or settings (see hookwatch help client), and have it fire every command hook that is
registered, each once, with a call that its matcher lets through. For each hook: whether
it was fired, or why not; what it returned; what the client did, and what of it the
model was sent. A call runs all hooks that are registered for it.

Nothing is judged and nothing recorded. Exit code 1: the client itself failed. Exit
code 3: it did otherwise than hookwatch foretells, which is an error of hookwatch's.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.liveHooks(cmd.Context()) },
	}
}

func (a *app) liveHooks(ctx context.Context) error {
	p, err := a.loadHooks()
	if err != nil {
		return err
	}
	if len(p.Registered.Hooks)+len(p.Registered.Others) == 0 && p.Registered.DisabledBy.Line == 0 {
		return p.Empty
	}
	r, temp, err := a.bare(p)
	if err != nil {
		return err
	}
	defer sandboxes.New(p.Root()).Close(temp)
	defer r.Close()
	began := time.Now()
	jobs := p.Config.Run.Jobs
	if jobs == 0 {
		jobs = runtime.NumCPU()
	}
	res, err := live.Run(ctx, check.TreeOf(p, os.Environ()), r, jobs)
	if err != nil {
		return err
	}
	doc := livehooks.New(p, string(r.Isolation), res, time.Since(began).Milliseconds())
	if err := a.print(doc, len(doc.Hooks), func(i int) any { return doc.Hooks[i] }, func(w io.Writer) { livehooks.Text(w, doc, a.verbose) }); err != nil {
		return err
	}
	return contradicted(doc.Client, doc.Contradicted(), doc.Faulty())
}

// contradicted is the error, if any, that a live session amounts to.
func contradicted(client string, wrong, faulty int) error {
	switch {
	case wrong > 0:
		return &exit.AbortedError{
			Why:  fmt.Sprintf("hookwatch is wrong about %s: client %s does otherwise than it foretells", notify.Count(wrong, "hook"), client),
			Next: []string{"  this is an error of hookwatch's, not of the hooks: please report it with the output of --format json"},
		}
	case faulty > 0:
		return exit.ErrFailed
	default:
		return nil
	}
}
