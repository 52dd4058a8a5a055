package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"hookwatch/suites/disk"
)

// A Registration is the place where a script that cases test was registered last. It is kept after
// the registration is gone, because the client does not run the script any more then.
type Registration struct {
	Hook  string `json:"hook"` // slash path from the root
	Event string `json:"event"`
	File  string `json:"file"` // settings file, as in positions
}

// registrationsLimit bounds the file, which may come from someone else, in bytes.
const registrationsLimit = 1 << 20

// ReadRegistrations returns the registrations on record, none if they cannot be read.
func ReadRegistrations(p Place) (all []Registration) {
	dir, err := disk.Open(p.Base, p.Dir)
	if err != nil {
		return nil
	}
	defer dir.Close()
	data, err := dir.ReadFile(registrationsName, registrationsLimit)
	if err != nil || ParseJSON(data, &all) != nil {
		return nil
	}
	return all
}

// KeepRegistrations replaces the registrations on record.
func (s *Store) KeepRegistrations(all []Registration) error {
	data, err := json.Marshal(all)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.r.dir.Replace(registrationsName, data, disk.Unsynced); err != nil {
		return fmt.Errorf("%s was not written, so that a registration that is lost later goes unnoticed: %w", registrationsName, err)
	}
	return nil
}

// ForgetRegistrations removes the registrations on record.
func ForgetRegistrations(p Place) error {
	dir, err := disk.Open(p.Base, p.Dir)
	if err == nil {
		defer dir.Close()
		err = dir.Remove(registrationsName)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
