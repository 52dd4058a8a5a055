package session

import (
	"context"
	"maps"
	"slices"
	"time"

	"hookwatch/cmd/internal/notify"
	"hookwatch/cmd/internal/project"
	"hookwatch/suites"
	"hookwatch/suites/plan"
	"hookwatch/watcher"
)

// A Command is what a person at the keyboard asks of a watching session.
type Command int

// The commands.
const (
	RunAll Command = iota + 1
	RunFailed
	RunAgain // the last selection
	ShowHelp
	Quit
)

// WatchOptions are what a watching session needs beyond a session.
type WatchOptions struct {
	Watcher  *watcher.Watcher
	Notes    <-chan string // lines of the watcher that a person should read
	Commands <-chan Command
	Reload   func() (*project.Project, []suites.Problem)
}

// A watch is a session that follows the files.
type watch struct {
	*Session
	o        WatchOptions
	settled  *time.Timer // runs while there may be news that has to settle
	troubled bool        // configuration or suites have problems
	lastRun  string
	followed []string          // files that the watcher follows for the cases' sake
	again    bool              // failures that were seen once have been run again
	rest     map[string]string // digests of changed files when nothing was left to run
	latest   map[string]string // their digests now
	idle     idling
	toAudit  []*suites.Case // not affected by the latest save
}

// keptReady bounds the supervisors that wait for a save: the first cases of a
// selection are what a person waits for.
const keptReady = 2

// Watch runs what is stale, then follows saves until the context ends or a
// person quits. Records of cases that were running then are not kept.
func (s *Session) Watch(ctx context.Context, o WatchOptions) Summary {
	w := &watch{
		Session: s, o: o, settled: time.NewTimer(time.Hour),
		rest: make(map[string]string), latest: make(map[string]string),
		idle: idling{done: make(chan *tracedRun)},
	}
	w.settled.Stop()
	defer w.settled.Stop()
	s.ready = min(s.jobs, keptReady)
	s.runner.KeepReady(s.ready)
	defer w.leave()
	w.idle.lack(s.p.Every())
	s.ran = func(c *suites.Case) { w.idle.lack([]*suites.Case{c}) }
	w.begin(ctx, w.selectStale(ctx), false)
	if s.current == nil {
		w.settled.Reset(s.p.Config.Notify.Settle)
	}
	for {
		if s.current != nil && !s.underway() {
			w.ended()
		}
		if s.current != nil {
			s.fill(ctx)
		}
		select {
		case e := <-s.results:
			s.finish(ctx, e)
		case b := <-o.Watcher.Batches():
			w.changed(ctx, b)
		case text := <-o.Notes:
			s.o.View.Handle(notify.Warning{Text: text})
		case c := <-o.Commands:
			if c == Quit {
				return w.stop()
			}
			w.command(ctx, c)
		case <-w.settled.C:
			w.tell(ctx)
		case t := <-w.idle.done:
			w.idled(ctx, t)
		case <-ctx.Done():
			return w.stop()
		}
	}
}

// selectStale selects what is stale, and lets the watcher follow what the graph
// has come to know by it: a file that a hook sources from anywhere.
func (w *watch) selectStale(ctx context.Context) []plan.Selected {
	w.stamps.noticed = false
	for {
		selected := w.stale()
		now := w.p.Graph.Files()
		if slices.Equal(now, w.followed) {
			return selected
		}
		w.followed = now
		// What only now is followed was read anew: it may have changed since.
		if err := Follow(ctx, w.p, w.o.Watcher); err != nil {
			w.warn(err)
			return selected
		}
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
	if w.current == nil {
		w.open(false)
		w.current.quiet = quiet
	}
	w.current.quiet = w.current.quiet && quiet
	w.lineUp(selected, false)
	w.fill(ctx)
}

// ended closes the run, and lets its news settle.
func (w *watch) ended() {
	w.runner.CancelPrewarm()
	sum := w.end(false)
	w.lastRun = sum.RunID
	w.rests()
	w.settled.Reset(w.p.Config.Notify.Settle)
}

// rests notes what the changed files hold now that nothing is left to run. A file
// that is not there is as one that was never heard of.
func (w *watch) rests() {
	maps.Copy(w.rest, w.latest)
	maps.DeleteFunc(w.rest, func(_, digest string) bool { return digest == "" })
	clear(w.latest)
}

// tell says what is new, once nothing changes any more; a failure that was seen
// only once is reproduced first.
func (w *watch) tell(ctx context.Context) {
	if w.current != nil || w.paused {
		return // its end starts the wait anew
	}
	if w.recheck() || w.stamps.noticed {
		w.begin(ctx, w.selectStale(ctx), true)
		if w.current != nil {
			return
		}
	}
	var again []*suites.Case
	for _, k := range w.news.Unconfirmed() {
		if c := w.p.Find(k); c != nil {
			again = append(again, c)
		}
	}
	if len(again) > 0 && !w.again {
		w.again = true
		w.begin(ctx, plan.WithControls(plan.All(again, "its failure is reproduced"), w.p.Every()), true)
		return
	}
	// What changes its own inputs never fails twice on the same content.
	w.announce(w.lastRun, w.again)
	w.again = false
	if selected := w.auditSome(); len(selected) > 0 {
		w.begin(ctx, selected, true)
		return
	}
	w.whileIdle(ctx)
}

func (w *watch) stop() Summary {
	if w.current == nil {
		return Summary{RecordError: w.recordError}
	}
	for _, e := range w.running {
		e.cancel()
	}
	w.drain()
	return w.end(true)
}

func (w *watch) command(ctx context.Context, c Command) {
	var selected []plan.Selected
	switch c {
	case ShowHelp:
		w.Session.o.View.Handle(notify.Help{})
		return
	case RunAll:
		selected = plan.All(w.p.Cases, "asked for all")
	case RunFailed:
		selected = plan.All(w.failed(), "it failed")
	case RunAgain:
		selected = plan.All(w.p.FindAll(w.last), "asked for again")
	case Quit: // the loop's own
	}
	if w.paused {
		w.say("%s is gone: nothing can be run", w.p.Root())
		return
	}
	if len(selected) == 0 {
		w.Session.o.View.Handle(notify.Warning{Text: "no case to run"})
		return
	}
	w.busy()
	w.begin(ctx, plan.WithControls(selected, w.p.Every()), false)
}

// failed lists the cases whose verdict on record is a failure.
func (s *Session) failed() []*suites.Case {
	var out []*suites.Case
	for _, c := range s.p.Cases {
		if last, ok := s.present[c.Key()]; ok && (!last.status.OK() || last.status == suites.Unproven) {
			out = append(out, c)
		}
	}
	return out
}
