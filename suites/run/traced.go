package run

import (
	"path/filepath"

	"hookwatch/suites/process"
)

// A Tracer says how a run is traced by files in a directory of its own, given
// the variables of its hooks: the files to be made there, by name; the one of
// them that tells afterwards of the run; and the variables to add.
type Tracer func(dir string, env []string) (files map[string]string, log string, set map[string]string)

// logLimit is how long a log is read, in bytes: one that is longer is none.
const logLimit = 64 << 20

// trace adds what the Tracer wants to the environment of all steps. A step that
// sets one of its variables itself would undo it: such a case is run without.
func (s *caseRun) trace(t Tracer) error {
	if t == nil {
		return nil
	}
	const dir = "trace"
	files, log, set := t(filepath.Join(s.dir, dir), s.env)
	for i := range s.c.Steps {
		for name := range set {
			if _, own := s.c.Steps[i].Env[name]; own {
				return nil
			}
		}
	}
	for name, content := range files {
		if err := s.Write(filepath.Join(s.dir, dir, name), content, 0o666); err != nil {
			return err
		}
	}
	s.log = filepath.Join(dir, log)
	s.env = process.With(s.env, set)
	return nil
}

// traced is the log of a traced run, nil when there is none to go by.
func (s *caseRun) traced() []byte {
	if s.log == "" {
		return nil
	}
	b, err := s.ReadOwn(s.log, logLimit)
	if err != nil {
		return nil
	}
	return b
}
