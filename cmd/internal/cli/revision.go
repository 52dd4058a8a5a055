package cli

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
	"strconv"
	"strings"

	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
	"hookwatch/suites/discover"
	"hookwatch/suites/disk"
	"hookwatch/suites/run"
	"hookwatch/suites/sandbox"
)

// A revision is a project as it was at a commit, in a directory of its own. The user's repository
// and work tree are not written to.
type revision struct {
	Name   string // as the user gave it
	Commit string
	Root   string // of the project, in that directory

	git  *isolatedGit
	base string // the project's own root
	top  string // of its work tree
	done func()
}

const (
	largestList     = 64 << 20 // bytes that git prints
	largestRevision = 2 << 30  // bytes of all files
	mostFiles       = 200_000
)

// checkOut writes the files of the repository around a project, as they were at a commit, to a
// temporary directory. The caller must close the revision.
func checkOut(ctx context.Context, project, name string) (*revision, error) {
	project = disk.Real(project)
	top := disk.Real(sandbox.GitTop(project))
	dir, common, err := sandbox.Repository(top)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	within, err := filepath.Rel(top, project)
	if err != nil {
		return nil, err
	}
	place := sandbox.PlaceOf(project)
	temp, _, err := place.Open(false)
	if err != nil {
		return nil, err
	}
	own, tree := filepath.Join(temp, "git"), filepath.Join(temp, "tree")
	r := &revision{Name: name, Root: filepath.Join(tree, within), base: project, top: top, done: func() { place.Close(temp) }}
	if err = errors.Join(os.Mkdir(own, 0o700), os.Mkdir(tree, 0o700)); err == nil {
		r.git, _, err = newIsolatedGit(top, own, dir, common)
	}
	if err == nil {
		r.Commit, err = r.git.resolve(ctx, name, dir, common)
	}
	if err == nil {
		err = r.git.write(ctx, r.Commit, tree)
	}
	if err == nil && !disk.IsDir(r.Root) {
		err = fmt.Errorf("there is no directory %s", filepath.ToSlash(within))
	}
	if err != nil {
		r.Close()
		return nil, fmt.Errorf("revision %s: %w", name, err)
	}
	return r, nil
}

// Close removes the files of the revision.
func (r *revision) Close() { r.done() }

// Added lists the files of the project's work tree that the revision does not have, as slash paths
// from the project's root, without those that git ignores.
func (r *revision) Added(ctx context.Context) (files []string, err error) {
	out, err := r.git.run(ctx, r.base, []string{"GIT_WORK_TREE=" + r.top}, "ls-files", "--others", "--exclude-standard", "-z", "--", ".")
	for name := range strings.SplitSeq(string(out), "\x00") {
		if filepath.IsLocal(filepath.FromSlash(name)) {
			files = append(files, name)
		}
	}
	return files, err
}

// write writes the files of a commit to an empty directory, and keeps their list in the index.
func (g *isolatedGit) write(ctx context.Context, commit, tree string) error {
	list, err := g.run(ctx, g.own, nil, "ls-tree", "-r", "-l", "-z", "--full-tree", commit)
	if err != nil {
		return err
	}
	size, count := int64(0), 0
	for entry := range bytes.SplitSeq(list, []byte{0}) {
		if fields := bytes.Fields(entry); len(fields) > 4 { // mode, type, hash, size, name
			n, _ := strconv.ParseInt(string(fields[3]), 10, 64) // a submodule has none
			size, count = size+n, count+1
		}
	}
	if size > largestRevision || count > mostFiles || len(list) >= largestList {
		return fmt.Errorf("it has %d files of %d MB: more than hookwatch copies", count, size>>20)
	}
	_, err = g.run(ctx, tree, []string{"GIT_WORK_TREE=" + tree}, "read-tree", "--reset", "-u", commit)
	return err
}

// resolve returns the hash of the commit that a revision names. Only the refs that it can mean are
// copied, because git must not read those of a stranger's repository by itself.
func (g *isolatedGit) resolve(ctx context.Context, name, dir, common string) (string, error) {
	if name == "" || strings.HasPrefix(name, "-") || strings.Contains(name, "@{") {
		return "", errors.New("name a commit, a branch or a tag, such as HEAD~1 (reflogs are not read)")
	}
	ref := name
	if i := strings.IndexAny(name, "^~:"); i >= 0 {
		ref = name[:i]
	}
	for _, file := range []struct{ from, name string }{{dir, "HEAD"}, {common, "packed-refs"}, {common, "info/exclude"}} {
		if content, err := (disk.Reader{Root: file.from}).ReadFile(filepath.Join(file.from, file.name), largestRefs); err == nil {
			if err := g.put(file.name, content); err != nil {
				return "", err
			}
			g.follow(common, content, 1)
		}
	}
	for _, form := range []string{"%s", "refs/%s", "refs/tags/%s", "refs/heads/%s", "refs/remotes/%s", "refs/remotes/%s/HEAD"} {
		g.copyRef(common, fmt.Sprintf(form, ref), 0)
	}
	out, err := g.run(ctx, g.own, nil, "rev-parse", "--verify", "--quiet", name+"^{commit}")
	if commit := hash(out); err == nil && commit != "" {
		return commit, nil
	}
	return "", errors.Join(ctx.Err(), errors.New("the repository has no such commit, branch or tag"))
}

// copyRef copies a ref and those that it leads to. Git reports one that is missing.
func (g *isolatedGit) copyRef(common, name string, depth int) {
	const most = 5
	if !strings.HasPrefix(name, "refs/") || !filepath.IsLocal(filepath.FromSlash(name)) || depth > most {
		return
	}
	content, err := disk.Reader{Root: common}.ReadFile(filepath.Join(common, filepath.FromSlash(name)), largestRef)
	if err == nil && g.put(name, content) == nil {
		g.follow(common, content, depth+1)
	}
}

func (g *isolatedGit) follow(common string, content []byte, depth int) {
	if to, symbolic := strings.CutPrefix(strings.TrimSpace(string(content)), "ref: "); symbolic {
		g.copyRef(common, to, depth)
	}
}

// put writes a file of the repository.
func (g *isolatedGit) put(name string, content []byte) error {
	file := filepath.Join(g.own, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return os.WriteFile(file, content, 0o600)
}

// A side is one of the states of a project that diff and replay fire hooks in: that of a revision, or
// the work tree. The hooks of a revision run at the project's own path, where its files replace
// those of the work tree, so that what git ignores, such as installed packages, is there too.
type side struct {
	name    string
	project *session.Project // read from the revision
	hooks   []discover.Hook  // with paths in the project itself
	runner  *run.Runner
	files   []suites.Fixture // that differ from the work tree
	removed []string         // files of the work tree that the revision does not have
	left    int              // files that differ and are as in the work tree because there are too many
	close   func()
}

// side returns the state of a project at a revision, or of its work tree without a name. r is a
// runner of the work tree.
func (a *app) side(ctx context.Context, p *session.Project, r *run.Runner, name string) (*side, error) {
	s := &side{name: name, project: p, runner: r, close: func() {}}
	if name == "" {
		s.name, s.hooks = "the work tree", hooksToCheck(checkTree(p, os.Environ()))
		return s, nil
	}
	rev, err := checkOut(ctx, p.Root(), name)
	if err != nil {
		return nil, err
	}
	cfg := *p.Config // the same for both sides
	cfg.Root, cfg.Path = rev.Root, ""
	var problems []suites.Problem
	if s.project, problems = session.Load(&cfg, session.Filter{}, nil); len(problems) > 0 {
		cfg.Suites = nil // its hooks matter more
		s.project, problems = session.Load(&cfg, session.Filter{}, nil)
	}
	s.close = rev.Close
	if len(problems) == 0 {
		err = s.differing(ctx, rev, p)
	}
	if err = errors.Join(err, errors.Join(asErrors(problems)...)); err != nil {
		rev.Close()
		return nil, fmt.Errorf("revision %s: %w", name, err)
	}
	moved := func(path string) string {
		if rest, inside := strings.CutPrefix(path, rev.Root); inside {
			return disk.Real(p.Root()) + rest
		}
		return path
	}
	at := func(hooks []discover.Hook) []discover.Hook {
		hooks = slices.Clone(hooks)
		for i := range hooks {
			hooks[i].Root, hooks[i].Session, hooks[i].PluginRoot = moved(hooks[i].Root), moved(hooks[i].Session), moved(hooks[i].PluginRoot)
		}
		return hooks
	}
	s.hooks = at(hooksToCheck(checkTree(s.project, os.Environ())))
	registered := s.project.Registered
	registered.Hooks, registered.Others, registered.Elsewhere = at(registered.Hooks), at(registered.Others), at(registered.Elsewhere)
	o := r.Options
	o.Hooks, o.Registered, o.InForce = registered.For, registered.Named, func() []discover.Hook { return registered.Hooks }
	o.Interpreted, o.Scripts = s.project.Interpreted, s.project.Scripts()
	s.runner = run.New(o)
	s.close = func() { s.runner.Close(); rev.Close() }
	return s, nil
}

func asErrors(problems []suites.Problem) (all []error) {
	for _, p := range problems {
		all = append(all, p)
	}
	return all
}

// differing finds the files in which a revision differs from the work tree.
func (s *side) differing(ctx context.Context, rev *revision, p *session.Project) error {
	const most, largest = 300, 8 << 20
	added, err := rev.Added(ctx)
	if err != nil {
		return err
	}
	s.removed = slices.DeleteFunc(added, func(name string) bool { return strings.HasSuffix(name, "/") }) // other repositories
	err = filepath.WalkDir(rev.Root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		name, err := filepath.Rel(rev.Root, path)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil || info.Size() > largest {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil || bytes.HasPrefix(content, []byte("version https://git-lfs")) {
			return err
		}
		own := filepath.Join(p.Root(), name)
		if p.Reader.Hidden(own) {
			return nil // neither side sees it
		}
		name = filepath.ToSlash(name)
		f := suites.Fixture{Path: "{project}/" + name, Content: string(content), Mode: uint32(info.Mode().Perm())}
		if now, err := os.Lstat(own); err == nil && now.Mode().IsRegular() && now.Size() == info.Size() && now.Mode()&0o100 == info.Mode()&0o100 {
			if text, err := p.Reader.ReadFile(own, largest); err == nil && bytes.Equal(text, content) {
				return nil
			}
		}
		s.files = append(s.files, f)
		return nil
	})
	if len(s.files)+len(s.removed) > most {
		near := func(name string) bool {
			return slices.ContainsFunc(s.territory(p), func(dir string) bool { return strings.HasPrefix(name, dir) })
		}
		before := len(s.files) + len(s.removed)
		s.files = slices.DeleteFunc(s.files, func(f suites.Fixture) bool { return !near(strings.TrimPrefix(f.Path, "{project}/")) })
		s.removed = slices.DeleteFunc(s.removed, func(name string) bool { return !near(name) })
		s.left = before - len(s.files) - len(s.removed)
	}
	return err
}

// territory returns the directories with hooks and settings, each with a slash behind it.
func (s *side) territory(p *session.Project) (dirs []string) {
	for _, of := range []*session.Project{p, s.project} {
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
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

// run runs a case in the state of the side, and deletes its files. If observed, the paths that it uses
// are recorded.
func (s *side) run(ctx context.Context, c *suites.Case, observed bool) (suites.Outcome, error) {
	if len(s.files)+len(s.removed) > 0 {
		other, env := *c, c.WantedEnv()
		env.Removed = s.removed
		other.CaseEnv, other.Steps = env.OrNil(), slices.Clone(c.Steps)
		other.Steps[0].Fixtures = slices.Concat(s.files, c.Steps[0].Fixtures)
		c = &other
	}
	if !observed {
		return s.runner.RunAndRemove(ctx, c)
	}
	o, err := s.runner.Traced(ctx, c, nil)
	return o, errors.Join(err, s.runner.Remove(o))
}
