package record

import (
	"cmp"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hookwatch/suites"
)

// A log's old files are "<agent>-<time>.jsonl[.gz]", or "tools-<time>.log[.gz]".
const (
	rotatedLayout    = "2006-01-02T15-04-05.000"
	compressedSuffix = ".gz"
)

// A rotatedFile is an old file of a rolling log. It may be there plain,
// compressed or, after a kill, both; then only the plain one is sure to be whole.
type rotatedFile struct {
	path  string // of the plain file
	plain bool
}

// open opens the file in whichever form it is there.
func (f rotatedFile) open() (io.ReadCloser, error) {
	plain, err := os.Open(f.path)
	if !errors.Is(err, fs.ErrNotExist) {
		return plain, err
	}
	packed, err := os.Open(f.path + compressedSuffix)
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

// rotatedFiles lists the old files of the log called name in dir, newest first.
func rotatedFiles(dir, name string) ([]rotatedFile, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	plain := map[string]bool{}
	for _, e := range entries {
		base, packed := strings.CutSuffix(e.Name(), compressedSuffix)
		if current, ok := currentName(base); ok && current == name {
			plain[base] = plain[base] || !packed
		}
	}
	var files []rotatedFile
	for base, p := range plain {
		files = append(files, rotatedFile{filepath.Join(dir, base), p})
	}
	slices.SortFunc(files, func(a, b rotatedFile) int { return cmp.Compare(b.path, a.path) })
	return files, nil
}

// currentName gives the name of the log that an old file was rotated out of.
func currentName(old string) (string, bool) {
	ending := filepath.Ext(old)
	base := strings.TrimSuffix(old, ending)
	at := len(base) - len(rotatedLayout) - 1
	if at < 1 || base[at] != '-' || strings.Trim(base[at+1:], "0123456789-T.") != "" || base[at+11] != 'T' {
		return "", false
	}
	return base[:at] + ending, true
}

// rollingAgents lists the agents that have a log in dir/rolling.
func rollingAgents(dir string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(dir, rollingName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var agents []string
	for _, e := range entries {
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
func rollingFiles(dir, name string) ([]rotatedFile, error) {
	at := filepath.Join(dir, rollingName)
	old, err := rotatedFiles(at, name)
	return append([]rotatedFile{{filepath.Join(at, name), true}}, old...), err
}

// read yields the file's records; a file that is gone has none.
func (f rotatedFile) read(yield func(suites.Record) bool) ([]string, error) {
	lines, err := f.open()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer lines.Close()
	return readRecords(f.path, lines, yield)
}

// History yields every record of the rolling log below the results directory
// dir, oldest first for each agent, until yield returns false. It needs no lock.
// The warnings name lines that hold no record.
func History(dir string, yield func(agent string, r suites.Record) bool) ([]string, error) {
	agents, err := rollingAgents(dir)
	if err != nil {
		return nil, err
	}
	var warned []string
	more := true
	for _, agent := range agents {
		files, err := rollingFiles(dir, agent+linesSuffix)
		if err != nil {
			return warned, err
		}
		for _, f := range slices.Backward(files) {
			w, err := f.read(func(r suites.Record) bool {
				more = yield(agent, r)
				return more
			})
			warned = append(warned, w...)
			if err != nil || !more {
				return warned, err
			}
		}
	}
	return warned, nil
}
