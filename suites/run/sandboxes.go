package run

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/isolate"
	"hookwatch/suites/process"
)

// sandboxes are where those of cases come from.
type sandboxes struct {
	o      *Options
	pool   *Pool
	hidden Farms // search paths without some tools
}

func newSandboxes(o *Options) *sandboxes {
	m := &sandboxes{o: o}
	m.hidden.Dir = o.Temp
	m.pool = NewPool(PoolOptions{
		Temp: o.Temp, Search: filepath.SplitList(process.Getenv(o.Env, "PATH")), Dirs: o.dirs(nil),
		Isolation: o.Isolation, Plan: o.Plan, Limits: o.Bounds.Limits(), KeepSize: o.KeepSize,
	})
	return m
}

// open makes the sandbox of a case.
func (m *sandboxes) open(ctx context.Context, c *suites.Case, t Tracer) (*sandbox, error) {
	if m.o.Refused != nil {
		return nil, m.o.Refused
	}
	m.pool.Refresh()
	s := &sandbox{o: m.o, c: c, root: m.o.Root, number: sessionNumber()}
	if special := c.Project != nil || c.Repo != nil || len(c.Surroundings().AbsentTools) > 0; !special {
		if dir, box := m.pool.Early(); box != nil {
			s.dir, s.Surroundings = dir, Confined{Sandbox: box}
		}
	}
	if s.dir == "" {
		var err error
		if s.dir, err = os.MkdirTemp(m.o.Temp, c.Suite+"-"+c.ID+"-"); err != nil {
			return nil, err
		}
	}
	s.tmp = filepath.Join(s.dir, "tmp")
	if err := m.build(ctx, s, t); err != nil {
		s.close()
		_ = m.pool.Discard(s.dir)
		return nil, err
	}
	return s, nil
}

func (m *sandboxes) build(ctx context.Context, s *sandbox, t Tracer) error {
	searched, err := m.hidden.Path(process.Getenv(s.o.Env, "PATH"), s.c.Surroundings().AbsentTools)
	if err != nil {
		return err
	}
	if s.c.Project != nil || s.c.Repo != nil {
		s.override = filepath.Join(s.dir, "project")
	}
	if s.Surroundings == nil {
		if err := m.surround(ctx, s, searched); err != nil {
			return err
		}
	}
	s.cwd = s.start()
	if len(s.c.Surroundings().Server) > 0 {
		if s.server, err = Serve(s.Listen, s.c.Surroundings().Server); err != nil {
			return err
		}
	}
	s.searched = searched
	s.environ()
	if s.c.Surroundings().Cwd != "" {
		s.cwd = s.from(s.cwd, s.c.Surroundings().Cwd)
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
		return GitPlace{At: s.override, Main: filepath.Join(s.tmp, "main-worktree"), Run: s.tool, Write: s.writeTree}.Build(ctx, s.c.Repo)
	}
	return nil
}

// surround makes what the case runs in, as the runner's mode has it.
func (m *sandboxes) surround(ctx context.Context, s *sandbox, searched string) error {
	dirs := s.o.dirs(s.c)
	switch s.o.Isolation {
	case isolate.Namespaces, isolate.Copy, isolate.None, "":
	default:
		return fmt.Errorf("isolation %s runs nothing", s.o.Isolation)
	}
	if s.o.Isolation == isolate.Namespaces {
		// A path without some tools leads to the directories of the others.
		search := append(filepath.SplitList(searched), filepath.SplitList(process.Getenv(s.o.Env, "PATH"))...)
		box, err := m.pool.Confine(ctx, s.dir, search, dirs)
		if err != nil {
			return err
		}
		s.Surroundings = Confined{Sandbox: box}
		return nil
	}
	for _, d := range dirs {
		if err := os.Mkdir(filepath.Join(s.dir, d), 0o755); err != nil {
			return err
		}
	}
	if s.o.Isolation == isolate.Copy {
		var err error
		if s.root, err = isolate.CopyProject(s.o.Root, s.dir, s.o.Uncopied); err != nil {
			return fmt.Errorf("copy the project: %w", err)
		}
	}
	box, err := InPlace(m.pool.Supervisors(), s.dir, s.root, append([]string{s.o.Temp}, s.o.Uncopied...), s.expectedDirs())
	if err != nil { // a nil *Open would be no nil Surroundings
		return err
	}
	s.Surroundings = box
	return nil
}

// dirs are those that a case finds in its own directory; nil is for one that
// wants nothing special.
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

// expectedDirs are the directories beside the case's own in which it expects
// changes or none: in place it would cost too much to look at the whole project
// for every case.
func (s *sandbox) expectedDirs() []string {
	var dirs []string
	for i := range s.c.Steps {
		for _, f := range s.c.Steps[i].Expect.Files {
			rest, ok := strings.CutPrefix(f.Path, "{project}")
			if f.Change == "" || !ok || s.o.Isolation == isolate.Copy {
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
