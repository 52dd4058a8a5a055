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

func (b *inPlaceBackend) Probe(string) ([]Bound, error) { return b.o.directBounds(), nil }

func (b *inPlaceBackend) Open(_ context.Context, open Opener, w Wanted) (Sandbox, error) {
	watched := make([]string, len(w.Watched))
	for i, dir := range w.Watched {
		watched[i] = filepath.Join(b.o.Root, dir)
	}
	slices.Sort(watched)
	return opened(newDirect(open, w, b.o, b.o.Root, slices.Compact(watched)))
}

// opened keeps a nil pointer from becoming a Sandbox that is not nil.
func opened(d *direct, err error) (Sandbox, error) {
	if err != nil {
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

// A direct sandbox is the machine as it is, where a case has no more than a directory of
// its own. Hooks may have put links, pipes and other things into it, so hookwatch reads
// and writes there through own, which no link leads out of.
type direct struct {
	*process.Supervisor
	o                Options
	dir              string
	own              *os.Root // dir, whatever its name is by now
	root             string   // the project that the case sees
	original, copied string   // see Copied
	unwatched        []string // directories that hookwatch itself writes to
	watched          map[string]snapshot
	fixtures         *journal // files made outside of dir, to be removed at the end
	close            sync.Once
}

// newDirect makes a sandbox whose case sees the project at root. It reports changes in
// the case's directory and in others.
func newDirect(open Opener, w Wanted, o Options, root string, others []string) (*direct, error) {
	for _, d := range w.Dirs {
		if err := os.Mkdir(filepath.Join(w.Dir, d), 0o755); err != nil {
			return nil, err
		}
	}
	own, err := os.OpenRoot(w.Dir)
	if err != nil {
		return nil, err
	}
	started, err := open(process.Setup{})
	if err != nil {
		_ = own.Close()
		return nil, err
	}
	d := &direct{
		Supervisor: started, o: o, dir: w.Dir, own: own, root: root,
		unwatched: append([]string{filepath.Dir(w.Dir)}, o.Own...),
		watched:   map[string]snapshot{w.Dir: nil},
		fixtures:  newJournal(w.Dir),
	}
	for i, dir := range others { // sorted: outer ones come first
		if !slices.ContainsFunc(others[:i], func(outer string) bool { return disk.Within(outer, dir) }) {
			d.watched[dir] = nil
		}
	}
	return d, nil
}

func (d *direct) Dir() string { return d.dir }

func (d *direct) Root() string { return d.root }

func (d *direct) Private() bool { return false }

func (d *direct) Copied() (original, at string) { return d.original, d.copied }

// Write makes the file anew. It never replaces one outside of the case's
// directory.
func (d *direct) Write(path, content string, mode fs.FileMode) error {
	if rel, err := filepath.Rel(d.dir, path); err == nil && filepath.IsLocal(rel) {
		return writeAnew(d.own, rel, content, mode)
	}
	root, rel, err := d.rooted(path)
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
	return writeAnew(root, rel, content, mode)
}

// rooted is where a path outside of the case's directory is looked for: in the
// project no link leads out of that.
func (d *direct) rooted(path string) (root *os.Root, rel string, err error) {
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
func (d *direct) Read(path string) ([]byte, error) {
	if rel, err := filepath.Rel(d.dir, path); err == nil && filepath.IsLocal(rel) {
		return readIn(d.own, rel, process.DefaultLimit, true)
	}
	root, rel, err := d.rooted(path)
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

func (d *direct) LinkOwn(name, target string) error { return linkIn(d.own, name, target) }

func (d *direct) Begin() {
	for dir := range d.watched {
		d.watched[dir] = d.take(dir)
	}
}

// take looks at a directory. A link that was put in the place of the case's own
// is not followed.
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
			own := func(dir string) bool { return disk.Within(dir, c.Path) }
			if disk.Within(d.dir, c.Path) || !slices.ContainsFunc(d.unwatched, own) {
				out = append(out, c)
			}
		}
	}
	slices.SortFunc(out, func(a, b suites.Change) int { return strings.Compare(a.Path, b.Path) })
	return out, d.o.refused(e)
}

// Close removes the fixtures as well, and their directories unless someone else uses
// them by now.
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

// move renames a directory and leaves the largest of its files out.
func move(dir, to string, bound int64) error {
	if err := os.Rename(dir, to); err != nil {
		return err
	}
	return trim(to, bound)
}
