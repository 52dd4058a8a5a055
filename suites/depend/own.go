package depend

import (
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/discover"
	"hookwatch/suites/markers"
)

// ownInputs returns the dependencies of a case other than those that its hooks reach: the
// sections that markers name, the files that its own texts name, and the project's configuration
// if the client fires the case or it has no hook. hook and registered report whether it runs a
// known script, and whether it fires a hook by its registration.
func (g *Graph) ownInputs(c *suites.Case, hook, registered bool) []suites.Input {
	var own []suites.Input
	switch {
	case c.Check != nil:
		own = append(own, g.checked(c.Check)...)
	case c.Layer == suites.Live, !hook && c.Repo == nil && c.Project == nil:
		own = append(own, g.configuration(c)...)
	}
	if g.project.Other != nil && registered && !hook {
		own = append(own, g.elsewhere("what its command reads is not known"))
		for _, h := range g.registered() {
			if firedBy(c, h) && callsGit(h) {
				own = append(own, g.repository(h.Command, "its command runs git")...)
			}
		}
	}
	for _, text := range c.Verify {
		refs, err := markers.ParseRef(text)
		if err != nil {
			continue // an invalid marker has no target that could change
		}
		for _, ref := range refs {
			own = g.appendRef(own, claim{ref, nil, "the case's own marker"})
		}
	}
	if docs := g.documents(); len(docs.byID) > 0 {
		for _, id := range []string{c.ID, c.Key().String()} {
			for _, cl := range docs.byID[id] {
				own = g.appendRef(own, cl)
			}
		}
	}
	for _, p := range g.namedBy(c) {
		own = append(own, suites.Input{Path: p, Digest: g.files.get(p).digest, Because: "the case names it", By: suites.Needed})
	}
	return normalised(own)
}

// callsGit reports whether the command of a hook starts git.
func callsGit(h *discover.Hook) bool {
	return slices.Contains(CalledBy(strings.Join(append([]string{h.Command}, h.Args...), " ")), git)
}

func (g *Graph) appendRef(own []suites.Input, cl claim) []suites.Input {
	for _, in := range g.resolve(cl.ref, cl.doc) {
		in.Because, in.By = cl.because, suites.Marked
		own = append(own, in)
	}
	return own
}

// configuration returns the settings, and for a case without a hook the config.json of each hook
// directory.
func (g *Graph) configuration(c *suites.Case) []suites.Input {
	var all []suites.Input
	add := func(p, because string) {
		p = g.files.slash(p)
		all = append(all, suites.Input{Path: p, Digest: g.files.get(p).digest, Because: because, By: suites.Needed})
	}
	for _, s := range g.project.Settings {
		add(s, "settings of the project")
	}
	if c.Layer == suites.Live {
		for _, s := range g.project.Registered.Files {
			add(s, "it registers hooks")
		}
	} else {
		for _, dir := range g.project.HookDirs {
			add(path.Join(dir, "config.json"), "configuration of the hooks")
		}
	}
	return all
}

// namedBy returns the project's files that a case's commands, payloads and variables name,
// except those that fixtures of its first step replace.
func (g *Graph) namedBy(c *suites.Case) []string {
	named := map[string]bool{}
	atRoot := c.Repo == nil
	for i := range c.Steps {
		s := &c.Steps[i]
		g.addNamed(named, s.Command, atRoot)
		g.addNamed(named, string(s.Payload), atRoot)
		g.addNamed(named, string(s.PayloadRaw), atRoot)
		g.addNamed(named, s.FilePath, false) // relative paths are in the case's own directory
		if s.Stdin != nil {
			g.addNamed(named, *s.Stdin, atRoot)
		}
		for _, v := range s.Env {
			g.addNamed(named, v, atRoot)
		}
		for _, a := range s.Args {
			g.addNamed(named, a, atRoot)
		}
	}
	for _, v := range c.Env {
		g.addNamed(named, v, atRoot)
	}
	if len(c.Steps) > 0 {
		for _, f := range c.Steps[0].Fixtures {
			if p, ok := strings.CutPrefix(f.Path, projectTemplate); ok {
				delete(named, path.Clean(p))
			}
		}
	}
	return slices.Sorted(maps.Keys(named))
}

const projectTemplate = "{project}/"

// addNamed adds the files that a text names: after {project}, and relative ones if relative is
// set, because the text is used in the project's root then.
func (g *Graph) addNamed(named map[string]bool, text string, relative bool) {
	if !strings.ContainsAny(text, "./") {
		return
	}
	for rest := text; ; {
		_, after, ok := strings.Cut(rest, projectTemplate)
		if !ok {
			break
		}
		if names := namesIn(after); len(names) > 0 && strings.HasPrefix(after, names[0]) {
			named[path.Clean(names[0])] = true
		}
		rest = after
	}
	if !relative {
		return
	}
	for _, name := range namesIn(text) {
		name = path.Clean(name)
		if !strings.ContainsAny(name, "./") || path.IsAbs(name) || strings.HasPrefix(name, "..") {
			continue
		}
		if isFileName(name) || g.files.get(name).digest != "" {
			named[name] = true
		}
	}
}

// An observed is a set of paths that the processes of cases used. Cases with equal sets share one.
type observed struct {
	paths    []string
	earlier  bool             // in a run on other content, so that their scripts' inputs count as well
	inputs   []suites.Input   // with their current digests; nil if they must be read again
	readings int              // how often they were read
	shared   map[*reach]*node // of the cases that depend on nothing else
}

// Observe makes the paths that the processes of a case used in a traced run its inputs, instead
// of everything that its scripts may use. Paths are slash paths from the root, absolute outside
// it, missing files included; one that ends in a slash represents the names in a directory. nil
// undoes this. If earlier, the run was on other content, so that the case may use other paths now:
// they are inputs in addition to those of its scripts.
func (g *Graph) Observe(k suites.Key, paths []string, earlier bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if paths == nil {
		delete(g.observed, k)
		g.dropUnused()
		return
	}
	id := fmt.Sprint(earlier, strings.Join(paths, "\x00"))
	set := g.sets[id]
	if set == nil {
		set = &observed{paths: slices.Clone(paths), earlier: earlier, shared: map[*reach]*node{}}
		g.sets[id] = set
		g.known = nil
	}
	g.observed[k] = set
}

// spareSets is the number of sets, in addition to one for each case, above which those that no
// case uses are dropped.
const spareSets = 100

func (g *Graph) dropUnused() {
	if len(g.sets) <= len(g.observed)+spareSets {
		return
	}
	used := map[*observed]bool{}
	for _, set := range g.observed {
		used[set] = true
	}
	maps.DeleteFunc(g.sets, func(_ string, set *observed) bool { return !used[set] })
	g.known = nil
}

// read sets the current digests of a set of paths.
func (o *observed) read(g *Graph) {
	o.readings++
	o.inputs = make([]suites.Input, 0, len(o.paths))
	for _, p := range o.paths {
		in := suites.Input{Path: p, Digest: g.files.stateOf(p), Because: "it was seen to use it"}
		switch {
		case strings.HasSuffix(p, "/"):
			in.Because = "it was seen to list it"
		case in.Digest == "":
			in.Because = "it was seen to look for it"
		}
		o.inputs = append(o.inputs, in)
	}
}

// refresh discards the digests if one of the changes may affect them.
func (o *observed) refresh(c *changes) {
	for _, in := range o.inputs {
		dir, listed := strings.CutSuffix(in.Path, "/")
		mayAppear := in.Digest == "" || in.Digest == directory // with the files below it, or vanish with them
		if c.touch(dir) || (listed || mayAppear) && c.within(dir) {
			o.inputs = nil
			return
		}
	}
}

// within reports whether one of the changed paths is below a directory.
func (c *changes) within(dir string) bool {
	for p := range c.paths {
		if below(p, dir) {
			return true
		}
	}
	return false
}

// Digests of what has no content. They differ from the digests of files.
const (
	directory = "directory"
	leadsTo   = "-> " // followed by where links lead: the content there is an input of its own
)

// stateOf returns the digest of a path that is used: of the content of a file, where a link leads, of the names in a
// directory if the path ends in a slash, "" if nothing exists there.
func (x *index) stateOf(p string) string {
	if dir, listed := strings.CutSuffix(p, "/"); listed {
		return x.listed(dir)
	}
	f := x.get(p)
	switch {
	case f.target != "" || f.link != "":
		return leadsTo + f.link + " " + f.target
	case f.digest != "":
		return f.digest
	}
	s := SignatureOf(p, x.abs(p))
	if !s.Mode.IsDir() || !x.reader.Sees(x.abs(p)) {
		return ""
	}
	f.signature = s
	return directory
}

// listed returns the digest of the names in a directory, without those of editors' temporary
// files; "" if it cannot be listed.
func (x *index) listed(dir string) string {
	x.dirs[dir+"/"] = SignatureOf(dir+"/", x.abs(dir))
	real, err := x.reader.Anywhere().Resolve(x.abs(dir))
	if err != nil {
		return ""
	}
	entries, err := os.ReadDir(real)
	if err != nil {
		return ""
	}
	var names []byte
	for _, e := range entries {
		if x.passing == nil || !x.passing(e.Name()) {
			names = append(append(names, e.Name()...), 0)
		}
	}
	return suites.Digest(names)
}
