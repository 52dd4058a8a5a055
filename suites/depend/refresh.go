package depend

import (
	"path"
	"slices"

	"hookwatch/suites"
)

// rescan is the number of changed paths from which everything is read again.
const rescan = 500

// spareEntries is how much more than twice what the cases need is remembered of
// files, before everything is read again: each edit of a script may name others.
const spareEntries = 1000

// Refresh drops what was remembered of changed paths: files or directories, of
// the system or from the root. "." drops everything. What depends on them is
// worked out again when it is next asked for; a path whose content is as it was
// costs nothing. A set of suites in which
// Project.Known answers differently needs the spec documents refreshed.
func (g *Graph) Refresh(paths []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	changed := map[string]bool{}
	for _, p := range paths {
		changed[g.files.slash(p)] = true
	}
	if len(changed) > rescan || changed["."] || g.most > 0 && g.files.size() > g.most {
		g.forgetAll()
		return
	}
	for _, link := range g.files.leadingTo(changed) {
		changed[link] = true
	}
	c := &changes{paths: changed}
	for p := range changed {
		switch f, ok := g.files.files[p]; {
		case ok && g.files.unchanged(p, f):
			delete(changed, p)
			continue
		case !ok || f.digest == "":
			c.dirs = append(c.dirs, p) // it may be, or have been, a directory
		}
		g.files.drop(p)
	}
	if len(changed) == 0 {
		return
	}
	if g.others != nil && g.others.refresh(g, changed) {
		g.moved()
	}
	relisted := g.relisted(c)
	g.refreshReaches(c, relisted)
	g.refreshClaims(c, relisted)
}

func (g *Graph) forgetAll() {
	g.files, g.most = newIndex(g.project), 0
	g.listed, g.claims, g.others = nil, nil, nil
	for _, r := range g.reaches {
		r.stale = true
	}
	for _, n := range g.nodes {
		n.stale = true
	}
}

// changes are the paths of one refresh.
type changes struct {
	paths map[string]bool
	dirs  []string
}

// touch reports whether a path is among the changes or below one of them.
func (c *changes) touch(p string) bool {
	if c.paths[p] {
		return true
	}
	for _, dir := range c.dirs {
		if below(p, dir) {
			return true
		}
	}
	return false
}

// relisted lists the hook directories again when a change may matter to that,
// and reports whether they hold other files than before.
func (g *Graph) relisted(c *changes) bool {
	old := g.listed
	if old == nil {
		return false
	}
	for p := range c.paths {
		if old.has(p) && g.files.get(p).digest != "" {
			continue
		}
		for dir := range old.dirs {
			if p == dir || below(p, dir) || below(dir, p) {
				g.listed = nil
				return !slices.Equal(old.files, g.listing().files)
			}
		}
	}
	return false
}

func (g *Graph) refreshReaches(c *changes, relisted bool) {
	for _, r := range g.reaches {
		r.stale = r.stale || relisted
		for _, d := range r.deps {
			if r.stale {
				break
			}
			r.stale = c.touch(d.Path)
		}
		for p := range c.paths {
			r.stale = r.stale || r.awaits(p)
		}
		for _, dir := range r.dirs {
			for p := range c.paths {
				r.stale = r.stale || path.Dir(p) == dir
			}
		}
	}
}

func (g *Graph) refreshClaims(c *changes, relisted bool) {
	var same map[suites.Input]bool
	reread := g.claims == nil
	for p := range c.paths {
		reread = reread || g.mayHoldSpecs(p)
	}
	if !reread {
		for _, p := range g.claims.paths {
			reread = reread || c.touch(p)
		}
	}
	switch {
	case reread:
		g.claims = nil
	case relisted: // a bare basename may now mean another file
		g.claims.resolved = map[question]answer{}
	default:
		same, reread = g.askAgain(c.touch)
	}
	for _, n := range g.nodes {
		n.stale = n.stale || reread || relisted
		for _, in := range n.own {
			if n.stale {
				break
			}
			in.Because, in.By = "", suites.Reached
			n.stale = c.touch(in.Path) && !same[in]
		}
	}
}

// awaits reports whether a path, or one below it, would be a dependency.
func (r *reach) awaits(p string) bool {
	if _, ok := r.absent[p]; ok {
		return true
	}
	for a := range r.absent {
		if below(a, p) {
			return true
		}
	}
	return false
}
