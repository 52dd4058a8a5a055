package record

import (
	"encoding/json"
	"fmt"
	"slices"

	"hookwatch/suites"
)

// toolsLog is the file in rolling that tells what tools there were: a line each
// time one of them was another than before. environment.json has the latest run's
// alone, and only full runs are archived.
const toolsLog = "tools.log"

// logTools appends the environment's tools unless they are those of the last line.
func (s *Store) logTools(env suites.Environment) error {
	if s.tools == nil {
		s.tools = s.r.latestTools()
	}
	if len(env.Tools) == 0 || slices.Equal(s.tools, env.Tools) {
		return nil
	}
	env.CaseTools = nil // which of them a case reaches, its records and other environments say
	line, err := json.Marshal(env)
	if err != nil {
		return fmt.Errorf("tools: %w", err)
	}
	if err := s.log(toolsLog).Append(append(line, '\n')); err != nil {
		return err
	}
	s.tools = slices.Clone(env.Tools)
	return nil
}

// Tools reads what tools there were, as the Reader does.
func (s *Store) Tools() ([]suites.Environment, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.r.Tools()
}

// Tools reads what tools there were over time, the latest last. Without a log
// there were none.
func (r *Reader) Tools() ([]suites.Environment, error) {
	files, err := r.rollingFiles(toolsLog)
	if err != nil {
		return nil, fmt.Errorf("read tools: %w", err)
	}
	var all []suites.Environment
	b := NewBudget()
	for _, f := range slices.Backward(files) {
		of, err := f.ReadEnvironments(b)
		if err != nil {
			return nil, fmt.Errorf("read tools: %w", err)
		}
		all = append(all, of...)
	}
	return all, nil
}

// latestTools are those of the last line. What cannot be read is no reason not to
// write: the log then says once more what it said before.
func (r *Reader) latestTools() []suites.Tool {
	files, _ := r.rollingFiles(toolsLog)
	for _, f := range files {
		if of, _ := f.ReadEnvironments(NewBudget()); len(of) > 0 {
			return of[len(of)-1].Tools
		}
	}
	return nil
}
