package trace

import (
	"path/filepath"
	"strings"
	"sync"

	"hookwatch/suites"
)

// Scripts parses the current content of files, each only once in a language, so it is valid only as long as
// the files do not change. It is safe for concurrent use.
type Scripts struct {
	read   func(path string) ([]byte, error)
	mu     sync.Mutex
	parsed map[version]parsed
}

// A version is a file as a script of a language, or of the one that recognises it if by is nil.
type version struct {
	path string
	by   Language
}

type parsed struct {
	script *Script
	err    error
}

// NewScripts returns a Scripts that reads files with read, which takes slash paths from the
// project's root.
func NewScripts(read func(path string) ([]byte, error)) *Scripts {
	return &Scripts{read: read, parsed: make(map[version]parsed)}
}

// Script returns the parsed content of a file.
func (s *Scripts) Script(path string) (*Script, error) { return s.As(path, nil) }

// As returns the content of a file, parsed as a script of a language.
func (s *Scripts) As(path string, by Language) (*Script, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := version{path, by}
	if p, ok := s.parsed[v]; ok {
		return p.script, p.err
	}
	var p parsed
	content, err := s.read(path)
	switch p.err = err; {
	case err != nil:
	case by != nil:
		p.script, p.err = by.Parse(content)
	default:
		p.script, p.err = Parse(path, content)
	}
	s.parsed[v] = p
	return p.script, p.err
}

// DecodeOutcome returns the trace of a run from its logs. Hooks are the scripts that its steps
// started, as slash paths from the root.
func DecodeOutcome(o *suites.Outcome, hooks []string, by *Scripts) *Trace {
	root := o.Root
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	resolve := func(name, dir string) string { return resolved(root, name, dir) }
	r := Run{Resolve: resolve, Script: by.As, Abnormal: abnormal(o)}
	for _, hook := range hooks {
		if file := resolve(filepath.FromSlash(hook), o.Root); file != "" {
			r.Hooks = append(r.Hooks, file)
		}
	}
	for _, res := range o.Results {
		r.Output = append(r.Output, res.Stdout, res.Stderr)
	}
	observed, uses := ObservedIn(o)
	r.Uses = uses
	t := Decode(o.Trace, r)
	t.Observed = observed
	for _, ch := range o.Changes {
		if file, ok := strings.CutPrefix(ch.Path, "{project}/"); ok && t.Files[file] != nil && t.Incomplete == "" {
			t.Incomplete = "the case changes " + file + " while it runs"
		}
	}
	return t
}

// resolved returns the canonical path of a file, from the root or absolute, and "" if the file
// does not exist.
func resolved(root, name, dir string) string {
	if !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		return ""
	}
	if rel, err := filepath.Rel(root, real); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return filepath.ToSlash(real)
}

// abnormal returns the reason why the log of a run may be incomplete, "" if there is none.
func abnormal(o *suites.Outcome) string {
	for _, res := range o.Results {
		switch {
		case res.TimedOut:
			return "it timed out"
		case res.Signal != "":
			return "it ended by " + res.Signal
		case len(res.LeftBehind) > 0:
			return "it left processes behind"
		}
	}
	return ""
}
