package contract

import (
	"testing"

	"hookwatch/suites/client/cells"
)

// TestSessions: each cell is played once, and after one that ends the session there is
// none.
func TestSessions(t *testing.T) {
	t.Parallel()
	all := cells.All()
	played := make(map[string]int)
	for _, s := range sessions(all) {
		if len(s.cells) == 0 || len(s.cells) > most+1 {
			t.Errorf("%s: %d cells", s.event, len(s.cells))
		}
		for i, c := range s.cells {
			played[c.ID()]++
			if c.Event != s.event || ends(c) && i < len(s.cells)-1 {
				t.Errorf("%s stands at %d of a session of %d cells of %s", c.ID(), i, len(s.cells), s.event)
			}
		}
		c := s.asCase(1)
		if len(c.Steps) != len(s.cells) || c.Project.Files[".claude/settings.json"] == "" {
			t.Errorf("%s: %d steps", s.event, len(c.Steps))
		}
	}
	for _, c := range all {
		if played[c.ID()] != 1 {
			t.Errorf("%s is played %d times", c.ID(), played[c.ID()])
		}
	}
}
