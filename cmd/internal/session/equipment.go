package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"hookwatch/cmd/internal/version"
	"hookwatch/config"
	"hookwatch/suites"
	"hookwatch/suites/bench"
	"hookwatch/suites/discover"
	"hookwatch/suites/disk"
	"hookwatch/suites/process"
	"hookwatch/suites/run"
	"hookwatch/suites/sandbox"
)

// EquipmentOptions configure equipment.
type EquipmentOptions struct {
	Temp string   // existing directory for sandboxes, used by this equipment alone; "" if nothing will run
	Env  []string // hookwatch's own environment; cases get the part that run.Environment returns
	Jobs int      // 0 means the configured number
	Warn func(text string)
}

// equipment holds everything that running a case needs, prepared from a project's configuration:
// the isolation, stand-ins for absent tools, the available tools, and the runner.
type equipment struct {
	Runner *run.Runner
	Tools  *run.Toolbox
	Jobs   int

	o         EquipmentOptions
	ready     int // number of supervisors to keep ready
	standIns  map[string]string
	isolation sandbox.Choice
	chosenFor string          // the options of the isolation, because probing it takes milliseconds
	warned    map[string]bool // notes of the isolation that were printed
}

// newEquipment returns equipment for a project; known are tools whose versions are on record. If
// isolation is unavailable it returns an error together with equipment that runs nothing.
func newEquipment(o EquipmentOptions, p *Project, known []suites.Tool) (*equipment, error) {
	e := &equipment{o: o}
	return e, e.Use(p, known)
}

// NewRunner returns only the runner, for firing hooks outside of a session.
func NewRunner(p *Project, temp string, env []string) (*run.Runner, error) {
	e, err := newEquipment(EquipmentOptions{Temp: temp, Env: env, Warn: func(string) {}}, p, nil)
	return e.Runner, err
}

// Remember lets a runner leave out firings of a project whose outcomes are known from earlier ones, unless
// fresh is set, and keep those of others. The caller must close them at the end.
func Remember(p *Project, r *run.Runner, fresh bool) (*bench.Known, error) {
	setup := fmt.Appendf(nil, "%s %#v %v %#v", program(), p.Config.Sandbox, p.namedInHome(), p.Registered.Rules)
	known, err := bench.OpenKnown(bench.KnownOptions{
		Base: disk.Existing(p.Config.State), Dir: p.Config.FiringsDir(), Root: p.Root(), Reader: p.Reader, Setup: setup, Fresh: fresh,
	})
	if err == nil {
		r.Known = known
	}
	return known, err
}

// program identifies the program that runs: by its commit, or if it was built from other files, by those of the
// executable.
func program() string {
	if name := version.String(); strings.HasSuffix(name, ")") && !strings.Contains(name, "modified") {
		return name
	}
	path, err := os.Executable()
	if err != nil {
		return fmt.Sprint(time.Now().UnixNano())
	}
	return disk.ProgramDigest(path)
}

// Use adapts the equipment to a newly loaded project.
func (e *equipment) Use(p *Project, known []suites.Tool) error {
	cfg := p.Config
	env := run.Environment(e.o.Env, cfg.Run.PassEnv)
	offered, withStandIns, err := offerStandIns(cfg.StandIns, e.o.Temp, env)
	if err != nil {
		return err
	}
	e.standIns = offered
	unavailable := e.choose(cfg, p.namedInHome(), withStandIns)
	e.Tools = run.NewToolbox(p.Root(), env, offered, known)
	e.Tools.Reader = p.Reader
	e.Close()
	e.Runner = e.newRunner(p, withStandIns)
	e.Runner.KeepReady(e.ready)
	e.Jobs = cmp.Or(e.o.Jobs, cfg.Run.Jobs, runtime.NumCPU())
	if most, err := process.Room(e.Jobs); err == nil {
		e.Jobs = most
	}
	return unavailable
}

func (e *equipment) newRunner(p *Project, env []string) *run.Runner {
	cfg, offered := p.Config, e.standIns
	return run.New(run.Options{
		Root:        p.Root(),
		Instead:     p.Instead,
		Temp:        e.o.Temp,
		Env:         env,
		Timeout:     cfg.Run.Timeout,
		Backstop:    cfg.Run.Backstop,
		Hooks:       p.Registered.For,
		Registered:  p.Registered.Find,
		InForce:     func() []discover.Hook { return p.Registered.Hooks },
		Dropped:     func() []suites.Problem { return p.Registered.Dropped },
		Ruled:       p.Registered.Rule,
		Others:      p.Registered.Of,
		Live:        p.live(),
		Interpreted: p.IsInterpreted,
		Scripts:     p.Scripts(),
		Isolation:   e.isolation,
		KeepSize:    int64(cfg.Sandbox.KeepSize),
		EmptyHome:   cfg.Sandbox.Home == config.HomeEmpty,
		Reader:      p.Reader.Anywhere(),
		StandIns:    offered,
		Standing: func(hook string) []string { // the stand-ins that a hook can reach
			if len(offered) == 0 {
				return nil
			}
			var out []string
			for _, name := range p.Graph.Tools(hook) {
				if what, ok := offered[name]; ok {
					out = append(out, name+"="+what)
				}
			}
			return out
		},
	})
}

// KeepReady keeps n supervisors waiting for cases from now on.
func (e *equipment) KeepReady(n int) {
	e.ready = n
	e.Runner.KeepReady(n)
}

// errNothingRuns is the reason for equipment that only inspects a project.
var errNothingRuns = errors.New("no hook is run by this command")

// choose selects the isolation that the configuration requests; shown are further files that cases
// see, and env is the environment of hooks. After an error nothing can run, because the previous
// isolation may be weaker than the requested one.
func (e *equipment) choose(cfg *config.Config, shown, env []string) (err error) {
	if e.o.Temp == "" {
		e.isolation = sandbox.Refuse(errNothingRuns)
		e.isolation.Why = ""
		return nil
	}
	o := sandboxOptions(cfg, env)
	o.Shown = append(o.Shown, shown...)
	o.Plain = run.Plain(env, cfg.Sandbox.Home == config.HomeEmpty)
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

// WarnOfNotes warns, once each, of differences between the view of cases and of other programs.
func (e *equipment) WarnOfNotes() {
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
func (e *equipment) Isolation() sandbox.Choice { return e.isolation }

// IsolationOf returns the name of the isolation of a case. Cases that check the machine itself
// run in place.
func (e *equipment) IsolationOf(c *suites.Case) string {
	if c.Check != nil {
		return sandbox.InPlace
	}
	return e.isolation.Describe().Name
}

// StandIns returns the stand-ins for absent tools, as name=program.
func (e *equipment) StandIns() []string {
	var out []string
	for name, what := range e.standIns {
		out = append(out, name+"="+what)
	}
	slices.Sort(out)
	return out
}

// Close stops the processes that are kept ready for cases. Running cases are not affected.
func (e *Session) Close() { e.equipment.Close() }

// Close stops the processes that the runner keeps ready. Running cases are not affected.
func (e *equipment) Close() {
	if e.Runner != nil {
		e.Runner.Close()
	}
}

// jsonTool is the stand-in for a JSON tool that the machine lacks: hookwatch runs it when started
// under that name.
const jsonTool = "gojq 0.12.19"

// offerStandIns adds the named tools to the end of the search path if the real ones are absent. It
// returns the stand-ins by name and the new environment.
func offerStandIns(names []string, temp string, env []string) (map[string]string, []string, error) {
	offered := make(map[string]string)
	if temp == "" { // only their names are needed
		for _, name := range names {
			if _, err := process.LookPath(name, "/", env); err != nil {
				offered[name] = jsonTool
			}
		}
		return offered, env, nil
	}
	dir := filepath.Join(temp, "stand-ins")
	for _, name := range names {
		if _, err := process.LookPath(name, "/", env); err == nil {
			continue
		}
		self, err := os.Executable()
		if err != nil {
			return nil, nil, err
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, nil, err
		}
		link := filepath.Join(dir, name)
		if err := os.Symlink(self, link); err != nil && !os.IsExist(err) {
			return nil, nil, fmt.Errorf("stand-in %s: %w", name, err)
		}
		offered[name] = jsonTool
	}
	if len(offered) == 0 {
		return offered, env, nil
	}
	search := process.Getenv(env, "PATH") + string(filepath.ListSeparator) + dir
	return offered, process.With(slices.Clone(env), map[string]string{"PATH": search}), nil
}

// A Diagnosis describes the isolation and tools that a project has on this machine.
type Diagnosis struct {
	Isolation sandbox.Choice
	Tools     []ToolUse // sorted by name
}

// A ToolUse is a program with the hooks and cases that use it.
type ToolUse struct {
	suites.Tool
	Hooks    []string     // scripts that call it, as slash paths
	Skips    []suites.Key // cases that its absence skips
	Fails    []suites.Key // cases that its absence fails
	Required bool         // a full run does not start without it
}

// Diagnose determines the isolation that the configuration selects, and every tool that hooks
// call or by which cases are gated. No hook runs; known tools are run for their versions, the
// project's own tools in isolation.
func Diagnose(ctx context.Context, o EquipmentOptions, p *Project) (*Diagnosis, error) {
	e, err := newEquipment(o, p, nil)
	if err != nil && e.isolation.Refusal() == nil {
		return nil, err
	}
	uses := make(map[string]*ToolUse)
	use := func(name string) *ToolUse {
		if uses[name] == nil {
			uses[name] = &ToolUse{Tool: suites.Tool{Name: name}}
		}
		return uses[name]
	}
	for name, callers := range p.Callers() {
		use(name).Hooks = callers
	}
	for _, c := range p.Every() {
		if c.Check != nil {
			switch c.Check.Need {
			case suites.NeedRequired, suites.NeedExpected:
				if c.Check.Tool != "" {
					use(c.Check.Tool).Fails = append(use(c.Check.Tool).Fails, c.Key())
				}
			case suites.NeedOptional:
				use(c.Check.Tool).Skips = append(use(c.Check.Tool).Skips, c.Key())
			case suites.NeedAdvisory:
			}
		}
		for _, g := range c.Gates {
			if u := use(g.Tool); g.Policy == suites.GateFail {
				u.Fails = append(u.Fails, c.Key())
			} else {
				u.Skips = append(u.Skips, c.Key())
			}
		}
	}
	tools, required := p.Requirements()
	for _, name := range tools {
		use(name).Required = true
	}
	for _, c := range required {
		use(c.Check.Tool).Required = true
	}
	found := e.Tools.Find(slices.Sorted(maps.Keys(uses)))
	e.Runner.Versions(ctx, e.Tools, found)
	d := &Diagnosis{Isolation: e.isolation}
	for _, t := range found {
		u := uses[t.Name]
		u.Tool = t
		d.Tools = append(d.Tools, *u)
	}
	return d, nil
}
