package decide

import (
	"maps"
	"slices"

	"hookwatch/suites"
	"hookwatch/suites/plan"
)

// Own returns the selection without cases that already wait because of other files than the ones
// changed now, because each save reports only its own cases.
func Own(selected []plan.Selected, changed []string, waits func(suites.Key) bool) []plan.Selected {
	return slices.DeleteFunc(slices.Clone(selected), func(s plan.Selected) bool {
		return waits(s.Case.Key()) && !slices.ContainsFunc(s.Changed, func(in suites.Input) bool { return slices.Contains(changed, in.Path) })
	})
}

// AtRest holds the digests of changed files from the last time nothing was left to run.
type AtRest struct {
	rest   map[string]string // digests
	latest map[string]string // current digests
}

// NewAtRest returns an AtRest without files.
func NewAtRest() *AtRest { return &AtRest{make(map[string]string), make(map[string]string)} }

// Same records a change of a file's digest, and reports whether the content is the same as when
// nothing was left to run.
func (a *AtRest) Same(path, was, digest string) bool {
	if _, seen := a.rest[path]; !seen {
		a.rest[path] = was
	}
	a.latest[path] = digest
	return a.rest[path] == digest
}

// Rest records that nothing is left to run. Missing files are treated like unknown ones.
func (a *AtRest) Rest() {
	maps.Copy(a.rest, a.latest)
	maps.DeleteFunc(a.rest, func(_, digest string) bool { return digest == "" })
	clear(a.latest)
}
