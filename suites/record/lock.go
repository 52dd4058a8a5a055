package record

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/gofrs/flock"
)

// lock takes the directory for this process. The kernel gives it back when the
// process ends, however it ends; the PID in the file only informs.
func lock(dir string) (*flock.Flock, error) {
	path := filepath.Join(dir, lockName)
	l := flock.New(path, flock.SetPermissions(0o644))
	held, err := l.TryLock()
	if err != nil {
		return nil, &WriteError{dir, err}
	}
	if !held {
		text, _ := os.ReadFile(path) // unreadable: the PID is not known
		pid, _ := strconv.Atoi(strings.TrimSpace(string(text)))
		return nil, &LockedError{dir, pid}
	}
	err = os.WriteFile(path, []byte(strconv.Itoa(os.Getpid())+"\n"), 0o644)
	if err != nil && runtime.GOOS != "windows" { // there a lock keeps writers out, its holder too
		_ = l.Unlock()
		return nil, &WriteError{dir, err}
	}
	return l, nil
}
