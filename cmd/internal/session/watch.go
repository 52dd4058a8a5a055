package session

import (
	"context"
	"errors"
	"slices"
	"time"

	"hookwatch/cmd/internal/notify"
	"hookwatch/cmd/internal/project"
	"hookwatch/cmd/internal/session/decide"
	"hookwatch/suites"
	"hookwatch/suites/depend/trace"
	"hookwatch/suites/plan"
	"hookwatch/watcher"
)

// Watch runs what is stale, then follows saves until the context ends or a
// person quits. Records of cases that were running then are not kept.
func (e *Session) Watch(ctx context.Context, in WatchOptions) Summary {
	w := &watch{
		Session: e, in: in, settled: time.NewTimer(time.Hour),
		rest: decide.NewAtRest(), idle: idling{done: make(chan *tracedRun)},
	}
	w.settled.Stop()
	defer w.settled.Stop()
	e.equipment.KeepReady(min(e.equipment.Jobs, keptReady))
	defer w.leave()
	w.idle.lack(e.project.Every())
	e.ran = func(c *suites.Case) { w.idle.lack([]*suites.Case{c}) }
	selected := w.selectStale(ctx)
	in.Started.Watched = in.Watcher.Files()
	e.opts.View.Handle(in.Started)
	w.begin(ctx, selected, false)
	if e.run == nil {
		w.waitToSettle()
	}
	for {
		if e.run != nil && !e.underway() {
			w.ended()
		}
		if e.run != nil {
			e.fill(ctx)
		}
		select {
		case x := <-e.results:
			e.finish(ctx, x)
		case b := <-in.Watcher.Batches():
			w.changed(ctx, b)
		case text := <-in.Notes:
			e.warn(text)
		case c := <-in.Commands:
			if c == Quit {
				return w.stop()
			}
			w.command(ctx, c)
		case <-w.settled.C:
			w.tell(ctx)
		case t := <-w.idle.done:
			w.idled(ctx, t)
		case t := <-w.idle.trial:
			w.tried(ctx, t)
		case <-ctx.Done():
			return w.stop()
		}
	}
}

// ended closes the run, and lets its news settle.
func (w *watch) ended() {
	w.equipment.Runner.CancelPrewarm()
	sum := w.end(false)
	w.lastRun = sum.RunID
	w.rest.Rest()
	w.waitToSettle()
}

// tell says what is new, once nothing changes any more; a failure that was seen
// only once is reproduced first.
func (w *watch) tell(ctx context.Context) {
	if w.run != nil || w.paused {
		return // its end starts the wait anew
	}
	if w.knowledge.Freshness.Recheck() || w.knowledge.Freshness.Noticed() {
		w.begin(ctx, w.selectStale(ctx), true)
		if w.run != nil {
			return
		}
	}
	if again := decide.Reproduce(w.project.FindAll(w.news.Unconfirmed()), w.again); len(again) > 0 {
		w.again = true
		w.begin(ctx, plan.WithControls(plan.All(again, "its failure is reproduced"), w.project.Every()), true)
		return
	}
	w.announce(w.lastRun, w.again)
	w.again = false
	if selected := w.auditSome(); len(selected) > 0 {
		w.begin(ctx, selected, true)
		return
	}
	w.whileIdle(ctx)
}

func (w *watch) stop() Summary {
	if w.run == nil {
		return Summary{RecordError: w.filing.Err()}
	}
	for _, x := range w.running {
		x.cancel()
	}
	w.drain()
	return w.end(true)
}

// WatchOptions are what a watching engine needs beyond an engine.
type WatchOptions struct {
	Started  notify.Started // reported with the number of files that are watched, once that is known
	Watcher  *watcher.Watcher
	Notes    <-chan string // lines of the watcher that a person should read
	Commands <-chan Command
	Reload   func() (*project.Project, []suites.Problem)
}

// A watch is an engine that follows the files.
type watch struct {
	*Session
	in       WatchOptions
	settled  *time.Timer // runs while there may be news that has to settle
	troubled bool        // configuration or suites have problems
	lastRun  string
	followed []string // files that the watcher follows for the cases' sake
	again    bool     // failures that were seen once have been run again
	rest     *decide.AtRest
	idle     idling
	toAudit  []*suites.Case   // not affected by the latest save
	toReload bool             // hooks were seen to stop more than the project has cases of
	warned   *project.Project // whose directories were reported as too many
}

// An idling engine makes the traces that are missing, one at a time, until
// something is saved.
type idling struct {
	untraced map[suites.Key]bool // cases that may lack a trace
	done     chan *tracedRun
	trial    chan *trialRun     // of the hook that is tried; nil while none is
	cancel   context.CancelFunc // of what is running; nil when nothing is
	ctx      context.Context
	by       *trace.Scripts
}

// lack notes cases whose traces have to be looked for.
func (i *idling) lack(cases []*suites.Case) {
	if i.untraced == nil {
		i.untraced = make(map[suites.Key]bool)
	}
	for _, c := range cases {
		i.untraced[c.Key()] = true
	}
}

// stop stops what can wait: what is to be done now needs the machine.
func (i *idling) stop() {
	i.by = nil // files may have changed
	if i.cancel != nil {
		i.cancel()
	}
}

// waitToSettle waits anew until nothing changes any more.
func (w *watch) waitToSettle() { w.settled.Reset(w.project.Config.Notify.Settle) }

// selectStale selects what is stale, and lets the watcher follow what the graph
// has come to know by it: a file that a hook sources from anywhere.
func (w *watch) selectStale(ctx context.Context) []plan.Selected {
	w.knowledge.Freshness.Selected()
	for {
		selected := w.Stale()
		now := w.project.Graph.Files()
		if slices.Equal(now, w.followed) {
			return selected
		}
		w.followed = now
		// What only now is followed was read anew: it may have changed since.
		if err := Follow(ctx, w.project, w.in.Watcher); err != nil {
			w.warnOf(err)
			return selected
		}
	}
}

// warnOf tells of an error, unless it is that the engine ends.
func (w *watch) warnOf(err error) {
	if !errors.Is(err, context.Canceled) {
		w.warn(err.Error())
	}
}

// begin starts what is selected, if anything is, and tells of it.
func (w *watch) begin(ctx context.Context, selected []plan.Selected, quiet bool) {
	if len(selected) == 0 {
		return
	}
	w.startRun(ctx, selected, quiet)
	w.begun()
}

// startRun starts what is selected before anything is written of it: the hooks
// are what a person waits for.
func (w *watch) startRun(ctx context.Context, selected []plan.Selected, quiet bool) {
	if w.run == nil {
		w.open(false)
		w.run.Quiet = quiet
	}
	w.run.Quiet = w.run.Quiet && quiet
	w.lineUp(selected, false)
	w.fill(ctx)
}

// Follow lets a watcher that began with project.FirstInterest follow the project as
// it was read since. What only now comes into its sight is read once more. It is
// given up as soon as ctx ends.
func Follow(ctx context.Context, p *project.Project, w *watcher.Watcher) error {
	i := p.Interest()
	if err := unlessEnded(ctx, func() error { return w.SetInterest(i) }); err != nil {
		return err
	}
	p.Graph.Refresh(p.Late())
	p.Graph.RefreshElsewhere()
	return nil
}

// unlessEnded gives what f does, or why ctx ended before that: f goes on then, and nobody
// waits for it any more. What is read of files can be called off in no other way.
func unlessEnded(ctx context.Context, f func() error) error {
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
