package depend

import (
	"maps"
	"os"
	"slices"
	"strings"

	"hookwatch/suites"
)

// An observed is a set of paths that the processes of cases used. Cases with equal sets share one.
type observed struct {
	paths    []string
	inputs   []suites.Input   // with their current digests; nil if they must be read again
	readings int              // how often they were read
	shared   map[*reach]*node // of the cases that depend on nothing else
}

// Observe makes the paths that the processes of a case used in a traced run its inputs, instead
// of everything that its scripts may use. Paths are slash paths from the root, absolute outside
// it, missing files included; one that ends in a slash represents the names in a directory. nil
// undoes this.
func (g *Graph) Observe(k suites.Key, paths []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if paths == nil {
		delete(g.observed, k)
		g.dropUnused()
		return
	}
	id := strings.Join(paths, "\x00")
	set := g.sets[id]
	if set == nil {
		set = &observed{paths: slices.Clone(paths), shared: map[*reach]*node{}}
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
	if !s.Mode.IsDir() {
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
