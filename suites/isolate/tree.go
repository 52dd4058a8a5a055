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
// Modes and times are kept.
func CopyTree(from, to string, skip func(rel string) bool) error {
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	return copyDir(from, to, "", skip)
}

func copyDir(from, to, rel string, skip func(string) bool) error {
	entries, err := os.ReadDir(filepath.Join(from, rel) + "/.")
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := filepath.Join(rel, e.Name())
		if skip != nil && skip(name) {
			continue
		}
		if err := copyEntry(from, to, name, e, skip); err != nil {
			return err
		}
	}
	return nil
}

func copyEntry(from, to, name string, e fs.DirEntry, skip func(string) bool) error {
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
		if err := copyDir(from, to, name, skip); err != nil {
			return err
		}
		return keepTimes(target, fi)
	case fi.Mode().IsRegular():
		return copyFile(source, target, fi)
	default:
		return nil
	}
}

func copyFile(source, target string, fi fs.FileInfo) error {
	in, err := os.Open(source)
	if errors.Is(err, fs.ErrPermission) {
		return nil // no hook could read it either
	}
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(target, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in) // shares blocks where the file system can
	if err := errors.Join(err, out.Close()); err != nil {
		return err
	}
	return keepTimes(target, fi)
}

func keepTimes(target string, fi fs.FileInfo) error {
	if err := os.Chmod(target, fi.Mode()&(fs.ModePerm|fs.ModeSetuid|fs.ModeSetgid|fs.ModeSticky)); err != nil {
		return err
	}
	return os.Chtimes(target, fi.ModTime(), fi.ModTime())
}

// RemoveTree removes a directory also where a case took its own permissions away.
func RemoveTree(dir string) error {
	err := os.RemoveAll(dir)
	if err == nil || !errors.Is(err, fs.ErrPermission) {
		return err
	}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, _ error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	return os.RemoveAll(dir)
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
