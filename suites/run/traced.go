package run

import (
	"path/filepath"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/process"
)

// A Tracer returns how to trace a run with files in a directory of its own. It gets the variables
// of the hooks.
type Tracer func(dir string, env []string) suites.Tracing

// logLimit is the maximum size of a log in bytes, and logsLimit the maximum number of logs in a
// directory. Larger ones are not read.
const (
	logLimit  = 64 << 20
	logsLimit = 1000
)

// traceDir is the directory of a traced run in that of its case.
const traceDir = "trace"

// trace applies the Tracer to the environment of all steps. If a step sets one of the tracer's
// variables itself, which would disable it, the case runs without tracing.
func (s *caseRun) trace(t Tracer) error {
	if t == nil {
		return nil
	}
	how := t(filepath.Join(s.dir, traceDir), s.env)
	for i := range s.c.Steps {
		for name := range how.Set {
			if _, own := s.c.Steps[i].Env[name]; own {
				return nil
			}
		}
	}
	for name, content := range how.Files {
		if err := s.Write(filepath.Join(s.dir, traceDir, filepath.FromSlash(name)), content, 0o666); err != nil {
			return err
		}
	}
	s.logs = how.Logs
	s.env = process.With(s.env, how.Set)
	return nil
}

// traced returns the logs of a traced run, nil if it was not traced. A log that cannot be read is
// missing.
func (s *caseRun) traced() map[string][]byte {
	if s.logs == nil {
		return nil
	}
	logs := map[string][]byte{}
	for _, name := range s.logs {
		names := []string{name}
		if dir, ok := strings.CutSuffix(name, "/"); ok {
			names = nil
			files, err := s.ListOwn(filepath.Join(traceDir, filepath.FromSlash(dir)), logsLimit)
			if err != nil {
				continue
			}
			for _, file := range files {
				names = append(names, name+file)
			}
		}
		for _, name := range names {
			if b, err := s.ReadOwn(filepath.Join(traceDir, filepath.FromSlash(name)), logLimit); err == nil {
				logs[name] = b
			}
		}
	}
	return logs
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
