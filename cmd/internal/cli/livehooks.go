package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hookwatch/cmd/internal/check"
	"hookwatch/cmd/internal/cli/fire"
	"hookwatch/cmd/internal/cli/livehooks"
	"hookwatch/cmd/internal/engine/sandboxes"
	"hookwatch/cmd/internal/live"
	"hookwatch/suites"
	"hookwatch/suites/discover"
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
	return fire.Contradicted(doc.Client, doc.Contradicted(), doc.Faulty())
}

// fireLive has the client fire what is registered for an event, or one script.
func (a *app) fireLive(ctx context.Context, c *suites.Case) error {
	p, err := a.loadHooks()
	if err != nil {
		return err
	}
	if c.Hook != "" {
		c.Hook = p.RelFrom(dirOf(a), c.Hook)
		p.Registered.Hooks = []discover.Hook{live.Script(p.Root(), c)}
	}
	r, temp, err := a.bare(p)
	if err != nil {
		return err
	}
	defer sandboxes.New(p.Root()).Close(temp)
	defer r.Close()
	r.Live.Alone = c.Hook != ""
	if c = live.Asked(c); len(live.Fires(r, c)) == 0 {
		return nothingFires(c)
	}
	o, err := live.Fire(ctx, r, c)
	if err != nil {
		return err
	}
	doc, err := fire.NewLive(c, o)
	if err != nil {
		return err
	}
	if err := a.print(doc, len(doc.Hooks), func(i int) any { return doc.Hooks[i] }, func(w io.Writer) { fire.Text(w, doc) }); err != nil {
		return err
	}
	return doc.Live.Verdict(len(doc.Hooks))
}

func nothingFires(c *suites.Case) error {
	return fmt.Errorf("no hook is registered for %s (hookwatch fire --hook SCRIPT fires one that is not)", strings.TrimSpace(c.Steps[0].Event+" "+c.Steps[0].Tool))
}
