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
	"sync"
	"syscall"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/disk"
)

// A Place contains a project's sandboxes: those of running cases in one directory per process,
// those of failing cases in another.
type Place struct{ dir string }

// PlaceOf returns the place for a project. It creates nothing.
func PlaceOf(root string) Place {
	sum := sha256.Sum256([]byte(root))
	name := fmt.Sprintf("hookwatch-%d-%s", os.Getuid(), hex.EncodeToString(sum[:6]))
	return Place{filepath.Join(os.TempDir(), name)}
}

// A Running is the directory of the running cases of one process, which no other process removes while
// this one has its lock.
type Running struct {
	Dir   string
	Keep  string // directory of the sandboxes of failing cases
	place Place
	lock  *disk.Lock
}

// opening keeps a place of this process from removing a directory that is not locked yet.
var opening sync.Mutex

// Open creates the directories for a session, and removes those of killed processes with the files that
// their cases placed elsewhere.
func (p Place) Open() (*Running, error) {
	opening.Lock()
	defer opening.Unlock()
	r := &Running{Keep: filepath.Join(p.dir, "kept"), place: p}
	for _, dir := range []string{p.dir, r.Keep} {
		if err := private(dir); err != nil {
			return nil, err
		}
	}
	entries, err := os.ReadDir(p.dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if e.Name() != "kept" && p.isAbandoned(e.Name()) {
			left := filepath.Join(p.dir, e.Name())
			_ = RemoveFixtures(left)
			_ = remove(left)
		}
	}
	if r.Dir, err = os.MkdirTemp(p.dir, fmt.Sprintf("run-%d-", os.Getpid())); err != nil {
		return nil, err
	}
	if r.lock, _, err = lockRunning(r.Dir); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// Close removes the directory, and the whole place if it contains no kept sandboxes.
func (r *Running) Close() {
	if r.lock != nil {
		_ = r.lock.Close()
	}
	_ = remove(r.Dir)
	_ = os.Remove(r.Keep) // intended to fail unless empty
	_ = os.Remove(r.place.dir)
}

// isAbandoned reports whether the process of a directory has ended. In another PID namespace, which shares
// the temporary directory, its number belongs to no process or to another one; the lock is the same.
func (p Place) isAbandoned(name string) bool {
	var pid int
	if _, err := fmt.Sscanf(name, "run-%d-", &pid); err != nil {
		return true
	}
	if process, err := os.FindProcess(pid); pid != os.Getpid() && err == nil && !errors.Is(process.Signal(syscall.Signal(0)), os.ErrProcessDone) {
		return false
	}
	lock, held, err := lockRunning(filepath.Join(p.dir, name))
	if err != nil {
		return true
	}
	_ = lock.Close()
	return held
}

// lockRunning takes the lock of a directory of running cases, unless another process has it.
func lockRunning(dir string) (l *disk.Lock, held bool, err error) {
	d, err := disk.Open(dir, dir)
	if err != nil {
		return nil, false, err
	}
	defer d.Close()
	if l, err = d.Lock(".lock"); err != nil {
		return nil, false, err
	}
	held, err = l.Try()
	return l, held, err
}

// private creates a directory that only the user can access. In a world-writable directory another
// user may have created it first, or put files into it, so it checks the owner and permissions.
func private(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	fi, err := os.Lstat(dir)
	switch {
	case err != nil:
		return err
	case !fi.IsDir() || !isOwned(fi):
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

// Kept is a directory with the sandboxes of failing cases.
type Kept struct {
	Dir   string
	Count int   // how many are kept at most
	Size  int64 // maximum of all together, in bytes
}

// path returns where the sandbox of a case is kept. The latest failure of a case replaces the
// earlier one.
func (k Kept) path(c *suites.Case) string { return filepath.Join(k.Dir, c.Suite+"-"+c.ID) }

// At returns where to keep the sandbox of a case, "" if it is not kept. Only the sandboxes of failed
// cases other than checks are kept.
func (k Kept) At(c *suites.Case, o suites.Outcome, v suites.Verdict) string {
	if v.Status != suites.Fail || o.Sandbox == "" || o.Finding != nil || k.Count == 0 {
		return ""
	}
	return k.path(c)
}

// Take keeps the sandbox of a failing case at to, which replaces an older one; keep moves it there.
func (k Kept) Take(keep func(to string) error, to string) error {
	if err := errors.Join(remove(to), os.MkdirAll(k.Dir, 0o700)); err != nil {
		return err
	}
	if err := keep(to); err != nil {
		return err
	}
	return k.prune(to)
}

// Drop removes the kept sandbox of a case.
func (k Kept) Drop(c *suites.Case) {
	if k.Dir != "" {
		_ = remove(k.path(c))
	}
}

// prune removes the oldest sandboxes beyond the limits. It never removes the newest.
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
			err = errors.Join(err, remove(one.path))
		}
	}
	return err
}
