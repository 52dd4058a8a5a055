package trace

import (
	"cmp"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"hookwatch/suites"
	"hookwatch/suites/depend/script"
	"hookwatch/suites/disk"
)

// Observed are paths that processes used, as far as they are outside the case's own directory
// and were not created by the case.
type Observed struct {
	// Paths are slash paths from the project's root (absolute outside it), sorted: files that
	// were read or looked for, missing ones included. One that ends in a slash is a directory
	// whose names were read. If links lead to a file, both the path that was used and the
	// file's own are included.
	Paths []string `json:"paths"`
	// Programs are those that ran, and those that were searched for in the directories of PATH, found
	// or not, sorted by path. Programs in the project are among Paths instead. One without a path is
	// known by its name only, because hookwatch put it there for the run.
	Programs []suites.Tool `json:"programs,omitempty"`
}

// ObservedIn returns the paths that the processes of a run used, nil if not all are known, and the
// uses of files, by the paths that they have without links.
func ObservedIn(o *suites.Outcome) (observed *Observed, uses map[string]suites.AccessKind) {
	if o.Unobserved != "" {
		return nil, nil
	}
	// Paths are those of the machine, which a copy of the project has not.
	project := cmp.Or(o.Project, o.Root)
	at := places{roots: []string{project, canonical(project)}, sandbox: []string{o.Sandbox, canonical(o.Sandbox)}}
	if home, err := os.UserHomeDir(); err == nil {
		at.home = home
	}
	for _, a := range o.Accesses {
		if a.Kind&suites.Ran != 0 {
			at.programs = append(at.programs, a.Path, canonical(a.Path))
		}
	}
	paths := map[string]bool{}
	uses = map[string]suites.AccessKind{}
	for _, a := range o.Accesses {
		if !a.Input() || !at.matters(a) {
			continue
		}
		uses[fromRoot(canonical(a.Path), at.roots...)] |= a.Kind
		for _, p := range []string{a.Path, canonical(a.Path)} {
			p = fromRoot(p, at.roots...)
			if one := installed(p); one != p {
				paths[one] = true
				continue
			}
			if p != "." {
				paths[p] = true
			}
			if a.Kind&suites.Listed != 0 {
				paths[p+"/"] = true
			}
		}
	}
	return &Observed{slices.Sorted(maps.Keys(paths)), at.used(o.Accesses)}, uses
}

// places are what decides whether a path is an input of a case.
type places struct {
	roots    []string // of the project
	sandbox  []string // the case's own directory
	home     string   // "" if there is none
	programs []string // that ran
}

// matters reports whether the content or existence of a path is an input. Programs, the files of
// their installations and places where they were searched for are not: another version of a
// program is noticed by its own digest.
func (at *places) matters(a suites.Access) bool {
	p := a.Path
	known := slices.Concat(at.roots, at.sandbox, []string{at.home})
	switch {
	case derived(p), slices.ContainsFunc(at.sandbox, func(own string) bool { return below(p, own) }):
		return false
	case slices.ContainsFunc(known, func(dir string) bool { return p == dir || below(dir, p) }): // it exists
		return a.Kind&suites.Listed != 0 && (p == at.home || slices.Contains(at.roots, p))
	case slices.ContainsFunc(at.roots, func(root string) bool { return below(p, root) }):
		return true
	case a.Kind&(suites.Read|suites.Listed) == 0 && filepath.Dir(filepath.Dir(p)) == filepath.Dir(p):
		return false // in the root directory, where C libraries and interpreters look for things of the system
	}
	slash := filepath.ToSlash(p)
	if installed(slash) != slash || strings.HasSuffix(slash, "/site-packages") {
		return true // packages change without the program
	}
	return !slices.ContainsFunc(at.programs, func(program string) bool {
		return filepath.Base(program) == filepath.Base(p) || below(p, at.installation(program))
	})
}

// used returns the programs among the accesses, and those that were searched for.
func (at *places) used(accesses []suites.Access) (used []suites.Tool) {
	search := filepath.SplitList(os.Getenv("PATH"))
	for _, a := range accesses {
		tool := suites.Tool{Name: filepath.Base(a.Path), Path: a.Path}
		switch {
		case a.Kind&suites.Ran == 0 && !slices.Contains(search, filepath.Dir(a.Path)):
			continue
		case slices.ContainsFunc(at.sandbox, func(own string) bool { return own != "" && below(a.Path, filepath.Dir(own)) }):
			tool.Path = ""
		case slices.ContainsFunc(at.roots, func(root string) bool { return below(a.Path, root) }):
			continue
		default:
			tool.Digest = disk.ProgramDigest(a.Path)
		}
		used = append(used, tool)
	}
	slices.SortFunc(used, func(a, b suites.Tool) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Name, b.Name))
	})
	return slices.Compact(used)
}

// installation returns the directory with the files of a program: the parent of the directory that
// it is in, or that directory itself if the parent contains more, such as HOME.
func (at *places) installation(program string) string {
	dir := filepath.Dir(program)
	parent := filepath.Dir(dir)
	for _, place := range append(slices.Clone(at.roots), at.home) {
		if parent == place || below(place, parent) {
			return dir
		}
	}
	return parent
}

// below reports whether a path is inside a directory.
func below(p, dir string) bool {
	return dir != "" && strings.HasPrefix(p, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
}

// installed returns what represents the installation of the package that a slash path belongs to,
// because a package has many files and a new version changes all: its package.json, or the
// directory in which Python records the versions of packages in names. It returns other paths, such
// as the directory of a package, unchanged.
func installed(p string) string {
	if manifest := packageOf("/" + p); manifest != "" && path.Dir(manifest) != "/"+p {
		return manifest[1:]
	}
	if before, after, ok := strings.Cut(p, "/site-packages/"); ok && after != "" {
		return before + "/site-packages/"
	}
	return p
}

// derived reports whether a path is a cache that Python checks against the source file.
func derived(p string) bool {
	return strings.HasSuffix(p, ".pyc") || filepath.Base(p) == "__pycache__"
}

// canonical returns a path without links. If nothing exists there, only the existing directories
// above it are considered.
func canonical(p string) string {
	if real, err := filepath.EvalSymlinks(p); err == nil {
		return real
	}
	if dir := filepath.Dir(p); dir != p {
		return filepath.Join(canonical(dir), filepath.Base(p))
	}
	return p
}

// fromRoot returns the slash path from the first of the roots that contains a path, and an
// absolute one for other paths.
func fromRoot(p string, roots ...string) string {
	for _, root := range roots {
		if rel, err := filepath.Rel(root, p); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel)
		}
	}
	return path.Clean(filepath.ToSlash(p))
}

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
	script *script.Script
	err    error
}

// NewScripts returns a Scripts that reads files with read, which takes slash paths from the
// project's root.
func NewScripts(read func(path string) ([]byte, error)) *Scripts {
	return &Scripts{read: read, parsed: make(map[version]parsed)}
}

// Script returns the parsed content of a file.
func (s *Scripts) Script(path string) (*script.Script, error) { return s.As(path, nil) }

// As returns the content of a file, parsed as a script of a language.
func (s *Scripts) As(path string, by Language) (*script.Script, error) {
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
