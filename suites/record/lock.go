package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"hookwatch/suites/disk"
)

// Take takes the lock file of a directory for this process. The kernel releases it when
// the process ends for any reason; the PID in the file is only information. If another
// process has the lock, Take returns nil and the PID of the holder, or 0 if that is
// unknown.
func Take(d *disk.Dir, name string) (l *disk.Lock, holder int, err error) {
	l, err = d.Lock(name)
	if err != nil {
		return nil, 0, err
	}
	held, err := l.Try()
	if err == nil && !held {
		pid := holderOf(d, name)
		if held = gone(pid) && inherited(l); !held {
			_ = l.Close()
			return nil, pid, nil
		}
	}
	if err == nil {
		err = l.Write(strconv.Itoa(os.Getpid()) + "\n")
	}
	// On Windows a locked file cannot be written, even by the process that locked it.
	if err != nil && !(held && runtime.GOOS == "windows") {
		_ = l.Close()
		return nil, 0, err
	}
	return l, 0, nil
}

// inherited waits for a lock whose holder is dead, because a child that the holder was
// starting when it was killed keeps the lock until that child's program begins.
func inherited(l *disk.Lock) bool {
	const bound, pause = 2 * time.Second, 5 * time.Millisecond
	tick, end := time.NewTicker(pause), time.After(bound)
	defer tick.Stop()
	for {
		if held, err := l.Try(); held || err != nil {
			return held
		}
		select {
		case <-tick.C:
		case <-end:
			return false
		}
	}
}

// holderOf returns the PID in the lock file, or 0 if it cannot be read.
func holderOf(d *disk.Dir, name string) int {
	const digits = 32
	text, err := d.ReadFile(name, digits)
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0
	}
	return pid
}

// gone reports whether the process has ended.
func gone(pid int) bool {
	if pid <= 0 {
		return false
	}
	p, err := os.FindProcess(pid)
	return err != nil || errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}

// A WriteError reports that the results directory could not be written. No file is half
// replaced because of it.
type WriteError struct {
	Dir string // the results directory
	Err error  // names the file
}

// Error returns the failure and how to fix it.
func (e *WriteError) Error() string {
	return fmt.Sprintf("cannot keep results in %s: %v (%s)", e.Dir, e.Err, e.hint())
}

// Unwrap returns the cause.
func (e *WriteError) Unwrap() error { return e.Err }

func (e *WriteError) hint() string {
	const elsewhere = "or set results.dir to a directory elsewhere"
	newer := (*NewerError)(nil)
	switch {
	case errors.As(e.Err, &newer), disk.IsRefused(e.Err):
		return elsewhere // the error itself explains the rest
	case errors.Is(e.Err, syscall.ENOSPC), errors.Is(e.Err, syscall.EDQUOT):
		return "the disk is full: free some space, lower results.keep_runs and results.keep_days, " + elsewhere
	case errors.Is(e.Err, syscall.EROFS):
		return "the file system is read-only: mount it writable " + elsewhere
	case errors.Is(e.Err, fs.ErrPermission):
		return "not permitted: check who owns it and its permissions, " + elsewhere
	case errors.Is(e.Err, syscall.ENOTDIR), errors.Is(e.Err, fs.ErrExist):
		return "a file stands where a directory must be: move it, " + elsewhere
	default:
		return "check that the directory is writable and has room, " + elsewhere
	}
}

// A LockedError reports that another hookwatch uses the results directory.
type LockedError struct {
	Dir string
	PID int // of the other hookwatch; 0 if unknown
}

// Beside describes the hookwatch that keeps the records, for a run that continues without
// them.
func (e *LockedError) Beside() string {
	if e.PID == 0 {
		return "another hookwatch keeps the records in " + e.Dir
	}
	return fmt.Sprintf("another hookwatch (PID %d) keeps the records in %s", e.PID, e.Dir)
}

// Error names the other hookwatch and how to fix it.
func (e *LockedError) Error() string {
	if e.PID == 0 {
		return fmt.Sprintf("another hookwatch is using %s: quit it first, or set results.dir to a directory of this one's own", e.Dir)
	}
	return fmt.Sprintf("another hookwatch (PID %d) is using %s: quit it first (q in its terminal, or kill %d), or set results.dir to a directory of this one's own",
		e.PID, e.Dir, e.PID)
}
