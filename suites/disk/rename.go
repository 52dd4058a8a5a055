package disk

import (
	"io/fs"
	"os"
	"path/filepath"
)

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
