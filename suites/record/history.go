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
)

// A rollingFile is a file of a rolling log. An old one may be there plain,
// compressed or, after a kill, both.
type rollingFile struct {
	dir   *disk.Dir
	name  string // of the plain file
	plain bool
}

func (f rollingFile) path() string { return filepath.Join(f.dir.Path(), f.name) }

// open opens the file in whichever form it is there.
func (f rollingFile) open() (io.ReadCloser, error) {
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

// read yields the file's records; a file that is gone has none. One that cannot
// be read, or only in part, is told.
func (f rollingFile) read(b *budget, yield func(suites.Record) bool) (warned []string, err error) {
	err = f.reading(func(lines io.Reader) error {
		warned, err = readRecords(f.path(), lines, b, yield)
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

func (f rollingFile) reading(do func(io.Reader) error) error {
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

// rotatedFiles lists the old files of the log called name, newest first.
func rotatedFiles(d *disk.Dir, name string) ([]rollingFile, error) {
	all, err := entries(d)
	if err != nil {
		return nil, err
	}
	plain := map[string]bool{}
	for _, e := range all {
		base, packed := strings.CutSuffix(e.Name(), compressedSuffix)
		if current, ok := currentName(base); ok && current == name {
			plain[base] = plain[base] || !packed
		}
	}
	var files []rollingFile
	for base, p := range plain {
		files = append(files, rollingFile{d, base, p})
	}
	slices.SortFunc(files, func(a, b rollingFile) int { return cmp.Compare(b.name, a.name) })
	return files, nil
}

// currentName gives the name of the log that an old file was rotated out of.
func currentName(old string) (string, bool) {
	name, _, ok := rotatedName(old)
	return name, ok
}

// rotatedName takes the name of an old file apart.
func rotatedName(old string) (current string, at time.Time, ok bool) {
	ending := filepath.Ext(old)
	base := strings.TrimSuffix(old, ending)
	cut := len(base) - len(rotatedLayout) - 1
	if cut < 1 || base[cut] != '-' || ending != linesSuffix && ending != filepath.Ext(toolsLog) {
		return "", time.Time{}, false
	}
	at, err := time.Parse(rotatedLayout, base[cut+1:])
	return base[:cut] + ending, at, err == nil
}

// rollingAgents lists the agents that have a log.
func (r *Reader) rollingAgents() ([]string, error) {
	all, err := entries(r.rolling)
	if err != nil {
		return nil, err
	}
	var agents []string
	for _, e := range all {
		name := strings.TrimSuffix(e.Name(), compressedSuffix)
		if current, ok := currentName(name); ok {
			name = current
		}
		if agent, ok := strings.CutSuffix(name, linesSuffix); ok && !e.IsDir() {
			agents = append(agents, agent)
		}
	}
	slices.Sort(agents)
	return slices.Compact(agents), nil
}

// rollingFiles lists the files of the log called name, newest first.
func (r *Reader) rollingFiles(name string) ([]rollingFile, error) {
	if r.rolling == nil {
		return nil, nil
	}
	old, err := rotatedFiles(r.rolling, name)
	return append([]rollingFile{{r.rolling, name, true}}, old...), err
}

// History yields every record of the rolling log, oldest first for each agent,
// until yield returns false. The warnings name what holds no record.
func (r *Reader) History(yield func(agent string, r suites.Record) bool) ([]string, error) {
	agents, err := r.rollingAgents()
	if err != nil {
		return nil, err
	}
	var warned []string
	b, more := newBudget(), true
	for _, agent := range agents {
		files, err := r.rollingFiles(agent + linesSuffix)
		if err != nil {
			return warned, err
		}
		for _, f := range slices.Backward(files) {
			w, err := f.read(b, func(r suites.Record) bool {
				more = yield(agent, r)
				return more
			})
			warned = append(warned, w...)
			if err != nil || !more || b.spent() {
				return warned, err
			}
		}
	}
	return warned, nil
}
