// Package sandboxes says where the sandboxes of a project's cases lie, and keeps those
// of failing ones. What runs in them is the matter of suites/run.
package sandboxes

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"hookwatch/suites/isolate"
	"hookwatch/suites/run"
)

// Place is where a project's sandboxes lie: those of running cases in one
// directory a process, those of failing cases in another.
type Place struct{ dir string }

// New names the place for a project; nothing is created.
func New(root string) Place {
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
				_ = run.TakeAway(left)
				_ = isolate.Remove(left)
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
	_ = isolate.Remove(running)
	_ = os.Remove(filepath.Join(p.dir, "kept")) // fails, as it should, unless empty
	_ = os.Remove(p.dir)
}
