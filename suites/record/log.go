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

// A Log appends lines to a log. Each line is a single write, and a line that could not be
// written completely is removed again. The file is rotated by size; old files are
// compressed in the background and deleted by age.
type Log struct {
	dir      *disk.Dir
	name     string
	limit    int64 // bytes after which the file is rotated
	keepDays int   // 0 means old files are kept forever
	now      func() time.Time

	file   *os.File // nil if not open
	opened fs.FileInfo
	size   int64
	packer packer
}

// Append writes one line, including its newline.
func (l *Log) Append(line []byte) error {
	if l.file != nil && !l.dir.HoldsFile(l.name, l.opened) {
		_ = l.LetGo() // the file was replaced: open the new one
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
		_ = l.file.Truncate(l.size) // if this fails too, open cuts the tail
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
	if l.size, _, err = cutTail(f); err == nil {
		l.opened, err = f.Stat()
	}
	if err != nil {
		_ = f.Close()
		return err
	}
	l.file = f
	return nil
}

// LetGo closes the file, so that the next Append opens the file that has the name by then.
func (l *Log) LetGo() error {
	if l.file == nil {
		return nil
	}
	f := l.file
	l.file = nil
	return f.Close()
}

// rotate renames the file to the name of an old one, and begins a new file.
func (l *Log) rotate() error {
	if err := l.LetGo(); err != nil {
		return err
	}
	ending := filepath.Ext(l.name)
	for at := l.now().UTC(); ; at = at.Add(time.Millisecond) {
		old := strings.TrimSuffix(l.name, ending) + "-" + at.Format(rotatedLayout) + ending
		if l.isTaken(old) || l.isTaken(old+compressedSuffix) {
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

func (l *Log) isTaken(name string) bool {
	_, err := l.dir.Lstat(name)
	return !errors.Is(err, fs.ErrNotExist)
}

// Close closes the log and waits at most most for the compression of old files. The next
// process does the rest.
func (l *Log) Close(most time.Duration) error {
	l.packer.stop(most)
	return l.LetGo()
}

// tidy deletes old files of the log by age, and compresses the others. Errors are ignored,
// because uncompressed files can be read too and the next call tries again.
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

// pack compresses the file. It removes the original only after the compressed file is
// complete.
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

// A stoppable reader fails when its context ends.
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

// A packer runs one function at a time in the background. The zero value is idle.
type packer struct {
	cancel context.CancelFunc
	done   chan struct{} // closed when the function has returned; nil if none was started
}

// start runs do in the background, after waiting for the previous function.
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

// stop waits at most most for the function to return, and then cancels it.
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

// cutTail removes the text after the last newline of a file, which only a killed process
// leaves. It returns the remaining size and the number of bytes removed.
func cutTail(f *os.File) (size, cut int64, err error) {
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

// Old files of a log are called "<agent>-<time>.jsonl[.gz]", or "tools-<time>.log[.gz]".
const (
	rotatedLayout    = "2006-01-02T15-04-05.000"
	compressedSuffix = ".gz"
	logSuffix        = ".log"
)

// A LogFile is a file of a log. An old one may exist uncompressed, compressed or, after a
// kill, both.
type LogFile struct {
	dir   *disk.Dir
	name  string // without the suffix of compression
	plain bool
}

func (f LogFile) path() string { return filepath.Join(f.dir.Path(), f.name) }

// open opens the file, compressed or not.
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

// Read yields the file's records; a missing file has none. The warnings report a file that
// cannot be read, or only in part.
func (f LogFile) Read(b *Budget, yield func(suites.Record) bool) (warned []string, err error) {
	err = f.reading(func(lines io.Reader) error {
		warned, err = readJSONL(f.path(), lines, b, yield)
		return err
	})
	return asWarning(warned, f.path(), err)
}

// asWarning turns an error about the content of a file into a warning.
func asWarning(warned []string, path string, err error) ([]string, error) {
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

// readEnvironments returns the environments in the file; a missing file has none.
func (f LogFile) ReadEnvironments(b *Budget) (all []suites.Environment, err error) {
	err = f.reading(func(r io.Reader) error {
		all, err = readEnvironments(r, b)
		return err
	})
	_, err = asWarning(nil, f.path(), err)
	return all, err
}

// files lists the files of the log called name, newest first.
func files(d *disk.Dir, name string) ([]LogFile, error) {
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
		if current, ok := current(base); ok && current == name {
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

// current returns the name of the log that an old file was rotated from.
func current(old string) (string, bool) {
	name, _, ok := rotatedName(old)
	return name, ok
}

// rotatedName splits the name of an old file.
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

// agents lists the agents that have a log.
func agents(d *disk.Dir) ([]string, error) {
	all, err := d.ReadDir()
	if err != nil {
		return nil, err
	}
	var agents []string
	for _, e := range all {
		name := strings.TrimSuffix(e.Name(), compressedSuffix)
		if current, ok := current(name); ok {
			name = current
		}
		if agent, ok := strings.CutSuffix(name, Suffix); ok && !e.IsDir() {
			agents = append(agents, agent)
		}
	}
	slices.Sort(agents)
	return slices.Compact(agents), nil
}

// isLog reports whether name is that of a log or an old file of one.
func isLog(name string) bool {
	name = strings.TrimSuffix(name, compressedSuffix)
	return filepath.Ext(name) == Suffix || filepath.Ext(name) == logSuffix
}
