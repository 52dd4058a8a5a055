package trace

import (
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"hookwatch/suites"
)

// Observed are paths that processes used, as far as they are outside the case's own directory
// and were not created by the case.
type Observed struct {
	// Paths are slash paths from the project's root (absolute outside it), sorted: files that
	// were read or looked for, missing ones included. One that ends in a slash is a directory
	// whose names were read. If links lead to a file, both the path that was used and the
	// file's own are included.
	Paths []string `json:"paths"`
	// Programs are the absolute paths of the programs that ran, sorted.
	Programs []string `json:"programs,omitempty"`
}

// ObservedIn returns the paths that the processes of a run used, nil if not all are known.
func ObservedIn(o *suites.Outcome) *Observed {
	if o.Unobserved != "" {
		return nil
	}
	root := o.Root
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	paths, programs := map[string]bool{}, map[string]bool{}
	for _, a := range o.Accesses {
		if !a.Input() {
			continue
		}
		if a.Kind&suites.Ran != 0 {
			programs[filepath.ToSlash(a.Path)] = true
		}
		if derived(a.Path) || a.Kind == suites.Ran && !belowAny(a.Path, o.Root, root) {
			continue
		}
		for _, p := range []string{a.Path, canonical(a.Path)} {
			p = fromRoot(p, o.Root, root)
			paths[p] = true
			if a.Kind&suites.Listed != 0 {
				paths[strings.TrimSuffix(p, "/")+"/"] = true
			}
		}
	}
	return &Observed{Paths: slices.Sorted(maps.Keys(paths)), Programs: slices.Sorted(maps.Keys(programs))}
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

func belowAny(p string, roots ...string) bool {
	return slices.ContainsFunc(roots, func(root string) bool { return p == root || strings.HasPrefix(p, root+string(filepath.Separator)) })
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
