package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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
		before, _ := readTools(path) // what cannot be read is no reason not to write
		if len(before) > 0 {
			s.tools = before[len(before)-1].Tools
		}
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
	all, err := readTools(filepath.Join(dir, rollingName, toolsLog))
	if err != nil {
		return nil, fmt.Errorf("read tools: %w", err)
	}
	return all, nil
}

// readTools skips lines that are torn.
func readTools(path string) ([]suites.Environment, error) {
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
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
