package run

import (
	"path/filepath"

	"hookwatch/suites"
	"hookwatch/suites/process"
)

// Sent is what a hook would get on stdin in a step of a case, if the directories
// of the case's own were in dir. Nothing is made there, and nothing runs.
func (o Options) Sent(c *suites.Case, step int, dir string) ([]byte, error) {
	return o.plan(c, dir).stdin(&c.Steps[step])
}

// plan is the sandbox of a case before there is one.
func (o Options) plan(c *suites.Case, dir string) *sandbox {
	s := &sandbox{
		o: &o, c: c, dir: dir, tmp: filepath.Join(dir, "tmp"), root: o.Root, cwd: o.Root,
		number: "0", searched: process.Getenv(o.Env, "PATH"),
	}
	if c.Project != nil || c.Repo != nil {
		s.override = filepath.Join(dir, "project")
	}
	s.cwd = s.start()
	s.environ()
	if c.Surroundings().Cwd != "" {
		s.cwd = s.from(s.cwd, c.Surroundings().Cwd)
	}
	return s
}
