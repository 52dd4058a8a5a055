package depend

import (
	"path"
	"strings"

	"hookwatch/suites/depend/trace"
	"hookwatch/suites/pattern"
	"hookwatch/suites/shell"
)

var surrogate = pattern.Lazy(`\\u[dD][89a-fA-F]`)

// json decides for a JSON file that the hooks may read: configuration next to them, settings, or
// a file that a script names.
func (r *Decider) json(q *Question, d Difference) (unaffected bool, because string) {
	change := r.jsonChange(d)
	if change.unknown != "" {
		return false, change.unknown
	}
	how := r.uses(q, d.Path)
	if how.unknown != "" {
		return false, how.unknown
	}
	if !how.named && r.observed(q, d.Path) {
		return false, "the case was seen to read it"
	}
	if !how.named {
		return true, "the case executes nothing that reads " + d.Path
	}
	read := r.reading(q.Scripts, path.Base(d.Path))
	switch {
	case len(change.paths) == 0 && read.text == "":
		return true, "no value in " + d.Path + " changed"
	case len(change.paths) == 0:
		return false, read.text
	case read.unknown != "":
		return false, read.unknown
	}
	if at, ok := OverlappingKeys(read.paths, change.paths); ok {
		return false, at.String() + " changed, which its hook reads"
	}
	return true, "its hook does not read " + listed(change.paths)
}

func listed(paths []KeyPath) string {
	var names []string
	for _, p := range paths[:min(3, len(paths))] {
		names = append(names, p.String())
	}
	if len(paths) > len(names) {
		names = append(names, "...")
	}
	return strings.Join(names, ", ")
}

func (r *Decider) jsonChange(d Difference) jsonChange {
	v := jsonVersions{d.Was, d.Digest}
	if c, ok := r.keys[v]; ok {
		return c
	}
	var c jsonChange
	was, now := r.contents(d.Path, d.Was), r.contents(d.Path, d.Digest)
	switch {
	case len(was) == 0 || len(now) == 0:
		c.unknown = "its content changed"
	case was[0] != now[0]:
		c.unknown = "its permissions changed"
	case surrogate().Match(was) || surrogate().Match(now):
		c.unknown = "it spells out surrogates, which programs take in different ways"
	default:
		var err error
		if c.paths, err = ChangedKeys(was[1:], now[1:]); err != nil {
			c.unknown = "it cannot be parsed: " + err.Error()
		}
	}
	r.keys[v] = c
	return c
}

// A use describes how the hooks of a case may open a file.
type use struct {
	named   bool   // by its literal name
	unknown string // why they may open it in other ways; "" if they cannot
}

// uses examines the trace. Without one, the hooks may read anything.
func (r *Decider) uses(q *Question, file string) use {
	t := q.Trace
	if t == nil {
		return use{unknown: "there is no trace of the case"}
	}
	for _, s := range q.Scripts {
		script := r.script(s)
		if script == nil {
			return use{unknown: s + " is no shell script and may read any of it"}
		}
		if !traced(t, s, script) {
			return use{unknown: s + " may have run untraced"}
		}
	}
	if why := t.Blind(); why != "" {
		return use{unknown: why}
	}
	if t.Lines {
		return use{unknown: "the output of the case names lines"}
	}
	if t.Interprets {
		return use{unknown: "a program in another language may read it"}
	}
	return useOf(t.Names, file)
}

// traced reports whether a script cannot have run without being recorded in the trace.
func traced(t *trace.Trace, file string, s *trace.Script) bool {
	met := t.Files[file]
	switch {
	case met != nil && met.Whole != "":
		return false
	case met != nil && met.Main:
		return true
	default:
		return s.Shebang == "" || trace.ShellOf(s.Shebang) == "bash"
	}
}

func useOf(names []string, file string) (u use) {
	base := path.Base(file)
	for _, pattern := range names {
		ok, err := path.Match(pattern, base)
		switch {
		case err == nil && !ok:
		case pattern == base:
			u.named = true
		default:
			u.unknown = "a statement may read it by a name that is put together (" + pattern + ")"
		}
	}
	return u
}

func (r *Decider) reading(scripts []string, name string) reading {
	id := strings.Join(scripts, "\x00") + "\x00" + name
	if read, ok := r.readings[id]; ok {
		return read
	}
	var read reading
	var sources [][]byte
	for _, s := range scripts {
		content := r.contents(s, "")
		if len(content) == 0 || r.script(s) == nil {
			read.unknown = s + " is no shell script and may read any of it"
			read.text = read.unknown
			break
		}
		sources = append(sources, content[1:])
	}
	if read.unknown == "" {
		found := KeysRead(sources, name)
		read = reading{found.Paths, found.Unknown, found.Text}
	}
	r.readings[id] = read
	return read
}

// script returns the current content of a shell script, parsed; nil if it is none.
func (r *Decider) script(file string) *trace.Script {
	if s, ok := r.parsed[file]; ok {
		return s
	}
	var script *trace.Script
	if content := r.contents(file, ""); len(content) > 0 {
		if s, err := trace.Parse(file, content[1:]); err == nil && isShell(file, s) {
			script = s
		}
	}
	r.parsed[file] = script
	return script
}

func isShell(file string, s *trace.Script) bool {
	if s.Shebang != "" {
		words, _ := shell.Interpreter(s.Shebang)
		return shell.LanguageOf(words) == shell.Shell
	}
	return path.Ext(file) == "" || shell.ByExtension(file) == "bash"
}
