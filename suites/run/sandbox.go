package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/isolate"
	"hookwatch/suites/isolate/trees"
	"hookwatch/suites/process"
	"hookwatch/suites/run/gitstate"
	"hookwatch/suites/run/server"
)

// A sandbox is the surroundings of one case: a directory with the case's TMPDIR
// and, where the case asks for one, its temporary project; and what keeps the
// case from all else.
type sandbox struct {
	surroundings
	r        *Runner
	c        *suites.Case
	dir      string
	tmp      string
	root     string // the project: itself, or this case's copy of it
	override string // CLAUDE_PROJECT_DIR of the case's own; "" when it is the project
	cwd      string
	number   string
	searched string // the PATH that the case would have of itself
	env      []string
	named    []string          // the templates and what each stands for, one after the other
	expand   *strings.Replacer // of them
	places   []place           // see symbolic
	server   *server.Server
	most     int      // processes that had to be ended at once
	refused  []string // system calls, by name
	tooLarge bool     // a file was to become larger than it may
	log      string   // of a traced run, in dir; "" when the run is not traced
}

func (r *Runner) open(ctx context.Context, c *suites.Case, t Tracer) (*sandbox, error) {
	r.refresh()
	s := &sandbox{r: r, c: c, root: r.Root, number: sessionNumber()}
	if e := r.earlyFor(c); e != nil {
		s.dir, s.surroundings = e.dir, confined{e.box}
	} else {
		var err error
		if s.dir, err = os.MkdirTemp(r.Temp, c.Suite+"-"+c.ID+"-"); err != nil {
			return nil, err
		}
	}
	s.tmp = filepath.Join(s.dir, "tmp")
	if err := s.build(ctx, t); err != nil {
		s.close()
		_ = r.discard(s.dir)
		return nil, err
	}
	return s, nil
}

func (s *sandbox) build(ctx context.Context, t Tracer) error {
	searched, err := s.r.hidden.Path(process.Getenv(s.r.Env, "PATH"), s.c.AbsentTools)
	if err != nil {
		return err
	}
	if s.c.Project != nil || s.c.Repo != nil {
		s.override = filepath.Join(s.dir, "project")
	}
	if s.surroundings == nil {
		if err := s.surround(ctx, searched); err != nil {
			return err
		}
	}
	s.cwd = s.start()
	if len(s.c.Server) > 0 {
		if s.server, err = server.Serve(s.listen, s.c.Server); err != nil {
			return err
		}
	}
	s.searched = searched
	s.environ()
	if s.c.Cwd != "" {
		s.cwd = s.from(s.cwd, s.c.Cwd)
	}
	if err := s.placePrograms(); err != nil {
		return err
	}
	if err := s.trace(t); err != nil {
		return err
	}
	if s.c.Project != nil {
		if err := s.writeTree(s.override, s.c.Project.Files); err != nil {
			return err
		}
	}
	if s.c.Repo != nil {
		return gitstate.Place{At: s.override, Main: filepath.Join(s.tmp, "main-worktree"), Run: s.tool, Write: s.writeTree}.Build(ctx, s.c.Repo)
	}
	return nil
}

// surround makes what the case runs in, as the runner's mode has it.
func (s *sandbox) surround(ctx context.Context, searched string) error {
	dirs := s.r.dirs(s.c)
	if s.r.Isolation == isolate.Namespaces {
		// A path without some tools leads to the directories of the others.
		search := append(filepath.SplitList(searched), filepath.SplitList(process.Getenv(s.r.Env, "PATH"))...)
		box, err := s.r.confine(ctx, s.dir, search, dirs)
		if err != nil {
			return err
		}
		s.surroundings = confined{box}
		return nil
	}
	for _, d := range dirs {
		if err := os.Mkdir(filepath.Join(s.dir, d), 0o755); err != nil {
			return err
		}
	}
	if s.r.Isolation == isolate.Copy {
		var err error
		if s.root, err = trees.CopyProject(s.r.Root, s.dir, s.r.Uncopied); err != nil {
			return fmt.Errorf("copy the project: %w", err)
		}
	}
	box, err := newOpen(s.r.supervisors(), s, append([]string{s.r.Temp}, s.r.Uncopied...), s.expectedDirs())
	if err != nil { // a nil *open would be no nil surroundings
		return err
	}
	s.surroundings = box
	return nil
}

// dirs are those that a case finds in its own directory; nil is for one that
// wants nothing special.
func (r *Runner) dirs(c *suites.Case) []string {
	dirs := []string{"tmp"}
	if c != nil && (c.Project != nil || c.Repo != nil) {
		dirs = append(dirs, "project")
	}
	if r.EmptyHome || c != nil && c.Layer == suites.Live {
		dirs = append(dirs, "home")
	}
	return dirs
}

// expectedDirs are the directories beside the case's own in which it expects
// changes or none: in place it would cost too much to look at the whole project
// for every case.
func (s *sandbox) expectedDirs() []string {
	var dirs []string
	for i := range s.c.Steps {
		for _, f := range s.c.Steps[i].Expect.Files {
			rest, ok := strings.CutPrefix(f.Path, "{project}")
			if f.Change == "" || !ok || s.r.Isolation == isolate.Copy {
				continue
			}
			if at := strings.IndexAny(rest, "*?["); at >= 0 {
				rest = rest[:at]
			}
			dirs = append(dirs, filepath.Join(s.root, rest[:strings.LastIndexByte(rest, '/')+1]))
		}
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

// project is what the hook sees as CLAUDE_PROJECT_DIR.
func (s *sandbox) project() string {
	if s.override != "" {
		return s.override
	}
	return s.root
}

// close stops what runs for the case. What it left stays: whoever judges the
// case decides.
func (s *sandbox) close() {
	if s.server != nil {
		s.server.Close()
	}
	if s.surroundings != nil {
		s.Close()
	}
}

// path expands a template; what is relative lies in the case's TMPDIR.
func (s *sandbox) path(template string) string { return s.from(s.tmp, template) }

// from is the path that a template gives, from a directory if it is relative.
func (s *sandbox) from(dir, template string) string {
	p := filepath.FromSlash(s.expand.Replace(template))
	if !filepath.IsAbs(p) {
		p = filepath.Join(dir, p)
	}
	return filepath.Clean(p)
}

// start is the directory in which sessions of the case start, unless it names one.
func (s *sandbox) start() string {
	if s.c.Repo != nil {
		return s.override
	}
	return s.root
}

func (s *sandbox) place(ctx context.Context, f suites.Fixture) error {
	mode := fs.FileMode(f.Mode)
	if mode == 0 {
		mode = 0o644
	}
	now, content, path := time.Now(), f.Content, s.path(f.Path)
	if f.Fill {
		var err error
		if content, err = suites.Moments(s.expand.Replace(content), now); err != nil {
			return err
		}
	}
	if err := s.write(path, content, mode); err != nil || f.Age == 0 {
		return err
	}
	changed := now.Add(-f.Age).UTC().Format("200601021504.05")
	return s.tool(ctx, map[string]string{"TZ": "UTC"}, s.project(), "touch", "-t", changed, path)
}

// writeTree fills a directory of the case's own.
func (s *sandbox) writeTree(dir string, files map[string]string) error {
	for name, content := range files {
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			return fmt.Errorf("%s: lies outside the temporary project", name)
		}
		if err := s.write(filepath.Join(dir, filepath.FromSlash(name)), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// tool runs, in a directory and with variables of its own, a program that the case's preparation needs.
func (s *sandbox) tool(ctx context.Context, env map[string]string, at string, argv ...string) error {
	results, err := s.Run(ctx, process.Command{
		Argv: argv, Dir: at, Env: process.With(s.env, env), Timeout: time.Minute,
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
