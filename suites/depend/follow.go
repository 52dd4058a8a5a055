package depend

import (
	"maps"
	"path"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/depend/scripts"
)

func (t *tracer) follow() *reach {
	t.add(t.hook, "the case runs it", true)
	for len(t.queue) > 0 {
		p := t.queue[0]
		t.queue = t.queue[1:]
		t.expand(p)
	}
	t.addIfThere(path.Join(path.Dir(t.hook), "config.json"), "configuration beside "+t.hook, false)
	for _, s := range t.g.project.Settings {
		t.addIfThere(t.g.files.slash(s), "settings of the project", false)
	}
	o := t.origins()
	t.runsListed(o)
	for len(t.queue) > 0 { // what a listed command may run
		p := t.queue[0]
		t.queue = t.queue[1:]
		t.expand(p)
	}
	for _, p := range t.data {
		t.vias[p] = min(t.vias[p], o.via(path.Base(p)))
	}
	r := &reach{tools: t.tools(true), dirs: t.dirs, absent: t.absent, scripts: slices.Sorted(maps.Keys(t.scripts))}
	t.toolFiles(t.tools(false), o)
	for _, p := range t.order {
		f := t.g.files.get(p)
		if f.digest == masked {
			t.because[p] += " (masked: it is not read)"
		}
		if f.target != "" {
			t.by[p] = suites.Needed // traces know files by their own paths, not by links
		}
		r.deps = append(r.deps, dep{suites.Input{Path: p, Digest: f.digest, Because: t.because[p], By: t.by[p]}, t.vias[p]})
		if f.target != "" {
			in := suites.Input{Path: f.target, Digest: t.g.files.get(f.target).digest, Because: p + " leads to it"}
			r.deps = append(r.deps, dep{in, t.vias[p]})
		}
	}
	if why := t.open(o); why != "" && t.g.project.Other != nil {
		r.deps = append(r.deps, dep{t.g.elsewhere(why), always})
	}
	return r
}

// open says why the scripts may read files that none of them names.
func (t *tracer) open(o *origins) string {
	for _, p := range slices.Sorted(maps.Keys(t.scripts)) {
		if why := t.scripts[p].Open; why != "" {
			return p + ": " + why
		}
	}
	if o.moved {
		return t.hook + ": it leaves the directory that it starts in"
	}
	return ""
}

// namedIn begins the reason for a file whose name a script has.
const namedIn = "named in "

// expand adds what a script names.
func (t *tracer) expand(p string) {
	f := t.g.files.script(p)
	if f.script == nil {
		return
	}
	s := f.script
	t.scripts[p] = s
	because := namedIn + p
	dirs := []string{path.Dir(p)}
	if f.target != "" {
		dirs = append(dirs, path.Dir(f.target))
	}
	for _, name := range s.Names {
		t.addName(name, because, dirs)
	}
	for _, name := range s.Opened {
		t.addOpened(name, because, dirs)
	}
	if len(s.Tails) > 0 {
		for _, f := range t.around(p) {
			if slices.Contains(s.Tails, strings.ToLower(path.Ext(f))) {
				t.addFile(f, "may be meant by a computed name in "+p)
				t.vias[f] = always
			}
		}
	}
	for _, u := range t.listing.unusual {
		base := path.Base(u)
		if strings.Contains(s.Text, base) || strings.Contains(s.Text, strings.ReplaceAll(base, " ", `\ `)) || strings.Contains(s.Text, "$'") {
			t.addFile(u, because)
			t.vias[u] = always
		}
	}
	switch {
	case s.Computed != "":
		t.addAll(p, s.Computed)
	case s.Language != "shell":
		t.addImported(p, s.Language)
	default:
		for _, tool := range s.Tools { // code in a string or here-document
			if l := scripts.LanguageOf("", tool); (l == "python" || l == "node") && tool != "uv" {
				t.addImported(p, l)
			}
		}
	}
}

// called are the programs that the hook and the scripts that it names start or look for,
// by script: what it only may use is left out. None of them is a function of one of these
// scripts, or of a shell script beside the hook, whose name may be put together.
func (t *tracer) called() map[string][]string {
	t.add(t.hook, "the case runs it", true)
	named := map[string]bool{t.hook: true}
	for i := 0; i < len(t.queue); i++ {
		p := t.queue[i]
		if by, is := strings.CutPrefix(t.because[p], namedIn); is && named[by] {
			named[p] = true
		}
		if named[p] {
			t.expand(p)
		}
	}
	functions := map[string]bool{}
	beside := t.around(t.hook)
	for _, p := range slices.Concat(slices.Collect(maps.Keys(t.scripts)), beside) {
		if f := t.g.files.script(p); f.script != nil {
			for _, name := range f.script.Functions {
				functions[name] = true
			}
		}
	}
	called := map[string][]string{}
	for p, s := range t.scripts {
		called[p] = slices.DeleteFunc(s.Called(), func(name string) bool { return functions[name] })
	}
	return called
}

// tools are the programs that the scripts name: those they run or look for,
// and, where commands are computed or all is asked for, any they mention.
func (t *tracer) tools(all bool) []string {
	var names []string
	functions := map[string]bool{}
	for _, s := range t.scripts {
		names = append(names, s.Tools...)
		if all || len(s.Run) > 0 || s.Opaque != "" || s.Computed != "" {
			names = append(names, s.Words...)
		}
		for _, f := range s.Functions {
			functions[f] = true
		}
	}
	names = slices.DeleteFunc(names, func(name string) bool { return functions[name] && !scripts.KnownTools[name] })
	slices.Sort(names)
	return slices.Compact(names)
}

// toolFiles adds the configuration files that programs find by themselves in
// the directory they run in.
func (t *tracer) toolFiles(tools []string, o *origins) {
	v := viaCwd
	if o.moved || o.opaque {
		v = always
	}
	for _, tool := range tools {
		for _, name := range scripts.ToolFiles[tool] {
			t.addIfThere(name, tool+" reads it", false)
			if old, ok := t.vias[name]; ok {
				t.vias[name] = min(old, v)
				t.by[name] = suites.Needed // no statement names it
			}
		}
	}
}

func (g *Graph) reach(hook string) *reach {
	if r, ok := g.reaches[hook]; ok && !r.stale {
		return r
	}
	r := g.tracer(hook).follow()
	if old := g.reaches[hook]; old == nil || !old.sameFiles(r) {
		g.known = nil
	}
	g.reaches[hook] = r
	return r
}

func (g *Graph) tracer(hook string) *tracer {
	return &tracer{
		g: g, hook: hook, listing: g.listing(),
		vias: map[string]via{}, because: map[string]string{}, by: map[string]suites.By{},
		scripts: map[string]*scripts.Script{}, absent: map[string]bool{},
	}
}
