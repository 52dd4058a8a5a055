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
)

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
		return d.named(err, name)
	}
	return d.named(d.root.Rename(temp, name), name)
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
		return d.named(d.root.Rename(name, as), name)
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
	return d.named(d.root.Rename(name, filepath.Join(rel, as)), name)
}

// Holds reports whether the entry name is the directory that is open as sub.
func (d *Dir) Holds(name string, sub *Dir) bool {
	named, err := d.Lstat(name)
	if err != nil {
		return false
	}
	opened, err := sub.root.Stat(".")
	return err == nil && os.SameFile(named, opened)
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
