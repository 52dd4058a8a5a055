package run

import (
	"fmt"
	"path/filepath"
)

// programs is the directory of the case's own programs, which is searched first.
func (s *sandbox) programs() string { return filepath.Join(s.dir, "programs") }

// placePrograms writes the case's own programs.
func (s *sandbox) placePrograms() error {
	for _, p := range s.c.Surroundings().Programs {
		text := s.expand.Replace(Script(p))
		if err := s.Write(filepath.Join(s.programs(), p.Name), text, 0o755); err != nil {
			return fmt.Errorf("program %s of the case: %w", p.Name, err)
		}
	}
	return nil
}
