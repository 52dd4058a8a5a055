package depend

import (
	"cmp"
	"encoding/json"
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

// A Graph finds the dependencies of cases. It reads each file once and caches it until Refresh
// names the file; cases that were queried must not be modified. It is safe for concurrent use.
type Graph struct {
	mu       sync.Mutex
	project  Project
	files    *index
	listed   *listing // nil if it must be read again
	reaches  map[string]*reach
	traced   *tracer                     // whose memory the next one reuses
	runners  map[string][]*discover.Hook // script -> registered hooks; nil until first used
	nodes    map[*suites.Case]*node      // cases with one hook and no other dependencies share theirs
	others   *others                     // nil until some hook may read any file
	observed map[suites.Key]*observed    // of the cases that were traced
	sets     map[string]*observed        // by their paths
	claims   *claims                     // nil if the documents must be read again
	known    []string                    // the result of Files; nil if it must be computed again
	most     int                         // number of cached paths above which Refresh drops all; 0 until all cases were queried
}

// New returns a graph. It reads files only when they are needed.
func New(p Project) *Graph {
	return &Graph{
		project:  p,
		files:    newIndex(p),
		reaches:  map[string]*reach{},
		nodes:    map[*suites.Case]*node{},
		observed: map[suites.Key]*observed{},
		sets:     map[string]*observed{},
	}
}

// claims are the references of the spec documents to cases.
type claims struct {
	paths    []string // of the existing documents, sorted
	refused  []error  // why other existing documents are not read
	aliases  map[string]string
	byID     map[string][]claim // ID, or "suite/ID" if a document contains that
	docs     map[string]*markers.Document
	named    []string     // paths that the documents name
	known    *markers.IDs // nil until a document is read
	resolver *markers.Resolver
	resolved map[question]answer
}

// A claim is one reference and the document that contains it, nil for a case's own.
type claim struct {
	ref     markers.Ref
	doc     *markers.Document
	because string
}

type question struct {
	ref markers.Ref
	doc *markers.Document
}

// An answer is the result of resolving a reference, without the reason.
type answer struct {
	inputs []suites.Input
	tried  []string // paths that would change the result if they existed
}

// A node is the cached state of a case.
type node struct {
	reaches  []*reach
	observed *observed      // nil if it was not traced
	reading  int            // number of the reading of these paths
	fired    []suites.Input // the registrations that it fires; they have priority over equal inputs of reaches
	own      []suites.Input // in addition to those that its hooks reach
	digest   string         // of all inputs; "" if unknown
	stale    bool
}

func (n *node) fresh() bool {
	for _, r := range n.reaches {
		if r.stale {
			return false
		}
	}
	return !n.stale && (n.observed == nil || n.observed.inputs != nil && n.reading == n.observed.readings)
}

// inputs merges the inputs that the case was seen to use, or else those that its hooks reach,
// with the case's own, without duplicates of path and section. The first reason is kept.
func (n *node) inputs() []suites.Input {
	all := slices.Clone(n.fired)
	for _, r := range n.reaches {
		if n.observed != nil && !n.observed.earlier {
			all = append(all, r.hook)
			continue
		}
		all = append(all, r.deps...)
	}
	if n.observed != nil {
		all = append(all, n.observed.inputs...)
	}
	return normalised(append(all, n.own...))
}

// A reach is the set of files and programs that one hook may use.
type reach struct {
	hook    suites.Input
	deps    []suites.Input // sorted
	scripts []string       // that the hook runs or sources, including itself, sorted
	tools   []string       // sorted
	dirs    []string       // outside the hook directories, whose files are dependencies
	// absent contains the paths that would be dependencies if they existed, and whether they
	// should be watched.
	absent map[string]bool
	stale  bool
	shared *node // of the cases that depend on nothing else
}

// sameFiles reports whether two reaches contain the same paths.
func (r *reach) sameFiles(other *reach) bool {
	return maps.Equal(r.absent, other.absent) &&
		slices.EqualFunc(r.deps, other.deps, func(a, b suites.Input) bool { return a.Path == b.Path })
}

// sharedNode returns the node of the cases that only run this hook and were seen to use the same
// paths, or nil if it must be computed.
func (r *reach) sharedNode(o *observed) *node {
	n := r.shared
	if o != nil {
		n = o.shared[r]
	}
	if n == nil || !n.fresh() {
		return nil
	}
	return n
}

// share makes n the node that sharedNode returns.
func (r *reach) share(n *node) {
	if n.observed != nil {
		n.observed.shared[r] = n
		return
	}
	r.shared = n
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

// resolver returns a resolver of sections that reads files through the graph's cache.
func (g *Graph) resolver() *markers.Resolver {
	return &markers.Resolver{
		Read:    g.files.read,
		Digest:  g.files.existing,
		Known:   g.knownFiles,
		Aliases: g.claims.aliases,
	}
}

// knownFiles returns the files that a marker may name by their basename: hooks, settings, spec
// documents, and files that other markers name by path.
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
	return slices.Sorted(maps.Keys(known))
}

// A Project describes the place where the cases run.
type Project struct {
	Root     string      // absolute path
	Reader   disk.Reader // of its files; scripts may use files outside of it
	HookDirs []string    // slash paths from the root; searched recursively
	Settings []string    // settings files, slash paths
	// Registered are the hooks in settings files and plugins when the project was loaded.
	Registered discover.Registered
	Specs      []string          // spec documents, slash paths or doublestar patterns
	Aliases    map[string]string // names for sources, in addition to those that documents declare
	// Scripts returns the scripts that a chain case fires, as slash paths; nil if no case is a
	// chain.
	Scripts func(c *suites.Case) []string
	// IDs returns the IDs of all cases, by which documents name them. If nil, every text of the
	// usual form (P01, DEP29) is an ID.
	IDs func() []string
	// Other reports whether a path is a file or directory that hooks with unknown reads may
	// read. It excludes paths that are dependencies in another way and paths that are no
	// sources. If nil, there are none.
	Other func(path string, isDir bool) bool
	// Passing reports whether a name belongs to a temporary file that editors create next to
	// others while saving, because no case depends on those. If nil, there are none.
	Passing func(name string) bool
}

// rescan is the number of changed paths above which everything is read again.
const rescan = 500

// spareEntries is the number of cached files, in addition to twice the number that the cases
// need, above which everything is read again, because each edit of a script may name other
// files.
const spareEntries = 1000

// Refresh drops the cached state of changed paths: files or directories, of the system or from
// the root. "." drops everything. Results that depend on them are computed again on the next
// query; a path whose content did not change costs nothing. If Project.IDs returns other IDs for
// new suites, the spec documents must be refreshed. Refresh reports whether anything may differ.
func (g *Graph) Refresh(paths []string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	changed := map[string]bool{}
	for _, p := range paths {
		changed[g.files.slash(p)] = true
	}
	return g.refresh(changed)
}

// Signatures returns the signatures that files had before the graph read the content of which it
// knows the digest, in the order of the paths. They are zero for missing files.
func (g *Graph) Signatures(paths []string) []disk.Signature {
	g.mu.Lock()
	defer g.mu.Unlock()
	all := make([]disk.Signature, len(paths))
	for i, p := range paths {
		all[i] = g.files.signature(p)
	}
	return all
}

// refresh implements Refresh for slash paths and removes unchanged paths from the map.
func (g *Graph) refresh(changed map[string]bool) bool {
	if len(changed) > rescan || changed["."] || g.most > 0 && g.files.size() > g.most {
		g.forgetAll()
		return true
	}
	for _, link := range g.files.leadingTo(changed) {
		changed[link] = true
	}
	c := &changes{paths: changed}
	for p := range changed {
		f, ok := g.files.files[p]
		if !ok || f.digest == "" {
			c.dirs = append(c.dirs, p) // it may be, or have been, a directory
		}
		if !ok {
			g.files.drop(p)
			continue
		}
		l := g.files.look(p, f.script != nil)
		if g.files.unchanged(p, f, l) {
			delete(changed, p)
			continue
		}
		g.files.drop(p)
		if l.digest == "" {
			continue
		}
		if f.script != nil {
			l.script = scriptOf(p, l.err, l.content)
		}
		g.files.put(p, l)
	}
	if len(changed) == 0 {
		return false
	}
	if g.others != nil && g.others.refresh(g, changed) {
		g.moved()
	}
	relisted := g.relisted(c)
	for _, o := range g.sets {
		o.refresh(c)
	}
	g.refreshReaches(c, relisted)
	g.refreshClaims(c, relisted)
	return true
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
	for _, o := range g.sets {
		o.inputs = nil
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

// relisted lists the hook directories again if a change may affect the list, and reports whether
// they contain other files than before.
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
	case relisted: // a basename may resolve to another file now
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

// awaits reports whether a path, or one below it, would be a dependency if it existed.
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

// unchanged reports whether a look at a path finds the content that is known, through the same
// links, or still nothing. The signature of the file becomes the present one.
func (x *index) unchanged(p string, f *file, l *look) bool {
	if x.newer[p] {
		return false
	}
	if f.digest == "" && !(errors.Is(f.err, fs.ErrNotExist) && errors.Is(l.err, fs.ErrNotExist)) {
		return false // the state of a directory does not cover the files below it
	}
	if !l.same(f) {
		return false
	}
	f.signature = l.signature
	return true
}

// drop removes a path and all paths below it from the cache.
func (x *index) drop(p string) {
	f, ok := x.files[p]
	delete(x.files, p)
	delete(x.newer, p)
	delete(x.dirs, p+"/")
	if ok && f.digest != "" {
		return
	}
	for known := range x.files {
		if below(known, p) {
			delete(x.files, known)
			delete(x.newer, known)
		}
	}
	for known := range x.dirs {
		if below(known, p) {
			delete(x.dirs, known)
		}
	}
}

// registers is the reason for an input that is the registration of a hook.
const registers = "it registers the hook"

// registrations returns the inputs for registrations of hooks, one per file and event. The
// digest covers the entries and not the text, so edits of other settings or of white space do
// not change it. The variables of settings and the setting that switches all hooks off are inputs,
// too.
func (g *Graph) registrations(hooks []*discover.Hook) []suites.Input {
	entries := map[suites.Input][]any{}
	for _, h := range hooks {
		entry := h.Entry
		entry.At = suites.Position{}
		in := suites.Input{Path: g.files.slash(h.Source.File), Section: "hooks." + h.Event, Because: registers, By: suites.Needed}
		entries[in] = append(entries[in], []any{entry, h.Scope, h.Dead, h.Session, h.PluginRoot})
	}
	var all []suites.Input
	for _, h := range hooks {
		for _, layer := range h.Layers {
			text, _ := json.Marshal(layer.Env) // texts always encode, in the order of their names
			all = append(all, suites.Input{Path: g.files.slash(layer.File), Section: "env", Digest: suites.Digest(text), Because: "it sets variables of the hook", By: suites.Needed})
		}
	}
	for in, list := range entries {
		text, _ := json.Marshal(list) // plain values always encode
		in.Digest = suites.Digest(text)
		all = append(all, in)
	}
	if at := g.project.Registered.DisabledBy; at.Line > 0 {
		all = append(all, suites.Input{
			Path: g.files.slash(at.File), Section: "disableAllHooks", Digest: "true", Because: "it switches all hooks off", By: suites.Needed,
		})
	}
	return normalised(all)
}

// registered returns all hooks of the project, active or not.
func (g *Graph) registered() (all []*discover.Hook) {
	for _, hooks := range [][]discover.Hook{g.project.Registered.Hooks, g.project.Registered.Others} {
		for i := range hooks {
			if hooks[i].Scope != discover.InGuess {
				all = append(all, &hooks[i])
			}
		}
	}
	return all
}

// running returns the hooks whose command runs a script.
func (g *Graph) running(script string) []*discover.Hook {
	if g.runners == nil {
		g.runners = map[string][]*discover.Hook{}
		for _, h := range g.registered() {
			for _, s := range h.Scripts {
				g.runners[s] = append(g.runners[s], h)
			}
		}
	}
	return g.runners[script]
}

// registrationsOf returns the registrations of the hooks that a case fires: all of its events,
// or those that it names, and those that run its scripts. It returns nil for a case that starts
// a script itself, because its verdict does not depend on registrations.
func (g *Graph) registrationsOf(c *suites.Case, scripts []string) []suites.Input {
	named := func(st suites.Step) bool { return st.Registered != "" }
	if !c.Chain && c.Registered == "" && !slices.ContainsFunc(c.Steps, named) {
		return nil
	}
	var all []*discover.Hook
	for _, script := range scripts {
		all = append(all, g.running(script)...)
	}
	for _, h := range g.registered() {
		if firedBy(c, h) && !slices.Contains(all, h) {
			all = append(all, h)
		}
	}
	return g.registrations(all)
}

// firedBy reports whether a case fires a hook by its registration, or would if its matcher
// matched the call.
func firedBy(c *suites.Case, h *discover.Hook) bool {
	return slices.ContainsFunc(c.Steps, func(st suites.Step) bool {
		if c.Chain {
			return h.Event == st.Event
		}
		name := cmp.Or(st.Registered, c.Registered)
		return name != "" && (h.ID == name || h.Event == st.Event && h.Answers(name))
	})
}
