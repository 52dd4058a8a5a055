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

// An Origin is the content of .origin. It distinguishes a results directory that hookwatch
// made for this user here from one that came with a clone. Only the former's records
// count, because records decide what is not run again. The ID is also in the user's own
// folder, where no clone can put it.
type Origin struct {
	Version int    `json:"version"` // of the layout
	ID      string `json:"id"`
}

// Name is the name of the origin file.
const Name = ".origin"

const (
	version = 1
	atMost  = 4 << 10 // bytes of the file, and of a mark
)

// NewOrigin returns an origin with a new ID.
func NewOrigin() Origin { return Origin{version, rand.Text()} }

// A NewerError reports that a newer hookwatch wrote the directory.
type NewerError struct {
	Dir     string
	Version int
}

// Error returns the versions and how to fix it.
func (e *NewerError) Error() string {
	return fmt.Sprintf("%s was written by a newer hookwatch (layout %d, this one knows %d): update hookwatch, or set results.dir to another directory; nothing in it was changed",
		e.Dir, e.Version, version)
}

// ReadOrigin returns the origin of a directory, or the zero value if it has no valid one.
func ReadOrigin(d *disk.Dir) (o Origin, err error) {
	text, err := d.ReadFile(Name, atMost)
	if errors.Is(err, fs.ErrNotExist) {
		return Origin{}, nil
	}
	if err != nil {
		return Origin{}, err
	}
	if json.Unmarshal(text, &o) != nil {
		return Origin{}, nil
	}
	if o.Version > version {
		return Origin{}, &NewerError{d.Path(), o.Version}
	}
	return o, nil
}

// Write writes the origin into its directory.
func (o Origin) Write(d *disk.Dir) error {
	text, err := json.Marshal(o)
	if err != nil {
		return err
	}
	return d.Replace(Name, append(text, '\n'), disk.Unsynced)
}

// IsMarked reports whether marks, the user's own folder, has this origin for the
// directory.
func (o Origin) IsMarked(marks, dir string) bool {
	if o.ID == "" {
		return false
	}
	own, err := disk.Open(marks, marks)
	if err != nil {
		return false
	}
	defer own.Close()
	id, err := own.ReadFile(mark(dir), atMost)
	return err == nil && strings.TrimSpace(string(id)) == o.ID
}

// Mark notes the origin of a directory in marks, where no clone can put anything.
func (o Origin) Mark(marks, dir string) error {
	if err := os.MkdirAll(marks, 0o700); err != nil {
		return err
	}
	own, err := disk.Open(marks, marks)
	if err != nil {
		return err
	}
	defer own.Close()
	return own.Replace(mark(dir), []byte(o.ID+"\n"), disk.Unsynced)
}

// mark returns the name of the file in marks for a directory.
func mark(dir string) string {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		real = dir
	}
	sum := sha256.Sum256([]byte(real))
	return hex.EncodeToString(sum[:16])
}
