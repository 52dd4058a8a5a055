package record

import (
	"errors"
	"io/fs"

	"hookwatch/suites/disk"
)

// A Place is where the records of a project are kept. Its paths are absolute.
type Place struct {
	Base     string // the person's, however it is reached; below it no link is followed
	Dir      string // the results directory: Base, or below it
	Marks    string // a directory of the person's that tells which results directories were made here; "": all were
	Restored bool   // the person says that these records are their own, wherever they were made
}

// A Reader reads a results directory, which it holds open. It takes no lock and
// writes nothing. A directory that does not exist has nothing on record.
type Reader struct {
	place                 Place
	dir, rolling, archive *disk.Dir   // nil: it is not there
	basis                 *BasisStore // nil: there is no directory
	origin                Origin
	ours                  bool // what is there counts as what was last run
}

// OpenReader opens a results directory for reading. The error is an *disk.Error
// where a link or something else is in the way.
func OpenReader(p Place) (*Reader, error) {
	r := &Reader{place: p}
	dir, err := disk.Open(p.Base, p.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		r.ours = true
		return r, nil
	}
	if err != nil {
		return nil, err
	}
	r.dir = dir
	if err := r.enter((*disk.Dir).Sub); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// enter opens the directories within, and looks whose they are. Next opens those
// that there must be.
func (r *Reader) enter(next func(*disk.Dir, string) (*disk.Dir, error)) error {
	for _, in := range []struct {
		name string
		sub  **disk.Dir
	}{{rollingName, &r.rolling}, {archiveName, &r.archive}} {
		sub, err := next(r.dir, in.name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		*in.sub = sub
	}
	var err error
	if r.basis, err = OpenBasis(r.dir); err != nil {
		return err
	}
	if r.origin, err = ReadOrigin(r.dir); err != nil {
		return err
	}
	p := r.place
	r.ours = p.Marks == "" || p.Restored || r.origin.IsMarked(p.Marks, p.Dir)
	return nil
}

// Close gives the directory up.
func (r *Reader) Close() {
	for _, d := range []*disk.Dir{r.dir, r.rolling, r.archive} {
		if d != nil {
			_ = d.Close()
		}
	}
	if r.basis != nil {
		r.basis.Close()
	}
}
