package depend

import (
	"encoding/json"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/shell"
)

func (t *tracer) follow() *reach {
	t.add(t.hook, "the case runs it", true)
	for i := 0; i < len(t.queue); i++ {
		t.expand(t.queue[i])
	}
	t.addIfThere(path.Join(path.Dir(t.hook), "config.json"), "configuration next to "+t.hook, false)
	if t.mention("settings") { // as data; registrations are inputs of their own
		for _, s := range t.g.project.Settings {
			t.addIfThere(t.g.files.slash(s), "settings of the project", false)
		}
	}
	r := &reach{tools: t.tools(), dirs: t.dirs, absent: t.absent, scripts: slices.Sorted(maps.Keys(t.scripts))}
	for _, p := range t.order {
		f := t.g.files.get(p)
		in := suites.Input{Path: f.path, Digest: t.g.files.stateOf(p), Because: t.because[p]}
		if f.digest == masked {
			in.Because += " (masked: it is not read)"
		}
		if f.target != "" {
			in.By = suites.Needed // traces use the files' own paths, not links
			r.deps = append(r.deps, suites.Input{Path: f.target, Digest: t.g.files.get(f.target).digest, Because: p + " leads to it"})
		}
		if r.deps = append(r.deps, in); p == t.hook {
			r.hook = in
		}
	}
	if why := t.open(); why != "" && t.g.project.Other != nil {
		r.deps = append(r.deps, t.g.elsewhere(why))
	}
	for _, p := range r.scripts {
		s := t.scripts[p]
		if slices.Contains(s.Called(), git) || s.Unnamed && mentionsGit().MatchString(s.Text) {
			r.deps = append(r.deps, t.g.repository(s.Text, p+" runs git")...)
			break
		}
	}
	r.deps = normalised(r.deps)
	return r
}

// open returns the reason why the scripts may read files that none of them names, "" if there is
// none.
func (t *tracer) open() string {
	functions := t.functions()
	for _, p := range slices.Sorted(maps.Keys(t.scripts)) {
		s := t.scripts[p]
		if s.Open != "" {
			return p + ": " + s.Open
		}
		for _, name := range s.Tools {
			if program := shell.ProgramOf(name); !narrow[name] && !functions[name] && !program.Wraps && !program.RunsScripts() {
				return p + ": it runs " + name + ", which may read files that no text names"
			}
		}
	}
	return ""
}

// functions returns the functions that the scripts define.
func (t *tracer) functions() map[string]bool {
	all := map[string]bool{}
	for _, s := range t.scripts {
		for _, f := range s.Functions {
			all[f] = true
		}
	}
	return all
}

// mention reports whether one of the scripts contains a text.
func (t *tracer) mention(text string) bool {
	for _, s := range t.scripts {
		if strings.Contains(s.Text, text) {
			return true
		}
	}
	return false
}

// namedIn begins the reason for a file that a script names.
const namedIn = "named in "

// expand adds the files that a script names.
func (t *tracer) expand(p string) {
	f := t.g.files.script(p)
	if f.script == nil {
		return
	}
	s := f.script
	t.scripts[f.path] = s
	because := namedIn + p
	dirs := []string{path.Dir(p)}
	if f.target != "" {
		dirs = append(dirs, path.Dir(f.target))
	}
	for _, name := range s.Names {
		t.addName(name, because, dirs)
	}
	for _, name := range s.Opened {
		for _, dir := range append([]string{"."}, dirs...) {
			p := path.Join(dir, name)
			t.addIfThere(p, because, t.mayBeCode(p))
			if t.g.files.stateOf(p) == directory { // as in [ -d data ]
				t.add(p, because, false)
			}
			if _, absent := t.absent[p]; absent {
				t.absent[p] = true // worth watching, whatever its extension
			}
		}
	}
	for _, u := range t.listing.unusual {
		if base := path.Base(u); strings.Contains(s.Text, base) || strings.Contains(s.Text, strings.ReplaceAll(base, " ", `\ `)) {
			t.addFile(u, because)
		}
	}
	switch {
	case s.Computed != "":
		for _, other := range t.around(p) {
			t.addFile(other, p+": "+s.Computed)
		}
	case s.Language != shell.Shell:
		t.addImported(p, s.Language)
	}
}

// called returns, by script, the programs that the hook and the scripts it names start or look
// up, without those that they only may use. It excludes functions of these scripts and of shell
// scripts next to the hook, because they may be sourced by a computed name.
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
	siblings := t.around(t.hook)
	for _, p := range slices.Concat(slices.Collect(maps.Keys(t.scripts)), siblings) {
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

// tools returns the programs that the scripts name.
func (t *tracer) tools() []string {
	var names []string
	functions := t.functions()
	for _, s := range t.scripts {
		names = append(append(names, s.Tools...), s.Words...)
	}
	names = slices.DeleteFunc(names, func(name string) bool { return functions[name] && !knownTools[name] })
	slices.Sort(names)
	return slices.Compact(names)
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

// tracer returns a tracer for a hook. It reuses the memory of the previous one.
func (g *Graph) tracer(hook string) *tracer {
	t := g.traced
	if t == nil {
		t = &tracer{g: g, because: map[string]string{}, scripts: map[string]*Script{}}
		g.traced = t
	}
	clear(t.because)
	clear(t.scripts)
	t.hook, t.listing, t.queue, t.order = hook, g.listing(), t.queue[:0], t.order[:0]
	t.dirs, t.absent = nil, map[string]bool{}
	return t
}

// A tracer follows a hook to the files that it and these files may use.
type tracer struct {
	g       *Graph
	hook    string
	listing *listing
	queue   []string
	order   []string // paths in the order of discovery
	because map[string]string
	scripts map[string]*Script // those analysed
	dirs    []string           // see reach
	absent  map[string]bool    // see reach
}

// add records a dependency. The first reason is kept.
func (t *tracer) add(p, because string, code bool) {
	if _, ok := t.because[p]; ok {
		return
	}
	t.order = append(t.order, p)
	t.because[p] = because
	if code {
		t.queue = append(t.queue, p)
	}
}

func (t *tracer) addFile(p, because string) { t.add(p, because, t.mayBeCode(p)) }

// mayBeCode reports whether a file may be code, so the files that it names count too.
func (t *tracer) mayBeCode(p string) bool { return mayBeCode(p, t.listing.has(p)) }

// addImported adds the files around a script that code in a language may import.
func (t *tracer) addImported(script, language string) {
	for _, other := range t.around(script) {
		if languageOf(other, nil) == language {
			t.addFile(other, "may be imported by "+script)
		}
	}
}

// around returns the files of the hook directories and, for a script outside them, those of its
// own directory.
func (t *tracer) around(script string) []string {
	if t.listing.has(script) {
		return t.listing.files
	}
	dir := path.Dir(script)
	t.dirs = append(t.dirs, dir)
	files := slices.Clone(t.listing.files)
	for _, name := range t.g.files.namesOf(dir) {
		files = append(files, path.Join(dir, name))
	}
	return files
}

// addName adds the files that a word of a script may refer to.
func (t *tracer) addName(name, because string, dirs []string) {
	base := path.Base(name)
	for _, f := range t.listing.byBase[base] {
		t.addFile(f, because)
	}
	for _, d := range t.listing.byDir[base] {
		for _, f := range t.listing.in(d) {
			t.addFile(f, because)
		}
	}
	if path.IsAbs(name) {
		if p := t.g.files.slash(name); !path.IsAbs(p) || isScriptName(p) {
			t.addIfThere(p, because, t.mayBeCode(p))
		}
		return
	}
	for _, dir := range append([]string{"."}, dirs...) {
		p := path.Join(dir, name)
		if strings.HasPrefix(p, "..") && isScriptName(p) {
			p = t.g.files.slash(t.g.files.abs(p)) // next to the project
		}
		if !strings.HasPrefix(p, "..") {
			t.addIfThere(p, because, t.mayBeCode(p))
		}
	}
}

// addIfThere adds a file, or records it as absent.
func (t *tracer) addIfThere(p, because string, code bool) {
	f := t.g.files.get(p)
	if f.digest == "" {
		t.absent[f.path] = t.absent[p] || isFileName(p)
		return
	}
	t.add(f.path, because, code)
}

// checked returns the files that a check examines, except tools.
func (g *Graph) checked(c *suites.Check) []suites.Input {
	var all []suites.Input
	add := func(p, because string) {
		all = append(all, suites.Input{Path: p, Digest: g.files.get(p).digest, Because: because, By: suites.Needed})
	}
	if c.Registered != nil {
		for _, s := range g.project.Settings {
			add(g.files.slash(s), "settings of the project")
		}
	}
	if c.File != "" {
		add(g.home(c.File), "the case checks it")
	}
	if by := c.NamedBy; by != nil {
		p := g.home(by.File)
		add(p, "it may name the file that the case checks")
		if named := g.named(p, by.Key); named != "" {
			add(g.home(named), "the case checks it")
		}
	}
	return all
}

// home returns the slash path of a file that may be below HOME.
func (g *Graph) home(name string) string {
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		if dir, err := os.UserHomeDir(); err == nil {
			name = filepath.Join(dir, rest)
		}
	}
	return g.files.slash(name)
}

// named returns the text at a dotted key of a JSON file.
func (g *Graph) named(p, key string) string {
	data, err := g.files.read(p)
	if err != nil {
		return ""
	}
	value := json.RawMessage(data)
	for _, name := range strings.Split(key, ".") {
		var object map[string]json.RawMessage
		if json.Unmarshal(value, &object) != nil {
			return ""
		}
		value = object[name]
	}
	var text string
	_ = json.Unmarshal(value, &text) // a value that is no text names no file
	return text
}
