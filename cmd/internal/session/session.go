// Package session is the loop: events come in, decide is asked for decisions, and the
// session carries them out.
//
// The way of one save:
//
//   - watcher: events of the file system become a Batch; each file in it was read once
//   - cmd/internal/project: the project, loaded again if the save changes its shape
//   - suites/selection: which cases the change affects, and why
//   - Session: cancels superseded cases, queues affected ones, starts them
//   - suites/run: the steps of a case become an Outcome, in a sandbox from equipment
//   - suites/verdict: the Outcome is judged, proven by its control, compared with the last one
//   - suites/record: the record is appended, and the run is filed (Filing)
//   - cmd/internal/notify: the verdict is shown, and news is sent once it has settled
package session

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"hookwatch/cmd/internal/notify"
	"hookwatch/cmd/internal/project"
	"hookwatch/cmd/internal/session/decide"
	"hookwatch/cmd/internal/session/equipment"
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

// An Session runs cases and keeps what is known of them. Its methods are to be
// called from one goroutine.
type Session struct {
	opts      Options
	project   *project.Project
	knowledge *Knowledge
	equipment *equipment.Equipment
	filing    *Filing
	news      *plan.News
	audit     *decide.Audit

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

// New makes a session over a project and its records.
func New(o Options, before *record.Snapshot) (*Session, error) {
	if o.View == nil {
		o.View = notify.Multi()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if before == nil {
		before = new(record.Snapshot)
	}
	e := &Session{
		opts:      o,
		project:   o.Project,
		knowledge: NewKnowledge(o.Project, o.Store, o.Records),
		audit:     decide.NewAudit(),
		queue:     plan.NewQueue(o.Shuffle),
		running:   make(map[suites.Key]*execution),
		held:      make(map[suites.Key]*execution),
		results:   make(chan *execution),
		ran:       func(*suites.Case) {},
	}
	e.first = len(before.Records) == 0
	e.filing = NewFiling(o.Store, o.Program, e.warn)
	e.news = plan.NewNews(e.knowledge.load(before))
	var err error
	equipped := equipment.Options{Temp: o.Temp, Env: o.Env, Jobs: o.Jobs, Warn: e.warn}
	if e.equipment, err = equipment.New(equipped, e.project, e.knowledge.Environment.Tools); err != nil {
		return nil, err
	}
	e.knowledge.setTools(e.equipment.Tools)
	e.counts = e.State()
	return e, nil
}

func (e *Session) warn(text string) { e.opts.View.Handle(notify.Warning{Text: text}) }

// warnError warns of an error and of what to do about it.
func (e *Session) warnError(err error) {
	text := err.Error()
	var advised interface{ Advice() []string }
	if errors.As(err, &advised) {
		for _, line := range advised.Advice() {
			text += "; " + strings.TrimSpace(line)
		}
	}
	e.warn(text)
}

func (e *Session) warnf(format string, args ...any) { e.warn(fmt.Sprintf(format, args...)) }

// Isolation returns the isolation in which hooks run.
func (e *Session) Isolation() sandbox.Choice { return e.equipment.Isolation() }

// Outside returns why the real client is not started in the project, "" where it is.
func (e *Session) Outside() string { return e.equipment.Runner.Outside() }

// State counts all of the project's cases by their verdicts on record.
func (e *Session) State() suites.State {
	t := e.knowledge.Verdicts.Tally(e.project.Every())
	return suites.State{Tally: t, NotRun: len(e.project.Every()) - t.Total()}
}

// Stale selects what changed since the last run affects, and controls.
func (e *Session) Stale() []plan.Selected {
	return e.knowledge.Stale(func(k suites.Key) *suites.Digests {
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
func (e *Session) kept() sandbox.Kept {
	return sandbox.Kept{Dir: e.opts.Keep, Count: e.project.Config.Sandbox.Keep, Size: int64(e.project.Config.Sandbox.KeepSize)}
}

// pending reports whether a case of the current run is still to have its own verdict.
func (e *Session) pending(k suites.Key) bool { return e.queue.Has(k) || e.running[k] != nil }

// underway reports whether the current run goes on.
func (e *Session) underway() bool { return e.queue.Len()+len(e.running)+len(e.held) > 0 }

// enqueue lets a case wait in its rank.
func (e *Session) enqueue(c *suites.Case) {
	rank := plan.Rank{Control: e.project.IsControl(c.Key()), Order: e.project.Order(c.Key()), Awaited: e.awaited}
	if before := e.knowledge.Verdicts.Present(c.Key()); before != nil {
		rank.Failed, rank.Duration = !before.Status.OK(), before.Duration
	}
	e.queue.Add(c, rank)
}

// drop takes a case out of the current run, with the verdict that it may have
// had there: that one is never filed, so it must not count if the case comes back.
func (e *Session) drop(k suites.Key) {
	e.run.Drop(k)
	if last := e.knowledge.Verdicts.Present(k); last != nil && last.Run == e.run.ID {
		e.knowledge.Verdicts.Withdraw(k)
	}
}

// Announce tells what the run made worse or better, without waiting for a
// failure to be reproduced.
func (e *Session) Announce(runID string) { e.announce(runID, true) }

// announce tells what got worse and what got better. Unless all is asked for,
// a failure waits until it was reproduced.
func (e *Session) announce(runID string, all bool) {
	if regressions, resolved := e.news.Take(all); len(regressions)+len(resolved) > 0 {
		e.opts.View.Handle(notify.Transitions{
			RunID: runID, Project: e.project.Name(), Regressions: regressions, Resolved: resolved,
		})
	}
}
