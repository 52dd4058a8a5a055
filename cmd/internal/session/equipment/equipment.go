// Package equipment is what cases run with, as a project's configuration has it: the
// isolation, stand-ins for absent tools, the tools that are there, and the runner.
package equipment

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"hookwatch/cmd/internal/project"
	"hookwatch/config"
	"hookwatch/suites"
	"hookwatch/suites/discover"
	"hookwatch/suites/process"
	"hookwatch/suites/run"
	"hookwatch/suites/sandbox"
	"hookwatch/suites/toolbox"
)

// Options say for what equipment is made.
type Options struct {
	Temp string   // an existing directory of its own, for sandboxes; "": nothing is going to run
	Env  []string // hookwatch's own; cases get what run.Environment leaves of it
	Jobs int      // 0: as the configuration says
	Warn func(text string)
}

// Equipment is what cases run with.
type Equipment struct {
	Runner *run.Runner
	Tools  *toolbox.Toolbox
	Jobs   int

	o         Options
	ready     int // supervisors to be kept ready
	standIns  map[string]string
	isolation sandbox.Choice
	chosenFor string          // the options of the isolation, because probing it takes milliseconds
	warned    map[string]bool // notes of the isolation that were printed
}

// New makes equipment for a project; known are tools whose versions are on record.
// With the error that isolation cannot be had there is equipment that runs nothing.
func New(o Options, p *project.Project, known []suites.Tool) (*Equipment, error) {
	e := &Equipment{o: o}
	return e, e.Use(p, known)
}

// NewRunner makes the runner alone, for firing hooks outside of a session.
func NewRunner(p *project.Project, temp string, env []string) (*run.Runner, error) {
	e, err := New(Options{Temp: temp, Env: env, Warn: func(string) {}}, p, nil)
	return e.Runner, err
}

// Use has the equipment be for a project as it was read.
func (e *Equipment) Use(p *project.Project, known []suites.Tool) error {
	cfg := p.Config
	env := run.Environment(e.o.Env, cfg.Run.PassEnv)
	offered, withStandIns, err := standIns(cfg.StandIns, e.o.Temp, env)
	if err != nil {
		return err
	}
	e.standIns = offered
	unavailable := e.choose(cfg, withStandIns)
	e.Tools = toolbox.New(p.Root(), env, offered, known)
	e.Close()
	e.Runner = e.newRunner(p, withStandIns)
	e.Runner.KeepReady(e.ready)
	e.Jobs = cmp.Or(e.o.Jobs, cfg.Run.Jobs, runtime.NumCPU())
	if most, err := process.Room(e.Jobs); err == nil {
		e.Jobs = most
	}
	return unavailable
}

func (e *Equipment) newRunner(p *project.Project, env []string) *run.Runner {
	cfg, offered := p.Config, e.standIns
	return run.New(run.Options{
		Root:        p.Root(),
		Temp:        e.o.Temp,
		Env:         env,
		Timeout:     cfg.Run.Timeout,
		Backstop:    cfg.Run.Backstop,
		Hooks:       p.Registered.For,
		Registered:  p.Registered.Named,
		InForce:     func() []discover.Hook { return p.Registered.Hooks },
		Live:        run.Live{Client: cfg.Live.Client, Timeout: cfg.Live.Timeout},
		Interpreted: p.Interpreted,
		Scripts:     p.Scripts(),
		Isolation:   e.isolation,
		KeepSize:    int64(cfg.Sandbox.KeepSize),
		EmptyHome:   cfg.Sandbox.Home == config.HomeEmpty,
		Reader:      p.Reader.Anywhere(),
		StandIns:    offered,
		Standing:    func(hook string) []string { return standing(p, offered, hook) },
	})
}

// KeepReady has so many supervisors wait for cases, from now on.
func (e *Equipment) KeepReady(n int) {
	e.ready = n
	e.Runner.KeepReady(n)
}

// errNothingRuns is for equipment that is made to look at a project only.
var errNothingRuns = errors.New("no hook is run by this command")

// choose chooses the isolation that the configuration asks for; env is the environment of
// hooks. After an error nothing can run, because the isolation before may be weaker than
// the one that is asked for now.
func (e *Equipment) choose(cfg *config.Config, env []string) (err error) {
	if e.o.Temp == "" {
		e.isolation = sandbox.Refuse(errNothingRuns)
		e.isolation.Why = ""
		return nil
	}
	o := project.SandboxOptions(cfg, env)
	chosenFor := fmt.Sprint(cfg.Run.Isolation, o)
	if e.chosenFor == chosenFor {
		return nil
	}
	e.chosenFor, e.warned = "", nil
	if e.isolation, err = sandbox.Choose(cfg.Run.Isolation, o, e.o.Temp); err != nil {
		return err
	}
	e.chosenFor = chosenFor
	e.WarnOfNotes()
	return nil
}

// WarnOfNotes warns, once each, of what cases see differently from other programs.
func (e *Equipment) WarnOfNotes() {
	for _, note := range e.isolation.Notes() {
		if !e.warned[note] {
			if e.warned == nil {
				e.warned = make(map[string]bool)
			}
			e.warned[note] = true
			e.o.Warn("isolation: " + note)
		}
	}
}

// Isolation returns the isolation in which hooks run.
func (e *Equipment) Isolation() sandbox.Choice { return e.isolation }

// IsolationOf names the isolation of a case: one that looks at the machine itself has none.
func (e *Equipment) IsolationOf(c *suites.Case) string {
	if c.Check != nil {
		return sandbox.InPlace
	}
	return e.isolation.Describe().Name
}

// StandIns lists what stands in for absent tools, as name=program.
func (e *Equipment) StandIns() []string {
	var out []string
	for name, what := range e.standIns {
		out = append(out, name+"="+what)
	}
	slices.Sort(out)
	return out
}

// Close ends what the runner keeps ready.
func (e *Equipment) Close() {
	if e.Runner != nil {
		e.Runner.Close()
	}
}
