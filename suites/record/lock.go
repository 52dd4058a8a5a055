package record

import (
	"errors"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"hookwatch/suites/disk"
)

// lock takes the directory for this process. The kernel gives it back when the
// process ends, however it ends; the PID in the file only informs.
func lock(d *disk.Dir) (*disk.Lock, error) {
	l, err := d.Lock(lockName)
	if err != nil {
		return nil, &WriteError{d.Path(), err}
	}
	held, err := l.Try()
	if err == nil && !held {
		pid := holder(d)
		if held = gone(pid) && inherited(l); !held {
			_ = l.Close()
			return nil, &LockedError{d.Path(), pid}
		}
	}
	if err == nil {
		err = l.Write(strconv.Itoa(os.Getpid()) + "\n")
	}
	if err != nil && !(held && runtime.GOOS == "windows") { // there a lock keeps writers out, its holder too
		_ = l.Close()
		return nil, &WriteError{d.Path(), err}
	}
	return l, nil
}

// inherited waits for a lock whose holder is dead: a child that it was starting
// when it was killed has the lock until that child's program begins.
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

// holder is the PID in the lock file, 0 when it cannot be read.
func holder(d *disk.Dir) int {
	const digits = 32
	text, err := d.ReadFile(lockName, digits)
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
