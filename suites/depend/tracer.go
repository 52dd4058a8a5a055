package depend

import (
	"path"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/depend/scripts"
)

// A tracer follows a hook to the files that it and they may use.
type tracer struct {
	g       *Graph
	hook    string
	listing *listing
	queue   []string
	order   []string // paths as they were found
	vias    map[string]via
	because map[string]string
	by      map[string]suites.By       // those that are more than reached
	scripts map[string]*scripts.Script // those analysed
	data    []string                   // dependencies that are no scripts
	dirs    []string                   // see reach
	absent  map[string]bool            // see reach
}

// add notes a dependency. The first reason stays.
func (t *tracer) add(p, because string, code bool) {
	if _, ok := t.vias[p]; ok {
		return
	}
	t.order = append(t.order, p)
	t.because[p] = because
	if code {
		t.vias[p] = always
		t.queue = append(t.queue, p)
		return
	}
	t.vias[p] = viaProject
	t.data = append(t.data, p)
}

func (t *tracer) addFile(p, because string) { t.add(p, because, t.mayBeCode(p)) }

// mayBeCode reports whether a file may be code: what it names in turn then counts.
func (t *tracer) mayBeCode(p string) bool { return scripts.MayBeCode(p, t.listing.has(p)) }

// addImported adds the files around a script that code in a language may import.
func (t *tracer) addImported(script, language string) {
	for _, other := range t.around(script) {
		if scripts.LanguageOf(other, "") == language {
			t.addFile(other, "may be imported by "+script)
		}
	}
}

// addAll adds every file that is around a script.
func (t *tracer) addAll(script, because string) {
	for _, f := range t.around(script) {
		t.addFile(f, script+": "+because)
		t.vias[f] = always
	}
}

// around lists the files of the hook directories and, for a script outside
// them, those of its own directory.
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

// addName adds the files that a word of a script may mean.
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
		if p := t.g.files.slash(name); !path.IsAbs(p) || scripts.IsScriptName(p) {
			t.addIfThere(p, because, t.mayBeCode(p))
		}
		return
	}
	if !strings.ContainsAny(name, "./") { // one that is there may be meant; see addOpened for others
		for _, dir := range append([]string{"."}, dirs...) {
			if p := path.Join(dir, name); t.g.files.get(p).digest != "" {
				t.add(p, because, t.mayBeCode(p))
			}
		}
		return
	}
	for _, dir := range append([]string{"."}, dirs...) {
		p := path.Join(dir, name)
		if strings.HasPrefix(p, "..") && scripts.IsScriptName(p) {
			p = t.g.files.slash(t.g.files.abs(p)) // beside the project
		}
		if !strings.HasPrefix(p, "..") {
			t.addIfThere(p, because, t.mayBeCode(p))
		}
	}
}

// addOpened adds the file of a bare name, or waits for it.
func (t *tracer) addOpened(name, because string, dirs []string) {
	for _, dir := range append([]string{"."}, dirs...) {
		p := path.Join(dir, name)
		t.addIfThere(p, because, t.mayBeCode(p))
		if _, absent := t.absent[p]; absent {
			t.absent[p] = true
		}
	}
}

// addIfThere adds a file, or remembers that it is not there.
func (t *tracer) addIfThere(p, because string, code bool) {
	if t.g.files.get(p).digest == "" {
		t.absent[p] = t.absent[p] || scripts.IsFileName(p)
		return
	}
	t.add(p, because, code)
}
