package cli

import (
	"context"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"hookwatch/suites"
	"hookwatch/suites/discover"
)

func (a *app) liveCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "live",
		Short: "Let the real client fire every registered hook once",
		Long:  long,
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
	res, err := runLive(ctx, checkTree(p, os.Environ()), r, jobs)
	if err != nil {
		return err
	}
	doc := newLiveDocument(p, ranIn{string(r.Isolation), r.Weaker}, res, time.Since(began).Milliseconds())
	if err := a.print(doc, len(doc.Hooks), doc.Line, func(w io.Writer) { printLive(w, doc, a.verbose) }); err != nil {
		return err
	}
	return contradicted(doc.Client, doc.Contradicted(), doc.Faulty())
}

// fireLive has the client fire what is registered for an event, or one script.
func (a *app) fireLive(ctx context.Context, c *suites.Case) error {
	p, err := a.loadHooks()
	if err != nil {
		return err
	}
	if c.Hook != "" {
		c.Hook = p.RelFrom(dirOf(a), c.Hook)
		p.Registered.Hooks = []discover.Hook{script(p.Root(), c)}
	}
	r, close, err := a.bareLive(p)
	if err != nil {
		return err
	}
	defer close()
	r.Live.Alone = c.Hook != ""
	if c = askedLive(c); len(firesLive(r, c)) == 0 {
		return nothing(c)
	}
	o, err := fire(ctx, r, c)
	if err != nil {
		return err
	}
	doc, err := newLive(c, o)
	if err != nil {
		return err
	}
	doc.ranIn = ranIn{string(r.Isolation), r.Weaker}
	if err := a.print(doc, len(doc.Hooks), doc.Line, func(w io.Writer) { printFired(w, doc) }); err != nil {
		return err
	}
	return contradicted(doc.Live.Client, doc.Wrong(), doc.Faulty())
}
