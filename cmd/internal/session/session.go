// Package session drives the stations: a change is selected for, run, recorded,
// judged and shown. One goroutine routes; what to do is decided elsewhere.
package session

import (
	"cmp"
	"context"
	"runtime"
	"time"

	"hookwatch/cmd/internal/notify"
	"hookwatch/cmd/internal/project"
	"hookwatch/config"
	"hookwatch/suites"
	"hookwatch/suites/plan"
	"hookwatch/suites/record"
	"hookwatch/suites/run"
	"hookwatch/suites/selection"
	"hookwatch/suites/toolbox"
)

// Options are what a session is made of.
type Options struct {
	Project *project.Project
	Store   *record.Store // nil: nothing is recorded
	Records record.Place  // where the records are, for what is kept beside them
	View    notify.View
	Temp    string                    // an existing directory of this session's own, for sandboxes
	Keep    string                    // an existing directory, where sandboxes of failing cases are kept
	Env     []string                  // hookwatch's own; cases get what run.Environment leaves of it
	Jobs    int                       // 0: as the configuration says
	Shuffle uint64                    // seed of a random order; 0 keeps the order
	Rerun   func(k suites.Key) string // the command that runs just one case
	Now     func() time.Time
	Program string // hookwatch's own version
}

// A Session runs cases and keeps what is known of them. Its methods are to be
// called from one goroutine.
type Session struct {
	o         Options
	p         *project.Project
	stamps    stamps
	runner    *run.Runner
	tools     *toolbox.Toolbox
	standIn   map[string]string
	isolation isolation

	jobs    int
	ready   int  // supervisors to be kept ready
	awaited bool // the end of the run is, rather than the first answers
	queue   *plan.Queue
	running map[suites.Key]*execution
	held    map[suites.Key]*execution // finished, waiting for the control's verdict
	results chan *execution

	present map[suites.Key]*lastVerdict
	earlier map[suites.Key][]*lastVerdict // in other definitions than the present one's, or before it was aborted; the latest first
	endings map[suites.Key]ending         // of this session
	inputs  map[string][]suites.Input     // by digest
	news    *plan.News
	paused  bool // nothing can be run: the project's directory is not there
	current *current
	last    []suites.Key // selected last, for doing it again

	look        *toolbox.Look
	own         selfWritten
	selector    *selection.Selector
	contents    *selection.Contents
	audited     map[suites.Key]audited
	auditResult AuditResult
	sets        toolbox.Sets
	environment suites.Environment
	kept        *record.Reader     // where there is no store; nil before it was asked
	warnings    []string           // of Look
	recordError error              // why records could not be kept
	ran         func(*suites.Case) // told of every verdict
}

// New makes a session over a project and what is on record of it.
func New(o Options, before *record.Snapshot) (*Session, error) {
	s := &Session{
		o:       o,
		queue:   plan.NewQueue(o.Shuffle),
		running: make(map[suites.Key]*execution),
		held:    make(map[suites.Key]*execution),
		results: make(chan *execution),
		present: make(map[suites.Key]*lastVerdict),
		earlier: make(map[suites.Key][]*lastVerdict),
		endings: make(map[suites.Key]ending),
		inputs:  make(map[string][]suites.Input),
		own:     newSelfWritten(),
		audited: make(map[suites.Key]audited),
		ran:     func(*suites.Case) {},
		sets:    make(toolbox.Sets),
	}
	s.selector = selection.NewSelector(s.records)
	s.use(o.Project)
	if s.o.View == nil {
		s.o.View = notify.Multi()
	}
	if s.o.Now == nil {
		s.o.Now = time.Now
	}
	if before == nil {
		before = new(record.Snapshot)
	}
	s.remember(before)
	if err := s.equip(); err != nil {
		return nil, err
	}
	return s, nil
}

// use has the session be about a project as it was read.
func (s *Session) use(p *project.Project) {
	s.p, s.stamps = p, newStamps(p)
	s.contents = &selection.Contents{Reader: p.Reader, Abs: p.Config.Abs, Records: s.records}
	s.selector.Use(p.Graph, s.contents)
}

// equip makes what cases run with, as the project's configuration has it.
func (s *Session) equip() error {
	cfg := s.p.Config
	env := run.Environment(s.o.Env, cfg.Run.PassEnv)
	standIn, withStandIns, err := standIns(cfg.StandIns, s.o.Temp, env)
	if err != nil {
		return err
	}
	s.standIn = standIn
	if err := s.isolate(withStandIns); err != nil {
		return err
	}
	s.tools = toolbox.New(s.p.Root(), env, standIn, s.environment.Tools)
	s.look = toolbox.NewLook(s.tools, s.sets)
	if s.runner != nil {
		s.runner.Close()
	}
	s.runner = s.newRunner(withStandIns)
	s.runner.KeepReady(s.ready)
	s.jobs = cmp.Or(s.o.Jobs, cfg.Run.Jobs, runtime.NumCPU())
	return nil
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

func (s *Session) newRunner(env []string) *run.Runner {
	cfg, p, standIn := s.p.Config, s.p, s.standIn
	return run.New(run.Options{
		Root:        s.p.Root(),
		Temp:        s.o.Temp,
		Env:         env,
		Timeout:     cfg.Run.Timeout,
		Hooks:       p.Registered.For,
		Registered:  p.Registered.ByID,
		Interpreted: p.Interpreted,
		Isolation:   s.isolation.Mode,
		Plan:        s.isolation.Plan,
		Bounds:      project.IsolationOptions(cfg, env),
		Uncopied:    []string{cfg.ResultsDir},
		KeepSize:    int64(cfg.Sandbox.KeepSize),
		EmptyHome:   cfg.Sandbox.Home == config.HomeEmpty,
		Reader:      p.Reader.Anywhere(),
		StandIns:    standIn,
		Standing:    func(hook string) []string { return standing(p, standIn, hook) },
	})
}

// tallyState counts the verdicts on record of the project's cases.
func (s *Session) tallyState() suites.Tally {
	var t suites.Tally
	for _, c := range s.p.Cases {
		if r, ok := s.present[c.Key()]; ok {
			t.Add(r.status)
		}
	}
	return t
}

// Once runs what is selected to its end and tells how it went.
func (s *Session) Once(ctx context.Context, selected []plan.Selected, full bool) Summary {
	s.awaited = true
	s.begin(ctx, selected, full)
	if most := s.jobs; s.queue.Len() > 2*most { // fewer are done before it pays
		s.runner.KeepReady(min(most, keptReady))
		defer func() { s.runner.KeepReady(s.ready) }()
	}
	backstop := time.NewTimer(s.p.Config.Run.Backstop)
	defer backstop.Stop()
	for s.underway() {
		s.fill(ctx)
		select {
		case e := <-s.results:
			delete(s.running, e.c.Key())
			s.fill(ctx) // the next one runs while this one is judged
			s.finish(ctx, e)
			s.passPreflight()
		case <-backstop.C:
			s.abort("backstop: the run took " + s.p.Config.Run.Backstop.String())
		case <-ctx.Done():
			s.drain()
			return s.end(true)
		}
	}
	return s.end(false)
}

// underway reports whether the current run goes on.
func (s *Session) underway() bool {
	return s.queue.Len()+len(s.running)+len(s.held) > 0
}
