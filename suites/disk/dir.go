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

// A Dir is an open directory that hookwatch writes to. Operations happen in the directory
// that was opened, even if it or its parents are renamed or replaced by links. Names are
// those of its entries, without a separator. It is safe for concurrent use.
type Dir struct {
	root *os.Root
	path string
}

// Make opens the directory at path, which is base or below it, and creates missing
// directories below base. base must exist, so that a deleted project is not created again
// for its records. base may be reached through links, because it is the user's; below it
// no link is followed. The error is an *Error if a link or another kind of file is in the
// way.
func Make(base, path string) (*Dir, error) {
	return walk(base, path, (*Dir).MakeSub)
}

// Open opens a directory like Make, but creates nothing.
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

// Path returns the path of the directory as it was opened.
func (d *Dir) Path() string { return d.path }

// Close closes the directory. Directories opened by Sub stay open.
func (d *Dir) Close() error { return d.root.Close() }

func (d *Dir) at(name string) string { return filepath.Join(d.path, name) }

// MakeSub opens a subdirectory, and creates it if it is missing.
func (d *Dir) MakeSub(name string) (*Dir, error) {
	if err := d.root.Mkdir(name, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, d.named(err, name)
	}
	return d.Sub(name)
}

// NewSub creates a subdirectory, which must not exist, and opens it.
func (d *Dir) NewSub(name string) (*Dir, error) {
	if err := d.root.Mkdir(name, 0o755); err != nil {
		return nil, d.named(err, name)
	}
	return d.Sub(name)
}

// Sub opens a subdirectory.
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

// refuse returns the error for a link or an entry of the wrong kind.
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

// named replaces the path in an error of the root by the whole path.
func (d *Dir) named(err error, name string) error {
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		return &fs.PathError{Op: pe.Op, Path: d.at(name), Err: pe.Err}
	}
	return err
}

// Lstat describes an entry without following links.
func (d *Dir) Lstat(name string) (fs.FileInfo, error) {
	fi, err := d.root.Lstat(name)
	return fi, d.named(err, name)
}

// ReadDir lists the entries by name, including links.
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

// Append opens a regular file for reading and for appending. It creates the file if it is
// missing.
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

// open opens or creates a regular file, and checks that it was not replaced by a link in
// the meantime.
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

// Create creates a file, which must not exist, and opens it for writing.
func (d *Dir) Create(name string, mode fs.FileMode) (*os.File, error) {
	f, err := d.open(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if errors.Is(err, fs.ErrExist) {
		return nil, errors.Join(d.CheckFile(name), err)
	}
	return f, err
}

// CheckFile returns an error if an entry exists that is not a regular file.
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

// Remove deletes a regular file. It does nothing if the file does not exist, and returns
// an error for other kinds of files.
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

// Touch sets the modification time of a regular file.
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
