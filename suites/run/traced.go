package run

import (
	"path/filepath"

	"hookwatch/suites"
)

// A Tracer prepares a directory, which it makes, for a run of the case that is
// to be traced, and says which variables do that, given the others.
type Tracer func(c *suites.Case, dir string, env []string) (map[string]string, error)

// TraceDir is where the Tracer's directory of a case was: in the sandbox, next
// to its TMPDIR, so that it goes when the sandbox goes.
func TraceDir(o suites.Outcome) string { return filepath.Join(o.Sandbox, "trace") }

// trace adds the Tracer's variables to the environment of all steps. A step
// that sets one of them itself would undo it: such a case is run without.
func (s *sandbox) trace() error {
	if s.r.Trace == nil {
		return nil
	}
	set, err := s.r.Trace(s.c, filepath.Join(s.dir, "trace"), s.env)
	if err != nil {
		return err
	}
	for i := range s.c.Steps {
		for name := range set {
			if _, own := s.c.Steps[i].Env[name]; own {
				return nil
			}
		}
	}
	s.env = With(s.env, set)
	return nil
}
