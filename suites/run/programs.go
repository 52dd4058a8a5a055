package run

import (
	"fmt"
	"path/filepath"
	"strings"

	"hookwatch/suites"
)

// programs is the directory of the case's own programs, which is searched first.
func (s *sandbox) programs() string { return filepath.Join(s.dir, "programs") }

// placePrograms writes the case's own programs.
func (s *sandbox) placePrograms() error {
	for _, p := range s.c.Programs {
		text := s.expand.Replace(programText(p))
		if err := s.write(filepath.Join(s.programs(), p.Name), text, 0o755); err != nil {
			return fmt.Errorf("program %s of the case: %w", p.Name, err)
		}
	}
	return nil
}

// programText is the script of a program. One that only answers leaves its stdin
// alone: it may be the hook's own.
func programText(p suites.Program) string {
	switch {
	case strings.HasPrefix(p.Script, "#!"):
		return p.Script
	case p.Script != "":
		return "#!/bin/sh\n" + p.Script
	}
	quote := strings.NewReplacer("'", `'\''`)
	return fmt.Sprintf("#!/bin/sh\nprintf %%s '%s'\nprintf %%s '%s' >&2\nexit %d\n",
		quote.Replace(p.Stdout), quote.Replace(p.Stderr), p.Exit)
}
