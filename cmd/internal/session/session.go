// Package session drives the stations: a change is selected for, run, recorded,
// judged and shown. One goroutine routes; what to do is decided elsewhere.
package session

import (
	"context"
	"time"

	"hookwatch/cmd/internal/notify"
	"hookwatch/suites"
	"hookwatch/suites/plan"
	"hookwatch/suites/record"
	"hookwatch/suites/run"
)

// Options are what a session is made of.
type Options struct {
	Project *Project
	Store   *record.Store // nil: nothing is recorded
	View    notify.View
	Temp    string // an existing directory of this session's own, for sandboxes
	Keep    string // an existing directory, where sandboxes of failing cases are kept
	Env     []string
	Jobs    int
	Shuffle uint64                    // seed of a random order; 0 keeps the order
	Rerun   func(k suites.Key) string // the command that runs just one case
	Now     func() time.Time
	Program string // hookwatch's own version
}

// A Session runs cases and keeps what is known of them. Its methods are to be
// called from one goroutine.
type Session struct {
	o       Options
	p       *Project
	runner  *run.Runner
	tools   *run.Toolbox
	standIn map[string]string

	queue   *plan.Queue
	running map[suites.Key]*execution
	held    map[suites.Key]*execution // finished, waiting for the control's verdict
	results chan *execution

	present  map[suites.Key]*suites.Record
	baseline map[baseKey]*suites.Record
	inputs   map[string][]suites.Input // by digest
	news     *plan.News
	current  *current
	last     []suites.Key // selected last, for doing it again

	seen        tools
	facts       toolFacts
	environment suites.Environment
	recordError error // why records could not be kept
}

// A baseKey finds the verdict that a new one is compared with: the latest of
// the same case in the same definition.
type baseKey struct {
	suites.Key
	digest string
}

// New makes a session over a project and what is on record of it.
func New(o Options, before *record.Snapshot) (*Session, error) {
	s := &Session{
		o: o, p: o.Project,
		queue:    plan.NewQueue(o.Shuffle),
		running:  make(map[suites.Key]*execution),
		held:     make(map[suites.Key]*execution),
		results:  make(chan *execution),
		present:  make(map[suites.Key]*suites.Record),
		baseline: make(map[baseKey]*suites.Record),
		inputs:   make(map[string][]suites.Input),
		seen:     newTools(),
		facts:    make(toolFacts),
	}
	if before == nil {
		before = new(record.Snapshot)
	}
	s.remember(before)
	standIn, path, err := standIns(o.Project.Config.StandIns, o.Temp, o.Env)
	if err != nil {
		return nil, err
	}
	s.standIn = standIn
	s.o.Env = path
	s.tools = run.NewToolbox(s.p.Root(), o.Env, standIn, s.environment.Tools)
	s.runner = s.newRunner()
	return s, nil
}

// NewRunner makes the runner that a session would use, for firing hooks outside
// of one.
func NewRunner(o Options) (*run.Runner, error) {
	s, err := New(o, nil)
	if err != nil {
		return nil, err
	}
	return s.runner, nil
}

func (s *Session) remember(before *record.Snapshot) {
	records, _ := record.Identify(before.Records, s.p.known())
	for i := range records {
		s.remembered(&records[i])
	}
	for digest, in := range before.Inputs {
		s.inputs[digest] = in
	}
	s.environment = before.Environment
	s.environment.CaseTools = make(map[string][]string)
	s.recallTools(before.Environment)
	s.news = plan.NewNews(records)
}

// remembered makes r the present verdict of its case.
func (s *Session) remembered(r *suites.Record) {
	s.present[r.Key()] = r
	s.baseline[baseKey{r.Key(), r.Digests.Case}] = r
}

func (s *Session) newRunner() *run.Runner {
	cfg := s.p.Config
	return run.New(run.Options{
		Root:        s.p.Root(),
		Temp:        s.o.Temp,
		Env:         s.o.Env,
		Timeout:     cfg.Run.Timeout,
		Hooks:       s.p.Registered.For,
		Interpreted: s.p.interpreted,
		Standing:    s.standing,
	})
}

// tallyState counts the verdicts on record of the project's cases.
func (s *Session) tallyState() suites.Tally {
	var t suites.Tally
	for _, c := range s.p.Cases {
		if r, ok := s.present[c.Key()]; ok {
			t.Add(r.Status())
		}
	}
	return t
}

// Once runs what is selected to its end and tells how it went.
func (s *Session) Once(ctx context.Context, selected []plan.Selected, full bool) Summary {
	s.begin(ctx, selected, full)
	backstop := time.NewTimer(s.p.Config.Run.Backstop)
	defer backstop.Stop()
	for s.busy() {
		s.fill(ctx)
		select {
		case e := <-s.results:
			s.finish(e)
		case <-backstop.C:
			s.abort("backstop: the run took " + s.p.Config.Run.Backstop.String())
		case <-ctx.Done():
			s.drain()
			return s.end(true)
		}
	}
	return s.end(false)
}

// busy reports whether the current run goes on.
func (s *Session) busy() bool {
	return s.queue.Len()+len(s.running)+len(s.held) > 0
}
