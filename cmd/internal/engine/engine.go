// Package engine is the loop: events come in, decisions are asked for, and their effects
// are carried out. What to do is decided elsewhere, by values.
//
// The way of one save, station by station:
//
//   - watcher: events of the file system become a Batch, each file of which was read once;
//   - cmd/internal/project: what is loaded, anew if the save changes the project's shape;
//   - suites/selection: which cases the change affects, and why, asked by engine/state;
//   - cmd/internal/engine: cancels what is superseded, queues what is affected, starts it;
//   - suites/run: a case's steps become an Outcome, in the sandbox that engine/equipment chose;
//   - suites/verdict: the Outcome is judged, proven by its control, compared with the one before;
//   - suites/record: the record is appended, and the run filed, by engine/filing;
//   - cmd/internal/notify: the verdict is shown, and what is news told once it has settled.
package engine

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"hookwatch/cmd/internal/engine/decide"
	"hookwatch/cmd/internal/engine/equipment"
	"hookwatch/cmd/internal/engine/filing"
	"hookwatch/cmd/internal/engine/state"
	"hookwatch/cmd/internal/notify"
	"hookwatch/cmd/internal/project"
	"hookwatch/suites"
	"hookwatch/suites/plan"
	"hookwatch/suites/record"
	"hookwatch/suites/sandbox"
)

// Options are what an engine is made of.
type Options struct {
	Project *project.Project
	Store   *record.Store // nil: nothing is recorded
	Records record.Place  // where the records are, for what is kept beside them
	View    notify.View
	Temp    string                    // an existing directory of this engine's own, for sandboxes
	Keep    string                    // an existing directory, where sandboxes of failing cases are kept
	Env     []string                  // hookwatch's own; cases get what run.Environment leaves of it
	Jobs    int                       // 0: as the configuration says
	Shuffle uint64                    // seed of a random order; 0 keeps the order
	Rerun   func(k suites.Key) string // the command that runs just one case
	Now     func() time.Time
	Program string // hookwatch's own version
}

// An Engine runs cases and keeps what is known of them. Its methods are to be
// called from one goroutine.
type Engine struct {
	o      Options
	p      *project.Project
	known  *state.State
	with   *equipment.Equipment
	filing *filing.Filing
	news   *plan.News
	audit  *decide.Audit

	awaited bool // the end of the run is, rather than the first answers
	queue   *plan.Queue
	running map[suites.Key]*execution
	held    map[suites.Key]*execution // finished, waiting for the control's verdict
	results chan *execution
	busy    span               // in which hooks ran last
	run     *decide.Run        // in progress; nil: none is
	paused  bool               // nothing can be run: the project's directory is not there
	last    []suites.Key       // selected last, for doing it again
	ran     func(*suites.Case) // told of every verdict
	counts  suites.State       // told last
	first   bool               // nothing was known of the project before this run
}

// New makes an engine over a project and what is on record of it.
func New(o Options, before *record.Snapshot) (*Engine, error) {
	if o.View == nil {
		o.View = notify.Multi()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if before == nil {
		before = new(record.Snapshot)
	}
	e := &Engine{
		o:       o,
		p:       o.Project,
		known:   state.New(o.Project, o.Store, o.Records),
		audit:   decide.NewAudit(),
		queue:   plan.NewQueue(o.Shuffle),
		running: make(map[suites.Key]*execution),
		held:    make(map[suites.Key]*execution),
		results: make(chan *execution),
		ran:     func(*suites.Case) {},
	}
	e.first = len(before.Records) == 0
	e.filing = filing.New(o.Store, o.Program, e.warn)
	e.news = plan.NewNews(e.known.Recall(before))
	var err error
	equipped := equipment.Options{Temp: o.Temp, Env: o.Env, Jobs: o.Jobs, Warn: e.warn}
	if e.with, err = equipment.New(equipped, e.p, e.known.Environment.Tools); err != nil {
		return nil, err
	}
	e.known.Equip(e.with.Tools)
	e.counts = e.State()
	return e, nil
}

func (e *Engine) warn(text string) { e.o.View.Handle(notify.Warning{Text: text}) }

// warnError warns of an error and of what to do about it.
func (e *Engine) warnError(err error) {
	text := err.Error()
	var advised interface{ Advice() []string }
	if errors.As(err, &advised) {
		for _, line := range advised.Advice() {
			text += "; " + strings.TrimSpace(line)
		}
	}
	e.warn(text)
}

func (e *Engine) warnf(format string, args ...any) { e.warn(fmt.Sprintf(format, args...)) }

// Isolation returns the isolation in which hooks run.
func (e *Engine) Isolation() sandbox.Choice { return e.with.Isolation() }

// Outside returns why the real client is not started in the project, "" where it is.
func (e *Engine) Outside() string { return e.with.Runner.Outside() }

// State counts all of the project's cases by their verdicts on record.
func (e *Engine) State() suites.State {
	t := e.known.Verdicts.Tally(e.p.Every())
	return suites.State{Tally: t, NotRun: len(e.p.Every()) - t.Total()}
}

// Stale selects what changed since the last run affects, and controls.
func (e *Engine) Stale() []plan.Selected {
	return e.known.Stale(func(k suites.Key) *suites.Digests {
		if x := e.running[k]; x != nil && !x.stale {
			return &x.digests
		}
		if x := e.held[k]; x != nil {
			return &x.digests
		}
		return nil
	})
}

// kept is where sandboxes of failing cases are kept.
func (e *Engine) kept() sandbox.Kept {
	return sandbox.Kept{Dir: e.o.Keep, Count: e.p.Config.Sandbox.Keep, Size: int64(e.p.Config.Sandbox.KeepSize)}
}

// pending reports whether a case of the current run is still to have its own verdict.
func (e *Engine) pending(k suites.Key) bool { return e.queue.Has(k) || e.running[k] != nil }

// underway reports whether the current run goes on.
func (e *Engine) underway() bool { return e.queue.Len()+len(e.running)+len(e.held) > 0 }

// enqueue lets a case wait in its rank.
func (e *Engine) enqueue(c *suites.Case) {
	rank := plan.Rank{Control: e.p.IsControl(c.Key()), Order: e.p.Order(c.Key()), Awaited: e.awaited}
	if before := e.known.Verdicts.Present(c.Key()); before != nil {
		rank.Failed, rank.Duration = !before.Status.OK(), before.Duration
	}
	e.queue.Add(c, rank)
}

// drop takes a case out of the current run, with the verdict that it may have
// had there: that one is never filed, so it must not count if the case comes back.
func (e *Engine) drop(k suites.Key) {
	e.run.Drop(k)
	if last := e.known.Verdicts.Present(k); last != nil && last.Run == e.run.ID {
		e.known.Verdicts.Withdraw(k)
	}
}

// Announce tells what the run made worse or better, without waiting for a
// failure to be reproduced.
func (e *Engine) Announce(runID string) { e.announce(runID, true) }

// announce tells what got worse and what got better. Unless all is asked for,
// a failure waits until it was reproduced.
func (e *Engine) announce(runID string, all bool) {
	if regressions, resolved := e.news.Take(all); len(regressions)+len(resolved) > 0 {
		e.o.View.Handle(notify.Transitions{
			RunID: runID, Project: e.p.Name(), Regressions: regressions, Resolved: resolved,
		})
	}
}
