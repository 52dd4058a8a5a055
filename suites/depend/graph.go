package depend

import (
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"sort"
	"strings"
	"sync"

	"hookwatch/suites"
	"hookwatch/suites/discover"
	"hookwatch/suites/disk"
	"hookwatch/suites/markers"
)

// A Graph answers what cases depend on. It reads each file once and believes
// what it read until Refresh names the file; a case that it was asked about must
// stay as it is. Its methods may be called from several goroutines.
type Graph struct {
	mu      sync.Mutex
	project Project
	files   *index
	listed  *listing // nil when it must be read again
	reaches map[string]*reach
	runners map[string][]*discover.Hook // script -> registered hooks; nil until asked for
	nodes   map[*suites.Case]*node      // those of one hook that depend on nothing else share theirs
	others  *others                     // nil until a hook is met that may read any file
	claims  *claims                     // nil when the documents must be read again
	known   []string                    // what Files lists; nil when it must be put together again
	most    int                         // entries of files from which it begins anew; 0 until all cases were asked about
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

// claims are what the spec documents say of cases.
type claims struct {
	paths    []string // of the documents that are there, sorted
	refused  []error  // why others that are there are not read
	aliases  map[string]string
	byID     map[string][]claim // ID, or "suite/ID" where a document says so
	docs     map[string]*markers.Document
	named    []string     // paths that the documents name
	known    *markers.IDs // nil until a document is read
	resolver *markers.Resolver
	resolved map[question]answer
}

// A claim is one reference and the document that makes it; nil for a case's own.
type claim struct {
	ref     markers.Ref
	doc     *markers.Document
	because string
}

type question struct {
	ref markers.Ref
	doc *markers.Document
}

// An answer is what a reference makes a dependency, without the reason.
type answer struct {
	inputs []suites.Input
	tried  []string // paths that would change it if they were there
}

// A node is what is remembered of a case.
type node struct {
	reaches []*reach
	scope   scope
	fired   []suites.Input // the registrations that it fires; its own go before what reaches have of the same
	own     []suites.Input // beside what its hooks reach
	digest  string         // of all inputs; "" when not yet known
	stale   bool
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
	all := slices.Clone(n.fired)
	for _, r := range n.reaches {
		all = append(all, r.inputs(n.scope)...)
	}
	return normalised(append(all, n.own...))
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

func (g *Graph) listing() *listing {
	if g.listed != nil {
		return g.listed
	}
	l := &listing{byBase: map[string][]string{}, byDir: map[string][]string{}, dirs: map[string]bool{}, behind: map[string]bool{}}
	seen := map[string]bool{}
	for _, dir := range g.project.HookDirs {
		l.walk(g.files, g.files.slash(dir), way{seen: seen, passing: g.project.Passing})
	}
	sort.Strings(l.files)
	for _, f := range l.files {
		base := path.Base(f)
		l.byBase[base] = append(l.byBase[base], f)
		if strings.ContainsFunc(base, func(r rune) bool { return !isNameRune(r) }) {
			l.unusual = append(l.unusual, f)
		}
	}
	g.listed = l
	return l
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

func sorted(set map[string]bool) []string {
	list := make([]string, 0, len(set))
	for s := range set {
		list = append(list, s)
	}
	sort.Strings(list)
	return list
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

// A Project is where the cases run.
type Project struct {
	Root     string      // absolute path
	Reader   disk.Reader // of its files; what scripts use may lie elsewhere
	HookDirs []string    // slash paths from the root; searched recursively
	Settings []string    // settings files, slash paths
	// Registered are the hooks that settings files and plugins register, as they were
	// when the project was read.
	Registered discover.Registered
	Specs      []string          // spec documents, slash paths or doublestar patterns
	Aliases    map[string]string // names for sources, beside those that documents declare
	// Scripts lists the scripts that a chain case fires, as slash paths; nil
	// when no case is a chain.
	Scripts func(c *suites.Case) []string
	// IDs lists the IDs of all cases, by which documents name them; nil takes
	// everything of the usual shape (P01, DEP29) for one.
	IDs func() []string
	// Other reports whether a path is a file, or a directory, that hooks may read of which
	// is not known what they read: what is placed otherwise, and what is nobody's source,
	// is not. Nil: nothing is.
	Other func(path string, isDir bool) bool
	// Passing tells names of files that editors put beside others while they save
	// them: nobody depends on those. Nil: there are none.
	Passing func(name string) bool
}

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
	g.refresh(changed)
}

// refresh is Refresh of slash paths; it takes out of them what is as it was.
func (g *Graph) refresh(changed map[string]bool) {
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

// unchanged reports whether a path holds what it held: the same content by the
// same links, or nothing, as before.
func (x *index) unchanged(p string, f *file) bool {
	l := x.look(p, false)
	if x.newer[p] {
		return false
	}
	if f.digest == "" && !(errors.Is(f.err, fs.ErrNotExist) && errors.Is(l.err, fs.ErrNotExist)) {
		return false // a directory says nothing of what is below it
	}
	return l.same(f)
}

// drop forgets a path and what is below it.
func (x *index) drop(p string) {
	f, ok := x.files[p]
	delete(x.files, p)
	delete(x.newer, p)
	if ok && f.digest != "" {
		return
	}
	for known := range x.files {
		if below(known, p) {
			delete(x.files, known)
			delete(x.newer, known)
		}
	}
}
