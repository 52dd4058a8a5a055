package cli

import (
	"context"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"hookwatch/cmd/internal/check"
	"hookwatch/cmd/internal/cli/fire"
	"hookwatch/cmd/internal/cli/livehooks"
	"hookwatch/cmd/internal/live"
	"hookwatch/suites"
	"hookwatch/suites/discover"
)

func (a *app) liveCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "live",
		Short: "Let the real client fire every registered hook once",
		Long:  livehooks.Long,
		Args:  noArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return a.liveHooks(cmd.Context()) },
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
	r, close, err := a.bareLive(p)
	if err != nil {
		return err
	}
	defer close()
	jobs, err := jobs(p)
	if err != nil {
		return err
	}
	began := time.Now()
	res, err := live.Run(ctx, check.TreeOf(p, os.Environ()), r, jobs)
	if err != nil {
		return err
	}
	doc := livehooks.New(p, string(r.Isolation), res, time.Since(began).Milliseconds())
	if err := a.print(doc, len(doc.Hooks), doc.Line, func(w io.Writer) { livehooks.Text(w, doc, a.verbose) }); err != nil {
		return err
	}
	return livehooks.Contradicted(doc.Client, doc.Contradicted(), doc.Faulty())
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
	r, close, err := a.bareLive(p)
	if err != nil {
		return err
	}
	defer close()
	r.Live.Alone = c.Hook != ""
	if c = live.Asked(c); len(live.Fires(r, c)) == 0 {
		return fire.Nothing(c)
	}
	o, err := live.Fire(ctx, r, c)
	if err != nil {
		return err
	}
	doc, err := fire.NewLive(c, o)
	if err != nil {
		return err
	}
	doc.Isolation, doc.IsolationWhy = string(r.Isolation), r.Weaker
	if err := a.print(doc, len(doc.Hooks), doc.Line, func(w io.Writer) { fire.Text(w, doc) }); err != nil {
		return err
	}
	return livehooks.Contradicted(doc.Live.Client, doc.Wrong(), doc.Faulty())
}
