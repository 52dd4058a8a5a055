package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/process"
)

// A sandbox is the surroundings of one case: a directory with the case's TMPDIR
// and, where the case asks for one, its temporary project; and what keeps the
// case from all else.
type sandbox struct {
	Surroundings
	o        *Options
	c        *suites.Case
	dir      string
	tmp      string
	root     string // the project: itself, or this case's copy of it
	override string // CLAUDE_PROJECT_DIR of the case's own; "" when it is the project
	cwd      string
	number   string
	searched string // the PATH that the case would have of itself
	env      []string
	named    []string          // the templates and what each stands for, one after the other
	expand   *strings.Replacer // of them
	places   []place           // see symbolic
	server   *Server
	most     int      // processes that had to be ended at once
	refused  []string // system calls, by name
	tooLarge bool     // a file was to become larger than it may
	log      string   // of a traced run, in dir; "" when the run is not traced
}

// A place is a directory that has a name of its own in what is told of a case,
// so that two runs tell the same.
type place struct{ dir, name string }

// project is what the hook sees as CLAUDE_PROJECT_DIR.
func (s *sandbox) project() string {
	if s.override != "" {
		return s.override
	}
	return s.root
}

// close stops what runs for the case. What it left stays: whoever judges the
// case decides.
func (s *sandbox) close() {
	if s.server != nil {
		s.server.Close()
	}
	if s.Surroundings != nil {
		s.Close()
	}
}

// path expands a template; what is relative lies in the case's TMPDIR.
func (s *sandbox) path(template string) string { return s.from(s.tmp, template) }

// from is the path that a template gives, from a directory if it is relative.
func (s *sandbox) from(dir, template string) string {
	p := filepath.FromSlash(s.expand.Replace(template))
	if !filepath.IsAbs(p) {
		p = filepath.Join(dir, p)
	}
	return filepath.Clean(p)
}

// start is the directory in which sessions of the case start, unless it names one.
func (s *sandbox) start() string {
	if s.c.Repo != nil {
		return s.override
	}
	return s.root
}

func (s *sandbox) place(ctx context.Context, f suites.Fixture) error {
	mode := fs.FileMode(f.Mode)
	if mode == 0 {
		mode = 0o644
	}
	now, content, path := time.Now(), f.Content, s.path(f.Path)
	if f.Fill {
		var err error
		if content, err = suites.Moments(s.expand.Replace(content), now); err != nil {
			return err
		}
	}
	if err := s.Write(path, content, mode); err != nil || f.Age == 0 {
		return err
	}
	changed := now.Add(-f.Age).UTC().Format("200601021504.05")
	return s.tool(ctx, map[string]string{"TZ": "UTC"}, s.project(), "touch", "-t", changed, path)
}

// writeTree fills a directory of the case's own.
func (s *sandbox) writeTree(dir string, files map[string]string) error {
	for name, content := range files {
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			return fmt.Errorf("%s: lies outside the temporary project", name)
		}
		if err := s.Write(filepath.Join(dir, filepath.FromSlash(name)), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// tool runs, in a directory and with variables of its own, a program that the case's preparation needs.
func (s *sandbox) tool(ctx context.Context, env map[string]string, at string, argv ...string) error {
	results, err := s.Run(ctx, process.Command{
		Argv: argv, Dir: at, Env: process.With(s.env, env), Timeout: time.Minute,
	})
	if err != nil {
		return err
	}
	res := results[0]
	switch {
	case res.StartError != nil:
		return fmt.Errorf("the case is prepared with %s: %w", argv[0], res.StartError)
	case res.Exit != 0:
		return errors.New(strings.Join(argv[:2], " ") + ": " + strings.TrimSpace(string(res.Stderr.Bytes)))
	}
	return nil
}
