package run

import (
	"context"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/isolate"
	"hookwatch/suites/process"
)

// surroundings are where a case's commands run and its files lie.
type surroundings interface {
	// Run runs commands side by side, until all of them and all that they started
	// are gone.
	Run(ctx context.Context, commands ...process.Command) ([]process.Result, error)
	// write makes a file for the case, with its directories.
	write(path, content string, mode fs.FileMode) error
	read(path string) ([]byte, error)
	listen() (net.Listener, error)
	// readOwn gives a regular file of at most limit bytes in the case's directory.
	readOwn(name string, limit int64) ([]byte, error)
	// begin notes what is there before the case does anything.
	begin()
	// changes tells what it did since, with absolute paths, and what it tried in
	// vain; processes is how many had to be ended at once.
	changes(processes int) (changes []suites.Change, stopped []string)
	// Close ends everything that runs.
	Close()
}

// confined surroundings are a sandbox with views of its own.
type confined struct{ *isolate.Sandbox }

func (c confined) write(path, content string, mode fs.FileMode) error {
	return c.WriteFile(path, content, mode)
}

func (c confined) read(path string) ([]byte, error) { return c.ReadFile(path) }

func (c confined) listen() (net.Listener, error) { return c.Listen() }

func (c confined) readOwn(name string, limit int64) ([]byte, error) {
	return isolate.ReadBelow(c.Dir(), name, limit)
}

func (c confined) begin() { c.Begin() }

func (c confined) changes(processes int) ([]suites.Change, []string) { return c.Changes(processes) }

// open surroundings are the machine as it is: in them the case only has a
// directory of its own.
type open struct {
	*process.Box
	dir     string
	own     []string                    // directories that hookwatch itself writes to
	watched map[string]isolate.Snapshot // directories whose changes are told
	placed  []string                    // files made outside of dir, to be taken away again
	made    []string                    // directories made for them
}

// newOpen makes surroundings that tell what changes in the case's directory, and
// in others; but for what is hookwatch's own.
func newOpen(reserve *process.Reserve, dir string, own, others []string) (*open, error) {
	box, err := reserve.Open(process.Setup{})
	if err != nil {
		return nil, err
	}
	o := &open{Box: box, dir: dir, own: own, watched: map[string]isolate.Snapshot{dir: nil}}
	for i, d := range others { // sorted: outer ones come first
		if !slices.ContainsFunc(others[:i], func(outer string) bool { return isolate.Within(outer, d) }) {
			o.watched[d] = nil
		}
	}
	return o, nil
}

// write never replaces a file outside of the case's directory.
func (o *open) write(path, content string, mode fs.FileMode) error {
	if isolate.Within(o.dir, path) {
		return writeFile(path, content, mode)
	}
	if _, err := os.Lstat(path); err == nil && !slices.Contains(o.placed, path) {
		return fmt.Errorf("fixture %s: the file exists and is not the case's: choose another name", path)
	}
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); err == nil {
			break
		}
		o.made = append(o.made, dir) // the deepest first
	}
	o.placed = append(o.placed, path)
	return writeFile(path, content, mode)
}

func (o *open) read(path string) ([]byte, error) {
	if fi, err := os.Stat(path); err != nil || !fi.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: no file", path)
	}
	return os.ReadFile(path)
}

func (o *open) listen() (net.Listener, error) { return net.Listen("tcp", "127.0.0.1:0") }

func (o *open) readOwn(name string, limit int64) ([]byte, error) {
	return isolate.ReadBelow(o.dir, name, limit)
}

func (o *open) begin() {
	for d := range o.watched {
		o.watched[d] = isolate.Take(d)
	}
}

func (o *open) changes(int) ([]suites.Change, []string) {
	var out []suites.Change
	for d, before := range o.watched {
		for _, c := range isolate.Diff(before, isolate.Take(d)) {
			c.Path = d + "/" + c.Path
			ours := func(own string) bool { return isolate.Within(own, c.Path) }
			if isolate.Within(o.dir, c.Path) || !slices.ContainsFunc(o.own, ours) {
				out = append(out, c)
			}
		}
	}
	slices.SortFunc(out, func(a, b suites.Change) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

// Close takes the fixtures away again as well; a directory that somebody else
// uses by now stays.
func (o *open) Close() {
	o.Box.Close()
	for _, p := range append(o.placed, o.made...) {
		_ = os.Remove(p)
	}
}

func writeFile(path, content string, mode fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		return err
	}
	return os.Chmod(path, mode) // also where the file was there, or a umask took bits away
}
