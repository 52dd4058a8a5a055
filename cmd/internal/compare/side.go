package compare

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"hookwatch/cmd/internal/revision"
	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
	"hookwatch/suites/conform"
	"hookwatch/suites/discover"
	"hookwatch/suites/disk"
	"hookwatch/suites/run"
)

// A Side is a state of a project in which hooks are fired: that of a revision, or the work tree. The
// hooks of a revision run at the project's own path, where its files replace those of the work tree,
// so that what git ignores, such as installed packages, is there too.
type Side struct {
	Name    string
	Project *session.Project // read from the revision
	Runner  *run.Runner      // of the hooks that are commands

	hooks   []discover.Hook // with paths in the project itself
	tree    conform.Tree
	files   []suites.Fixture // that differ from the work tree
	removed []string         // files of the work tree that the revision does not have
	left    int              // files that differ and are as in the work tree because there are too many
	seen    map[string]Seen  // by hook and call
	close   func()
}

// At returns the state of a project at a revision, or of its work tree without a name. r is a runner
// of the work tree. The caller must close the side.
func At(ctx context.Context, p *session.Project, r *run.Runner, name string) (*Side, error) {
	s := &Side{Name: "the work tree", Project: p, Runner: r, seen: map[string]Seen{}, close: func() {}}
	moved := func(hooks []discover.Hook) []discover.Hook { return hooks }
	if name != "" {
		rev, err := revision.CheckOut(ctx, p.Root(), name)
		if err != nil {
			return nil, err
		}
		s.Name, s.close = name, rev.Close
		if err := s.load(ctx, rev, p); err != nil {
			rev.Close()
			return nil, fmt.Errorf("revision %s: %w", name, err)
		}
		at := func(path string) string {
			if rest, inside := strings.CutPrefix(path, rev.Root); inside {
				return disk.Real(p.Root()) + rest
			}
			return path
		}
		moved = func(hooks []discover.Hook) []discover.Hook {
			hooks = slices.Clone(hooks)
			for i, h := range hooks {
				hooks[i].Root, hooks[i].Session, hooks[i].PluginRoot = at(h.Root), at(h.Session), at(h.PluginRoot)
			}
			return hooks
		}
		registered := s.Project.Registered
		registered.Hooks, registered.Others, registered.Elsewhere = moved(registered.Hooks), moved(registered.Others), moved(registered.Elsewhere)
		o := r.Options
		o.Hooks, o.Registered, o.InForce = registered.For, registered.Named, func() []discover.Hook { return registered.Hooks }
		o.Interpreted, o.Scripts = s.Project.Interpreted, s.Project.Scripts()
		s.Runner = run.New(o)
		s.close = func() { s.Runner.Close(); rev.Close() }
	}
	all := s.Runner.Hooks
	s.Runner.Hooks = func(event, value string) []discover.Hook {
		return slices.DeleteFunc(slices.Clone(all(event, value)), func(h discover.Hook) bool { return h.NotRun() != "" })
	}
	s.tree = s.Project.Tree(os.Environ())
	s.hooks = moved(s.tree.Asked())
	return s, nil
}

// Close releases the runner and the files of a revision.
func (s *Side) Close() { s.close() }

// load reads the project of a revision, and finds the files in which it differs from the work tree.
func (s *Side) load(ctx context.Context, rev *revision.Revision, p *session.Project) (err error) {
	cfg := *p.Config // the same for both sides
	cfg.Root, cfg.Path = rev.Root, ""
	var problems []suites.Problem
	if s.Project, problems = session.Load(&cfg, session.Filter{}, nil); len(problems) > 0 {
		cfg.Suites = nil // its hooks matter more
		s.Project, problems = session.Load(&cfg, session.Filter{}, nil)
	}
	for _, p := range problems {
		err = errors.Join(err, p)
	}
	if err != nil {
		return err
	}
	const most, largest = 300, 8 << 20
	added, err := rev.Added(ctx)
	if err != nil {
		return err
	}
	s.removed = slices.DeleteFunc(added, func(name string) bool { return strings.HasSuffix(name, "/") }) // other repositories
	err = filepath.WalkDir(rev.Root, func(path string, d fs.DirEntry, err error) error {
		link := d != nil && d.Type()&fs.ModeSymlink != 0
		if err != nil || !link && !d.Type().IsRegular() {
			return err
		}
		name, err := filepath.Rel(rev.Root, path)
		if err != nil {
			return err
		}
		own := filepath.Join(p.Root(), name)
		other := inTheWay(p.Root(), name)
		info, err := d.Info()
		if err != nil || info.Size() > largest || p.Reader.World(own) != 0 { // neither side sees a hidden one
			return err
		}
		content, mode := []byte(nil), info.Mode().Perm()
		if link {
			to, err := os.Readlink(path)
			if now, _ := os.Readlink(own); err != nil || now == to {
				return err
			}
			content, mode = []byte(to), fs.ModeSymlink
		} else if content, err = os.ReadFile(path); err != nil || bytes.HasPrefix(content, []byte("version https://git-lfs")) {
			return err
		}
		if other != "" && !slices.Contains(s.removed, other) {
			s.removed = append(s.removed, other)
		} else if now, err := os.Lstat(own); err == nil && now.Mode().IsRegular() && now.Size() == info.Size() && now.Mode()&0o100 == info.Mode()&0o100 {
			if text, err := p.Reader.ReadFile(own, largest); err == nil && bytes.Equal(text, content) {
				return nil
			}
		}
		s.files = append(s.files, suites.Fixture{Path: inProject + filepath.ToSlash(name), Content: string(content), Mode: uint32(mode)})
		return nil
	})
	if before := len(s.files) + len(s.removed); before > most {
		dirs := s.territory(p)
		far := func(name string) bool {
			return !slices.ContainsFunc(dirs, func(dir string) bool { return strings.HasPrefix(name, dir) })
		}
		s.files = slices.DeleteFunc(s.files, func(f suites.Fixture) bool { return far(strings.TrimPrefix(f.Path, inProject)) })
		s.removed = slices.DeleteFunc(s.removed, far)
		s.left = before - len(s.files) - len(s.removed)
	}
	return err
}

// inTheWay returns the part of a path below root that is a link or of another kind than a file's path
// needs, "" if there is none. Nothing can be written there, or it would be written elsewhere.
func inTheWay(root, name string) string {
	for at := range len(name) + 1 {
		last := at == len(name)
		if !last && name[at] != filepath.Separator {
			continue
		}
		info, err := os.Lstat(filepath.Join(root, name[:at]))
		if err != nil {
			return ""
		}
		if last && !info.Mode().IsRegular() || !last && !info.IsDir() {
			return filepath.ToSlash(name[:at])
		}
	}
	return ""
}

// inProject begins the paths of fixtures in the project.
const inProject = "{project}/"

// territory returns the directories with hooks and settings, each with a slash behind it.
func (s *Side) territory(p *session.Project) (dirs []string) {
	for _, of := range []*session.Project{p, s.Project} {
		files := slices.Concat(of.Registered.Files, of.Scripts())
		for _, h := range slices.Concat(of.Registered.Hooks, of.Registered.Others, of.Registered.Elsewhere) {
			files = append(append(files, h.Scripts...), h.Source.File)
		}
		for _, f := range files {
			if dir := path.Dir(f); dir != "." {
				dirs = append(dirs, dir+"/")
			}
		}
	}
	return dirs
}

// run runs a case in the state of the side, and deletes its files. If observed, the paths that it uses
// are recorded.
func (s *Side) run(ctx context.Context, c *suites.Case, observed bool) (suites.Outcome, error) {
	s.prepare(c)
	if !observed {
		return s.Runner.RunAndRemove(ctx, c)
	}
	o, err := s.Runner.Traced(ctx, c, nil)
	return o, errors.Join(err, s.Runner.Remove(o))
}

// explore fires a hook with inputs that pass its comparisons, and returns those that came furthest.
func (s *Side) explore(ctx context.Context, h *discover.Hook) ([]conform.Try, error) {
	if h == nil {
		return nil, nil
	}
	return conform.Explore(s.tree, *h, func(p conform.Probe) (suites.Outcome, error) {
		s.prepare(p.Case)
		return s.Runner.Log(ctx, p.Case, p.Trace)
	})
}

// prepare makes a case run on the files of the side.
func (s *Side) prepare(c *suites.Case) {
	if len(s.files)+len(s.removed) > 0 {
		env := c.WantedEnv()
		env.Removed = s.removed
		c.CaseEnv = env.OrNil()
		c.Steps[0].Fixtures = slices.Concat(s.files, c.Steps[0].Fixtures)
	}
}
