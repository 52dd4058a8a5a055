package session

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/isolate/trees"
)

// keptPath is where the sandbox of a failing case is kept. The latest failure of
// a case replaces the one before.
func keptPath(keep string, c *suites.Case) string { return filepath.Join(keep, c.Suite+"-"+c.ID) }

// keptAt is where the sandbox of a case is to be kept, "" where it is not: a case that
// failed has one, unless none are kept.
func (s *Session) keptAt(e *execution, v suites.Verdict) string {
	if v.Status != suites.Fail || e.outcome.Sandbox == "" || e.outcome.Finding != nil || s.p.Config.Sandbox.Keep == 0 {
		return ""
	}
	return keptPath(s.o.Keep, e.c)
}

// keepSandbox keeps the surroundings of a failing case, in the place of older ones.
func (s *Session) keepSandbox(e *execution, to string) error {
	limits := s.p.Config.Sandbox
	if err := errors.Join(trees.Remove(to), os.MkdirAll(s.o.Keep, 0o700)); err != nil {
		return err
	}
	if err := e.runner.Keep(e.outcome, to); err != nil {
		return err
	}
	return prune(s.o.Keep, to, limits.Keep, int64(limits.KeepSize))
}

// prune removes the oldest sandboxes until no more than count of them, of no more
// than size bytes together, are left. The newest stays in any case.
func prune(keep, newest string, count int, size int64) error {
	type kept struct {
		path string
		at   time.Time
		size int64
	}
	entries, err := os.ReadDir(keep)
	if err != nil {
		return err
	}
	var all []kept
	for _, e := range entries {
		fi, err := e.Info()
		if err != nil {
			continue
		}
		path := filepath.Join(keep, e.Name())
		k := kept{path, fi.ModTime(), trees.Held(path)}
		if path == newest {
			k.at = time.Now().Add(time.Hour)
		}
		all = append(all, k)
	}
	slices.SortFunc(all, func(a, b kept) int { return b.at.Compare(a.at) })
	var total int64
	for i, k := range all {
		total += k.size
		if i > 0 && (i >= count || total > size) {
			err = errors.Join(err, trees.Remove(k.path))
		}
	}
	return err
}
