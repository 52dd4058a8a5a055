package record

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"gopkg.in/natefinch/lumberjack.v2"
)

// loggers holds one lumberjack.Logger a file for the life of the process: each
// keeps a goroutine for good, and two that compress the same old file at once
// would ruin it.
var loggers sync.Map // path -> *lumberjack.Logger

// unbounded keeps lumberjack from rotating by its own count, which is in whole
// megabytes and refuses a line longer than that.
const unbounded = 1 << 30

// A rollingLog appends lines to one agent's log: one write a line, and a line
// that could not be written whole is taken back.
type rollingLog struct {
	path    string
	limit   int64 // bytes after which the file is rotated
	logger  *lumberjack.Logger
	size    int64 // -1 until the file was looked at
	rotated time.Time
}

func newRollingLog(path string, limit int64, keepDays int) *rollingLog {
	logger, _ := loggers.LoadOrStore(path, &lumberjack.Logger{
		Filename: path, MaxSize: unbounded, MaxAge: keepDays, Compress: true,
	})
	return &rollingLog{path: path, limit: limit, logger: logger.(*lumberjack.Logger), size: -1}
}

// append writes one line, its newline included.
func (l *rollingLog) append(line []byte) error {
	if l.size < 0 {
		size, _, err := cutTail(l.path)
		if err != nil && !os.IsNotExist(err) {
			return err
		}
		l.size = size
	}
	// Old files are named by the millisecond: a second rotation within one would replace the first.
	if l.size > 0 && l.size+int64(len(line)) > l.limit && time.Since(l.rotated) > 2*time.Millisecond {
		if err := l.logger.Rotate(); err != nil {
			return err
		}
		l.size, l.rotated = 0, time.Now()
	}
	n, err := l.logger.Write(line)
	if err == nil && n < len(line) {
		err = io.ErrShortWrite
	}
	if err != nil {
		l.takeBack()
		return err
	}
	l.size += int64(n)
	return nil
}

// takeBack removes what a failed write left and has the file opened anew. Should
// that fail too, append does it before the next line.
func (l *rollingLog) takeBack() {
	_ = l.logger.Close()
	_, _, _ = cutTail(l.path)
	l.size = -1
}

// reopen lets go of the file, so that the next line goes to what then stands
// at the path, also when the directory was deleted meanwhile.
func (l *rollingLog) reopen() error {
	l.size = -1
	return l.logger.Close()
}

// settle waits until lumberjack has compressed what was rotated, at most the
// time given: the next process to hold the lock must not compress it as well.
func (l *rollingLog) settle(most time.Duration) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(most)
	for l.uncompressed() {
		select {
		case <-tick.C:
		case <-deadline:
			return
		}
	}
}

func (l *rollingLog) uncompressed() bool {
	old, _ := rotatedFiles(filepath.Dir(l.path), filepath.Base(l.path)) // unreadable: nothing to wait for
	for _, f := range old {
		if f.plain {
			return true
		}
	}
	return false
}

// cutTail cuts what follows the last newline of a file, which only a killed
// process leaves there. It gives the file's size and how many bytes went.
func cutTail(path string) (size, cut int64, err error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return 0, 0, err
	}
	keep := info.Size()
	for block := make([]byte, 64<<10); keep > 0; {
		n := min(keep, int64(len(block)))
		if _, err := f.ReadAt(block[:n], keep-n); err != nil {
			return 0, 0, err
		}
		if i := bytes.LastIndexByte(block[:n], '\n'); i >= 0 {
			keep += int64(i) + 1 - n
			break
		}
		keep -= n
	}
	if keep == info.Size() {
		return keep, 0, nil
	}
	return keep, info.Size() - keep, f.Truncate(keep)
}
