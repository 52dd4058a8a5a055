// Package depend finds the dependencies of each case's verdict: the scripts it runs and the
// files that these source or name, the configuration they may read, and the sections that
// markers name. It is coarse and safe: in doubt a file is a dependency. A Decider then compares
// contents before and after a change to find the cases that the change cannot affect.
package depend

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/disk"
)

// Prepare reads the hooks of many cases at once, which is faster than one by one. It does not
// change any result.
func (g *Graph) Prepare(cases []*suites.Case) {
	g.mu.Lock()
	defer g.mu.Unlock()
	hooks := map[string]bool{}
	var space [2]string
	for _, c := range cases {
		for _, h := range g.hooksOf(c, space[:0]) {
			hooks[h] = true
		}
	}
	g.files.prepare(slices.Sorted(maps.Keys(hooks)))
}

// Inputs returns the dependencies of a case, sorted by path and section, each with the digest of
// its current content. Dependencies of its control are not included.
func (g *Graph) Inputs(c *suites.Case) []suites.Input {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.node(c).inputs()
}

// Digest returns InputsDigest(Inputs(c)) and caches it.
func (g *Graph) Digest(c *suites.Case) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := g.node(c)
	if n.digest == "" {
		n.digest = InputsDigest(n.inputs())
	}
	return n.digest
}

func (g *Graph) node(c *suites.Case) *node {
	old, seen := g.nodes[c], g.observed[c.Key()]
	if old != nil && old.observed == seen && old.fresh() {
		return old
	}
	if seen != nil && seen.inputs == nil {
		seen.read(g)
	}
	var space [2]string
	hooks := g.hooksOf(c, space[:0])
	fired := g.registrationsOf(c, hooks)
	var own []suites.Input
	if old != nil && !old.stale {
		own = old.own // only its hooks changed
	} else {
		known := slices.ContainsFunc(hooks, func(script string) bool { return g.files.get(script).digest != "" })
		own = g.ownInputs(c, known || len(hooks) > 0 && len(fired) == 0, len(fired) > 0)
		g.known = nil
	}
	alone := len(hooks) == 1 && len(own)+len(fired) == 0
	if alone {
		if n := g.reach(hooks[0]).sharedNode(seen); n != nil {
			g.nodes[c] = n
			return n
		}
	}
	n := &node{observed: seen, fired: fired, own: own}
	if seen != nil {
		n.reading = seen.readings
	}
	for _, hook := range hooks {
		n.reaches = append(n.reaches, g.reach(hook))
	}
	if alone {
		n.reaches[0].share(n)
	}
	g.nodes[c] = n
	return n
}

// hooksOf appends the scripts that a case runs to an empty slice, without duplicates.
func (g *Graph) hooksOf(c *suites.Case, hooks []string) []string {
	hooks = g.appendHook(hooks, c.Hook)
	for i := range c.Steps {
		hooks = g.appendHook(hooks, c.Steps[i].Hook)
	}
	if c.Chain && g.project.Scripts != nil {
		for _, s := range g.project.Scripts(c) {
			hooks = g.appendHook(hooks, s)
		}
	}
	return hooks
}

func (g *Graph) appendHook(hooks []string, hook string) []string {
	if hook == "" {
		return hooks
	}
	if hook = g.files.slash(hook); slices.Contains(hooks, hook) {
		return hooks
	}
	return append(hooks, hook)
}

// Tools returns the names of programs that a hook and the files it sources or runs can reach,
// sorted, as far as the scripts contain their names literally.
func (g *Graph) Tools(hook string) []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]string(nil), g.reach(g.files.slash(hook)).tools...)
}

// Called returns, by script, the programs that a hook and the scripts it names start or look up,
// sorted. Programs that they only mention are not included.
func (g *Graph) Called(hook string) map[string][]string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.tracer(g.files.slash(hook)).called()
}

// CalledBy returns the programs that a command line starts, sorted.
func CalledBy(command string) []string {
	called := readScript("command.sh", []byte(command)).Called()
	return slices.DeleteFunc(called, func(name string) bool { return strings.Contains(name, "/") })
}

// Scripts returns the scripts that a case's hooks run, source or may run, sorted.
func (g *Graph) Scripts(c *suites.Case) []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	all := map[string]bool{}
	for _, r := range g.node(c).reaches {
		for _, s := range r.scripts {
			all[s] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// Runs reports whether a script is in the list of Scripts.
func (g *Graph) Runs(c *suites.Case, script string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, r := range g.node(c).reaches {
		if _, ok := slices.BinarySearch(r.scripts, script); ok {
			return true
		}
	}
	return false
}

// Files returns all files that the cases queried so far depend on, sorted, as slash paths from
// the root (absolute outside it). It includes missing files that would be dependencies if they
// existed, and the spec documents. A path that ends in a slash represents the names in a directory.
// It contains Elsewhere if a case may read any file of the project.
func (g *Graph) Files() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	docs := g.documents().paths // reads them if necessary
	if g.known == nil {
		g.known = g.allFiles(docs)
	}
	if g.most == 0 {
		g.most = 2*g.files.size() + spareEntries
	}
	return slices.Clone(g.known)
}

func (g *Graph) allFiles(docs []string) []string {
	all := map[string]bool{}
	for _, n := range g.nodes {
		for _, in := range n.own {
			all[in.Path] = true
		}
		for _, in := range n.fired {
			all[in.Path] = true
		}
	}
	for _, r := range g.reaches {
		for _, d := range r.deps {
			all[d.Path] = true
		}
		for p, wanted := range r.absent {
			if wanted {
				all[p] = true
			}
		}
	}
	for _, o := range g.sets {
		for _, p := range o.paths {
			all[p] = true
		}
	}
	for _, s := range slices.Concat(docs, g.project.Specs) {
		if s = g.files.slash(s); fixedPart(s) == s {
			all[s] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// There reports whether a file exists at a path.
func (g *Graph) There(path string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.files.get(path).digest != ""
}

// Unread returns the reasons why existing files were not analysed.
func (g *Graph) Unread(files []string) []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	var out []string
	for _, p := range files {
		f := g.files.script(g.files.slash(p))
		if f.digest == "" || f.err == nil {
			continue
		}
		what := "cannot be read: " + f.err.Error()
		switch disk.ReasonOf(f.err) {
		case disk.Hidden:
			what = "is masked: it is not read, and a change of it goes unnoticed"
		case disk.Size:
			what = fmt.Sprintf("is larger than %d MB: it is not looked into, so it counts as using everything around it", lookAtMost>>20)
		}
		out = append(out, p+" "+what)
	}
	return out
}
