package record

import (
	"bytes"
	"cmp"
	"compress/flate"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/disk"
)

// A Log appends lines to one log: one write a line, and a line that could
// not be written whole is taken back. It is rotated by size; old files are
// compressed beside the work, and deleted by age.
type Log struct {
	dir      *disk.Dir
	name     string
	limit    int64 // bytes after which the file is rotated
	keepDays int   // 0: old files stay
	now      func() time.Time

	file   *os.File // nil: not open
	opened fs.FileInfo
	size   int64
	packer packer
}

// NewLog makes the log of that name in a directory. After limit bytes its file is
// rotated; old files are kept for so many days, 0 is for ever.
func NewLog(d *disk.Dir, name string, limit int64, keepDays int, now func() time.Time) *Log {
	return &Log{dir: d, name: name, limit: limit, keepDays: keepDays, now: now}
}

// Append writes one line, its newline included.
func (l *Log) Append(line []byte) error {
	if l.file != nil && !l.dir.HoldsFile(l.name, l.opened) {
		_ = l.LetGo() // it was replaced: what stands there now is looked at anew
	}
	if l.file == nil {
		if err := l.open(); err != nil {
			return err
		}
	}
	if l.size > 0 && l.size+int64(len(line)) > l.limit {
		if err := l.rotate(); err != nil {
			return err
		}
	}
	n, err := l.file.Write(line)
	if err != nil || n < len(line) {
		_ = l.file.Truncate(l.size) // should that fail too, open cuts the tail
		_ = l.LetGo()
		if err == nil {
			err = io.ErrShortWrite
		}
		return err
	}
	l.size += int64(n)
	return nil
}

func (l *Log) open() error {
	f, err := l.dir.Append(l.name)
	if err != nil {
		return err
	}
	if l.size, _, err = CutTail(f); err == nil {
		l.opened, err = f.Stat()
	}
	if err != nil {
		_ = f.Close()
		return err
	}
	l.file = f
	return nil
}

// LetGo closes the file, so that the next line goes to what then stands there.
func (l *Log) LetGo() error {
	if l.file == nil {
		return nil
	}
	f := l.file
	l.file = nil
	return f.Close()
}

// rotate gives the file an old file's name, and begins a new one.
func (l *Log) rotate() error {
	if err := l.LetGo(); err != nil {
		return err
	}
	ending := filepath.Ext(l.name)
	for at := l.now().UTC(); ; at = at.Add(time.Millisecond) {
		old := strings.TrimSuffix(l.name, ending) + "-" + at.Format(rotatedLayout) + ending
		if l.taken(old) || l.taken(old+compressedSuffix) {
			continue
		}
		if err := l.dir.Rename(l.name, l.dir, old); err != nil {
			return err
		}
		break
	}
	l.packer.start(func(ctx context.Context) { tidy(ctx, l.dir, l.name, l.now(), l.keepDays) })
	return l.open()
}

func (l *Log) taken(name string) bool {
	_, err := l.dir.Lstat(name)
	return !errors.Is(err, fs.ErrNotExist)
}

// Close lets go of the log and waits for what is done beside it, at most the time
// given: the next process does what is left.
func (l *Log) Close(most time.Duration) error {
	l.packer.stop(most)
	return l.LetGo()
}

// tidy deletes the log's old files that are too old, and compresses the others. It
// is no matter if it cannot: they are read as they are, and the next does it.
func tidy(ctx context.Context, d *disk.Dir, name string, now time.Time, keepDays int) {
	files, _ := old(d, name)
	for _, f := range files {
		_, at, _ := rotatedName(f.name)
		switch {
		case keepDays > 0 && at.Before(now.AddDate(0, 0, -keepDays)):
			_ = d.Remove(f.name)
			_ = d.Remove(f.name + compressedSuffix)
		case f.plain:
			_ = f.pack(ctx)
		}
	}
}

// pack compresses the file. The plain one goes only when the other is whole.
func (f LogFile) pack(ctx context.Context) error {
	plain, err := f.dir.Open(f.name)
	if err != nil {
		return err
	}
	err = f.dir.ReplaceBy(f.name+compressedSuffix, disk.Synced, func(w io.Writer) error {
		packed := gzip.NewWriter(w)
		_, err := io.Copy(packed, &stoppable{ctx, plain})
		return errors.Join(err, packed.Close())
	})
	if err = errors.Join(err, plain.Close()); err != nil {
		return err
	}
	return f.dir.Remove(f.name)
}

// A stoppable reader ends with its context.
type stoppable struct {
	ctx context.Context
	r   io.Reader
}

func (s *stoppable) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.r.Read(p)
}

// A packer does one thing at a time beside the work. The zero value does nothing.
type packer struct {
	cancel context.CancelFunc
	done   chan struct{} // closed when it is done; nil: nothing was begun
}

// start waits for what was begun before.
func (p *packer) start(do func(context.Context)) {
	if p.done != nil {
		<-p.done
		p.cancel()
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	p.cancel, p.done = cancel, done
	go func() {
		defer close(done)
		do(ctx)
	}()
}

// stop lets what was begun come to its end within the time given.
func (p *packer) stop(most time.Duration) {
	if p.done == nil {
		return
	}
	select {
	case <-p.done:
	case <-time.After(most):
	}
	p.cancel()
	<-p.done
}

// CutTail cuts what follows the last newline of a file, which only a killed
// process leaves there. It gives the file's size and how many bytes went.
func CutTail(f *os.File) (size, cut int64, err error) {
	info, err := f.Stat()
	if err != nil {
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

// A log's old files are "<agent>-<time>.jsonl[.gz]", or "tools-<time>.log[.gz]".
const (
	rotatedLayout    = "2006-01-02T15-04-05.000"
	compressedSuffix = ".gz"
	logSuffix        = ".log"
)

// A LogFile is a file of a log. An old one may be there plain,
// compressed or, after a kill, both.
type LogFile struct {
	dir   *disk.Dir
	name  string // of the plain file
	plain bool
}

func (f LogFile) path() string { return filepath.Join(f.dir.Path(), f.name) }

// open opens the file in whichever form it is there.
func (f LogFile) open() (io.ReadCloser, error) {
	plain, err := f.dir.Open(f.name)
	if !errors.Is(err, fs.ErrNotExist) {
		return plain, err
	}
	packed, err := f.dir.Open(f.name + compressedSuffix)
	if err != nil {
		return nil, err
	}
	lines, err := gzip.NewReader(packed)
	if err != nil {
		_ = packed.Close()
		return nil, err
	}
	return struct {
		io.Reader
		io.Closer
	}{lines, packed}, nil
}

// Read yields the file's records; a file that is gone has none. One that cannot
// be read, or only in part, is told.
func (f LogFile) Read(b *Budget, yield func(suites.Record) bool) (warned []string, err error) {
	err = f.reading(func(lines io.Reader) error {
		warned, err = ReadJSONL(f.path(), lines, b, yield)
		return err
	})
	return told(warned, f.path(), err)
}

// told makes a warning of an error that is about what a file holds.
func told(warned []string, path string, err error) ([]string, error) {
	corrupt := flate.CorruptInputError(0)
	switch {
	case disk.IsRefused(err):
		return append(warned, "not read: "+err.Error()), nil
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), errors.Is(err, io.ErrUnexpectedEOF), errors.As(err, &corrupt):
		return append(warned, fmt.Sprintf("%s%s: not read to its end: %v", path, compressedSuffix, err)), nil
	}
	return warned, err
}

func (f LogFile) reading(do func(io.Reader) error) error {
	lines, err := f.open()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer lines.Close()
	return do(lines)
}

// ReadEnvironments gives what tools the file says there were; a file that is gone
// says nothing.
func (f LogFile) ReadEnvironments(b *Budget) (all []suites.Environment, err error) {
	err = f.reading(func(r io.Reader) error {
		all, err = ReadEnvironments(r, b)
		return err
	})
	_, err = told(nil, f.path(), err)
	return all, err
}

// Files lists the files of the log called name, newest first.
func Files(d *disk.Dir, name string) ([]LogFile, error) {
	files, err := old(d, name)
	return append([]LogFile{{d, name, true}}, files...), err
}

// old lists the old files of the log called name, newest first.
func old(d *disk.Dir, name string) ([]LogFile, error) {
	all, err := d.ReadDir()
	if err != nil {
		return nil, err
	}
	plain := map[string]bool{}
	for _, e := range all {
		base, packed := strings.CutSuffix(e.Name(), compressedSuffix)
		if current, ok := Current(base); ok && current == name {
			plain[base] = plain[base] || !packed
		}
	}
	var files []LogFile
	for base, p := range plain {
		files = append(files, LogFile{d, base, p})
	}
	slices.SortFunc(files, func(a, b LogFile) int { return cmp.Compare(b.name, a.name) })
	return files, nil
}

// Current gives the name of the log that an old file was rotated out of.
func Current(old string) (string, bool) {
	name, _, ok := rotatedName(old)
	return name, ok
}

// rotatedName takes the name of an old file apart.
func rotatedName(old string) (current string, at time.Time, ok bool) {
	ending := filepath.Ext(old)
	base := strings.TrimSuffix(old, ending)
	cut := len(base) - len(rotatedLayout) - 1
	if cut < 1 || base[cut] != '-' || ending != Suffix && ending != logSuffix {
		return "", time.Time{}, false
	}
	at, err := time.Parse(rotatedLayout, base[cut+1:])
	return base[:cut] + ending, at, err == nil
}

// Agents lists the agents that have a log.
func Agents(d *disk.Dir) ([]string, error) {
	all, err := d.ReadDir()
	if err != nil {
		return nil, err
	}
	var agents []string
	for _, e := range all {
		name := strings.TrimSuffix(e.Name(), compressedSuffix)
		if current, ok := Current(name); ok {
			name = current
		}
		if agent, ok := strings.CutSuffix(name, Suffix); ok && !e.IsDir() {
			agents = append(agents, agent)
		}
	}
	slices.Sort(agents)
	return slices.Compact(agents), nil
}

// IsLog reports whether a file is called as a log or an old one.
func IsLog(name string) bool {
	name = strings.TrimSuffix(name, compressedSuffix)
	return filepath.Ext(name) == Suffix || filepath.Ext(name) == logSuffix
}
