package config

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

// A ConsentValue is a value of a project's configuration that needs consent.
type ConsentValue struct {
	Key   string `json:"key"`          // such as "run.isolation"
	Value string `json:"value"`        // one entry if the key has a list
	To    string `json:"to,omitempty"` // the real path of a path, with links followed
}

// Digest returns the digest of exactly this value.
func (v ConsentValue) Digest() string {
	canonical, err := json.Marshal([]string{v.Key, v.Value, v.To})
	if err != nil {
		panic(err) // impossible for a list of strings
	}
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:])
}

// An AgreedValue is a value that was agreed to.
type AgreedValue struct {
	ConsentValue
	Digest string `json:"digest"` // decides; the value is only for display
}

// An Agreement lists the values that the user agreed to for one project: a repository at a
// path.
type Agreement struct {
	Version    int           `json:"version"`
	Project    string        `json:"project"`    // real path of the directory that the configuration belongs to
	Repository string        `json:"repository"` // identity of the repository, because another one can take its place
	At         time.Time     `json:"at"`
	Values     []AgreedValue `json:"values"`
}

// Holds reports whether exactly this value was agreed to for this repository.
func (a *Agreement) Holds(repository string, v ConsentValue) bool {
	digest := v.Digest()
	return repository != "" && a.Repository == repository && slices.ContainsFunc(a.Values, func(e AgreedValue) bool { return e.Digest == digest })
}

const (
	// Version 2 added the repository. Agreements without one are ignored, because no one can
	// tell which repository was meant.
	agreementVersion = 2
	// largestAgreement is the maximum size of a file in bytes, more than an agreement to
	// every value that a configuration may have.
	largestAgreement   = 16 << 20
	agreementExtension = ".json"
)

// errOldAgreement is returned for an agreement of an earlier hookwatch, which did not name
// a repository.
var errOldAgreement = errors.New("agreed to with an earlier hookwatch, for a path alone: agree again, for this repository")

// Agreements is the folder of the user's agreements to values of projects' configurations.
// Like direnv and mise, hookwatch keeps them in the user's own state folder, by the digest
// of exactly the values that were shown.
type Agreements struct{ state string }

// AgreementsIn returns the agreements in a state folder, which need not exist.
func AgreementsIn(state string) Agreements { return Agreements{state} }

func (s Agreements) dir() string { return filepath.Join(s.state, "hookwatch", "trust") }

// File returns the path of the agreement for a project.
func (s Agreements) File(project string) string {
	return filepath.Join(s.dir(), agreementName(project))
}

func agreementName(project string) string {
	sum := sha256.Sum256([]byte(project))
	return hex.EncodeToString(sum[:]) + agreementExtension
}

// FindPlace returns the first of the places that contains the folder: a program that can write to
// that place could agree in the user's name.
func (s Agreements) FindPlace(places ...string) (place string, within bool) {
	dir := disk.Lead(s.dir())
	for _, p := range places {
		if rel, err := filepath.Rel(disk.Lead(p), dir); err == nil && filepath.IsLocal(rel) {
			return p, true
		}
	}
	return "", false
}

// Read returns the agreement for a project, which is empty if there is none.
func (s Agreements) Read(project string) (*Agreement, error) {
	none := &Agreement{Version: agreementVersion, Project: project}
	d, err := disk.Open(disk.Existing(s.state), s.dir())
	if errors.Is(err, fs.ErrNotExist) {
		return none, nil
	}
	if err != nil {
		return none, err
	}
	defer d.Close()
	a, err := readAgreement(d, agreementName(project))
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

func readAgreement(d *disk.Dir, name string) (*Agreement, error) {
	at := filepath.Join(d.Path(), name)
	data, err := d.ReadOwn(name, largestAgreement)
	if err != nil {
		return nil, err
	}
	a := new(Agreement)
	if err := json.Unmarshal(data, a); err != nil {
		return nil, fmt.Errorf("%s: %w (hookwatch trust replaces it)", at, err)
	}
	switch {
	case a.Version < agreementVersion:
		return nil, errOldAgreement
	case a.Version > agreementVersion:
		return nil, fmt.Errorf("%s: version %d, this hookwatch knows %d (hookwatch trust replaces it)", at, a.Version, agreementVersion)
	}
	return a, nil
}

// Agree records that the user agrees to these values, and no others, for a repository at a
// path.
func (s Agreements) Agree(project, repository string, values []ConsentValue, now time.Time) error {
	a := Agreement{Version: agreementVersion, Project: project, Repository: repository, At: now.UTC().Truncate(time.Second), Values: []AgreedValue{}}
	for _, v := range values {
		a.Values = append(a.Values, AgreedValue{v, v.Digest()})
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
	return replaceAgreement(d, agreementName(project), append(data, '\n'))
}

// replaceAgreement writes a file that only the user can access.
func replaceAgreement(d *disk.Dir, name string, data []byte) error {
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
func (s Agreements) Forget(project string) (was bool, err error) {
	d, err := disk.Open(disk.Existing(s.state), s.dir())
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer d.Close()
	if _, err := d.Lstat(agreementName(project)); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return true, d.Remove(agreementName(project))
}

// List returns all agreements by project, and the errors for those that cannot be read.
func (s Agreements) List() (all []*Agreement, unreadable []error) {
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
		if !strings.HasSuffix(e.Name(), agreementExtension) || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		a, err := readAgreement(d, e.Name())
		if err == nil && agreementName(a.Project) != e.Name() {
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
