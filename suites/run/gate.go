package run

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"hookwatch/suites"
	"hookwatch/suites/disk"
	"hookwatch/suites/process"
)

// gate returns why the case cannot run, because it lacks something that it needs, or nil.
func (r *Runner) gate(ctx context.Context, c *suites.Case) (*suites.NotRun, error) {
	if n := r.Options.of(c).liveGate(c); n != nil {
		return n, nil
	}
	if n := r.Options.of(c).chainGate(c); n != nil && c.Layer != suites.Live {
		return n, nil
	}
	for _, hook := range hooksOf(c) {
		if l := r.launch(r.Root, hook); l.Absent != "" {
			return &suites.NotRun{Status: suites.Skip, Reason: suites.ToolAbsent, Detail: l.Absent + " (interpreter of " + hook + ")"}, nil
		}
	}
	for _, g := range c.Gates {
		if n, err := r.missing(ctx, c, g); n != nil || err != nil {
			return n, err
		}
	}
	return nil, nil
}

// missing checks that the tool of one gate exists, and its version if the gate requires one.
func (r *Runner) missing(ctx context.Context, c *suites.Case, g suites.Gate) (*suites.NotRun, error) {
	tool := r.locate(g)
	if !tool.Present() {
		by, err := r.byRunner(ctx, c, g)
		switch {
		case err != nil:
			return nil, err
		case by:
			return nil, nil // its version is not checked, because the case will fail if it is too old
		case g.Policy == suites.GateFail:
			return &suites.NotRun{Status: suites.Fail, Reason: suites.ToolAbsent, Detail: g.Tool}, nil
		}
		return &suites.NotRun{Status: suites.Skip, Reason: suites.ToolAbsent, Detail: g.Tool}, nil
	}
	if g.MinVersion == "" {
		return nil, nil
	}
	// A tool that does not print its version may be new enough; if not, the case will fail.
	version, err := r.version(ctx, tool)
	if err != nil {
		return nil, err
	}
	have := firstVersion(version)
	if have == "" || !olderVersion(have, g.MinVersion) {
		return nil, nil
	}
	return &suites.NotRun{Status: suites.Skip, Reason: suites.ToolTooOld, Detail: g.Tool + " " + have + " < " + g.MinVersion}, nil
}

// locate finds the tool of a gate where hooks look for it, without running anything. It does not
// include tools that only a runner can find.
func (r *Runner) locate(g suites.Gate) suites.Tool {
	for _, place := range append(slices.Clone(g.Places), g.Tool) {
		if len(suites.Place(place).Runner()) > 0 {
			continue
		}
		if t := r.tools.FindOne(place); t.Present() {
			t.Name = g.Tool
			return t
		}
	}
	return suites.Tool{Name: g.Tool}
}

// chainGate skips a chain that contains a hook of a type that is not run.
func (o *Options) chainGate(c *suites.Case) *suites.NotRun {
	if !c.Chain || o.Hooks == nil {
		return nil
	}
	for i := range c.Steps {
		st := &c.Steps[i]
		for _, h := range o.Hooks(st.Event, st.Tool) {
			if h.Type != "command" {
				return &suites.NotRun{Status: suites.Skip, Reason: suites.ToolAbsent, Detail: "runner for hooks of type " + h.Type + " (" + h.ID + ")"}
			}
		}
	}
	return nil
}

// programs returns the directory of the case's own programs, which is searched first.
func (s *caseRun) programs() string { return filepath.Join(s.dir, "programs") }

// placePrograms writes the case's own programs.
func (s *caseRun) placePrograms() error {
	for _, p := range s.c.WantedEnv().Programs {
		text := s.expand.Replace(script(p))
		if err := s.Write(filepath.Join(s.programs(), p.Name), text, 0o755); err != nil {
			return fmt.Errorf("program %s of the case: %w", p.Name, err)
		}
	}
	return nil
}

// version returns the version that a gate's tool prints. Each tool is asked once.
func (r *Runner) version(ctx context.Context, tool suites.Tool) (string, error) {
	return r.tools.Version(ctx, tool, r.asking(tool))
}

// Versions asks each tool that may be asked for its version, a few at once; box remembers the
// answers. A program that the project may have brought along is asked in a sandbox. With HooksOnly
// it is not asked, because a copy lets programs do whatever the user may do, and the user allowed
// hooks to run there, not this program.
func (r *Runner) Versions(ctx context.Context, box *Toolbox, tools []suites.Tool) {
	hooksOnly := r.Isolation.Describe().HooksOnly
	askEachTool(tools, func(tool suites.Tool) string {
		if hooksOnly && !r.machine.Has(tool.Path) {
			return ""
		}
		version, _ := box.Version(ctx, tool, r.asking(tool)) // a tool that cannot be asked has no version
		return version
	})
}

// asking returns the function that asks a program for its version: on the machine, or in a new
// sandbox if the project may have brought the program along.
func (r *Runner) asking(tool suites.Tool) toolAsking {
	if r.machine.Has(tool.Path) {
		return r.machine.Ask
	}
	return func(ctx context.Context, argv []string) (process.Result, error) {
		s, err := r.open(ctx, &suites.Case{Suite: "version", ID: "tool"}, nil, false)
		if err != nil {
			return process.Result{}, err
		}
		defer func() { s.close(); _ = r.pool.Discard(s.dir) }()
		return s.ask(ctx, argv)
	}
}

// ask runs a program that must only print its version.
func (s *caseRun) ask(ctx context.Context, argv []string) (process.Result, error) {
	program, _ := s.viewPath(argv[0])
	results, err := s.Run(ctx, process.Command{
		Argv: append([]string{program}, argv[1:]...), Dir: s.root, Env: process.With(s.env, offlineEnv), Timeout: versionTime, Limit: versionLimit,
	})
	if err != nil {
		return process.Result{}, err
	}
	return results[0], nil
}

// viewPath returns the path in the case's view of a file of the project, which may be reached by a
// path other than the project's root. It returns false for any other file.
func (s *caseRun) viewPath(file string) (at string, ok bool) {
	if disk.Within(s.o.Root, file) {
		return s.pathBelow(s.o.Root, file), true
	}
	root, errRoot := filepath.EvalSymlinks(s.o.Root)
	dir, errDir := filepath.EvalSymlinks(filepath.Dir(file))
	if errRoot != nil || errDir != nil || !disk.Within(root, dir) {
		return file, false
	}
	return s.pathBelow(root, filepath.Join(dir, filepath.Base(file))), true
}

// pathBelow returns the path in the case's view of a file below root.
func (s *caseRun) pathBelow(root, file string) string {
	return filepath.Join(s.root, strings.TrimPrefix(file, root))
}

// A runnerAnswer is locked while a runner is asked, so that only cases with the same question wait.
type runnerAnswer struct {
	mu         sync.Mutex
	known, has bool
}

// Forget discards the answers of runners at the start of a run, because absent tools may have been
// installed since.
func (r *Runner) Forget() { r.asked.Clear() }

// byRunner reports whether a runner among the places has the tool. It asks once per run, unless the
// runner does not answer in time, because that is no evidence about the tool for the next case.
func (r *Runner) byRunner(ctx context.Context, c *suites.Case, g suites.Gate) (bool, error) {
	check := &suites.Check{Tool: g.Tool}
	for _, place := range g.Places {
		if len(suites.Place(place).Runner()) > 0 {
			check.Places = append(check.Places, place)
		}
	}
	if len(check.Places) == 0 {
		return false, nil
	}
	cached, _ := r.asked.LoadOrStore(strings.Join(check.Places, "\n"), new(runnerAnswer))
	a := cached.(*runnerAnswer)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.known {
		return a.has, nil
	}
	l, err := r.look(ctx, c, check)
	if l.sandbox != "" {
		_ = r.pool.Discard(l.sandbox)
	}
	has := l.finding.Holds
	if err == nil && ctx.Err() == nil && (has || !l.timedOut) {
		a.known, a.has = true, has
	}
	return has, err
}
