// Package session loads a project and runs its cases. Its main loop receives events, decides, and
// carries decisions out.
//
// A Project holds configuration, suites, hooks and documents, and the dependencies of its cases. It
// does not change once it is loaded.
//
// The files decide_*.go hold the verdicts of cases and the decisions: how a verdict differs from
// the previous one, whether a case runs again, whether a run continues, and which results are
// reported. They are pure: values in, values out, no files, no clock, no goroutines.
//
// A save is processed in this order:
//
//   - watcher: file system events become a Batch; each file in it is read once
//   - Project: it is loaded again if the save changes its shape (see Project.Shapes)
//   - selector: selects the affected cases, with reasons; markers widen, and the trace of a case,
//     which is stored with its verdict, narrows
//   - Session: cancels superseded cases, queues affected ones, starts them
//   - suites/run: runs the steps of a case in a sandbox from equipment; the result is an Outcome
//   - suites/verdict: judges the Outcome, checks it against its control, compares it with the
//     previous verdict
//   - suites/record: appends the record and files the run (Filing)
//   - a View, such as those of cmd/internal/notify, shows the verdict, and sends news once it has
//     settled
package session

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/record"
	"hookwatch/suites/sandbox"
	"hookwatch/suites/verdict"
)

// Options configure a Session.
type Options struct {
	Project *Project
	Store   *record.Store // if nil, nothing is recorded
	Records record.Place  // directory of the records and of the files stored with them
	View    View
	Temp    string                    // existing directory for sandboxes, used by this session alone
	Keep    string                    // existing directory for the kept sandboxes of failing cases
	Env     []string                  // hookwatch's own environment; cases get the part that run.Environment returns
	Jobs    int                       // 0 means the configured number
	Shuffle uint64                    // seed of a random order; 0 keeps the order
	Rerun   func(k suites.Key) string // returns the command that reruns one case
	Now     func() time.Time
	After   func(time.Duration) <-chan time.Time // nil means time.After
	Closing func()                               // called when a signal has ended the run and it is being closed; may be nil
	Program string                               // hookwatch's own version
}

// A Session runs cases and keeps their state. Its methods must be called from one goroutine.
type Session struct {
	opts      Options
	project   *Project
	knowledge *Knowledge
	equipment *equipment
	filing    *Filing
	news      *verdict.News
	audit     *audit

	awaited bool // Once waits for the end of the run, not for the first verdicts
	queue   *verdict.Queue
	running map[suites.Key]*execution
	held    map[suites.Key]*execution // finished, waiting for the control's verdict
	results chan *execution
	busy    span               // the last period in which hooks ran
	run     *currentRun        // in progress; nil if none
	paused  bool               // nothing can run because the project directory is missing
	last    []suites.Key       // the last selection, for RunAgain
	ran     func(*suites.Case) // called for every verdict
	counts  suites.State       // last counts sent to the view
	first   bool               // there were no records before this run
	bound   bound              // of runs that explain failures
	second  *time.Ticker       // during a run
	places  *places            // of the current run

	// What the current run has shown while files were saved again and again.
	unseen   map[suites.Key]int            // saves since a case last had a verdict, which it waits for
	rounds   map[suites.Key]int            // verdicts about earlier saves
	earlier  map[suites.Key]suites.Verdict // the last of these, before controls are considered
	patience time.Duration                 // how long a save waits for such a verdict
}

// savesUnseen is the number of saves in a row that may cancel a case.
const savesUnseen = 2

// New returns a session for a project; before holds its records and may be nil.
func New(o Options, before *record.Snapshot) (*Session, error) {
	if o.View == nil {
		o.View = Multi()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Closing == nil {
		o.Closing = func() {}
	}
	if o.After == nil {
		o.After = time.After
	}
	if before == nil {
		before = new(record.Snapshot)
	}
	e := &Session{
		opts:      o,
		project:   o.Project,
		knowledge: newKnowledge(o.Project, o.Store, o.Records),
		audit:     newAudit(),
		queue:     verdict.NewQueue(o.Shuffle),
		running:   make(map[suites.Key]*execution),
		held:      make(map[suites.Key]*execution),
		results:   make(chan *execution),
		ran:       func(*suites.Case) {},
		bound:     boundInquiry,
		unseen:    make(map[suites.Key]int),
		rounds:    make(map[suites.Key]int),
		earlier:   make(map[suites.Key]suites.Verdict),
		patience:  2 * time.Second,
		second:    time.NewTicker(time.Second),
	}
	e.second.Stop()
	e.first = len(before.Records) == 0
	e.filing = &Filing{store: o.Store, program: o.Program, warn: e.warn}
	e.news = verdict.NewNews(e.knowledge.load(before))
	var err error
	equipped := EquipmentOptions{Temp: o.Temp, Env: o.Env, Jobs: o.Jobs, Warn: e.warn}
	if e.equipment, err = newEquipment(equipped, e.project, e.knowledge.Environment.Tools); err != nil {
		return nil, err
	}
	e.knowledge.setTools(e.equipment.Tools)
	e.counts = e.State()
	e.keepRegistrations()
	return e, nil
}

func (e *Session) warn(text string) { e.opts.View.Handle(Warning{Text: text}) }

// warnError reports an error as a warning, followed by its advice.
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

// Outside returns why the real client is not started in the project, or "" if it is.
func (e *Session) Outside() string { return e.equipment.Runner.Outside() }

// State counts all of the project's cases by their verdicts on record.
func (e *Session) State() suites.State {
	t := e.knowledge.Verdicts.Tally(e.project.Every())
	return suites.State{Tally: t, NotRun: len(e.project.Every()) - t.Total()}
}

// Stale selects the cases affected by changes since the last run, and their controls.
func (e *Session) Stale() []verdict.Selected {
	return e.knowledge.Stale(func(k suites.Key) *suites.Digests {
		if x := e.running[k]; x != nil && !x.stale && !x.earlier {
			return &x.digests
		}
		if x := e.held[k]; x != nil {
			return &x.digests
		}
		return nil
	})
}

// keptSandboxes returns the directory and limits for the sandboxes of failing cases.
func (e *Session) keptSandboxes() sandbox.Kept {
	return sandbox.Kept{Dir: e.opts.Keep, Count: e.project.Config.Sandbox.Keep, Size: int64(e.project.Config.Sandbox.KeepSize)}
}

// pending reports whether a case of the current run still has no verdict of its own.
func (e *Session) pending(k suites.Key) bool { return e.queue.Has(k) || e.running[k] != nil }

// underway reports whether the current run has unfinished cases.
func (e *Session) underway() bool { return e.queue.Len()+len(e.running)+len(e.held) > 0 }

// enqueue adds a case to the queue with its rank.
func (e *Session) enqueue(c *suites.Case) {
	rank := verdict.Rank{Rounds: e.rounds[c.Key()], Control: e.project.IsControl(c.Key()), Order: e.project.Order(c.Key()), Awaited: e.awaited}
	if before := e.knowledge.Verdicts.Present(c.Key()); before != nil {
		rank.Failed, rank.Duration = !before.Status.OK(), before.Duration
	}
	e.queue.Add(c, rank)
}

// drop removes a case from the current run, and withdraws a verdict from this run: because that
// verdict is never filed, it must not count if the case comes back.
func (e *Session) drop(k suites.Key) {
	e.run.Drop(k)
	if last := e.knowledge.Verdicts.Present(k); last != nil && last.Run == e.run.ID {
		e.knowledge.Verdicts.Withdraw(k)
	}
}

// Announce sends the regressions and resolved failures of the run, including failures that were
// not reproduced yet.
func (e *Session) Announce(runID string) { e.announce(runID, true) }

// announce sends regressions and resolved failures. Unless all is set, a failure waits until it
// has been reproduced.
func (e *Session) announce(runID string, all bool) {
	if regressions, resolved := e.news.Take(all); len(regressions)+len(resolved) > 0 {
		e.opts.View.Handle(Transitions{
			RunID: runID, Project: e.project.Name(), Regressions: regressions, Resolved: resolved,
		})
	}
}
