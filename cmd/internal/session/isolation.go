package session

import (
	"fmt"

	"hookwatch/cmd/internal/notify"
	"hookwatch/cmd/internal/project"
	"hookwatch/config"
	"hookwatch/suites/isolate"
)

// isolation is what keeps cases from the person's files, and what it was chosen
// for: trying it out takes milliseconds.
type isolation struct {
	isolate.Choice
	chosenFor string
	told      map[string]bool // notes of the plan
}

// isolate chooses the isolation that the configuration asks for, or the best
// that holds; env is what hooks get.
func (s *Session) isolate(env []string) error {
	cfg := s.p.Config
	if s.o.Temp == "" { // nothing is going to run
		s.isolation.Mode = isolate.Mode(cfg.Run.Isolation)
		return nil
	}
	o := project.IsolationOptions(cfg, env)
	chosenFor := fmt.Sprint(cfg.Run.Isolation, o)
	if s.isolation.chosenFor == chosenFor {
		return nil
	}
	c, err := isolate.Choose(string(cfg.Run.Isolation), o, s.o.Temp)
	if err != nil {
		return err
	}
	s.isolation = isolation{c, chosenFor, make(map[string]bool)}
	if cfg.Run.Isolation == config.IsolationAuto && c.Mode != isolate.Namespaces {
		s.o.View.Handle(notify.Warning{Text: "isolation is " + c.String()})
	}
	s.tellNotes()
	return nil
}

// tellNotes says, each once, what cases see otherwise than the rest.
func (s *Session) tellNotes() {
	if s.isolation.Plan == nil {
		return
	}
	for _, note := range s.isolation.Plan.Notes() {
		if !s.isolation.told[note] {
			s.isolation.told[note] = true
			s.o.View.Handle(notify.Warning{Text: "isolation: " + note})
		}
	}
}

// Isolation names the isolation that holds.
func (s *Session) Isolation() string { return string(s.isolation.Mode) }
