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

// Take takes a directory by its lock file for this process. The kernel gives it back
// when the process ends, however it ends; the PID in the file only informs. Where
// another process holds it there is no lock, and its PID if that is known, else 0.
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
	if err != nil && !(held && runtime.GOOS == "windows") { // there a lock keeps writers out, its holder too
		_ = l.Close()
		return nil, 0, err
	}
	return l, 0, nil
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

// holderOf is the PID in the lock file, 0 when it cannot be read.
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

// gone reports whether there is no such process any more.
func gone(pid int) bool {
	if pid <= 0 {
		return false
	}
	p, err := os.FindProcess(pid)
	return err != nil || errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}
