package record

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

// lock takes the directory for this process. The kernel gives it back when the
// process ends, however it ends; the PID in the file only informs.
func lock(dir string) (*flock.Flock, error) {
	path := filepath.Join(dir, lockName)
	l := dirLock{flock.New(path, flock.SetPermissions(0o644))}
	held, err := l.TryLock()
	if err != nil {
		return nil, &WriteError{dir, err}
	}
	if !held {
		pid := holder(path)
		if !gone(pid) || !l.inherited() {
			return nil, &LockedError{dir, pid}
		}
	}
	err = os.WriteFile(path, []byte(strconv.Itoa(os.Getpid())+"\n"), 0o644)
	if err != nil && runtime.GOOS != "windows" { // there a lock keeps writers out, its holder too
		_ = l.Unlock()
		return nil, &WriteError{dir, err}
	}
	return l.Flock, nil
}

type dirLock struct{ *flock.Flock }

// inherited waits for a lock whose holder is dead: a child that it was starting
// when it was killed has the lock until that child's program begins.
func (l dirLock) inherited() bool {
	const bound, pause = 2 * time.Second, 5 * time.Millisecond
	ctx, cancel := context.WithTimeout(context.Background(), bound)
	defer cancel()
	held, err := l.TryLockContext(ctx, pause)
	return held && err == nil
}

// holder is the PID in the lock file, 0 when it cannot be read.
func holder(path string) int {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0
	}
	return pid
}

// gone reports whether there is no such process any more.
func gone(pid int) bool {
	if pid <= 0 {
		return false
	}
	p, err := os.FindProcess(pid)
	return err != nil || errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}
