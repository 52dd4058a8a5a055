// Package run prepares a case's environment, fires its hook step by step and returns the outcome.
// It does not judge outcomes. It also finds the programs that hooks call, with their versions, and
// compares the sets of tools that verdicts depend on.
package run

import (
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/client/clients"
	"hookwatch/suites/discover"
	"hookwatch/suites/disk"
	"hookwatch/suites/process"
	"hookwatch/suites/run/evaluator"
	"hookwatch/suites/sandbox"
)

// A Runner runs cases. It is safe for concurrent use.
type Runner struct {
	Options
	pool      *sandbox.Pool
	paths     PathDirs // search paths without some tools
	tools     *Toolbox // asked for versions by gates
	machine   Machine
	asked     sync.Map // *runnerAnswer by places, because asking a runner such as npx takes longer than many a case
	evaluator evaluator.Evaluator
}

// New returns a runner with these options.
func New(o Options) *Runner {
	r := &Runner{Options: o, tools: NewToolbox(o.Root, o.Env, nil, nil), machine: NewMachine(o.Root, o.Env)}
	r.tools.Reader = o.Reader
	r.paths.Dir = o.Temp
	r.pool = sandbox.NewPool(sandbox.PoolOptions{
		Temp: o.Temp, Choice: o.Isolation, KeepSize: o.KeepSize,
		Prewarm: Plain(o.Env, o.EmptyHome),
	})
	return r
}

// Plain describes the sandbox of a case without special needs.
func Plain(env []string, emptyHome bool) sandbox.Wanted {
	o := Options{EmptyHome: emptyHome}
	return sandbox.Wanted{Dirs: o.dirs(nil), Search: filepath.SplitList(process.Getenv(env, "PATH"))}
}

// KeepReady keeps that many supervisors ready from now on, so that no case waits for the start of
// one. Close ends them.
func (r *Runner) KeepReady(supervisors int) { r.pool.KeepReady(supervisors) }

// Prewarm creates a sandbox for the next case without special needs and discards an unused earlier
// one. CancelPrewarm discards it.
func (r *Runner) Prewarm() { r.pool.Prewarm() }

// CancelPrewarm discards a prewarmed sandbox.
func (r *Runner) CancelPrewarm() { r.pool.CancelPrewarm() }

// Close discards everything that is kept ready. It does not affect running cases.
func (r *Runner) Close() {
	r.pool.Close()
	r.evaluator.Close()
}

// Remove deletes the files of a case after it was judged. Files that the case itself deleted are no
// error.
func (r *Runner) Remove(o suites.Outcome) error {
	if o.Sandbox == "" {
		return nil
	}
	if err := r.pool.Discard(o.Sandbox); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Keep moves the files of a case to a directory that does not exist yet, within KeepSize.
func (r *Runner) Keep(o suites.Outcome, to string) error {
	return r.pool.Keep(o.Sandbox, to)
}

// Options are common to all cases of a session.
type Options struct {
	Root    string        // the project's root, absolute
	Instead Instead       // of the files at the root; the zero value is nothing
	Temp    string        // where sandboxes are created; must exist
	Env     []string      // see Environment
	Timeout time.Duration // of a step whose case sets none
	// Backstop bounds the time of a step, whatever its case or the settings that register its hook
	// specify; 0: no limit.
	Backstop  time.Duration
	Client    client.Version
	Live      Live
	Isolation sandbox.Choice // the zero value runs nothing
	KeepSize  int64          // the limit of a kept sandbox in bytes; 0: none
	EmptyHome bool           // each case has an empty HOME of its own
	Known     Memory         // of firings whose files are not kept; nil: all are made
	Reuse     bool           // a case may run in the sandbox of an earlier one that left it untouched (see sandbox.Pool.Spare)
	// Hooks returns the registered hooks that fire for an event and the value that matchers are
	// compared with, in order. If nil, none are registered.
	Hooks func(event, value string) []discover.Hook
	// InForce returns the registered hooks. If nil, none are registered.
	InForce func() []discover.Hook
	// Dropped returns the problems because of which the client reads none of the hooks of a file. If nil,
	// there are none.
	Dropped func() []suites.Problem
	// Registered returns the registered hook of an event that a case names; of several, the one that
	// matches the value. If nil, none are registered.
	Registered func(event, name, value string) (discover.Hook, bool)
	// Ruled returns what the permission rules decide about a call. If nil, there are none.
	Ruled func(tool string, payload []byte) discover.Ruling
	// Others returns the hooks that another client than Claude Code reads. If nil, there are none.
	Others func(of clients.Client) discover.Registered
	// Interpreted reports whether every registered command that names the script starts it through
	// an interpreter, so that it needs no execute bit.
	Interpreted func(hook string) bool
	Scripts     []string // the project's hook scripts, from its root
	// Reader reads scripts anywhere, except files that are masked from cases.
	Reader disk.Reader
	// StandIns maps tools that the machine lacks to their replacements.
	StandIns map[string]string
	// Standing returns the stand-ins that a hook, given by its path, can reach.
	Standing func(hook string) []string
}

// An Instead is what cases have in the project instead of the files at its root: those of a revision.
type Instead struct {
	Source  string           // directory with all files of the revision, which are read there
	Files   []suites.Fixture // of these, with paths from the root, those that differ from the root
	Removed []string         // files at the root, as slash paths from it, that the revision does not have
}

// Live describes how cases of layer 2 run.
type Live struct {
	Of      clients.Client // the client; the zero value is Claude Code
	Client  string         // the program; "" is the one in PATH
	Timeout time.Duration  // of a case that sets none
	Alone   bool           // the client gets only InForce and does not read the project's settings
}

// of returns the options for a case: those of the client whose behaviour counts for it.
func (o *Options) of(c *suites.Case) *Options {
	if c.Client == "" || o.Live.Of.Name == c.Client {
		return o
	}
	own := *o
	client, _ := clients.ByName(c.Client) // the suite was checked
	own.Live.Use(client)
	if o.Others != nil {
		r := o.Others(client)
		own.Hooks, own.Registered, own.InForce = r.For, r.Find, func() []discover.Hook { return r.Hooks }
		own.Ruled = r.Rule
	}
	return &own
}

// limit returns a timeout that does not exceed the backstop.
func (o *Options) limit(timeout time.Duration) time.Duration {
	if o.Backstop > 0 && (timeout == 0 || timeout > o.Backstop) {
		return o.Backstop
	}
	return timeout
}

// Use has another client than Claude Code fire hooks; the program that the configuration names is
// Claude Code's.
func (l *Live) Use(of clients.Client) {
	if of.Live.Program != "" {
		l.Of, l.Client = of, ""
	}
}

// Program returns the name of the client's program as users write it.
func (l Live) Program() string { return cmp.Or(l.Client, l.Driver().Program()) }

// passed are the variables of the caller that hooks get unchanged.
var passed = []string{"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_*", "TZ"}

// secret are the names of variables that hooks get only if the user lists them.
var secret = []string{"*_KEY", "*_TOKEN", "*_SECRET", "*_PASSWORD", "*_CREDENTIALS"}

// Environment returns the variables of the caller's environment that hooks may see: a short list
// without names that look like secrets, and the names that the user lists.
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

// templates are the templates that texts of a case may contain.
var templates = []string{"{tmp}", "{project}", "{override}", "{session}", "{server}", "{port}", "{path}"}

// environ sets the environment that all steps of the case share, and the values of the templates.
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
	s.base, s.over = process.With(s.o.Env, set), s.expandAll(s.c.Env)
	s.env = process.With(s.base, s.over)
}

// settings returns the variables that settings set for the registered hooks that a case fires.
func (o *Options) settings(c *suites.Case) map[string]string {
	all := map[string]string{}
	fires := func(h discover.Hook) bool {
		return slices.ContainsFunc(c.Steps, func(st suites.Step) bool {
			name := cmp.Or(st.Registered, c.Registered)
			return h.Event == st.Event && (c.Chain || name != "" && h.Answers(name))
		})
	}
	if o.InForce != nil {
		for _, h := range o.InForce() {
			if fires(h) {
				maps.Copy(all, h.Variables())
			}
		}
	}
	return all
}

func (s *caseRun) expandAll(vars map[string]string) map[string]string {
	out := make(map[string]string, len(vars))
	for k, v := range vars {
		out[k] = s.expand.Replace(v)
	}
	return out
}

// variables returns the variables of env by name; the last value of a name counts.
func variables(env []string) map[string]string {
	set := make(map[string]string, len(env))
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		set[name] = value
	}
	return set
}
