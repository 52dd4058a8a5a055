package depend

import (
	"maps"
	"path"
	"slices"
	"sort"
	"strings"
	"sync"

	"hookwatch/suites"
	"hookwatch/suites/depend/scripts"
	"hookwatch/suites/discover"
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
		if strings.ContainsFunc(base, func(r rune) bool { return !scripts.IsNameRune(r) }) {
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
