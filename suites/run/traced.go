package run

import (
	"path/filepath"

	"hookwatch/suites"
	"hookwatch/suites/process"
)

// A Tracer returns how to trace a run with files in a directory of its own. It gets the variables
// of the hooks, and returns the files to create there, by name; the one of them that is the log
// after the run; and the variables to add.
type Tracer func(dir string, env []string) (files map[string]string, log string, set map[string]string)

// logLimit is the maximum size of a log in bytes. A larger one is not read.
const logLimit = 64 << 20

// trace applies the Tracer to the environment of all steps. If a step sets one of the tracer's
// variables itself, which would disable it, the case runs without tracing.
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

// traced returns the log of a traced run, nil if it cannot be used.
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

// accesses returns the uses of paths by the hooks, and why they are not all known.
func (s *caseRun) accesses(results []suites.Result) (all []suites.Access, unobserved string) {
	all, unobserved = s.Accesses()
	for _, r := range results {
		switch {
		case unobserved != "":
		case r.TimedOut:
			unobserved = "the hook timed out"
		case r.Memory > 0:
			unobserved = "the hook used too much memory"
		case len(r.LeftBehind) > 0:
			unobserved = "a process outlived the hook"
		}
	}
	return all, unobserved
}
