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

// Durable says whether a file has to outlive a power cut, or only a killed process.
type Durable bool

// Synced waits for the disk; Unsynced does not.
const (
	Synced   Durable = true
	Unsynced Durable = false
)

// Replace puts data into a file, whole or not at all. A file that a killed process
// leaves beside it is called ".<name><digits>".
func (d *Dir) Replace(name string, data []byte, durable Durable) error {
	return d.ReplaceBy(name, durable, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// ReplaceBy is Replace with what write writes. If that fails nothing changes.
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

// temporary makes a file for what is to be called name.
func (d *Dir) temporary(name string) (*os.File, string, error) {
	for {
		temp := "." + name + strconv.FormatUint(uint64(rand.Uint32()), 10)
		f, err := d.Create(temp, 0o644)
		if !errors.Is(err, fs.ErrExist) {
			return f, temp, err
		}
	}
}

// IsLeftover reports whether name is that of a file that Replace was about to
// call something else when its process was killed, and what.
func IsLeftover(name string) (of string, ok bool) {
	base := strings.TrimRight(name, "0123456789")
	of, dot := strings.CutPrefix(base, ".")
	return of, dot && of != "" && base != name
}

// Rename gives an entry of this directory another name in to, which may be this
// one too. A file there is replaced; anything else is in the way.
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
	below, err := Open(d.path, to.path) // what the path leads to now must be what is open
	if err != nil {
		return err
	}
	defer below.Close()
	if !below.same(to) {
		return &Error{to.path, Moved, ""}
	}
	return d.named(d.root.Rename(name, filepath.Join(rel, as)), name)
}

// Holds reports whether a name leads to the directory that is open as sub.
func (d *Dir) Holds(name string, sub *Dir) bool {
	named, err := d.Lstat(name)
	if err != nil {
		return false
	}
	opened, err := sub.root.Stat(".")
	return err == nil && os.SameFile(named, opened)
}

// HoldsFile reports whether a name leads to the file that is open as f.
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
