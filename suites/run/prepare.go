package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/process"
	"hookwatch/suites/sandbox"
)

// A caseRun is one case with the state that its steps share: the sandbox, the directories and
// environment in it, and how its commands ended so far.
type caseRun struct {
	sandbox.Sandbox
	o        *Options
	c        *suites.Case
	dir      string
	tmp      string
	root     string // the project: itself or the case's copy
	override string // the case's own CLAUDE_PROJECT_DIR; "" if it is the project
	cwd      string
	number   string
	searched string            // PATH without the case's programs and shims
	base     []string          // the environment of every program of the case
	over     map[string]string // the case's variables, which override those of clients and settings
	env      []string          // both
	settings map[string]string // variables that settings set for the hooks that the case fires
	named    []string          // the templates and their values, alternating
	expand   *strings.Replacer // of the templates
	places   []place           // see symbolic
	server   *Server
	ended    sandbox.Ended
	logs     []string // of a traced run, in traceDir; nil if the run is not traced
}

// A place is a directory with a name that replaces it in reports, so that two runs report the same.
type place struct{ dir, name string }

// project returns the value of CLAUDE_PROJECT_DIR for hooks.
func (s *caseRun) project() string { return cmp.Or(s.override, s.root) }

// close stops everything that runs for the case. Its files stay, because the code that judges the
// case removes or keeps them.
func (s *caseRun) close() {
	if s.server != nil {
		s.server.Close()
	}
	if s.Sandbox != nil {
		s.Close()
	}
}

// path expands a template. A relative path is in the case's TMPDIR.
func (s *caseRun) path(template string) string { return s.from(s.tmp, template) }

// from expands a template. A relative path is in dir.
func (s *caseRun) from(dir, template string) string {
	p := filepath.FromSlash(s.expand.Replace(template))
	if !filepath.IsAbs(p) {
		p = filepath.Join(dir, p)
	}
	return filepath.Clean(p)
}

// orient sets the directories of the case, its environment and the values of templates.
func (s *caseRun) orient() {
	if s.c.Project != nil || s.c.Repo != nil {
		s.override = filepath.Join(s.dir, "project")
	}
	s.cwd = s.root
	if s.c.Repo != nil {
		s.cwd = s.override
	}
	s.environ()
	if s.c.WantedEnv().Cwd != "" {
		s.cwd = s.from(s.cwd, s.c.WantedEnv().Cwd)
	}
}

func (s *caseRun) place(ctx context.Context, f suites.Fixture) error {
	return s.placeAt(ctx, s.path(f.Path), f)
}

// placeAt writes a fixture to a path that has no templates.
func (s *caseRun) placeAt(ctx context.Context, path string, f suites.Fixture) error {
	mode := fs.FileMode(f.Mode)
	if mode == 0 {
		mode = 0o644
	}
	now, content := time.Now(), f.Content
	if f.Fill {
		var err error
		if content, err = suites.Moments(s.expand.Replace(content), now); err != nil {
			return err
		}
	}
	if mode&fs.ModeSymlink != 0 {
		return s.tool(ctx, nil, s.root, "sh", "-c", `mkdir -p -- "$1" && ln -sfn -- "$2" "$3"`, "sh", filepath.Dir(path), content, path)
	}
	if err := s.Write(path, content, mode); err != nil || f.Age == 0 {
		return err
	}
	changed := now.Add(-f.Age).UTC().Format("200601021504.05")
	return s.tool(ctx, map[string]string{"TZ": "UTC"}, s.project(), "touch", "-t", changed, path)
}

// writeTree writes files to a directory of the case.
func (s *caseRun) writeTree(dir string, files map[string]string) error {
	for name, content := range files {
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			return fmt.Errorf("%s: is outside the temporary project", name)
		}
		if err := s.Write(filepath.Join(dir, filepath.FromSlash(name)), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// tool runs a program to prepare the case, in the directory at and with variables in addition to
// the case's.
func (s *caseRun) tool(ctx context.Context, env map[string]string, at string, argv ...string) error {
	results, err := s.Run(ctx, process.Command{
		Argv: argv, Dir: at, Env: process.With(s.env, env), Timeout: time.Minute, Preparing: true,
	})
	if err != nil {
		return err
	}
	res := results[0]
	switch {
	case res.StartError != nil:
		return fmt.Errorf("the case is prepared with %s: %w", argv[0], res.StartError)
	case res.Exit != 0:
		return errors.New(strings.Join(argv[:2], " ") + ": " + strings.TrimSpace(string(res.Stderr.Bytes)))
	}
	return nil
}

// open creates the sandbox of a case and prepares the case in it. If observed, the paths that it
// uses are recorded.
func (r *Runner) open(ctx context.Context, c *suites.Case, t suites.Tracer, observed bool) (*caseRun, error) {
	if err := r.Isolation.Refusal(); err != nil {
		return nil, err
	}
	settings := r.settings(c)
	path := cmp.Or(settings["PATH"], process.Getenv(r.Env, "PATH"))
	searched, err := r.paths.Path(path, c.WantedEnv().AbsentTools)
	if err != nil {
		return nil, err
	}
	search := filepath.SplitList(searched)
	if searched != path { // the directories of links lead to those of the whole path
		search = append(search, filepath.SplitList(path)...)
	}
	opened, err := r.pool.Open(ctx, sandbox.Wanted{Dirs: r.dirs(c), Search: search, Watched: watchedBy(c), Observed: observed, Turns: c.Turns != nil})
	if err != nil {
		return nil, err
	}
	s := &caseRun{Sandbox: opened, o: r.Options.of(c), c: c, dir: opened.Dir(), root: opened.Root(), number: sessionNumber(), searched: searched, settings: settings}
	s.tmp = filepath.Join(s.dir, "tmp")
	if err := s.prepare(ctx, t); err != nil {
		s.close()
		_ = r.pool.Discard(s.dir)
		return nil, err
	}
	return s, nil
}

// prepare sets up everything that the case needs before its first step.
func (s *caseRun) prepare(ctx context.Context, t suites.Tracer) (err error) {
	if len(s.c.WantedEnv().Server) > 0 {
		if s.server, err = Serve(s.Listen, s.c.WantedEnv().Server); err != nil {
			return err
		}
	}
	s.orient()
	if err := s.placePrograms(); err != nil {
		return err
	}
	if err := s.trace(t); err != nil {
		return err
	}
	if in := s.o.Instead; len(in.Files)+len(in.Removed) > 0 {
		if err := s.Unrecorded(func() error { return s.replace(ctx, in) }); err != nil {
			return err
		}
	}
	if s.c.Project != nil {
		if err := s.writeTree(s.override, s.c.Project.Files); err != nil {
			return err
		}
	}
	if s.c.Repo != nil {
		return GitPlace{At: s.override, Main: filepath.Join(s.tmp, "main-worktree"), Run: s.tool, Write: s.writeTree}.Build(ctx, s.c.Repo)
	}
	return nil
}

// replace makes the project of the case that of a revision.
func (s *caseRun) replace(ctx context.Context, in Instead) error {
	if len(in.Removed) > 0 {
		if err := s.tool(ctx, nil, s.root, append([]string{"rm", "-rf", "--"}, in.Removed...)...); err != nil {
			return err
		}
	}
	for _, f := range in.Files {
		if err := s.placeAt(ctx, filepath.Join(s.root, filepath.FromSlash(f.Path)), f); err != nil {
			return err
		}
	}
	return nil
}

// dirs returns the subdirectories of a case's own directory. nil is a case without special needs.
func (o *Options) dirs(c *suites.Case) []string {
	dirs := []string{"tmp"}
	if c != nil && (c.Project != nil || c.Repo != nil) {
		dirs = append(dirs, "project")
	}
	if o.EmptyHome || c != nil && c.Layer == suites.Live {
		dirs = append(dirs, "home")
	}
	return dirs
}

// watchedBy returns the directories of the project for which the case has an expectation of
// changes. In place, examining the whole project for every case would be too slow.
func watchedBy(c *suites.Case) []string {
	var dirs []string
	for i := range c.Steps {
		for _, f := range c.Steps[i].Expect.Files {
			rest, ok := strings.CutPrefix(f.Path, "{project}")
			if f.Change == "" || !ok {
				continue
			}
			if at := strings.IndexAny(rest, "*?["); at >= 0 {
				rest = rest[:at]
			}
			dirs = append(dirs, rest[:strings.LastIndexByte(rest, '/')+1])
		}
	}
	return dirs
}

// serial counts the cases of this process. It starts at the current time, because several runners,
// also in other processes, must not use the same number.
var serial = func() *atomic.Int64 {
	n := new(atomic.Int64)
	n.Store(time.Now().UnixMilli() * 1000)
	return n
}()

// sessionNumber returns a number that no other case has had, because hooks key their state by
// something that looks like a PID.
func sessionNumber() string { return strconv.FormatInt(serial.Add(1), 10) }

// logLimit is the maximum size of a log in bytes, and logsLimit the maximum number of logs in a
// directory. Larger ones are not read.
const (
	logLimit  = 64 << 20
	logsLimit = 1000
)

// traceDir is the directory of a traced run in that of its case.
const traceDir = "trace"

// trace applies the Tracer to the environment of all steps. If a step sets one of the tracer's
// variables itself, which would disable it, the case runs without tracing.
func (s *caseRun) trace(t suites.Tracer) error {
	if t == nil {
		return nil
	}
	how := t(filepath.Join(s.dir, traceDir), process.With(process.With(s.base, s.settings), s.over))
	for i := range s.c.Steps {
		for name := range how.Set {
			if _, own := s.c.Steps[i].Env[name]; own {
				return nil
			}
		}
	}
	for name, content := range how.Files {
		if err := s.Write(filepath.Join(s.dir, traceDir, filepath.FromSlash(name)), content, 0o666); err != nil {
			return err
		}
	}
	s.logs = how.Logs
	s.set(how.Set)
	return nil
}

// set sets variables of all later programs of the case, as the case itself would.
func (s *caseRun) set(variables map[string]string) {
	maps.Copy(s.over, variables)
	s.env = process.With(s.env, variables)
}

// traceLogs returns the logs of a traced run, nil if it was not traced. A log that cannot be read is
// missing.
func (s *caseRun) traceLogs() map[string][]byte {
	if s.logs == nil {
		return nil
	}
	logs := map[string][]byte{}
	for _, name := range s.logs {
		names := []string{name}
		if dir, ok := strings.CutSuffix(name, "/"); ok {
			names = nil
			files, err := s.ListOwn(filepath.Join(traceDir, filepath.FromSlash(dir)), logsLimit)
			if err != nil {
				continue
			}
			for _, file := range files {
				names = append(names, name+file)
			}
		}
		for _, name := range names {
			if b, err := s.ReadOwn(filepath.Join(traceDir, filepath.FromSlash(name)), logLimit); err == nil {
				logs[name] = b
			}
		}
	}
	return logs
}

// accesses returns the uses of paths by the hooks, and why they are not all known.
func (s *caseRun) accesses(results []suites.Result) (all []suites.Access, unobserved string) {
	all, unobserved = s.Accesses()
	for _, r := range results {
		switch {
		case unobserved != "":
		case r.TimedOut:
			unobserved = "the hook timed out"
		case r.Memory > 0:
			unobserved = "the hook used too much memory"
		case len(r.LeftBehind) > 0:
			unobserved = "a process outlived the hook"
		}
	}
	return all, unobserved
}
