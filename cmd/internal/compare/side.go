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
	"hookwatch/config"
	"hookwatch/suites"
	"hookwatch/suites/bench"
	"hookwatch/suites/check"
	"hookwatch/suites/client"
	"hookwatch/suites/depend"
	"hookwatch/suites/discover"
	"hookwatch/suites/run"
)

// A Side is a state of a project in which hooks are fired: that of a revision, or the work tree. The
// hooks of a revision run at the project's own path, where its files replace those of the work tree,
// so that what git ignores, such as installed packages, is there too.
type Side struct {
	Name    string
	Project *session.Project // read from the revision; its hooks run where the project is
	Runner  *run.Runner      // of the hooks that are commands

	bench *bench.Bench
	hooks []discover.Hook
	tree  check.Tree
	left  int             // files that differ and are as in the work tree because there are too many
	seen  map[string]Seen // by hook and call
	close func()
}

// At returns the state of a project at a revision, or of its work tree without a name. r is a runner
// of the work tree. The caller must close the side.
func At(ctx context.Context, p *session.Project, r *run.Runner, name string) (*Side, error) {
	s := &Side{Name: "the work tree", Project: p, Runner: r, seen: map[string]Seen{}, close: func() {}}
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
		registered := s.Project.Registered
		o := r.Options
		o.Hooks, o.Registered, o.InForce = registered.For, registered.Find, func() []discover.Hook { return registered.Hooks }
		o.Interpreted, o.Scripts, o.Instead, o.Reader = s.Project.IsInterpreted, s.Project.Scripts(), s.Project.Instead, s.Project.Reader.Anywhere()
		s.Runner = run.New(o)
		s.close = func() { s.Runner.Close(); rev.Close() }
	}
	all := s.Runner.Hooks
	s.Runner.Hooks = func(event, value string) []discover.Hook {
		return slices.DeleteFunc(slices.Clone(all(event, value)), func(h discover.Hook) bool { return h.WhyNotRun() != "" })
	}
	s.tree = s.Project.Tree(os.Environ())
	s.hooks = s.tree.Asked()
	return s, nil
}

// Close releases the runner and the files of a revision.
func (s *Side) Close() { s.close() }

// load reads the project of a revision, and finds the files in which it differs from the work tree.
func (s *Side) load(ctx context.Context, rev *revision.Revision, p *session.Project) (err error) {
	cfg := *p.Config // the same for both sides
	var problems []suites.Problem
	if s.Project, s.left, problems, err = Load(ctx, &cfg, session.Filter{}, rev, p); len(problems) > 0 {
		cfg.Suites = nil // its hooks matter more
		s.Project, s.left, problems, err = Load(ctx, &cfg, session.Filter{}, rev, p)
	}
	for _, p := range problems {
		err = errors.Join(err, p)
	}
	return err
}

// Load returns a project as it is at a revision, whose hooks run where the project is, and the number of
// files that differ and are as in the work tree because there are too many. cfg is the configuration of
// the project. Files near the hooks of beside are not left out.
func Load(ctx context.Context, cfg *config.Config, filter session.Filter, rev *revision.Revision, beside ...*session.Project) (p *session.Project, left int, problems []suites.Problem, err error) {
	own := *cfg
	own.Root, own.RunRoot = rev.In(cfg.Root), cfg.Root
	if cfg.Path != "" {
		own.Path = rev.In(cfg.Path)
	}
	if p, problems = session.Load(&own, filter, nil); p == nil {
		return nil, 0, problems, nil
	}
	const most, largest = 300, 8 << 20
	added, err := rev.AddedFiles(ctx)
	if err != nil {
		return nil, 0, problems, err
	}
	in := &p.Instead
	in.Source = own.Root
	in.Removed = slices.DeleteFunc(added, func(name string) bool { return strings.HasSuffix(name, "/") }) // other repositories
	work := session.NewReader(cfg)
	err = filepath.WalkDir(own.Root, func(path string, d fs.DirEntry, err error) error {
		link := d != nil && d.Type()&fs.ModeSymlink != 0
		if err != nil || !link && !d.Type().IsRegular() {
			return err
		}
		name, err := filepath.Rel(own.Root, path)
		if err != nil {
			return err
		}
		at := filepath.Join(cfg.Root, name)
		other := inTheWay(cfg.Root, name)
		info, err := d.Info()
		if err != nil || info.Size() > largest || work.World(at) != 0 { // neither side sees a hidden one
			return err
		}
		content, mode := []byte(nil), info.Mode().Perm()
		if link {
			to, err := os.Readlink(path)
			if now, _ := os.Readlink(at); err != nil || now == to {
				return err
			}
			content, mode = []byte(to), fs.ModeSymlink
		} else if content, err = os.ReadFile(path); err != nil || bytes.HasPrefix(content, []byte("version https://git-lfs")) {
			return err
		}
		if other != "" && !slices.Contains(in.Removed, other) {
			in.Removed = append(in.Removed, other)
		} else if now, err := os.Lstat(at); err == nil && now.Mode().IsRegular() && now.Size() == info.Size() && now.Mode()&0o100 == info.Mode()&0o100 {
			if text, err := work.ReadFile(at, largest); err == nil && bytes.Equal(text, content) {
				return nil
			}
		}
		in.Files = append(in.Files, suites.Fixture{Path: filepath.ToSlash(name), Content: string(content), Mode: uint32(mode)})
		return nil
	})
	if before := len(in.Files) + len(in.Removed); before > most {
		dirs := territory(append(beside, p))
		far := func(name string) bool {
			return !slices.ContainsFunc(dirs, func(dir string) bool { return strings.HasPrefix(name, dir) })
		}
		in.Files = slices.DeleteFunc(in.Files, func(f suites.Fixture) bool { return far(f.Path) })
		in.Removed = slices.DeleteFunc(in.Removed, far)
		left = before - len(in.Files) - len(in.Removed)
	}
	p.Registered = p.Registered.RunAt(cfg.Root)
	return p, left, problems, err
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

// territory returns the directories with hooks and settings, each with a slash behind it.
func territory(projects []*session.Project) (dirs []string) {
	for _, of := range projects {
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

// version returns a hook of this side to explore.
func (s *Side) version(ctx context.Context, h *discover.Hook) check.Version {
	return check.Version{Tree: s.tree, Hook: h, Fire: func(q suites.Request) (suites.Outcome, error) { return s.bench.Fire(ctx, q) }}
}

// Digest returns the digest of the registrations and of all files that the hooks run, source or name.
// Files that they may also read do not make them other hooks.
func (s *Side) Digest() string {
	all := ""
	for _, e := range client.Events() {
		c := &suites.Case{Suite: "replay", ID: e.Name, Layer: suites.Direct, Chain: true, Steps: []suites.Step{{Event: e.Name}}}
		for _, in := range s.Project.Graph.Inputs(c) {
			if in.Path != depend.Elsewhere {
				all += in.Name() + "\x00" + in.Digest + "\n"
			}
		}
	}
	return suites.Digest([]byte(all))
}
