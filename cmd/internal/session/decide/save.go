package decide

import (
	"maps"
	"slices"

	"hookwatch/suites"
	"hookwatch/suites/plan"
)

// Own leaves out of a selection what waits already for the sake of other files than
// those that changed now: each save answers for its own cases.
func Own(selected []plan.Selected, changed []string, waits func(suites.Key) bool) []plan.Selected {
	return slices.DeleteFunc(slices.Clone(selected), func(s plan.Selected) bool {
		return waits(s.Case.Key()) && !slices.ContainsFunc(s.Changed, func(in suites.Input) bool { return slices.Contains(changed, in.Path) })
	})
}

// AtRest says what the changed files held when nothing was left to run.
type AtRest struct {
	rest   map[string]string // digests
	latest map[string]string // their digests now
}

// NewAtRest begins with no file.
func NewAtRest() *AtRest { return &AtRest{make(map[string]string), make(map[string]string)} }

// Same takes a change of a file's digest, and reports whether the content is the one
// that stood there when nothing was left to run.
func (a *AtRest) Same(path, was, digest string) bool {
	if _, seen := a.rest[path]; !seen {
		a.rest[path] = was
	}
	a.latest[path] = digest
	return a.rest[path] == digest
}

// Rest notes that nothing is left to run. A file that is not there is as one that was
// never heard of.
func (a *AtRest) Rest() {
	maps.Copy(a.rest, a.latest)
	maps.DeleteFunc(a.rest, func(_, digest string) bool { return digest == "" })
	clear(a.latest)
}
