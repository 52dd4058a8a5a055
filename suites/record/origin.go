package record

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"hookwatch/suites/disk"
)

// An origin is the text of .origin: it tells a results directory that hookwatch
// made for this person here from one that came along with a clone. Records decide
// what is not run again, so only the former's count. The ID stands in the
// person's own folder too, where no clone can put it.
type origin struct {
	Version int    `json:"version"` // of the layout
	ID      string `json:"id"`
}

const (
	originName = ".origin"
	version    = 1
	originSize = 4 << 10
)

// A NewerError says that a later hookwatch wrote the directory.
type NewerError struct {
	Dir     string
	Version int
}

// Error says what to do.
func (e *NewerError) Error() string {
	return fmt.Sprintf("%s was written by a newer hookwatch (layout %d, this one knows %d): update hookwatch, or set results.dir to another directory; nothing in it was changed",
		e.Dir, e.Version, version)
}

// readOrigin gives the zero value for a directory that says nothing of itself.
func readOrigin(d *disk.Dir) (o origin, err error) {
	text, err := d.ReadFile(originName, originSize)
	if errors.Is(err, fs.ErrNotExist) {
		return origin{}, nil
	}
	if err != nil {
		return origin{}, err
	}
	if json.Unmarshal(text, &o) != nil {
		return origin{}, nil
	}
	if o.Version > version {
		return origin{}, &NewerError{d.Path(), o.Version}
	}
	return o, nil
}

// madeHere reports whether a directory with this origin is the person's own.
func (p Place) madeHere(o origin) bool {
	if p.Marks == "" || p.Restored {
		return true
	}
	if o.ID == "" {
		return false
	}
	marks, err := disk.Open(p.Marks, p.Marks)
	if err != nil {
		return false
	}
	defer marks.Close()
	id, err := marks.ReadFile(p.mark(), originSize)
	return err == nil && strings.TrimSpace(string(id)) == o.ID
}

// mark names the file in Marks that is about the directory.
func (p Place) mark() string {
	real, err := filepath.EvalSymlinks(p.Dir)
	if err != nil {
		real = p.Dir
	}
	sum := sha256.Sum256([]byte(real))
	return hex.EncodeToString(sum[:16])
}

// claim makes the directory one of this person's. Records that it came with go to
// the archive first: they are history.
func (s *Store) claim() error {
	if !s.r.ours {
		if err := s.disown(); err != nil {
			return err
		}
		s.r.origin.ID = ""
	}
	if s.r.origin.ID == "" {
		s.r.origin = origin{version, rand.Text()}
		text, err := json.Marshal(s.r.origin)
		if err != nil {
			return err
		}
		if err := s.r.dir.Replace(originName, append(text, '\n'), disk.Unsynced); err != nil {
			return err
		}
	}
	if p := s.o.Place; p.Marks != "" && (!s.r.ours || p.Restored) {
		if err := p.note(s.r.origin.ID); err != nil {
			s.warn("%v: the next hookwatch will not know the records as its own (--restored tells it)", err)
		}
	}
	s.r.ours = true
	return nil
}

// note keeps the ID where no clone can put one.
func (p Place) note(id string) error {
	if err := os.MkdirAll(p.Marks, 0o700); err != nil {
		return err
	}
	marks, err := disk.Open(p.Marks, p.Marks)
	if err != nil {
		return err
	}
	defer marks.Close()
	return marks.Replace(p.mark(), []byte(id+"\n"), disk.Unsynced)
}

// disown moves what would count as the present state to the archive.
func (s *Store) disown() error {
	files, err := stateFiles(s.r.dir)
	if err != nil {
		return err
	}
	var names []string
	for _, f := range files {
		names = append(names, f.name)
	}
	for _, name := range ownDocuments {
		if _, err := s.r.dir.Lstat(name); err == nil {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	at, err := s.setAside(stamp{s.o.Now().UTC(), 1}, names)
	if err != nil {
		return err
	}
	s.warn("%s was not made by hookwatch here (it came with a clone, or was restored): its records were moved to %s and count as history, not as what was last run (--restored takes them as your own)",
		s.o.Dir, filepath.Join(archiveName, at))
	return nil
}
