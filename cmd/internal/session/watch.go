package session

import (
	"context"
	"errors"
	"slices"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/check"
	"hookwatch/suites/depend/trace"
	"hookwatch/suites/run"
	"hookwatch/suites/verdict"
	"hookwatch/watcher"
)

// Watch runs stale cases, then follows saves until the context ends or the user quits. Records of
// cases that are running at that moment are not kept.
func (e *Session) Watch(ctx context.Context, in WatchOptions) Summary {
	w := &watch{
		session: e, in: in, settled: time.NewTimer(time.Hour),
		rest: &atRest{make(map[string]string), make(map[string]string)}, checks: checking{due: in.Check != nil},
	}
	w.settled.Stop()
	defer w.settled.Stop()
	e.equipment.KeepReady(min(e.equipment.Jobs, keptReady))
	defer w.leave()
	w.idle.lack(e.project.Every())
	e.ran = func(c *suites.Case) { w.idle.lack([]*suites.Case{c}) }
	selected := w.selectStale(ctx)
	if in.Check != nil {
		failed := verdict.All(e.knowledge.Verdicts.FailedCases(e.project.Cases), "the line at which it failed is not on record")
		selected = verdict.WithControls(append(failed, selected...), e.project.Every())
	}
	in.Started.Watched = in.Watcher.Files()
	e.opts.View.Handle(in.Started)
	w.begin(ctx, selected, false)
	if e.run == nil {
		w.present()
		w.waitToSettle()
	}
	for {
		if e.run != nil && !e.underway() {
			w.session.equipment.Runner.CancelPrewarm()
			sum := w.session.end(false)
			w.lastRun = sum.RunID
			w.rest.Rest()
			w.present()
			w.waitToSettle()
		}
		if e.run != nil {
			e.fill(ctx)
		}
		select {
		case x := <-e.results:
			e.finish(ctx, x)
		case <-e.second.C:
			e.showRunning()
		case b := <-in.Watcher.Batches():
			w.handleBatch(ctx, b)
		case text := <-in.Notes:
			e.warn(text)
		case c := <-in.Commands:
			if c == Quit {
				return w.stop()
			}
			w.command(ctx, c)
		case <-w.settled.C:
			w.announce(ctx)
		case take := <-w.idle.done:
			w.session.busy.stop(w.session.opts.Now())
			over := w.idle.ctx.Err() != nil
			w.idle.cancel()
			w.idle.cancel, w.idle.done = nil, nil
			take(over)
			w.whileIdle(ctx)
		case <-ctx.Done():
			return w.stop()
		}
	}
}

// announce announces news once nothing changes any more. It first reproduces failures that were seen
// only once, and afterwards starts the work for idle times.
func (w *watch) announce(ctx context.Context) {
	if w.session.run != nil || w.session.paused {
		return // ended starts the wait again
	}
	if w.session.knowledge.Tracker.Recheck() || w.session.knowledge.Tracker.HasNoticed() {
		w.begin(ctx, w.selectStale(ctx), true)
		if w.session.run != nil {
			return
		}
	}
	if again := toReproduce(w.session.project.FindAll(w.session.news.ListUnconfirmed()), w.again); len(again) > 0 {
		w.again = true
		w.begin(ctx, verdict.WithControls(verdict.All(again, "its failure is reproduced"), w.session.project.Every()), true)
		return
	}
	w.session.announce(w.lastRun, w.again)
	w.again = false
	if selected := w.auditSome(); len(selected) > 0 {
		w.begin(ctx, selected, true)
		return
	}
	w.whileIdle(ctx)
}

func (w *watch) stop() Summary {
	if w.session.run == nil {
		return Summary{RecordError: w.session.filing.Err()}
	}
	w.session.opts.Closing()
	for _, x := range w.session.running {
		x.cancel()
	}
	w.session.drain()
	return w.session.end(true)
}

// WatchOptions are the additional parameters of Watch.
type WatchOptions struct {
	Started  Started // shown first, with the number of watched files added
	Watcher  *watcher.Watcher
	Notes    <-chan string // messages of the watcher for the user
	Commands <-chan Command
	Prove    ProveFunc // nil if nothing is to be proved
	// Check judges the registered hooks, and fires those that changed since its last call. If it is nil,
	// nothing is checked.
	Check  func(context.Context, *Project, *run.Runner) ([]check.Finding, error)
	Reload func() (*Project, []suites.Problem)
}

// A watch is a session that follows saves.
type watch struct {
	session  *Session
	in       WatchOptions
	settled  *time.Timer // runs while news may have to settle
	troubled bool        // configuration or suites have problems
	lastRun  string
	followed []string // files that the watcher follows because cases depend on them
	again    bool     // failures that were seen once have been run again
	rest     *atRest
	idle     idling
	proofs   proving
	checks   checking
	toAudit  []*suites.Case // cases unaffected by the latest save
	toReload bool           // hooks stopped inputs for which the project has no cases yet
	warned   *Project       // the project whose excess of directories has been reported
}

// idling holds the work of a watch in idle times, one missing trace, trial, proof or check at a time,
// until something is saved.
type idling struct {
	untraced map[suites.Key]bool  // cases that may lack a trace
	done     chan func(over bool) // takes the result of the running work; nil if none
	cancel   context.CancelFunc   // of the running work; nil if none
	ctx      context.Context
	by       *trace.Scripts
}

// background starts work that a save interrupts. It returns a function that takes the result in the loop
// of the watch, and gets whether the work was interrupted.
func (w *watch) background(ctx context.Context, work func(context.Context) (take func(over bool))) {
	done := make(chan func(bool), 1)
	w.idle.done = done
	w.idle.ctx, w.idle.cancel = context.WithCancel(ctx)
	ctx = w.idle.ctx
	w.session.busy.start(w.session.opts.Now())
	go func() { done <- work(ctx) }()
}

// lack records cases whose traces must be checked.
func (i *idling) lack(cases []*suites.Case) {
	if i.untraced == nil {
		i.untraced = make(map[suites.Key]bool)
	}
	for _, c := range cases {
		i.untraced[c.Key()] = true
	}
}

// stop cancels idle work, because the next work needs the machine.
func (i *idling) stop() {
	i.by = nil // files may have changed
	if i.cancel != nil {
		i.cancel()
	}
}

// waitToSettle restarts the wait until nothing changes any more.
func (w *watch) waitToSettle() { w.settled.Reset(w.session.project.Config.Notify.Settle) }

// selectStale selects the stale cases. It makes the watcher follow files that the graph discovers
// meanwhile, such as a file that a hook sources from outside the project.
func (w *watch) selectStale(ctx context.Context) []verdict.Selected {
	w.session.knowledge.Tracker.noticed = false // a selection reads all files
	for {
		selected := w.session.Stale()
		now := w.session.project.Graph.Files()
		if slices.Equal(now, w.followed) {
			return selected
		}
		w.followed = now
		// Newly followed files were read again: they may have changed before they were followed.
		if err := Follow(ctx, w.session.project, w.in.Watcher); err != nil {
			w.warnOf(err)
			return selected
		}
	}
}

// warnOf warns of an error, unless the session is ending.
func (w *watch) warnOf(err error) {
	if !errors.Is(err, context.Canceled) {
		w.session.warn(err.Error())
	}
}

// begin starts and announces the selected cases, if there are any.
func (w *watch) begin(ctx context.Context, selected []verdict.Selected, quiet bool) {
	if len(selected) == 0 {
		return
	}
	w.startRun(ctx, selected, quiet)
	w.session.announceRun()
}

// startRun starts the selected cases before any record is written, because the user waits for the
// hooks.
func (w *watch) startRun(ctx context.Context, selected []verdict.Selected, quiet bool) {
	if w.session.run == nil {
		w.session.open(false)
		w.session.run.Quiet = quiet
	}
	w.session.run.Quiet = w.session.run.Quiet && quiet
	w.session.enqueueAll(selected, false)
	w.session.fill(ctx)
}

// Follow makes a watcher that started with FirstInterest follow the project as loaded
// since then. Newly followed files are read once more. Follow returns early if ctx ends.
func Follow(ctx context.Context, p *Project, w *watcher.Watcher) error {
	i := interestOf(p)
	if err := unlessEnded(ctx, func() error { return w.SetInterest(i) }); err != nil {
		return err
	}
	p.Graph.Refresh(late(p))
	p.Graph.RefreshElsewhere()
	return nil
}

// unlessEnded returns the result of f, or the cause if ctx ends first. In that case f continues
// in the background, because reading files cannot be cancelled.
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

// A Command is a request from the user at the keyboard to a watching session.
type Command interface{ command() }

// An Action is a command without parameters.
type Action int

// The actions.
const (
	RunAll Action = iota + 1
	RunFailed
	RunAgain // the last selection
	Cancel   // the run in progress
	Prove    // the guard saved last
	Quit
)

// Matching runs the cases for which it returns true.
type Matching func(c *suites.Case) bool

// A Show sends the view an event made from the present cases and the failing ones. Done, if not
// nil, is closed after the view has handled it.
type Show struct {
	Event func(cases, failed []*suites.Case) Event
	Done  chan<- struct{}
}

// A Suspend stops all cases from when Ready is closed until Resume is, because the program is about to
// be suspended while the timeouts of running cases would continue.
type Suspend struct {
	Ready  chan<- struct{}
	Resume <-chan struct{}
}

func (Action) command()   {}
func (Matching) command() {}
func (Show) command()     {}
func (Suspend) command()  {}

func (w *watch) command(ctx context.Context, c Command) {
	switch c := c.(type) {
	case Show:
		w.session.opts.View.Handle(c.Event(w.session.project.Cases, w.session.knowledge.Verdicts.FailedCases(w.session.project.Cases)))
		if c.Done != nil {
			close(c.Done)
		}
	case Suspend:
		w.suspend(ctx, c)
	case Matching:
		var matching []*suites.Case
		for _, one := range w.session.project.Cases {
			if c(one) {
				matching = append(matching, one)
			}
		}
		w.runRequested(ctx, verdict.All(matching, "it matches"))
	case Action:
		w.do(ctx, c)
	}
}

func (w *watch) do(ctx context.Context, d Action) {
	switch d {
	case RunAll:
		w.runRequested(ctx, verdict.All(w.session.project.Cases, "asked for all"))
	case RunFailed:
		w.runRequested(ctx, verdict.All(w.session.knowledge.Verdicts.FailedCases(w.session.project.Cases), "it failed"))
	case RunAgain:
		w.runRequested(ctx, verdict.All(w.session.project.FindAll(w.session.last), "asked for again"))
	case Prove:
		w.proofs.asked = true
		w.idle.stop()
		w.whileIdle(ctx)
	case Cancel:
		w.cancel()
	case Quit: // handled by the loop
	}
}

// runRequested runs the cases that the user requested.
func (w *watch) runRequested(ctx context.Context, selected []verdict.Selected) {
	switch {
	case w.session.paused:
		w.session.warnf("%s is gone: nothing can be run", w.session.project.Root())
	case len(selected) == 0:
		w.session.warn("no case to run")
	default:
		w.idle.stop()
		w.begin(ctx, verdict.WithControls(selected, w.session.project.Every()), false)
	}
}

// cancel ends the run. Cases that did not run remain stale, and run with the next save or when
// requested.
func (w *watch) cancel() {
	if w.session.run == nil {
		return
	}
	for _, x := range w.session.running {
		x.cancel()
	}
	w.session.drain()
	w.session.run.Quiet = false
	w.session.run.Aborted = "cancelled: what did not run does so with the next save, or by Enter"
	w.lastRun = w.session.end(true).RunID
	w.rest.Rest()
	w.session.opts.View.Handle(Rested{})
}

// suspend keeps all cases from running while the program is suspended.
func (w *watch) suspend(ctx context.Context, h Suspend) {
	w.idle.stop()
	for _, x := range w.session.running {
		x.supersede()
	}
	for len(w.session.running) > 0 {
		w.session.finish(ctx, <-w.session.results)
	}
	w.session.opts.View.Handle(Suspended{})
	close(h.Ready)
	select {
	case <-h.Resume:
	case <-ctx.Done():
	}
	w.session.opts.View.Handle(Resumed{})
}
