package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/disk"
	"hookwatch/suites/isolate"
	"hookwatch/suites/process"
)

// A sandbox is the surroundings of one case: a directory with the case's TMPDIR
// and, where the case asks for one, its temporary project; and what keeps the
// case from all else.
type sandbox struct {
	Surroundings
	o        *Options
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
	server   *Server
	most     int      // processes that had to be ended at once
	refused  []string // system calls, by name
	tooLarge bool     // a file was to become larger than it may
	log      string   // of a traced run, in dir; "" when the run is not traced
}

// A place is a directory that has a name of its own in what is told of a case,
// so that two runs tell the same.
type place struct{ dir, name string }

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
	if s.Surroundings != nil {
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
	if err := s.Write(path, content, mode); err != nil || f.Age == 0 {
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
		if err := s.Write(filepath.Join(dir, filepath.FromSlash(name)), content, 0o644); err != nil {
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

// Surroundings are where a case's commands run and its files lie.
type Surroundings interface {
	// Run runs commands side by side, until all of them and all that they started
	// are gone.
	Run(ctx context.Context, commands ...process.Command) ([]process.Result, error)
	// Write makes a file for the case, with its directories.
	Write(path, content string, mode fs.FileMode) error
	Read(path string) ([]byte, error)
	Listen() (net.Listener, error)
	// ReadOwn gives a regular file of at most limit bytes in the case's directory.
	ReadOwn(name string, limit int64) ([]byte, error)
	// LinkOwn makes a symbolic link in the case's directory, unless it is there.
	LinkOwn(name, target string) error
	// Begin notes what is there before the case does anything.
	Begin()
	// Changes tells what it did since, with absolute paths, and what it tried in
	// vain; processes is how many had to be ended at once.
	Changes(processes int) (changes []suites.Change, stopped []string)
	// Close ends everything that runs.
	Close()
}

// Confined surroundings are a sandbox with views of its own.
type Confined struct{ *isolate.Sandbox }

func (c Confined) Write(path, content string, mode fs.FileMode) error {
	return c.WriteFile(path, content, mode)
}

func (c Confined) Read(path string) ([]byte, error) { return c.ReadFile(path) }

func (c Confined) ReadOwn(name string, limit int64) ([]byte, error) {
	return isolate.ReadBelow(c.Dir(), name, limit)
}

func (c Confined) LinkOwn(name, target string) error { return isolate.LinkBelow(c.Dir(), name, target) }

// Open surroundings are the machine as it is: in them the case only has a
// directory of its own. Hooks may have put links, pipes and whatever else into
// it: what hookwatch does there goes through own, which nothing leads out of.
type Open struct {
	*process.Box
	dir     string
	own     *os.Root // dir, however it is named by now
	root    string   // the project that the case sees
	ours    []string // directories that hookwatch itself writes to
	watched map[string]isolate.Snapshot
	placed  *Journal // files made outside of dir, to be taken away again
}

// InPlace makes surroundings of a case with a directory of its own, which sees the
// project at root. They tell what changes in its directory and in others, but for what
// is hookwatch's own.
func InPlace(reserve *process.Reserve, dir, root string, ours, others []string) (*Open, error) {
	own, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	box, err := reserve.Open(process.Setup{})
	if err != nil {
		_ = own.Close()
		return nil, err
	}
	o := &Open{
		Box: box, dir: dir, own: own, root: root, ours: ours,
		watched: map[string]isolate.Snapshot{dir: nil},
		placed:  In(dir),
	}
	for i, d := range others { // sorted: outer ones come first
		if !slices.ContainsFunc(others[:i], func(outer string) bool { return disk.Within(outer, d) }) {
			o.watched[d] = nil
		}
	}
	return o, nil
}

// Write makes the file anew. It never replaces one outside of the case's
// directory.
func (o *Open) Write(path, content string, mode fs.FileMode) error {
	if rel, err := filepath.Rel(o.dir, path); err == nil && filepath.IsLocal(rel) {
		return writeAnew(o.own, rel, content, mode)
	}
	root, rel, err := o.rooted(path)
	if err != nil {
		return err
	}
	defer root.Close()
	if _, err := root.Lstat(rel); err == nil && !o.placed.Holds(path) {
		return fmt.Errorf("fixture %s: the file exists and is not the case's: choose another name", path)
	}
	if err := o.placed.Note(path, content); err != nil {
		return fmt.Errorf("fixture %s: note what is placed outside of the case's directory: %w", path, err)
	}
	return writeAnew(root, rel, content, mode)
}

// rooted is where a path outside of the case's directory is looked for: in the
// project no link leads out of that.
func (o *Open) rooted(path string) (root *os.Root, rel string, err error) {
	base := filepath.VolumeName(path) + string(filepath.Separator)
	if disk.Within(o.root, path) {
		base = o.root
	}
	if rel, err = filepath.Rel(base, path); err != nil {
		return nil, "", err
	}
	root, err = os.OpenRoot(base)
	return root, rel, err
}

// writeAnew makes a file and its directories. What stands in its place is
// removed, not opened: it can be a link, or a pipe that nobody reads.
func writeAnew(root *os.Root, rel, content string, mode fs.FileMode) error {
	if err := root.MkdirAll(filepath.Dir(rel), 0o755); err != nil {
		return whole(root, err)
	}
	if fi, err := root.Lstat(rel); err == nil && !fi.IsDir() {
		if err := root.Remove(rel); err != nil {
			return whole(root, err)
		}
	}
	f, err := root.OpenFile(rel, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return whole(root, err)
	}
	_, err = f.WriteString(content)
	return errors.Join(err, f.Chmod(mode), f.Close()) // a umask may have taken bits away
}

// whole gives the path of an error its beginning.
func whole(root *os.Root, err error) error {
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		return &fs.PathError{Op: pe.Op, Path: filepath.Join(root.Name(), pe.Path), Err: pe.Err}
	}
	return err
}

// Read gives the first bytes of a file, as many as of one in a sandbox.
func (o *Open) Read(path string) ([]byte, error) {
	if rel, err := filepath.Rel(o.dir, path); err == nil && filepath.IsLocal(rel) {
		return isolate.ReadIn(o.own, rel, process.DefaultLimit, true)
	}
	root, rel, err := o.rooted(path)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return isolate.ReadIn(root, rel, process.DefaultLimit, true)
}

func (o *Open) Listen() (net.Listener, error) { return net.Listen("tcp", "127.0.0.1:0") }

func (o *Open) ReadOwn(name string, limit int64) ([]byte, error) {
	return isolate.ReadIn(o.own, name, limit, false)
}

func (o *Open) LinkOwn(name, target string) error { return isolate.LinkIn(o.own, name, target) }

func (o *Open) Begin() {
	for d := range o.watched {
		o.watched[d] = o.take(d)
	}
}

// take looks at a directory. A link that was put in the place of the case's own
// is not followed.
func (o *Open) take(dir string) isolate.Snapshot {
	if dir == o.dir {
		now, err := os.Lstat(dir)
		was, errWas := o.own.Stat(".")
		if err != nil || errWas != nil || !os.SameFile(now, was) {
			return nil
		}
	}
	return isolate.Take(dir)
}

func (o *Open) Changes(int) ([]suites.Change, []string) {
	var out []suites.Change
	for d, before := range o.watched {
		for _, c := range isolate.Diff(before, o.take(d)) {
			c.Path = d + "/" + c.Path
			ours := func(dir string) bool { return disk.Within(dir, c.Path) }
			if disk.Within(o.dir, c.Path) || !slices.ContainsFunc(o.ours, ours) {
				out = append(out, c)
			}
		}
	}
	slices.SortFunc(out, func(a, b suites.Change) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

// Close takes the fixtures away again as well; a directory that somebody else
// uses by now stays.
func (o *Open) Close() {
	o.Box.Close()
	o.placed.Undo()
	_ = o.own.Close()
}
