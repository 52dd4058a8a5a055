// Package trust keeps the user's agreements to values of projects' configurations. Like
// direnv and mise, it keeps them in the user's own state folder, by the digest of exactly
// the values that were shown.
package trust

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hookwatch/suites/disk"
)

// A Value is a value of a project's configuration that needs consent.
type Value struct {
	Key   string `json:"key"`          // such as "run.isolation"
	Value string `json:"value"`        // one entry if the key has a list
	To    string `json:"to,omitempty"` // the real path of a path, with links followed
}

// Digest returns the digest of exactly this value.
func (v Value) Digest() string {
	canonical, err := json.Marshal([]string{v.Key, v.Value, v.To})
	if err != nil {
		panic(err) // impossible for a list of strings
	}
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:])
}

// An Entry is a value that was agreed to.
type Entry struct {
	Value
	Digest string `json:"digest"` // decides; the value is only for display
}

// An Agreement lists the values that the user agreed to for one project: a repository at a
// path.
type Agreement struct {
	Version    int       `json:"version"`
	Project    string    `json:"project"`    // real path of the directory that the configuration belongs to
	Repository string    `json:"repository"` // identity of the repository, because another one can take its place
	At         time.Time `json:"at"`
	Values     []Entry   `json:"values"`
}

// Holds reports whether exactly this value was agreed to for this repository.
func (a *Agreement) Holds(repository string, v Value) bool {
	digest := v.Digest()
	return repository != "" && a.Repository == repository && slices.ContainsFunc(a.Values, func(e Entry) bool { return e.Digest == digest })
}

const (
	// version 2 added the repository. Agreements without one are ignored, because no one can
	// tell which repository was meant.
	version = 2
	// largest is the maximum size of a file in bytes, more than an agreement to every value
	// that a configuration may have.
	largest   = 16 << 20
	extension = ".json"
)

// ErrOld is returned for an agreement of an earlier hookwatch, which did not name a
// repository.
var ErrOld = errors.New("agreed to with an earlier hookwatch, for a path alone: agree again, for this repository")

// A Store is the folder of agreements in the user's state folder.
type Store struct{ state string }

// In returns the store of a state folder, which need not exist.
func In(state string) Store { return Store{state} }

func (s Store) dir() string { return filepath.Join(s.state, "hookwatch", "trust") }

// File returns the path of the agreement for a project.
func (s Store) File(project string) string { return filepath.Join(s.dir(), name(project)) }

func name(project string) string {
	sum := sha256.Sum256([]byte(project))
	return hex.EncodeToString(sum[:]) + extension
}

// Within returns the first of the places that contains the folder, because whoever fills
// that place could agree in the user's name.
func (s Store) Within(places ...string) (place string, within bool) {
	dir := disk.Lead(s.dir())
	for _, p := range places {
		if rel, err := filepath.Rel(disk.Lead(p), dir); err == nil && filepath.IsLocal(rel) {
			return p, true
		}
	}
	return "", false
}

// Read returns the agreement for a project, which is empty if there is none.
func (s Store) Read(project string) (*Agreement, error) {
	none := &Agreement{Version: version, Project: project}
	d, err := disk.Open(disk.Existing(s.state), s.dir())
	if errors.Is(err, fs.ErrNotExist) {
		return none, nil
	}
	if err != nil {
		return none, err
	}
	defer d.Close()
	a, err := read(d, name(project))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return none, nil
	case err != nil:
		return none, err
	case a.Project != project:
		return none, fmt.Errorf("%s is about %s", s.File(project), a.Project)
	}
	return a, nil
}

func read(d *disk.Dir, name string) (*Agreement, error) {
	at := filepath.Join(d.Path(), name)
	fi, err := d.Lstat(name)
	if err != nil {
		return nil, err
	}
	if fi.Mode().IsRegular() && !own(fi) {
		return nil, fmt.Errorf("%s is another user's, or others may write to it (remove it)", at)
	}
	data, err := d.ReadFile(name, largest)
	if err != nil {
		return nil, err
	}
	a := new(Agreement)
	if err := json.Unmarshal(data, a); err != nil {
		return nil, fmt.Errorf("%s: %w (hookwatch trust replaces it)", at, err)
	}
	switch {
	case a.Version < version:
		return nil, ErrOld
	case a.Version > version:
		return nil, fmt.Errorf("%s: version %d, this hookwatch knows %d (hookwatch trust replaces it)", at, a.Version, version)
	}
	return a, nil
}

// Agree records that the user agrees to these values, and no others, for a repository at a
// path.
func (s Store) Agree(project, repository string, values []Value, now time.Time) error {
	a := Agreement{Version: version, Project: project, Repository: repository, At: now.UTC().Truncate(time.Second), Values: []Entry{}}
	for _, v := range values {
		a.Values = append(a.Values, Entry{v, v.Digest()})
	}
	data, err := json.MarshalIndent(a, "", "  ")
	if err != nil {
		return err
	}
	d, err := disk.Make(disk.Existing(s.state), s.dir())
	if err != nil {
		return err
	}
	defer d.Close()
	return replace(d, name(project), append(data, '\n'))
}

// replace writes a file that only the user can access.
func replace(d *disk.Dir, name string, data []byte) error {
	temp := fmt.Sprintf(".%s%d", name, os.Getpid())
	if err := d.Remove(temp); err != nil {
		return err
	}
	f, err := d.Create(temp, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = d.Rename(temp, d, name)
	}
	if err != nil {
		_ = d.Remove(temp)
	}
	return err
}

// Forget removes the agreement for a project, and reports whether there was one.
func (s Store) Forget(project string) (was bool, err error) {
	d, err := disk.Open(disk.Existing(s.state), s.dir())
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer d.Close()
	if _, err := d.Lstat(name(project)); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return true, d.Remove(name(project))
}

// List returns all agreements by project, and the errors for those that cannot be read.
func (s Store) List() (all []*Agreement, unreadable []error) {
	d, err := disk.Open(disk.Existing(s.state), s.dir())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, []error{err}
	}
	defer d.Close()
	entries, err := d.ReadDir()
	if err != nil {
		return nil, []error{err}
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), extension) || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		a, err := read(d, e.Name())
		if err == nil && name(a.Project) != e.Name() {
			err = fmt.Errorf("%s is about %s", filepath.Join(d.Path(), e.Name()), a.Project)
		}
		if err != nil {
			unreadable = append(unreadable, err)
		} else {
			all = append(all, a)
		}
	}
	slices.SortFunc(all, func(a, b *Agreement) int { return strings.Compare(a.Project, b.Project) })
	return all, unreadable
}
