package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// A Dir is a directory that hookwatch writes to. It is held open: whatever is
// renamed or linked around it, what is done through it happens in the directory
// that was opened. Names are those of its entries, without a separator. It is
// safe for concurrent use.
type Dir struct {
	root *os.Root
	path string
}

// Make opens the directory at path, which is base or lies below it, and makes
// what is missing on the way. Base exists: a project that was deleted is not made
// anew for its records. It may be reached by links: it is the person's.
// Below it none is followed. The error is an *Error where something is in the way.
func Make(base, path string) (*Dir, error) {
	return walk(base, path, (*Dir).MakeSub)
}

// Open opens what Make would, and makes nothing.
func Open(base, path string) (*Dir, error) {
	return walk(base, path, (*Dir).Sub)
}

func walk(base, path string, next func(*Dir, string) (*Dir, error)) (*Dir, error) {
	rel, err := filepath.Rel(base, path)
	if err != nil || !filepath.IsLocal(rel) {
		return nil, &Error{path, Outside, path}
	}
	root, err := os.OpenRoot(base)
	if err != nil {
		return nil, err
	}
	d := &Dir{root, filepath.Clean(base)}
	if rel == "." {
		return d, nil
	}
	for _, name := range strings.Split(rel, string(filepath.Separator)) {
		below, err := next(d, name)
		_ = d.Close()
		if err != nil {
			return nil, err
		}
		d = below
	}
	return d, nil
}

// Path is the directory's, as it was named.
func (d *Dir) Path() string { return d.path }

// Close gives the directory up. Those opened by Sub stay.
func (d *Dir) Close() error { return d.root.Close() }

func (d *Dir) at(name string) string { return filepath.Join(d.path, name) }

// MakeSub opens a directory in this one, and makes it if it is missing.
func (d *Dir) MakeSub(name string) (*Dir, error) {
	if err := d.root.Mkdir(name, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, d.named(err, name)
	}
	return d.Sub(name)
}

// NewSub makes a directory that must not exist, and opens it.
func (d *Dir) NewSub(name string) (*Dir, error) {
	if err := d.root.Mkdir(name, 0o755); err != nil {
		return nil, d.named(err, name)
	}
	return d.Sub(name)
}

// Sub opens a directory in this one.
func (d *Dir) Sub(name string) (*Dir, error) {
	fi, err := d.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !fi.IsDir() {
		return nil, d.refuse(name, fi)
	}
	root, err := d.root.OpenRoot(name)
	if err != nil {
		return nil, d.named(err, name)
	}
	if opened, err := root.Stat("."); err != nil || !os.SameFile(fi, opened) {
		_ = root.Close()
		return nil, &Error{d.at(name), Moved, ""}
	}
	return &Dir{root, d.at(name)}, nil
}

// refuse tells what stands where a file or directory should.
func (d *Dir) refuse(name string, fi fs.FileInfo) error {
	if fi.Mode()&fs.ModeSymlink == 0 {
		return &Error{d.at(name), Kind, kindOf(fi.Mode())}
	}
	target, err := d.root.Readlink(name)
	if err != nil {
		target = "somewhere"
	}
	return &Error{d.at(name), Link, target}
}

// named gives an error of the root the whole path.
func (d *Dir) named(err error, name string) error {
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		return &fs.PathError{Op: pe.Op, Path: d.at(name), Err: pe.Err}
	}
	return err
}

// Lstat looks at an entry, which may be a link.
func (d *Dir) Lstat(name string) (fs.FileInfo, error) {
	fi, err := d.root.Lstat(name)
	return fi, d.named(err, name)
}

// ReadDir lists the entries by name. Links are among them, as links.
func (d *Dir) ReadDir() ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(d.root.FS(), ".")
	return entries, d.named(err, "")
}

// Open opens a regular file for reading.
func (d *Dir) Open(name string) (*os.File, error) {
	fi, err := d.Lstat(name)
	if err != nil {
		return nil, err
	}
	switch {
	case !fi.Mode().IsRegular():
		return nil, d.refuse(name, fi)
	case shared(fi):
		return nil, &Error{d.at(name), Shared, ""}
	}
	return d.open(name, os.O_RDONLY, 0)
}

// ReadFile reads a regular file of at most limit bytes.
func (d *Dir) ReadFile(name string, limit int64) ([]byte, error) {
	f, err := d.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f, d.at(name), 0, limit)
}

// Append opens a regular file for reading, and for writing at its end; it is made
// if it is missing.
func (d *Dir) Append(name string) (*os.File, error) {
	flags := os.O_RDWR | os.O_APPEND
	fi, err := d.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		flags |= os.O_CREATE | os.O_EXCL
	case err != nil:
		return nil, err
	case !fi.Mode().IsRegular():
		return nil, d.refuse(name, fi)
	case shared(fi):
		return nil, &Error{d.at(name), Shared, ""}
	}
	return d.open(name, flags, 0o644)
}

// open opens a file that is, or is made, a regular one, and makes sure that no
// link was put into its place meanwhile.
func (d *Dir) open(name string, flags int, mode fs.FileMode) (*os.File, error) {
	f, err := d.root.OpenFile(name, flags|syscall.O_NONBLOCK, mode)
	if err != nil {
		return nil, d.named(err, name)
	}
	opened, err := f.Stat()
	if err == nil {
		var named fs.FileInfo
		if named, err = d.Lstat(name); err == nil && (!os.SameFile(opened, named) || !opened.Mode().IsRegular()) {
			err = &Error{d.at(name), Moved, ""}
		}
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// Create makes a file that must not exist, and opens it for writing.
func (d *Dir) Create(name string, mode fs.FileMode) (*os.File, error) {
	f, err := d.open(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if errors.Is(err, fs.ErrExist) {
		return nil, errors.Join(d.CheckFile(name), err)
	}
	return f, err
}

// CheckFile refuses a place where anything but a file stands.
func (d *Dir) CheckFile(name string) error {
	fi, err := d.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !fi.Mode().IsRegular():
		return d.refuse(name, fi)
	}
	return nil
}

// Remove deletes a regular file. One that does not exist is no error; anything
// else is left where it is.
func (d *Dir) Remove(name string) error {
	if err := d.CheckFile(name); err != nil {
		return err
	}
	if err := d.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return d.named(err, name)
	}
	return nil
}

// RemoveDir deletes a directory, which must be empty.
func (d *Dir) RemoveDir(name string) error {
	fi, err := d.Lstat(name)
	if err != nil {
		return err
	}
	if !fi.IsDir() {
		return d.refuse(name, fi)
	}
	return d.named(d.root.Remove(name), name)
}

// Touch gives a regular file the time as that of its last change.
func (d *Dir) Touch(name string, at time.Time) error {
	fi, err := d.Lstat(name)
	if err != nil {
		return err
	}
	switch {
	case !fi.Mode().IsRegular():
		return d.refuse(name, fi)
	case shared(fi):
		return &Error{d.at(name), Shared, ""}
	}
	return d.named(d.root.Chtimes(name, at, at), name)
}
