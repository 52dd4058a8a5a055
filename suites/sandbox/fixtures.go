package sandbox

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"hookwatch/suites/disk"
)

// A journal lists the fixtures of a case outside its own directory. It is written before they are
// created, because a killed process removes nothing.
type journal struct {
	file string // next to the case's directory
	all  []placement
}

// A placement is a file that was created, or a directory for one.
type placement struct {
	Path   string `json:"path"` // without symbolic links
	Named  string `json:"named,omitempty"`
	Digest string `json:"sha256,omitempty"` // "" for a directory
	Size   int64  `json:"size,omitempty"`
}

const journalSuffix = ".placed"

// journalLimit bounds the size of a journal that is read, in bytes.
const journalLimit = 16 << 20

// newJournal returns the journal of the case with that directory.
func newJournal(dir string) *journal { return &journal{file: dir + journalSuffix} }

func digest(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}

// Holds reports whether the case itself placed a file.
func (j *journal) Holds(path string) bool {
	return slices.ContainsFunc(j.all, func(p placement) bool { return p.Named == path })
}

// Note records that a file and the directories for it are about to be created.
func (j *journal) Note(path, content string) error {
	var missing []string
	up := filepath.Dir(path)
	for ; ; up = filepath.Dir(up) {
		if _, err := os.Lstat(up); err == nil || up == filepath.Dir(up) {
			break
		}
		missing = append(missing, filepath.Base(up))
	}
	at, err := filepath.EvalSymlinks(up)
	if err != nil {
		return err
	}
	var more []placement
	for _, name := range slices.Backward(missing) {
		at = filepath.Join(at, name)
		more = append(more, placement{Path: at})
	}
	more = append(more, placement{filepath.Join(at, filepath.Base(path)), path, digest(content), int64(len(content))})
	j.all = append(j.all, more...)
	return j.append(more)
}

func (j *journal) append(more []placement) error {
	var lines []byte
	for _, p := range more {
		line, err := json.Marshal(p)
		if err != nil {
			return err
		}
		lines = append(append(lines, line...), '\n')
	}
	f, err := os.OpenFile(j.file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(lines)
	return errors.Join(err, f.Close())
}

// Undo removes the files that the case placed, even if they have changed, and the directories that
// are empty then.
func (j *journal) Undo() {
	for _, p := range slices.Backward(j.all) {
		_ = os.Remove(p.Path)
	}
	if len(j.all) > 0 {
		_ = os.Remove(j.file)
	}
}

// RemoveFixtures removes the fixtures that the cases of a killed process created outside their
// directories; temp is the directory of its sandboxes. It keeps files with other content, and files
// that are now reached only through a link.
func RemoveFixtures(temp string) error {
	entries, err := os.ReadDir(temp)
	if err != nil {
		return err
	}
	var errs []error
	for _, e := range entries {
		if filepath.Ext(e.Name()) != journalSuffix {
			continue
		}
		all, err := readJournal(filepath.Join(temp, e.Name()))
		errs = append(errs, err)
		for _, p := range slices.Backward(all) {
			errs = append(errs, p.remove())
		}
	}
	return errors.Join(errs...)
}

func readJournal(file string) ([]placement, error) {
	b, err := disk.Reader{}.ReadFile(file, journalLimit)
	if err != nil {
		return nil, err
	}
	var all []placement
	for line := range bytes.Lines(b) {
		var p placement
		if json.Unmarshal(line, &p) == nil && filepath.IsAbs(p.Path) { // the last line may be incomplete
			all = append(all, p)
		}
	}
	return all, nil
}

func (p placement) remove() error {
	real, err := filepath.EvalSymlinks(p.Path)
	if err != nil || real != p.Path {
		return nil // it was removed, or replaced by a link
	}
	if p.Digest == "" {
		if fi, err := os.Lstat(p.Path); err == nil && fi.IsDir() {
			_ = os.Remove(p.Path) // intended to fail unless empty
		}
		return nil
	}
	b, err := disk.Reader{}.ReadFile(p.Path, p.Size)
	if err != nil || digest(string(b)) != p.Digest {
		return nil
	}
	return os.Remove(p.Path)
}
