package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"hookwatch/suites"
)

// toolsLog is the file in rolling that tells what tools there were: a line each
// time one of them was another than before. environment.json has the latest run's
// alone, and only full runs are archived.
const toolsLog = "tools.log"

// logTools appends the environment's tools unless they are those of the last line.
func (s *Store) logTools(env suites.Environment) error {
	path := s.path(rollingName, toolsLog)
	if s.tools == nil {
		s.tools = latestTools(s.o.Dir)
		s.logs[toolsLog] = newRollingLog(path, s.o.RollingSize, s.o.KeepDays)
	}
	if len(env.Tools) == 0 || slices.Equal(s.tools, env.Tools) {
		return nil
	}
	env.CaseTools = nil // which of them a case reaches, its records and other environments say
	line, err := json.Marshal(env)
	if err != nil {
		return fmt.Errorf("tools: %w", err)
	}
	if err := s.logs[toolsLog].append(append(line, '\n')); err != nil {
		return err
	}
	s.tools = slices.Clone(env.Tools)
	return nil
}

// Tools reads what tools there were, as the function of that name does.
func (s *Store) Tools() ([]suites.Environment, error) { return Tools(s.o.Dir) }

// Tools reads what tools there were over time, the latest last. It takes no lock;
// without a log there were none.
func Tools(dir string) ([]suites.Environment, error) {
	files, err := rollingFiles(dir, toolsLog)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read tools: %w", err)
	}
	var all []suites.Environment
	for _, f := range slices.Backward(files) {
		of, err := f.readTools()
		if err != nil {
			return nil, fmt.Errorf("read tools: %w", err)
		}
		all = append(all, of...)
	}
	return all, nil
}

// latestTools are those of the last line. What cannot be read is no reason not to
// write: the log then says once more what it said before.
func latestTools(dir string) []suites.Tool {
	files, _ := rollingFiles(dir, toolsLog)
	for _, f := range files {
		if of, _ := f.readTools(); len(of) > 0 {
			return of[len(of)-1].Tools
		}
	}
	return nil
}

// readTools skips lines that are torn. A file that is gone has none.
func (f rotatedFile) readTools() ([]suites.Environment, error) {
	lines, err := f.open()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer lines.Close()
	text, err := io.ReadAll(lines)
	if err != nil {
		return nil, err
	}
	var all []suites.Environment
	for line := range bytes.Lines(text) {
		var env suites.Environment
		if json.Unmarshal(line, &env) == nil && len(env.Tools) > 0 {
			all = append(all, env)
		}
	}
	return all, nil
}
