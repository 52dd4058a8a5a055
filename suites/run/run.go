// Package run is the RUN station: it builds a case's surroundings, fires its
// hook step by step as the case says, and returns what happened. It judges
// nothing.
package run

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/discover"
	"hookwatch/suites/disk"
	"hookwatch/suites/isolate"
	"hookwatch/suites/process"
	"hookwatch/suites/run/farm"
	"hookwatch/suites/symptom"
	"hookwatch/suites/toolbox"
)

// Options are what every case of a session has in common.
type Options struct {
	Root    string        // the project's root, absolute
	Temp    string        // where sandboxes are made; must exist
	Env     []string      // see Environment
	Timeout time.Duration // of a step whose case names none
	Client  client.Version
	Live    Live
	// Isolation is Namespaces, Copy or None; "" is None. Plan makes the sandboxes
	// of the first.
	Isolation isolate.Mode
	Plan      *isolate.Plan
	Bounds    isolate.Options // the limits among them hold in every mode
	Uncopied  []string        // directories of the project that copies do without
	KeepSize  int64           // bytes that a kept sandbox may take up; 0: no bound
	EmptyHome bool            // each case has a HOME of its own, with nothing in it
	// Hooks tells which registered hooks fire for an event and the value its
	// matchers are compared with, in order. Nil: none are registered.
	Hooks func(event, value string) []discover.Hook
	// InForce lists the registered hooks. Nil: none are registered.
	InForce func() []discover.Hook
	// Registered gives the registered hook of an event that a case names. Nil: none
	// are registered.
	Registered func(event, name string) (discover.Hook, bool)
	// Interpreted reports whether every registered command that names the script
	// starts it through an interpreter, so that it needs no execute bit.
	Interpreted func(hook string) bool
	// Reader reads scripts, wherever they lie. What is masked from cases is not read
	// for them either.
	Reader disk.Reader
	// StandIns tells what stands in for tools that the machine does not have.
	StandIns map[string]string
	// Standing names, for a hook's path, the stand-ins that it can reach.
	Standing func(hook string) []string
}

// A Runner runs cases. It is safe for concurrent use.
type Runner struct {
	Options
	hidden  farm.Farms
	tools   *toolbox.Toolbox // whose versions gates ask for
	machine toolbox.Machine
	mu      sync.Mutex
	reserve *process.Reserve
	ready   int                         // supervisors that are kept in it
	held    map[string]*isolate.Sandbox // of cases that are not judged yet, by directory
	early   *early                      // nil when there is none
	asked   saidByRunners
}

// New makes a runner.
func New(o Options) *Runner {
	r := &Runner{Options: o, held: make(map[string]*isolate.Sandbox), tools: toolbox.New(o.Root, o.Env, nil, nil), machine: toolbox.NewMachine(o.Root, o.Env)}
	r.hidden.Dir = o.Temp
	r.reserve = r.newReserve()
	return r
}

func (r *Runner) newReserve() *process.Reserve {
	reserve := &process.Reserve{Limits: r.Bounds.Limits()}
	if r.Isolation == isolate.Namespaces {
		reserve.Advance = r.Plan.Advance()
	}
	return reserve
}

// supervisors are where those come from that cases get.
func (r *Runner) supervisors() *process.Reserve {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.reserve
}

// KeepReady has so many supervisors stand ready from now on that no case waits
// for the start of one. Close ends them.
func (r *Runner) KeepReady(supervisors int) {
	r.mu.Lock()
	r.ready = supervisors
	r.mu.Unlock()
	r.supervisors().Resize(supervisors)
}

// Close gives up what is kept ready. Cases that run are not touched.
func (r *Runner) Close() {
	r.CancelPrewarm()
	r.supervisors().Close()
}

// Case runs one case to its end, or until ctx ends. The error is for what
// hookwatch itself could not do, such as making the sandbox.
func (r *Runner) Case(ctx context.Context, c *suites.Case) (suites.Outcome, error) {
	return r.run(ctx, c, nil)
}

func (r *Runner) run(ctx context.Context, c *suites.Case, t Tracer) (suites.Outcome, error) {
	if c.Check != nil {
		return r.check(ctx, c)
	}
	begin := time.Now()
	o := suites.Outcome{StandIns: r.standing(c)}
	var err error
	if o.NotRun, err = r.gate(ctx, c); err != nil {
		return o, fmt.Errorf("%s: %w", c.Key(), err)
	}
	if o.NotRun != nil {
		return o, nil
	}
	s, err := r.open(ctx, c, t)
	if err != nil {
		return o, fmt.Errorf("%s: prepare: %w", c.Key(), err)
	}
	o.Sandbox, o.Root, o.Named = s.dir, s.root, s.named
	defer s.close()
	if c.Layer == suites.Live {
		if err := s.live(ctx, &o); err != nil {
			return o, fmt.Errorf("%s: %w", c.Key(), err)
		}
		o.Duration = time.Since(begin)
		return o, nil
	}
	for i := range c.Steps {
		res, err := s.step(ctx, i)
		if err != nil {
			return o, fmt.Errorf("%s: step %d: %w", c.Key(), i+1, err)
		}
		o.Results = append(o.Results, res)
		if ctx.Err() != nil {
			break
		}
	}
	o.Changes, o.Stopped = s.changed()
	o.Unseen = s.unseen(o.Results)
	o.Trace = s.traced()
	o.Duration = time.Since(begin)
	return o, nil
}

func (r *Runner) standing(c *suites.Case) []string {
	if r.Standing == nil {
		return nil
	}
	var out []string
	for _, hook := range r.scripts(c) {
		for _, s := range r.Standing(hook) {
			if !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	return out
}

// scripts lists the scripts that a case can run, those of a chain as well.
func (r *Runner) scripts(c *suites.Case) []string {
	out := hooksOf(c)
	if c.Chain && r.Hooks != nil {
		for i := range c.Steps {
			for _, h := range r.Hooks(c.Steps[i].Event, c.Steps[i].Tool) {
				out = append(out, h.Scripts...)
			}
		}
	}
	return out
}

// serial counts the cases of this process, from a number that other processes
// have left behind: several runners must not give out the same.
var serial = func() *atomic.Int64 {
	n := new(atomic.Int64)
	n.Store(time.Now().UnixMilli() * 1000)
	return n
}()

// sessionNumber is a number that no other case has had: hooks key their state
// by what looks like a PID.
func sessionNumber() string { return strconv.FormatInt(serial.Add(1), 10) }

// unseen lists the programs that hooks did not find in their views, and that are there
// outside: isolation hides what they need.
func (s *sandbox) unseen(results []suites.Result) (paths []string) {
	if s.r.Isolation != isolate.Namespaces {
		return nil
	}
	for _, r := range results {
		name, kind := symptom.Absent(r)
		program := kind == symptom.Program || kind == symptom.File && filepath.IsAbs(name)
		if r.Exit == 0 || !program || slices.Contains(s.c.AbsentTools, name) {
			continue
		}
		if path, err := process.LookPath(name, s.r.Root, s.r.Env); err == nil && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	return paths
}
