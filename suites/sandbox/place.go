package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"hookwatch/suites"
)

// A Place holds a project's sandboxes: those of running cases in one directory a
// process, those of failing cases in another.
type Place struct{ dir string }

// PlaceOf names the place for a project; nothing is created.
func PlaceOf(root string) Place {
	sum := sha256.Sum256([]byte(root))
	name := fmt.Sprintf("hookwatch-%d-%s", os.Getuid(), hex.EncodeToString(sum[:6]))
	return Place{filepath.Join(os.TempDir(), name)}
}

// Open makes the directories for a session. The one that holds the project's
// lock is alone, and clears away what killed processes left.
func (p Place) Open(alone bool) (running, keep string, err error) {
	keep = filepath.Join(p.dir, "kept")
	for _, dir := range []string{p.dir, keep} {
		if err := private(dir); err != nil {
			return "", "", err
		}
	}
	if alone {
		entries, err := os.ReadDir(p.dir)
		if err != nil {
			return "", "", err
		}
		for _, e := range entries {
			if e.Name() != "kept" && !alive(e.Name()) {
				left := filepath.Join(p.dir, e.Name())
				_ = RemoveFixtures(left)
				_ = Remove(left)
			}
		}
	}
	running, err = os.MkdirTemp(p.dir, fmt.Sprintf("run-%d-", os.Getpid()))
	return running, keep, err
}

// alive reports whether the process that a session's directory is named after
// still runs: another session of the project, with records elsewhere or without.
func alive(name string) bool {
	var pid int
	if _, err := fmt.Sscanf(name, "run-%d-", &pid); err != nil || pid == os.Getpid() {
		return false
	}
	process, err := os.FindProcess(pid)
	return err == nil && !errors.Is(process.Signal(syscall.Signal(0)), os.ErrProcessDone)
}

// private makes a directory that is ours alone: in a world-writable place,
// somebody else may have made it first, or put something into it.
func private(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	fi, err := os.Lstat(dir)
	switch {
	case err != nil:
		return err
	case !fi.IsDir() || !owned(fi):
		return fmt.Errorf("%s is not a directory of yours: remove it, or set TMPDIR", dir)
	case openToOthers(fi):
		return fmt.Errorf("%s is not a directory of yours alone, others can write to it: remove it, or set TMPDIR", dir)
	}
	if up, err := os.Stat(filepath.Dir(dir)); err != nil {
		return err
	} else if openToAll(up) {
		return fmt.Errorf("others can exchange what is in %s: chmod +t it, or set TMPDIR", filepath.Dir(dir))
	}
	return os.Chmod(dir, 0o700)
}

// Close removes what a session left: its own directory, and the place as a
// whole when no sandbox is kept there.
func (p Place) Close(running string) {
	_ = Remove(running)
	_ = os.Remove(filepath.Join(p.dir, "kept")) // fails, as it should, unless empty
	_ = os.Remove(p.dir)
}

// Kept is a directory in which sandboxes of failing cases are kept.
type Kept struct {
	Dir   string
	Count int   // how many are kept at most
	Size  int64 // the bytes that they may take up together
}

// path is where the sandbox of a case is kept. The latest failure of a case replaces
// the one before.
func (k Kept) path(c *suites.Case) string { return filepath.Join(k.Dir, c.Suite+"-"+c.ID) }

// At is where the sandbox of a case is to be kept, "" where it is not: a case that
// failed has one, unless none are kept.
func (k Kept) At(c *suites.Case, o suites.Outcome, v suites.Verdict) string {
	if v.Status != suites.Fail || o.Sandbox == "" || o.Finding != nil || k.Count == 0 {
		return ""
	}
	return k.path(c)
}

// Take keeps the sandbox of a failing case at to, in the place of older ones; keep moves
// it there.
func (k Kept) Take(keep func(to string) error, to string) error {
	if err := errors.Join(Remove(to), os.MkdirAll(k.Dir, 0o700)); err != nil {
		return err
	}
	if err := keep(to); err != nil {
		return err
	}
	return k.prune(to)
}

// Drop removes what is kept of a case.
func (k Kept) Drop(c *suites.Case) {
	if k.Dir != "" {
		_ = Remove(k.path(c))
	}
}

// prune removes the oldest sandboxes beyond the limits. The newest always stays.
func (k Kept) prune(newest string) error {
	type kept struct {
		path string
		at   time.Time
		size int64
	}
	entries, err := os.ReadDir(k.Dir)
	if err != nil {
		return err
	}
	var all []kept
	for _, e := range entries {
		fi, err := e.Info()
		if err != nil {
			continue
		}
		path := filepath.Join(k.Dir, e.Name())
		one := kept{path, fi.ModTime(), heldIn(path)}
		if path == newest {
			one.at = time.Now().Add(time.Hour)
		}
		all = append(all, one)
	}
	slices.SortFunc(all, func(a, b kept) int { return b.at.Compare(a.at) })
	var total int64
	for i, one := range all {
		total += one.size
		if i > 0 && (i >= k.Count || total > k.Size) {
			err = errors.Join(err, Remove(one.path))
		}
	}
	return err
}
