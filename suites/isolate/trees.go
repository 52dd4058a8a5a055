package isolate

import (
	"errors"
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
	return (&Copier{Skip: skip}).Tree(from, to)
}

// A Copier copies trees, within bounds on all of them together.
type Copier struct {
	Skip    func(rel string) bool // nil: nothing
	Bounds  Bounds
	bytes   int64
	entries int
	Refuse  func(rel string, err error) error // of a file that cannot be made; nil: its error counts
}

// Bounds limit what a Copier copies; 0 is no limit.
type Bounds struct {
	Bytes   int64 // that files take up, holes left out
	Entries int   // files, links and directories
}

var (
	errBytes   = errors.New("more bytes than the bound")
	errEntries = errors.New("more files than the bound")
)

// Tree copies what is in one directory into another, which may exist.
func (c *Copier) Tree(from, to string) error {
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	return c.dir(from, to, "")
}

func (c *Copier) dir(from, to, rel string) error {
	entries, err := os.ReadDir(filepath.Join(from, rel) + "/.")
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := filepath.Join(rel, e.Name())
		if c.Skip != nil && c.Skip(name) {
			continue
		}
		if err := c.entry(from, to, name, e); err != nil {
			return err
		}
	}
	return nil
}

// entry copies one. What lies too deep for the system to name it is left out.
func (c *Copier) entry(from, to, name string, e fs.DirEntry) error {
	err := c.copy(from, to, name, e)
	if !errors.Is(err, syscall.ENAMETOOLONG) {
		return err
	}
	if c.Refuse != nil {
		return c.Refuse(name, err)
	}
	return nil
}

func (c *Copier) copy(from, to, name string, e fs.DirEntry) error {
	source, target := filepath.Join(from, name), filepath.Join(to, name)
	if c.entries++; c.Bounds.Entries > 0 && c.entries > c.Bounds.Entries {
		return errEntries
	}
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
		err := c.File(source, target, fi)
		if err != nil && c.Refuse != nil {
			return c.Refuse(name, err)
		}
		return err
	default:
		return nil
	}
}

// File copies a regular file, which it was to be when it was looked at, to a new one.
func (c *Copier) File(source, target string, fi fs.FileInfo) error {
	if c.bytes += HeldBy(fi); c.Bounds.Bytes > 0 && c.bytes > c.Bounds.Bytes {
		return errBytes
	}
	in, err := os.OpenFile(source, os.O_RDONLY|syscall.O_NONBLOCK, 0) // it may be a pipe by now
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) {
		return nil // no hook could read it either, or it is gone meanwhile
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
	if HeldBy(fi) >= fi.Size() {
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

// Remove removes a directory also where a case took its own permissions away.
// No link in it is followed.
func Remove(dir string) error {
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

// Held returns how many bytes what is in a directory counts with.
func Held(dir string) (total int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // what cannot be read is not counted
		}
		if fi, err := d.Info(); err == nil {
			total += Taken(fi)
		}
		return nil
	})
	return total
}
