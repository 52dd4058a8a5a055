package depend

import (
	"maps"
	"slices"

	"hookwatch/suites"
	"hookwatch/suites/depend/scripts"
)

// A via tells which cases a dependency counts for.
type via int

const (
	always     via = iota // whatever the case's surroundings
	viaCwd                // unless the case runs in a repository of its own
	viaProject            // unless the case has a project directory of its own
)

// A scope is the weakest via that a case sees.
type scope = via

// scopeOf tells what a case's overrides leave of the project.
func scopeOf(c *suites.Case) scope {
	if c.Repo == nil && c.Project == nil || setsProject(c.Env) {
		return viaProject
	}
	for i := range c.Steps {
		if setsProject(c.Steps[i].Env) {
			return viaProject
		}
	}
	if c.Repo != nil {
		return always
	}
	return viaCwd
}

// projectVariable is how hooks see the project's directory.
const projectVariable = "CLAUDE_PROJECT_DIR"

func setsProject(env map[string]string) bool {
	_, ok := env[projectVariable]
	return ok
}

// A dep is an input and the cases of its hook that it counts for.
type dep struct {
	suites.Input
	via via
}

// A reach is everything that one hook may use.
type reach struct {
	deps    []dep
	scripts []string // those that the hook runs or sources, itself included, sorted
	tools   []string // sorted
	dirs    []string // outside the hook directories, whose files count
	// absent are the paths that would be dependencies if they were there, and
	// whether it is worth while to wait for them.
	absent map[string]bool
	stale  bool
	seen   [viaProject + 1][]suites.Input
	shared [viaProject + 1]*node // of the cases that depend on nothing else
}

// sameFiles reports whether two reaches are over the same paths.
func (r *reach) sameFiles(other *reach) bool {
	return maps.Equal(r.absent, other.absent) &&
		slices.EqualFunc(r.deps, other.deps, func(a, b dep) bool { return a.Path == b.Path })
}

// share gives the one node of all cases that are like n.
func (r *reach) share(n *node) *node {
	if one := r.shared[n.scope]; one != nil && one.fresh() {
		return one
	}
	r.shared[n.scope] = n
	return n
}

// inputs are the dependencies of a case with the given scope, sorted.
func (r *reach) inputs(s scope) []suites.Input {
	if r.seen[s] == nil {
		all := []suites.Input{}
		for _, d := range r.deps {
			if d.via <= s {
				all = append(all, d.Input)
			}
		}
		r.seen[s] = normalised(all)
	}
	return r.seen[s]
}

func (g *Graph) reach(hook string) *reach {
	if r, ok := g.reaches[hook]; ok && !r.stale {
		return r
	}
	t := &tracer{
		g: g, hook: hook, listing: g.listing(),
		vias: map[string]via{}, because: map[string]string{}, by: map[string]suites.By{},
		scripts: map[string]*scripts.Script{}, absent: map[string]bool{},
	}
	r := t.follow()
	if old := g.reaches[hook]; old == nil || !old.sameFiles(r) {
		g.known = nil
	}
	g.reaches[hook] = r
	return r
}
