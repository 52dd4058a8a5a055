package session

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"hookwatch/cmd/internal/notify"
	"hookwatch/suites"
	"hookwatch/suites/plan"
	"hookwatch/suites/record"
	"hookwatch/suites/toolbox"
)

// A current run is the one in progress.
type current struct {
	id       string
	full     bool
	started  time.Time
	planned  map[suites.Key]bool
	own      map[suites.Key]suites.Verdict // before controls are asked
	records  map[suites.Key]suites.Record
	tries    map[suites.Key]int
	behind   []*suites.Case // wait for the preflight
	missing  []string       // tools for want of which the run was aborted
	hookTime time.Duration
	aborted  string
	cut      bool // ends before its time: what still waits for a control has no verdict
	quiet    bool // reproduces failures: shown only where it finds something else
}

func (c *current) add(r suites.Record) { c.records[r.Key()] = r }
func (c *current) of() int             { return len(c.planned) }

// A Summary is how a run went.
type Summary struct {
	RunID       string
	Tally       suites.Tally // of the run
	State       suites.Tally // of the project's cases, those that did not run too
	Aborted     string
	Missing     []string // tools for want of which it was aborted
	Interrupted bool
	RecordError error
}

// begin opens a run of what is selected, or lets the current one grow, and
// starts it.
func (s *Session) begin(ctx context.Context, selected []plan.Selected, full bool) {
	s.lineUp(selected, full)
	s.begun()
	if full {
		s.preflight()
	}
	s.fill(ctx)
}

// lineUp puts what is selected into the queue of the run.
func (s *Session) lineUp(selected []plan.Selected, full bool) {
	if s.current == nil {
		s.open(full)
	}
	if !s.current.quiet {
		s.last = nil
	}
	for _, sel := range selected {
		key := sel.Case.Key()
		if !s.current.quiet {
			s.last = append(s.last, key)
		}
		s.current.planned[key] = true
		delete(s.current.own, key)
		delete(s.current.records, key)
		if e := s.running[key]; e != nil {
			e.stale = true
			e.cancel()
			continue // finish puts it back into the queue
		}
		delete(s.held, key)
		s.enqueue(sel.Case)
	}
}

// begun tells of the run: the store, before any verdict, and the person.
func (s *Session) begun() {
	s.mark()
	if !s.current.quiet {
		s.o.View.Handle(notify.RunStarted{
			RunID: s.current.id, Full: s.current.full, Cases: s.current.of(), Total: len(s.p.Every()), At: s.current.started,
		})
	}
}

func (s *Session) open(full bool) {
	now := s.o.Now()
	s.current = &current{
		id:      fmt.Sprintf("%s-%04x", now.UTC().Format(suites.StampLayout), rand.N(1<<16)),
		full:    full,
		started: now,
		planned: make(map[suites.Key]bool),
		own:     make(map[suites.Key]suites.Verdict),
		records: make(map[suites.Key]suites.Record),
		tries:   make(map[suites.Key]int),
	}
	s.look = toolbox.NewLook(s.tools, s.sets)
	s.runner.Forget()
	s.environment.RunID = s.current.id
	s.environment.Time = now.UTC().Format(suites.TimestampLayout)
}

// mark tells the store which cases are under way, so that a kill can be told.
func (s *Session) mark() {
	if s.o.Store == nil {
		return
	}
	r := record.Run{ID: s.current.id, Full: s.current.full, Started: s.current.started, Agents: s.p.Agents()}
	for _, c := range s.p.Every() {
		if s.current.planned[c.Key()] {
			r.Keys = append(r.Keys, c.Key())
		}
	}
	if err := s.o.Store.Begin(r); err != nil {
		s.recordFailed(err)
	}
}

// enqueue lets a case wait in its rank.
func (s *Session) enqueue(c *suites.Case) {
	rank := plan.Rank{Control: s.p.IsControl(c.Key()), Order: s.p.Order(c.Key())}
	if before := s.present[c.Key()]; before != nil {
		rank.Failed, rank.Duration = !before.status.OK(), before.duration
	}
	rank.Awaited = s.awaited
	s.queue.Add(c, rank)
}

// abort ends the run before its time: what has no verdict yet gets one that
// says so.
func (s *Session) abort(why string) {
	s.current.aborted = why
	waiting := append(s.queue.Clear(), s.current.behind...)
	s.current.behind = nil
	for _, e := range s.running {
		e.cancel()
	}
	for _, e := range s.cutShort() {
		waiting = append(waiting, e.c)
	}
	slices.SortFunc(waiting, func(a, b *suites.Case) int { return s.p.Order(a.Key()) - s.p.Order(b.Key()) })
	for _, c := range waiting {
		inputs := s.p.Graph.Inputs(c)
		e := &execution{c: c, inputs: inputs, digests: s.digests(c, inputs), ended: s.o.Now()}
		s.conclude(e, suites.Verdict{Status: suites.Aborted, Note: suites.NoteAborted + why})
	}
}

// drain waits for the running cases after their context has ended.
func (s *Session) drain() {
	s.queue.Clear()
	s.cutShort()
}

// cutShort waits for the running cases, which were told to end, and lists those
// without a verdict. One that came to its end before has one: only its tools were
// still looked at.
func (s *Session) cutShort() (without []*execution) {
	s.current.cut = true
	for len(s.running) > 0 {
		e := <-s.results
		delete(s.running, e.c.Key())
		if e.whole && !e.stale && len(s.stamps.changedSince(e)) == 0 {
			s.judge(e)
		} else {
			without = append(without, e)
		}
	}
	s.settle()
	for key, e := range s.held {
		without = append(without, e)
		delete(s.held, key)
	}
	for _, e := range without {
		s.discard(e)
	}
	return without
}
