package isolate

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// CopyTree copies what is in one directory into another, which may exist. Links
// stay links; sockets, pipes and devices are left out, and so is what skip tells.
// Modes, times and holes are kept.
func CopyTree(from, to string, skip func(rel string) bool) error {
	return (&treeCopy{skip: skip}).tree(from, to)
}

// A treeCopy copies trees, within a bound on all of them.
type treeCopy struct {
	skip   func(rel string) bool // nil: nothing
	bound  int64                 // of the bytes that files hold; 0: none
	copied int64
	refuse func(rel string, err error) error // of a file that cannot be made; nil: its error counts
}

var errBound = errors.New("more than the bound")

func (c *treeCopy) tree(from, to string) error {
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	return c.dir(from, to, "")
}

func (c *treeCopy) dir(from, to, rel string) error {
	entries, err := os.ReadDir(filepath.Join(from, rel) + "/.")
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := filepath.Join(rel, e.Name())
		if c.skip != nil && c.skip(name) {
			continue
		}
		if err := c.entry(from, to, name, e); err != nil {
			return err
		}
	}
	return nil
}

func (c *treeCopy) entry(from, to, name string, e fs.DirEntry) error {
	source, target := filepath.Join(from, name), filepath.Join(to, name)
	fi, err := e.Info()
	if errors.Is(err, fs.ErrNotExist) {
		return nil // gone meanwhile
	}
	if err != nil {
		return err
	}
	switch {
	case fi.Mode()&fs.ModeSymlink != 0:
		link, err := os.Readlink(source)
		if err != nil {
			return err
		}
		return os.Symlink(link, target)
	case fi.IsDir():
		if err := os.MkdirAll(target, 0o700); err != nil {
			return err
		}
		if err := c.dir(from, to, name); err != nil {
			return err
		}
		return keepTimes(target, fi)
	case fi.Mode().IsRegular():
		err := c.file(source, target, fi)
		if err != nil && c.refuse != nil {
			return c.refuse(name, err)
		}
		return err
	default:
		return nil
	}
}

func (c *treeCopy) file(source, target string, fi fs.FileInfo) error {
	if c.copied += held(fi); c.bound > 0 && c.copied > c.bound {
		return errBound
	}
	in, err := os.OpenFile(source, os.O_RDONLY|syscall.O_NONBLOCK, 0) // it may be a pipe by now
	if errors.Is(err, fs.ErrPermission) {
		return nil // no hook could read it either
	}
	if err != nil {
		return err
	}
	defer in.Close()
	if now, err := in.Stat(); err != nil || !now.Mode().IsRegular() {
		return err
	}
	out, err := os.OpenFile(target, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if err := errors.Join(copyData(out, in, fi), out.Close()); err != nil {
		_ = os.Remove(target)
		return err
	}
	return keepTimes(target, fi)
}

// copyData copies a file's data, and leaves holes where it has some.
func copyData(out, in *os.File, fi fs.FileInfo) error {
	if held(fi) >= fi.Size() {
		_, err := io.Copy(out, in) // shares blocks where the file system can
		return err
	}
	for at := int64(0); at < fi.Size(); {
		begin, end, ok := nextData(in, at, fi.Size())
		if !ok {
			break
		}
		if _, err := in.Seek(begin, io.SeekStart); err != nil {
			return err
		}
		if _, err := out.Seek(begin, io.SeekStart); err != nil {
			return err
		}
		if _, err := io.CopyN(out, in, end-begin); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		at = end
	}
	return out.Truncate(fi.Size())
}

func keepTimes(target string, fi fs.FileInfo) error {
	if err := os.Chmod(target, fi.Mode()&(fs.ModePerm|fs.ModeSetuid|fs.ModeSetgid|fs.ModeSticky)); err != nil {
		return err
	}
	return os.Chtimes(target, fi.ModTime(), fi.ModTime())
}

// RemoveTree removes a directory also where a case took its own permissions away.
// No link in it is followed.
func RemoveTree(dir string) error {
	err := os.RemoveAll(dir)
	if err == nil || !errors.Is(err, fs.ErrPermission) {
		return err
	}
	root, err := os.OpenRoot(filepath.Dir(dir))
	if err != nil {
		return err
	}
	defer root.Close()
	unlock(root, filepath.Base(dir))
	return os.RemoveAll(dir)
}

// unlock gives the owner all rights to a directory and those in it.
func unlock(root *os.Root, dir string) {
	if fi, err := root.Lstat(dir); err != nil || !fi.IsDir() || root.Chmod(dir, 0o700) != nil {
		return
	}
	f, err := root.Open(dir)
	if err != nil {
		return
	}
	entries, _ := f.ReadDir(-1)
	_ = f.Close()
	for _, e := range entries {
		if e.IsDir() {
			unlock(root, filepath.Join(dir, e.Name()))
		}
	}
}

// ReadBelow reads a regular file of at most limit bytes in a directory that
// somebody else may have filled: no link leads out of it, and no pipe is waited
// for.
func ReadBelow(dir, name string, limit int64) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return ReadIn(root, name, limit, false)
}

// ReadIn reads a regular file as ReadBelow does. Of a larger one it gives the
// beginning if it may be cut, and an error otherwise.
func ReadIn(root *os.Root, name string, limit int64, cut bool) ([]byte, error) {
	fi, err := root.Stat(name) // not even opening a device is harmless
	if err == nil && !fi.Mode().IsRegular() {
		err = fmt.Errorf("%s: no file", name)
	}
	if err != nil {
		return nil, err
	}
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	fi, err = f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !fi.Mode().IsRegular():
		return nil, fmt.Errorf("%s: no file", name)
	case fi.Size() > limit && !cut:
		return nil, fmt.Errorf("%s: %d bytes, more than %d", name, fi.Size(), limit)
	}
	return io.ReadAll(io.LimitReader(f, limit))
}
