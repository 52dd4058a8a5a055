// Package depend knows what each case's verdict depends on: the scripts it
// runs and what those source or name, the configuration they may read, and
// the sections that markers name. It is coarse and safe: in doubt a file is a
// dependency.
package depend

import (
	"slices"
	"sort"
	"sync"

	"hookwatch/suites"
	"hookwatch/suites/disk"
	"hookwatch/suites/markers"
)

// A Project is where the cases run.
type Project struct {
	Root     string            // absolute path
	Reader   disk.Reader       // of its files; what scripts use may lie elsewhere
	HookDirs []string          // slash paths from the root; searched recursively
	Settings []string          // settings files, slash paths
	Specs    []string          // spec documents, slash paths or doublestar patterns
	Aliases  map[string]string // names for sources, beside those that documents declare
	// Scripts lists the scripts that a chain case fires, as slash paths; nil
	// when no case is a chain.
	Scripts func(c *suites.Case) []string
	// IDs lists the IDs of all cases, by which documents name them; nil takes
	// everything of the usual shape (P01, DEP29) for one.
	IDs func() []string
	// Passing tells names of files that editors put beside others while they save
	// them: nobody depends on those. Nil: there are none.
	Passing func(name string) bool
}

// A Graph answers what cases depend on. It reads each file once and believes
// what it read until Refresh names the file; a case that it was asked about must
// stay as it is. Its methods may be called from several goroutines.
type Graph struct {
	mu      sync.Mutex
	project Project
	files   *index
	listed  *listing // nil when it must be read again
	reaches map[string]*reach
	nodes   map[*suites.Case]*node // those of one hook that depend on nothing else share theirs
	claims  *claims                // nil when the documents must be read again
	known   []string               // what Files lists; nil when it must be put together again
	most    int                    // entries of files from which it begins anew; 0 until all cases were asked about
}

// New prepares a graph. Nothing is read before it is asked for.
func New(p Project) *Graph {
	return &Graph{
		project: p,
		files:   newIndex(p),
		reaches: map[string]*reach{},
		nodes:   map[*suites.Case]*node{},
	}
}

// A node is what is remembered of a case.
type node struct {
	reaches []*reach
	scope   scope
	own     []suites.Input // beside what its hooks reach
	digest  string         // of all inputs; "" when not yet known
	stale   bool
}

// Prepare reads the hooks of many cases at once, which is faster than one by
// one. It changes no answer.
func (g *Graph) Prepare(cases []*suites.Case) {
	g.mu.Lock()
	defer g.mu.Unlock()
	hooks := map[string]bool{}
	for _, c := range cases {
		for _, h := range g.hooksOf(c) {
			hooks[h] = true
		}
	}
	g.files.prepare(sorted(hooks))
}

// Inputs lists what a case depends on, sorted by path and section, each with
// the digest of its present content. What its control depends on is not in it.
func (g *Graph) Inputs(c *suites.Case) []suites.Input {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.node(c).inputs()
}

// Digest is InputsDigest(Inputs(c)), remembered.
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
	old := g.nodes[c]
	if old != nil && old.fresh() {
		return old
	}
	n := &node{scope: scopeOf(c)}
	for _, hook := range g.hooksOf(c) {
		n.reaches = append(n.reaches, g.reach(hook))
	}
	if old != nil && !old.stale {
		n.own = old.own // only its hooks changed
	} else {
		n.own = g.ownInputs(c, n)
		g.known = nil
	}
	if len(n.reaches) == 1 && len(n.own) == 0 {
		n = n.reaches[0].share(n)
	}
	g.nodes[c] = n
	return n
}

func (n *node) fresh() bool {
	for _, r := range n.reaches {
		if r.stale {
			return false
		}
	}
	return !n.stale
}

// inputs merges what the hooks reach with the case's own, each path and
// section once; the first reason stays.
func (n *node) inputs() []suites.Input {
	var all []suites.Input
	for _, r := range n.reaches {
		all = append(all, r.inputs(n.scope)...)
	}
	return normalised(append(all, n.own...))
}

// hooksOf lists the scripts that a case runs, each once.
func (g *Graph) hooksOf(c *suites.Case) []string {
	var hooks []string
	add := func(hook string) {
		if hook == "" {
			return
		}
		if hook = g.files.slash(hook); !slices.Contains(hooks, hook) {
			hooks = append(hooks, hook)
		}
	}
	add(c.Hook)
	for i := range c.Steps {
		add(c.Steps[i].Hook)
	}
	if c.Chain && g.project.Scripts != nil {
		for _, s := range g.project.Scripts(c) {
			add(s)
		}
	}
	return hooks
}

// Tools lists the names of programs that a hook and the files it sources or
// runs can reach, sorted, as far as the scripts spell them out.
func (g *Graph) Tools(hook string) []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]string(nil), g.reach(g.files.slash(hook)).tools...)
}

// Scripts lists the scripts that a case's hooks run, source or may run, sorted.
func (g *Graph) Scripts(c *suites.Case) []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	all := map[string]bool{}
	for _, r := range g.node(c).reaches {
		for _, s := range r.scripts {
			all[s] = true
		}
	}
	return sorted(all)
}

// Runs reports whether a script is among those that Scripts lists.
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

// Files lists every file that the cases asked about so far depend on, sorted,
// as slash paths from the root (absolute outside it). Files that would count
// if they were there are among them, and the spec documents.
func (g *Graph) Files() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	docs := g.documents().paths // reads them, if that is to be done
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
	for _, s := range slices.Concat(docs, g.project.Specs) {
		if s = g.files.slash(s); fixedPart(s) == s {
			all[s] = true
		}
	}
	return sorted(all)
}

// There reports whether a file is at a path.
func (g *Graph) There(path string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.files.get(path).digest != ""
}

func sorted(set map[string]bool) []string {
	list := make([]string, 0, len(set))
	for s := range set {
		list = append(list, s)
	}
	sort.Strings(list)
	return list
}

// resolver finds sections through the graph's own reading of files.
func (g *Graph) resolver() *markers.Resolver {
	return &markers.Resolver{
		Read:    g.files.read,
		Digest:  g.files.existing,
		Known:   g.knownFiles,
		Aliases: g.claims.aliases,
	}
}

// knownFiles are those that a marker may name by their basename: hooks,
// settings, spec documents, and what other markers name by its path.
func (g *Graph) knownFiles() []string {
	known := map[string]bool{}
	for _, list := range [][]string{g.listing().files, g.project.Settings, g.claims.paths} {
		for _, f := range list {
			known[f] = true
		}
	}
	for _, f := range g.claims.named {
		if g.files.get(f).digest != "" {
			known[f] = true
		}
	}
	return sorted(known)
}
