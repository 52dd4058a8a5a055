// Package run is the RUN station: it builds a case's surroundings, fires its
// hook step by step as the case says, and returns what happened. It judges
// nothing.
package run

import (
	"cmp"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/discover"
	"hookwatch/suites/disk"
	"hookwatch/suites/expression/evaluator"
	"hookwatch/suites/live"
	"hookwatch/suites/process"
	"hookwatch/suites/sandbox"
	"hookwatch/suites/toolbox"
)

// A Runner runs cases. It is safe for concurrent use.
type Runner struct {
	Options
	pool      *sandbox.Pool
	paths     PathDirs         // search paths without some tools
	tools     *toolbox.Toolbox // whose versions gates ask for
	machine   toolbox.Machine
	asked     saidByRunners
	evaluator evaluator.Evaluator
}

// New makes a runner.
func New(o Options) *Runner {
	r := &Runner{Options: o, tools: toolbox.New(o.Root, o.Env, nil, nil), machine: toolbox.NewMachine(o.Root, o.Env)}
	r.paths.Dir = o.Temp
	r.pool = sandbox.NewPool(sandbox.PoolOptions{
		Temp: o.Temp, Choice: o.Isolation, KeepSize: o.KeepSize,
		Prewarm: sandbox.Wanted{Dirs: o.dirs(nil), Search: filepath.SplitList(process.Getenv(o.Env, "PATH"))},
	})
	return r
}

// KeepReady keeps that many supervisors ready from now on, so that no case waits for
// the start of one. Close ends them.
func (r *Runner) KeepReady(supervisors int) { r.pool.KeepReady(supervisors) }

// Prewarm makes a sandbox for the next case with no special wishes, in the place of one
// that no case took. CancelPrewarm gives it up.
func (r *Runner) Prewarm() { r.pool.Prewarm() }

// CancelPrewarm gives up a prewarmed sandbox.
func (r *Runner) CancelPrewarm() { r.pool.CancelPrewarm() }

// Close gives up what is kept ready. Cases that run are not touched.
func (r *Runner) Close() {
	r.pool.Close()
	r.evaluator.Close()
}

// Remove deletes what a case left, once it was judged.
func (r *Runner) Remove(o suites.Outcome) error {
	if o.Sandbox == "" {
		return nil
	}
	return r.pool.Discard(o.Sandbox)
}

// Keep moves what a case left to a directory that does not exist yet, within
// KeepSize.
func (r *Runner) Keep(o suites.Outcome, to string) error {
	return r.pool.Keep(o.Sandbox, to)
}

// Options are what every case of a session has in common.
type Options struct {
	Root    string        // the project's root, absolute
	Temp    string        // where sandboxes are made; must exist
	Env     []string      // see Environment
	Timeout time.Duration // of a step whose case names none
	// Backstop is the longest that a step may take, whatever its case or the
	// settings that register its hook say; 0: no limit.
	Backstop  time.Duration
	Client    client.Version
	Live      Live
	Isolation sandbox.Choice // the zero value runs nothing
	KeepSize  int64          // bytes that a kept sandbox may take up; 0: no bound
	EmptyHome bool           // each case has a HOME of its own, with nothing in it
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
	Scripts     []string // the project's hook scripts, from its root
	// Reader reads scripts, wherever they lie. What is masked from cases is not read
	// for them either.
	Reader disk.Reader
	// StandIns tells what stands in for tools that the machine does not have.
	StandIns map[string]string
	// Standing names, for a hook's path, the stand-ins that it can reach.
	Standing func(hook string) []string
}

// Live says how cases of layer 2 run.
type Live struct {
	Client  string        // the program; "" is that of PATH
	Timeout time.Duration // of a case that names none
	Alone   bool          // InForce is all that the client is told of: the project's own settings are not read
}

// bounded returns a time-out that does not exceed the backstop.
func (o *Options) bounded(timeout time.Duration) time.Duration {
	if o.Backstop > 0 && (timeout == 0 || timeout > o.Backstop) {
		return o.Backstop
	}
	return timeout
}

// Program is the client's program as people name it.
func (l Live) Program() string { return cmp.Or(l.Client, live.Program) }

// passed are the variables of the caller that hooks get as they are.
var passed = []string{"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_*", "TZ"}

// secret are the names of variables that nobody gets unless listed.
var secret = []string{"*_KEY", "*_TOKEN", "*_SECRET", "*_PASSWORD", "*_CREDENTIALS"}

// Environment picks from the caller's environment what hooks may see: a short
// list, in which nothing looks like a secret, and the names that the person lists.
func Environment(caller []string, list []string) []string {
	var env []string
	for _, kv := range caller {
		name, _, ok := strings.Cut(kv, "=")
		switch {
		case !ok || name == "":
		case slices.Contains(list, name):
			env = append(env, kv)
		case matches(name, passed) && !matches(name, secret):
			env = append(env, kv)
		}
	}
	return env
}

func matches(name string, globs []string) bool {
	return slices.ContainsFunc(globs, func(g string) bool {
		ok, err := path.Match(g, name)
		return err == nil && ok
	})
}

// templates are what a case's texts may name of its surroundings.
var templates = []string{"{tmp}", "{project}", "{override}", "{session}", "{server}", "{port}", "{path}"}

// environ makes the environment that all steps of the case share, and what the
// templates stand for.
func (s *caseRun) environ() {
	address, port := "", ""
	if s.server != nil {
		address, port = s.server.Address(), s.server.Port()
	}
	search := s.searched
	if len(s.c.WantedEnv().Programs) > 0 {
		search = s.programs() + string(filepath.ListSeparator) + search
	}
	s.named = []string{
		"{tmp}", s.tmp,
		"{project}", s.root,
		"{override}", s.project(),
		"{session}", s.number,
		"{server}", address,
		"{port}", port,
		"{path}", search,
	}
	s.expand = strings.NewReplacer(s.named...)
	set := map[string]string{
		"PATH":               search,
		"TMPDIR":             s.tmp,
		"CLAUDE_PROJECT_DIR": s.project(),
		"HOOK_SESSION_PID":   s.number,
		"HOOK_GUARD_PID":     s.number,
	}
	if s.o.EmptyHome || s.c.Layer == suites.Live {
		set["HOME"] = filepath.Join(s.dir, "home")
	}
	s.env = process.With(process.With(s.o.Env, set), s.expanded(s.c.Env))
}

func (s *caseRun) expanded(vars map[string]string) map[string]string {
	out := make(map[string]string, len(vars))
	for k, v := range vars {
		out[k] = s.expand.Replace(v)
	}
	return out
}

// variables are the settings of env by name; the last of a name counts.
func variables(env []string) map[string]string {
	set := make(map[string]string, len(env))
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		set[name] = value
	}
	return set
}
