package record

import (
	"encoding/json"
	"fmt"
	"slices"

	"hookwatch/suites"
)

// toolsLog is the file in rolling that lists the tools of the machine: a line each time
// one of them changed. It exists because environment.json only has the tools of the latest
// run and only full runs are archived.
const toolsLog = "tools.log"

// logTools appends the environment's tools if they differ from the last line.
func (s *Store) logTools(env suites.Environment) error {
	if s.tools == nil {
		s.tools = s.r.latestTools()
	}
	if len(env.Tools) == 0 || slices.Equal(s.tools, env.Tools) {
		return nil
	}
	env.CaseTools = nil // the tools of each case are in its records and other environments
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

// Tools calls the Reader's method.
func (s *Store) Tools() ([]suites.Environment, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.r.Tools()
}

// Tools returns the environments in the log of tools, the latest last. It returns none if
// there is no log.
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

// latestTools returns the tools of the last line. It ignores read errors, because then
// logTools only repeats a line.
func (r *Reader) latestTools() []suites.Tool {
	files, _ := r.rollingFiles(toolsLog)
	for _, f := range files {
		if of, _ := f.ReadEnvironments(NewBudget()); len(of) > 0 {
			return of[len(of)-1].Tools
		}
	}
	return nil
}
