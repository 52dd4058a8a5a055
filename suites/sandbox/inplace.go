package sandbox

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
	"sync"

	"hookwatch/suites"
	"hookwatch/suites/disk"
	"hookwatch/suites/process"
)

// inPlaceBackend is the backend without isolation: cases run on the user's own files.
type inPlaceBackend struct{ o Options }

func newInPlaceBackend(o Options) Backend { return &inPlaceBackend{o} }

func (*inPlaceBackend) Describe() Description {
	return Description{
		Name:    InPlace,
		Summary: "cases run in place, on your files",
		Open:    "hooks ran in place, on your files; your HOME and the network were open to them",
		Consent: "hooks run in place, on your files, with your rights",
		InPlace: true,
	}
}

func (b *inPlaceBackend) Probe(Wanted) ([]Bound, Sandbox, error) {
	return b.o.directBounds(), nil, nil
}

func (b *inPlaceBackend) Open(_ context.Context, open Opener, w Wanted) (Sandbox, error) {
	watched := make([]string, len(w.Watched))
	for i, dir := range w.Watched {
		watched[i] = filepath.Join(b.o.Root, dir)
	}
	slices.Sort(watched)
	d, err := newDirect(open, process.Setup{}, w, b.o, b.o.Root, slices.Compact(watched))
	if err != nil { // a nil *direct would be a Sandbox that is not nil
		return nil, err
	}
	return d, nil
}

// directBounds returns the limits of cases without namespaces.
func (o Options) directBounds() []Bound {
	b, err := process.Open(process.Setup{Limits: o.Limits()})
	if err != nil {
		return nil
	}
	defer b.Close()
	bounds := limitBounds(b)
	if len(bounds) > 1 {
		bounds = append(bounds, Bound{"file", megabytes(o.Size)})
	}
	if kind, _ := b.MemoryBound(); kind == process.MemoryWatched {
		bounds = append(bounds, Bound{unmapped, "not bounded without namespaces or a cgroup"})
	}
	return bounds
}

// A direct sandbox is the unisolated machine, with a directory for the case. Hooks may have put
// links, pipes and other things into the directory, so hookwatch reads and writes it through own,
// which no link leads out of.
type direct struct {
	*process.Supervisor
	o                Options
	dir              string
	own              *os.Root // dir, even if it was renamed
	root             string   // the project that the case sees
	original, copied string   // see Copied
	unwatched        []string // directories that hookwatch itself writes to
	watched          map[string]snapshot
	fixtures         *journal // files created outside dir, to be removed at the end
	close            sync.Once
}

// newDirect creates a sandbox whose case sees the project at root. It reports changes in the case's
// directory and in others.
func newDirect(open Opener, setup process.Setup, w Wanted, o Options, root string, others []string) (*direct, error) {
	for _, d := range w.Dirs {
		if err := os.Mkdir(filepath.Join(w.Dir, d), 0o755); err != nil {
			return nil, err
		}
	}
	own, err := os.OpenRoot(w.Dir)
	if err != nil {
		return nil, err
	}
	started, err := open(setup)
	if err != nil {
		_ = own.Close()
		return nil, err
	}
	d := &direct{
		Supervisor: started, o: o, dir: w.Dir, own: own, root: root,
		unwatched: append([]string{filepath.Dir(w.Dir)}, o.Own...),
		watched:   map[string]snapshot{w.Dir: nil},
		fixtures:  &journal{file: w.Dir + journalSuffix},
	}
	for i, dir := range others { // sorted: outer ones come first
		if !inAny(others[:i], dir) {
			d.watched[dir] = nil
		}
	}
	return d, nil
}

func (d *direct) Dir() string { return d.dir }

func (d *direct) Root() string { return d.root }

func (d *direct) Private() bool { return false }

func (d *direct) Copied() (original, at string) { return d.original, d.copied }

// Write creates the file or replaces one of the case. It never replaces another file outside the
// case's directory.
func (d *direct) Write(path, content string, mode fs.FileMode) error {
	if rel, err := filepath.Rel(d.dir, path); err == nil && filepath.IsLocal(rel) {
		return replaceFile(d.own, rel, content, mode)
	}
	root, rel, err := d.rootOf(path)
	if err != nil {
		return err
	}
	defer root.Close()
	if _, err := root.Lstat(rel); err == nil && !d.fixtures.Holds(path) {
		return fmt.Errorf("fixture %s: the file exists and is not the case's: choose another name", path)
	}
	if err := d.fixtures.Note(path, content); err != nil {
		return fmt.Errorf("fixture %s: note what is placed outside of the case's directory: %w", path, err)
	}
	return replaceFile(root, rel, content, mode)
}

// rootOf returns the root for a path outside the case's directory. In the project it is the
// project, so that no link leads out of it.
func (d *direct) rootOf(path string) (root *os.Root, rel string, err error) {
	base := filepath.VolumeName(path) + string(filepath.Separator)
	if disk.Within(d.root, path) {
		base = d.root
	}
	if rel, err = filepath.Rel(base, path); err != nil {
		return nil, "", err
	}
	root, err = os.OpenRoot(base)
	return root, rel, err
}

// replaceFile creates a file and its directories. It removes an existing file instead of opening it,
// because that can be a link, or a pipe without a reader.
func replaceFile(root *os.Root, rel, content string, mode fs.FileMode) error {
	if err := root.MkdirAll(filepath.Dir(rel), 0o755); err != nil {
		return wholePath(root, err)
	}
	if fi, err := root.Lstat(rel); err == nil && !fi.IsDir() {
		if err := root.Remove(rel); err != nil {
			return wholePath(root, err)
		}
	}
	f, err := root.OpenFile(rel, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return wholePath(root, err)
	}
	_, err = f.WriteString(content)
	return errors.Join(err, f.Chmod(mode), f.Close()) // because a umask may have cleared bits
}

// wholePath adds the root to the path in an error.
func wholePath(root *os.Root, err error) error {
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		return &fs.PathError{Op: pe.Op, Path: filepath.Join(root.Name(), pe.Path), Err: pe.Err}
	}
	return err
}

// Read returns the beginning of a file, up to the same limit as in other sandboxes.
func (d *direct) Read(path string) ([]byte, error) {
	if rel, err := filepath.Rel(d.dir, path); err == nil && filepath.IsLocal(rel) {
		return readIn(d.own, rel, process.DefaultLimit, true)
	}
	root, rel, err := d.rootOf(path)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return readIn(root, rel, process.DefaultLimit, true)
}

func (d *direct) Listen() (net.Listener, error) { return net.Listen("tcp", "127.0.0.1:0") }

func (d *direct) ReadOwn(name string, limit int64) ([]byte, error) {
	return readIn(d.own, name, limit, false)
}

func (d *direct) ListOwn(name string, limit int) ([]string, error) {
	return listIn(d.own, name, limit)
}

func (d *direct) LinkOwn(name, target string) error { return linkIn(d.own, name, target) }

// Accesses returns the paths of a copy as those of the project.
func (d *direct) Accesses() ([]suites.Access, string) {
	if d.copied == "" {
		return nil, "the paths that cases use are not observed in place"
	}
	all, unobserved := accesses(d.Supervisor)
	copied, session := disk.Real(d.copied), filepath.Dir(disk.Real(d.dir))
	var out []suites.Access
	for _, a := range all {
		for _, at := range []string{d.copied, copied} {
			if disk.Within(at, a.Path) {
				a.Path = filepath.Join(d.original, strings.TrimPrefix(a.Path, at))
				break
			}
		}
		if !disk.Within(session, a.Path) && !disk.Within(filepath.Dir(d.dir), a.Path) {
			out = append(out, a)
		}
	}
	return suites.MergeAccesses(out), unobserved
}

func (d *direct) Begin() {
	for dir := range d.watched {
		d.watched[dir] = d.take(dir)
	}
}

// take returns a snapshot of a directory. It does not follow a link that replaced the case's own
// directory.
func (d *direct) take(dir string) snapshot {
	if dir == d.dir {
		now, err := os.Lstat(dir)
		was, errWas := d.own.Stat(".")
		if err != nil || errWas != nil || !os.SameFile(now, was) {
			return nil
		}
	}
	return takeSnapshot(dir)
}

func (d *direct) Changes(e Ended) ([]suites.Change, []string) {
	var out []suites.Change
	for top, before := range d.watched {
		for _, c := range diff(before, d.take(top)) {
			c.Path = top + "/" + c.Path
			if disk.Within(d.dir, c.Path) || !inAny(d.unwatched, c.Path) {
				out = append(out, c)
			}
		}
	}
	slices.SortFunc(out, func(a, b suites.Change) int { return strings.Compare(a.Path, b.Path) })
	return out, d.o.describeRefusals(e)
}

// Close also removes the fixtures, and their directories if they are empty.
func (d *direct) Close() {
	d.close.Do(func() {
		d.Supervisor.Close()
		d.fixtures.Undo()
		_ = d.own.Close()
	})
}

func (d *direct) Discard() { d.Close() }

// Keep implements Sandbox.
func (d *direct) Keep(to string, bound int64) error { return move(d.dir, to, bound) }

// move renames a directory and removes its largest files beyond bound.
func move(dir, to string, bound int64) error {
	if err := os.Rename(dir, to); err != nil {
		return err
	}
	return errors.Join(takeRights(to), trim(to, bound))
}

// takeRights removes the right to run as their owner from the files in a directory. A file with other
// names, which may be outside, loses the name in the directory instead.
func takeRights(dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // an unreadable directory, which no one else can enter
		}
		fi, err := d.Info()
		switch {
		case err != nil || fi.Mode()&(fs.ModeSetuid|fs.ModeSetgid) == 0:
			return nil
		case namesOf(fi) > 1:
			return root.Remove(name)
		default:
			return root.Chmod(name, fi.Mode()&(fs.ModePerm|fs.ModeSticky))
		}
	})
}
