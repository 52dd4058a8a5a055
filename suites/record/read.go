package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"time"

	"hookwatch/suites"
)

// A File is one JSON lines file of a Snapshot.
type File struct {
	Agent   string
	Name    string // such as "pm-agent-20260220T154932Z.jsonl"
	Records int

	foreign bool // holds what another tool wrote, or has no stamp in its name; never deleted
}

// A Snapshot is what a results directory, or one archived run, holds.
type Snapshot struct {
	Records     []suites.Record // by agent, then as in the file
	Files       []File          // in the order of their records
	Environment suites.Environment
	Inputs      map[string][]suites.Input // by a record's digests.inputs
	Warnings    []string                  // "file:line: what", lines that were skipped, files that were not read
	LastFull    time.Time                 // end of hookwatch's last full run; zero when there was none
}

// ByAgent yields each file with its records.
func (s *Snapshot) ByAgent() iter.Seq2[File, []suites.Record] {
	return func(yield func(File, []suites.Record) bool) {
		from := 0
		for _, f := range s.Files {
			if !yield(f, s.Records[from:from+f.Records:from+f.Records]) {
				return
			}
			from += f.Records
		}
	}
}

// Agents tells which agent's file holds the records of a suite.
func (s *Snapshot) Agents() map[string]string {
	agents := map[string]string{}
	for f, records := range s.ByAgent() {
		for i := range records {
			if suite := records[i].Suite; suite != "" {
				agents[suite] = f.Agent
			}
		}
	}
	return agents
}

// Read reads the present state of a results directory. It takes no lock and
// writes nothing; a directory that does not exist is an empty snapshot.
func Read(dir string) (*Snapshot, error) {
	for try := 0; ; try++ {
		s, err := readState(dir)
		if try < 3 && errors.Is(err, fs.ErrNotExist) {
			continue // a full run that ended just now has replaced the files
		}
		if err != nil {
			return nil, fmt.Errorf("read results: %w", err)
		}
		return s, nil
	}
}

func readState(dir string) (*Snapshot, error) {
	files, err := stateFiles(dir)
	if err != nil {
		return nil, err
	}
	s := &Snapshot{Inputs: map[string][]suites.Input{}}
	for i, f := range files {
		if i > 0 && files[i-1].agent == f.agent {
			s.warn("%s: not read, %s is newer", filepath.Join(dir, f.name), files[i-1].name)
			continue
		}
		if err := s.add(dir, f); err != nil {
			return nil, err
		}
	}
	if err := s.document(dir, inputsName, &s.Inputs); err != nil {
		return nil, err
	}
	if err := s.document(dir, environmentName, &s.Environment); err != nil {
		return nil, err
	}
	s.LastFull, err = lastFull(dir)
	return s, err
}

// ReadRun reads one run: a directory of JSON lines files, as archives are, also
// those of other tools, or a single such file.
func ReadRun(path string) (*Snapshot, error) {
	s, err := readRun(path)
	if err != nil {
		return nil, fmt.Errorf("read run: %w", err)
	}
	return s, nil
}

func readRun(path string) (*Snapshot, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	s := &Snapshot{Inputs: map[string][]suites.Input{}}
	if !info.IsDir() {
		agent, st, _ := splitName(filepath.Base(path))
		s.LastFull = st.at
		return s, s.add(filepath.Dir(path), stateFile{agent, filepath.Base(path), st})
	}
	files, err := stateFiles(path)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if err := s.add(path, f); err != nil {
			return nil, err
		}
	}
	if st, ok := parseStamp(filepath.Base(path)); ok {
		s.LastFull = st.at
	}
	return s, s.document(path, environmentName, &s.Environment)
}

func (s *Snapshot) warn(format string, args ...any) {
	s.Warnings = append(s.Warnings, fmt.Sprintf(format, args...))
}

func (s *Snapshot) add(dir string, f stateFile) error {
	file := File{Agent: f.agent, Name: f.name, foreign: f.st.n == 0}
	warned, err := readFile(filepath.Join(dir, f.name), func(r suites.Record) bool {
		s.Records = append(s.Records, r)
		file.Records++
		file.foreign = file.foreign || anonymous(r)
		return true
	})
	file.foreign = file.foreign || len(warned) > 0
	s.Warnings = append(s.Warnings, warned...)
	s.Files = append(s.Files, file)
	return err
}

func readFile(path string, yield func(suites.Record) bool) ([]string, error) {
	lines, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer lines.Close()
	return readRecords(path, lines, yield)
}

// document reads a JSON file into v. One that is absent leaves v as it is, and
// so does one that does not parse, with a warning.
func (s *Snapshot) document(dir, name string, v any) error {
	path := filepath.Join(dir, name)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, v); err != nil {
		s.warn("%s: not read: %v", path, err)
	}
	return nil
}

// lastFull finds the newest archived run of hookwatch: other tools leave no
// environment there.
func lastFull(dir string) (time.Time, error) {
	runs, err := archived(dir)
	for _, r := range runs {
		if _, err := os.Stat(filepath.Join(r.Dir, environmentName)); err == nil {
			return r.At, nil
		}
	}
	return time.Time{}, err
}
