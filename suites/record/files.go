package record

import (
	"cmp"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/disk"
)

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
