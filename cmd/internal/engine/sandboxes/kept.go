package sandboxes

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"hookwatch/config"
	"hookwatch/suites"
	"hookwatch/suites/isolate"
	"hookwatch/suites/run"
)

// Kept is a directory in which sandboxes of failing cases are kept, within limits.
type Kept struct {
	Dir    string
	Limits config.Sandbox
}

// path is where the sandbox of a case is kept. The latest failure of a case replaces
// the one before.
func (k Kept) path(c *suites.Case) string { return filepath.Join(k.Dir, c.Suite+"-"+c.ID) }

// At is where the sandbox of a case is to be kept, "" where it is not: a case that
// failed has one, unless none are kept.
func (k Kept) At(c *suites.Case, o suites.Outcome, v suites.Verdict) string {
	if v.Status != suites.Fail || o.Sandbox == "" || o.Finding != nil || k.Limits.Keep == 0 {
		return ""
	}
	return k.path(c)
}

// Take has a runner keep the surroundings of a failing case, in the place of older ones.
func (k Kept) Take(r *run.Runner, o suites.Outcome, to string) error {
	if err := errors.Join(isolate.Remove(to), os.MkdirAll(k.Dir, 0o700)); err != nil {
		return err
	}
	if err := r.Keep(o, to); err != nil {
		return err
	}
	return prune(k.Dir, to, k.Limits.Keep, int64(k.Limits.KeepSize))
}

// Drop removes what is kept of a case.
func (k Kept) Drop(c *suites.Case) {
	if k.Dir != "" {
		_ = isolate.Remove(k.path(c))
	}
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
		k := kept{path, fi.ModTime(), isolate.Held(path)}
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
			err = errors.Join(err, isolate.Remove(k.path))
		}
	}
	return err
}
