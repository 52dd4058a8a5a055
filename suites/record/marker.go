package record

import (
	"encoding/json"
	"os"
	"time"

	"hookwatch/suites/disk"
)

// A marker is the text of running.json.
type marker struct {
	RunID   string            `json:"run_id"`
	PID     int               `json:"pid"`
	Started time.Time         `json:"started"`
	Full    bool              `json:"full"`
	Keys    []markerKey       `json:"keys"`
	Agents  map[string]string `json:"agents,omitempty"`
}

type markerKey struct {
	Suite string `json:"suite"`
	ID    string `json:"id"`
}

func markerOf(r Run) marker {
	m := marker{RunID: r.ID, PID: os.Getpid(), Started: r.Started, Full: r.Full, Agents: r.Agents}
	for _, k := range r.Keys {
		m.Keys = append(m.Keys, markerKey(k))
	}
	return m
}

// writeMarker does not wait for the disk: the first hook of the run would wait
// with it, and after a power cut a lost marker costs one "was interrupted".
func (s *Store) writeMarker(m marker) error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return s.r.dir.Replace(markerName, text, disk.Unsynced)
}

func (s *Store) removeMarker() error { return s.r.dir.Remove(markerName) }

func (s *Store) readMarker() (m marker, ok bool, err error) {
	ok, err = s.readOwn(markerName, &m)
	if ok && m.RunID == "" {
		return m, false, s.removeMarker()
	}
	return m, ok, err
}
