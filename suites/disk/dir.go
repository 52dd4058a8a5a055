package disk

import (
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
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
		return nil, d.nameError(err, name)
	}
	return d.Sub(name)
}

// NewSub creates a subdirectory, which must not exist, and opens it.
func (d *Dir) NewSub(name string) (*Dir, error) {
	if err := d.root.Mkdir(name, 0o755); err != nil {
		return nil, d.nameError(err, name)
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
		return nil, d.nameError(err, name)
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

// nameError replaces the path in an error of the root by the whole path.
func (d *Dir) nameError(err error, name string) error {
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		return &fs.PathError{Op: pe.Op, Path: d.at(name), Err: pe.Err}
	}
	return err
}

// Lstat describes an entry without following links.
func (d *Dir) Lstat(name string) (fs.FileInfo, error) {
	fi, err := d.root.Lstat(name)
	return fi, d.nameError(err, name)
}

// ReadDir lists the entries by name, including links.
func (d *Dir) ReadDir() ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(d.root.FS(), ".")
	return entries, d.nameError(err, "")
}

// checkOwn returns an error unless an entry is a regular file without other names.
func (d *Dir) checkOwn(name string) error {
	fi, err := d.Lstat(name)
	switch {
	case err != nil:
		return err
	case !fi.Mode().IsRegular():
		return d.refuse(name, fi)
	case isShared(fi):
		return &Error{d.at(name), Shared, ""}
	}
	return nil
}

// Open opens a regular file for reading.
func (d *Dir) Open(name string) (*os.File, error) {
	if err := d.checkOwn(name); err != nil {
		return nil, err
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

// ReadOwn reads like ReadFile, but only a file that no one but the user may have written.
func (d *Dir) ReadOwn(name string, limit int64) ([]byte, error) {
	f, err := d.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err == nil && !isUsersOwn(fi) {
		err = &Error{d.at(name), Foreign, ""}
	}
	if err != nil {
		return nil, err
	}
	return readAll(f, d.at(name), fi.Size(), limit)
}

// CheckOwner returns an error unless the directory is the user's and no one else may write to it.
func (d *Dir) CheckOwner() error {
	fi, err := d.root.Stat(".")
	if err == nil && !isUsersOwn(fi) {
		err = &Error{d.path, Foreign, ""}
	}
	return err
}

// Append opens a regular file for reading and for appending. It creates the file if it is
// missing.
func (d *Dir) Append(name string) (*os.File, error) {
	flags := os.O_RDWR | os.O_APPEND
	if err := d.checkOwn(name); errors.Is(err, fs.ErrNotExist) {
		flags |= os.O_CREATE | os.O_EXCL
	} else if err != nil {
		return nil, err
	}
	return d.open(name, flags, 0o644)
}

// open opens or creates a regular file, and checks that it was not replaced by a link in
// the meantime.
func (d *Dir) open(name string, flags int, mode fs.FileMode) (*os.File, error) {
	f, err := d.root.OpenFile(name, flags|syscall.O_NONBLOCK, mode)
	if err != nil {
		return nil, d.nameError(err, name)
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

// WriteNew creates a file below base, which must not exist, and missing directories on its way. Like Make
// it follows no link below base.
func WriteNew(base, path string, content []byte, mode fs.FileMode) error {
	d, err := Make(base, filepath.Dir(path))
	if err != nil {
		return err
	}
	defer d.Close()
	f, err := d.Create(filepath.Base(path), mode)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Close())
}

// ReplaceFile replaces the content of a file below base, for good. It follows no link below base.
func ReplaceFile(base, path string, content []byte) error {
	d, err := Open(base, filepath.Dir(path))
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Replace(filepath.Base(path), content, Synced)
}

// Exists reports whether a regular file exists below base. A link on its path is an error.
func Exists(base, path string) (bool, error) {
	d, err := Open(base, filepath.Dir(path))
	if err == nil {
		defer d.Close()
		_, err = d.Lstat(filepath.Base(path))
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	}
	return true, d.CheckFile(filepath.Base(path))
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
		return d.nameError(err, name)
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
	return d.nameError(d.root.Remove(name), name)
}

// Touch sets the modification time of a regular file.
func (d *Dir) Touch(name string, at time.Time) error {
	if err := d.checkOwn(name); err != nil {
		return err
	}
	return d.nameError(d.root.Chtimes(name, at, at), name)
}

// Durable is whether a file must survive a power cut, or only a killed process.
type Durable bool

// Synced waits until the data is on the disk; Unsynced does not.
const (
	Synced   Durable = true
	Unsynced Durable = false
)

// Replace replaces the content of a file atomically. If the process is killed, it may
// leave a file called ".<name><digits>" in the directory.
func (d *Dir) Replace(name string, data []byte, durable Durable) error {
	return d.ReplaceBy(name, durable, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// ReplaceBy replaces the content by the output of write. If write fails, the file does not
// change.
func (d *Dir) ReplaceBy(name string, durable Durable, write func(io.Writer) error) (err error) {
	if err := d.CheckFile(name); err != nil {
		return err
	}
	f, temp, err := d.temporary(name)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = d.root.Remove(temp)
		}
	}()
	err = write(f)
	if err == nil && durable {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return d.nameError(err, name)
	}
	return d.nameError(d.root.Rename(temp, name), name)
}

// temporary creates a temporary file for name in the same directory.
func (d *Dir) temporary(name string) (*os.File, string, error) {
	for {
		temp := "." + name + strconv.FormatUint(uint64(rand.Uint32()), 10)
		f, err := d.Create(temp, 0o644)
		if !errors.Is(err, fs.ErrExist) {
			return f, temp, err
		}
	}
}

// IsLeftover reports whether name is that of a temporary file, which Replace leaves if its
// process is killed, and returns the name of the file that it was written for.
func IsLeftover(name string) (of string, ok bool) {
	base := strings.TrimRight(name, "0123456789")
	of, dot := strings.CutPrefix(base, ".")
	return of, dot && of != "" && base != name
}

// Rename renames an entry to as in the directory to, which may be d or below it. It
// replaces a regular file; other kinds of files are an error.
func (d *Dir) Rename(name string, to *Dir, as string) error {
	if err := to.CheckFile(as); err != nil {
		return err
	}
	if to == d {
		return d.nameError(d.root.Rename(name, as), name)
	}
	rel, err := filepath.Rel(d.path, to.path)
	if err != nil || !filepath.IsLocal(rel) {
		return &Error{to.at(as), Outside, to.at(as)}
	}
	below, err := Open(d.path, to.path) // the path must still lead to the open directory
	if err != nil {
		return err
	}
	defer below.Close()
	if !below.same(to) {
		return &Error{to.path, Moved, ""}
	}
	return d.nameError(d.root.Rename(name, filepath.Join(rel, as)), name)
}

// Holds reports whether the entry name is the directory that is open as sub.
func (d *Dir) Holds(name string, sub *Dir) bool {
	opened, err := sub.root.Stat(".")
	return err == nil && d.HoldsFile(name, opened)
}

// HoldsFile reports whether the entry name is the file described by f.
func (d *Dir) HoldsFile(name string, f fs.FileInfo) bool {
	named, err := d.Lstat(name)
	return err == nil && os.SameFile(named, f)
}

func (d *Dir) same(o *Dir) bool {
	a, errA := d.root.Stat(".")
	b, errB := o.root.Stat(".")
	return errA == nil && errB == nil && os.SameFile(a, b)
}

// InPlace reports whether the directory's path, from base on, still leads to it.
func (d *Dir) InPlace(base string) bool {
	now, err := Open(base, d.path)
	if err != nil {
		return false
	}
	defer now.Close()
	return now.same(d)
}

// A Lock is a file that one process at a time can lock. The kernel releases it when the
// process ends for any reason.
type Lock struct{ f *os.File }

// Lock opens the lock file, and creates it if it is missing. It does not lock it yet.
func (d *Dir) Lock(name string) (*Lock, error) {
	f, err := d.Append(name)
	if err != nil {
		return nil, err
	}
	return &Lock{f}, nil
}

// Try takes the lock unless another process has it.
func (l *Lock) Try() (held bool, err error) { return tryLock(l.f) }

// Write replaces the content of the file. Only the process with the lock may call it.
func (l *Lock) Write(text string) error {
	if err := l.f.Truncate(0); err != nil {
		return err
	}
	_, err := l.f.Write([]byte(text))
	return err
}

// Close releases the lock, even if a child that is being started has inherited the open
// file.
func (l *Lock) Close() error { return errors.Join(unlock(l.f), l.f.Close()) }
