package session

import (
	"fmt"
	"os"
	"os/user"

	"hookwatch/cmd/internal/notify"
	"hookwatch/config"
	"hookwatch/suites/isolate"
	"hookwatch/suites/process"
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
	o := IsolationOptions(cfg, env)
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

// IsolationOptions are what the configuration says of sandboxes; env is what
// hooks get.
func IsolationOptions(cfg *config.Config, env []string) isolate.Options {
	o := isolate.Options{
		Root:      cfg.Root,
		Home:      process.Getenv(env, "HOME"),
		Mask:      cfg.Sandbox.Mask,
		Unmask:    cfg.Sandbox.Unmask,
		Size:      int64(cfg.Sandbox.Size),
		Processes: cfg.Sandbox.Processes,
		Memory:    int64(cfg.Sandbox.Memory),
	}
	if u, err := user.Current(); err == nil { // HOME may be unset, or another
		o.OwnHome = u.HomeDir
	}
	if self, err := os.Executable(); err == nil {
		o.Shown = []string{self} // stand-ins are links to it
	}
	return o
}

// Isolation names the isolation that holds.
func (s *Session) Isolation() string { return string(s.isolation.Mode) }
