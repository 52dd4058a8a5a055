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
	"path"
	"path/filepath"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/disk"
)

// Identify sets the suite and ID of records of other tools, which have no ID. It looks for
// a single known case with the same base name of the hook and the same name. If the name
// begins with an ID ("P01_pip_blocked"), the case must have that ID. Records with a suite
// and ID keep them. Records that fit no case or more than one are returned unchanged as
// unmatched.
func Identify(records []suites.Record, known []*suites.Case) (mapped, unmatched []suites.Record) {
	if !slices.ContainsFunc(records, anonymous) {
		return records, nil
	}
	cases := map[nameOfCase][]*suites.Case{}
	for _, c := range known {
		name := nameOfCase{hookName(c.Hook), withoutID(c.Name, c.ID)}
		cases[name] = append(cases[name], c)
	}
	for _, r := range records {
		if !anonymous(r) {
			mapped = append(mapped, r)
			continue
		}
		c := identify(&r, cases)
		if c == nil {
			unmatched = append(unmatched, r)
			continue
		}
		r.Suite, r.ID = c.Suite, c.ID
		mapped = append(mapped, r)
	}
	return mapped, unmatched
}

// anonymous reports whether a record lacks the ID or the suite of its case.
func anonymous(r suites.Record) bool { return r.ID == "" || r.Suite == "" }

// nameOfCase identifies a case in records of tools without IDs.
type nameOfCase struct{ hook, name string }

// identify returns the only case that fits the record, or nil.
func identify(r *suites.Record, cases map[nameOfCase][]*suites.Case) *suites.Case {
	hook := hookName(r.Hook)
	fits := slices.Clone(cases[nameOfCase{hook, r.TestName}])
	if id, rest, ok := strings.Cut(r.TestName, "_"); ok {
		for _, c := range cases[nameOfCase{hook, rest}] {
			if strings.EqualFold(c.ID, id) {
				fits = append(fits, c)
			}
		}
	}
	var found *suites.Case
	for _, c := range fits {
		if r.ID != "" && r.ID != c.ID || r.Suite != "" && r.Suite != c.Suite {
			continue
		}
		if found != nil && found.Key() != c.Key() {
			return nil
		}
		found = c
	}
	return found
}

// hookName returns a hook's base name. It is "" for checks of the machine, which have no
// hook; other tools call theirs "infrastructure".
func hookName(hook string) string {
	if hook == "" || hook == "infrastructure" {
		return ""
	}
	return path.Base(strings.ReplaceAll(hook, `\`, "/"))
}

// withoutID returns a case's name without its own ID in front.
func withoutID(name, id string) string {
	if len(name) > len(id)+1 && strings.EqualFold(name[:len(id)], id) && name[len(id)] == '_' {
		return name[len(id)+1:]
	}
	return name
}

// adopt moves another tool's files from the present state to the archive, as a run of
// their own, because their records have no IDs and cases would be listed twice. No file is
// lost.
func (s *Store) adopt() error {
	if len(s.state.foreign) == 0 {
		return nil
	}
	var st stamp
	var names []string
	for _, f := range s.state.foreign {
		names = append(names, f.name)
		if f.st.compare(st) > 0 {
			st = f.st
		}
	}
	if st.n == 0 {
		info, err := s.r.dir.Lstat(names[0])
		if err != nil {
			return err
		}
		st = stamp{info.ModTime().UTC(), 1}
	}
	if now := s.o.Now().UTC(); st.at.After(now) { // the name was made up
		st = stamp{now, 1}
	}
	if _, err := s.setAside(st, names); err != nil {
		return err
	}
	s.state.foreign = nil
	return nil
}

// setAside moves files of the present state to a directory of the archive, with a copy of
// RESULTS.md, and returns the directory's name.
func (s *Store) setAside(st stamp, names []string) (string, error) {
	to, at, err := s.adoptDir(st, names)
	if err != nil {
		return "", err
	}
	defer to.Close()
	results, err := s.r.dir.ReadFile(resultsName, DocumentLimit)
	if err == nil {
		err = to.Replace(resultsName, results, disk.Synced)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	for _, name := range names {
		if err := s.r.dir.Rename(name, to, name); err != nil {
			return "", err
		}
	}
	return at, nil
}

// adoptDir opens the first archive directory from that stamp on that is no run of
// hookwatch's and has none of the names. After a kill this is the directory that was
// begun.
func (s *Store) adoptDir(st stamp, names []string) (to *disk.Dir, at string, err error) {
	for ; ; st.n++ {
		to, err := s.r.archive.MakeSub(st.String())
		if disk.IsRefused(err) {
			continue // the name is taken by something else
		}
		if err != nil {
			return nil, "", err
		}
		taken := archivedRunID(to) != ""
		for _, name := range names {
			_, err := to.Lstat(name)
			taken = taken || err == nil
		}
		if !taken {
			return to, st.String(), nil
		}
		_ = to.Close()
	}
}

// claim marks the directory as this user's. If it came from elsewhere, its records are
// first moved to the archive, because they are only history.
func (s *Store) claim() error {
	if !s.r.ours {
		if err := s.disown(); err != nil {
			return err
		}
		s.r.origin.ID = ""
	}
	if s.r.origin.ID == "" {
		s.r.origin = newOrigin()
		if err := s.r.origin.Write(s.r.dir); err != nil {
			return err
		}
	}
	if p := s.o.Place; p.Marks != "" && (!s.r.ours || p.Restored) {
		if err := s.r.origin.Mark(p.Marks, p.Dir); err != nil {
			s.warn("%v: the next hookwatch will not know the records as its own (use --restored then)", err)
		}
	}
	s.r.ours = true
	return nil
}

// disown moves the present state to the archive.
func (s *Store) disown() error {
	files, err := stateFiles(s.r.dir)
	if err != nil {
		return err
	}
	var names []string
	for _, f := range files {
		names = append(names, f.name)
	}
	for _, name := range append(slices.Clip(ownDocuments), registrationsName) {
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

// newOrigin returns an origin with a new ID.
func newOrigin() Origin { return Origin{version, rand.Text()} }

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

// readOrigin returns the origin of a directory, or the zero value if it has no valid one.
func readOrigin(d *disk.Dir) (o Origin, err error) {
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
