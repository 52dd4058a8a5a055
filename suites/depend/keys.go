package depend

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"hookwatch/suites/depend/script"
	"hookwatch/suites/depend/trace"
	"hookwatch/suites/jsontree"
	"hookwatch/suites/pattern"
	"hookwatch/suites/shell"
)

// A KeyPath is the list of keys that lead to a value and all values below it; it is empty for
// the whole document. Elements of an array share one path.
type KeyPath []string

// String formats the path as jq would: ".package_managers.python", or "." for
// the whole document.
func (p KeyPath) String() string {
	if len(p) == 0 {
		return "."
	}
	var b strings.Builder
	for _, key := range p {
		b.WriteByte('.')
		if isIdentifier(key) {
			b.WriteString(key)
			continue
		}
		quoted, _ := json.Marshal(key) // strings always encode
		b.Write(quoted)
	}
	return b.String()
}

// isIdentifier reports whether jq accepts a key after a dot without quotes.
func isIdentifier(key string) bool {
	for i, c := range key {
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return key != ""
}

// Touches reports whether a value at one path is part of the value at the other.
func (p KeyPath) Touches(q KeyPath) bool {
	for i := range min(len(p), len(q)) {
		if p[i] != q[i] {
			return false
		}
	}
	return true
}

// OverlappingKeys reports whether a read path touches a changed one, and returns the first such
// changed path.
func OverlappingKeys(read, changed []KeyPath) (KeyPath, bool) {
	for _, c := range changed {
		for _, r := range read {
			if r.Touches(c) {
				return c, true
			}
		}
	}
	return nil, false
}

// ChangedKeys returns the shortest paths whose values differ between two JSON documents: a key
// that only one has, a value of another kind, a scalar, an array. An object whose keys are in
// another order differs too, because filters can observe the order. Numbers differ if their text
// does. It returns an error if one of the contents is not a JSON document.
func ChangedKeys(old, new []byte) ([]KeyPath, error) {
	a, err := jsontree.Parse(old)
	if err != nil {
		return nil, fmt.Errorf("old content: %w", located(old, err))
	}
	b, err := jsontree.Parse(new)
	if err != nil {
		return nil, fmt.Errorf("new content: %w", located(new, err))
	}
	var d differ
	d.value(nil, a, b)
	return d.paths, nil
}

// located adds the line of a syntax error to an error of the parser.
func located(content []byte, err error) error {
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return err
	}
	before := content[:min(int(syntax.Offset), len(content))]
	return fmt.Errorf("line %d: %w", 1+bytes.Count(before, []byte("\n")), err)
}

type differ struct{ paths []KeyPath }

func (d *differ) value(at KeyPath, a, b jsontree.Value) {
	switch {
	case a.Kind != b.Kind, a.Scalar != b.Scalar:
		d.add(at)
	case a.Kind == '[':
		if !equal(a, b) {
			d.add(at)
		}
	case a.Kind == '{':
		d.object(at, a, b)
	}
}

func (d *differ) add(at KeyPath) { d.paths = append(d.paths, slices.Clone(at)) }

func (d *differ) object(at KeyPath, a, b jsontree.Value) {
	if !slices.Equal(shared(a, b), shared(b, a)) {
		d.add(at)
		return
	}
	seen := map[string]bool{}
	for _, m := range append(slices.Clone(a.Members), b.Members...) {
		if seen[m.Key] {
			continue
		}
		seen[m.Key] = true
		x, inA := a.Get(m.Key)
		y, inB := b.Get(m.Key)
		below := append(slices.Clip(at), m.Key)
		if inA && inB {
			d.value(below, x, y)
		} else {
			d.add(below)
		}
	}
}

func shared(of, with jsontree.Value) []string {
	var keys []string
	for _, m := range of.Members {
		if _, ok := with.Get(m.Key); ok {
			keys = append(keys, m.Key)
		}
	}
	return keys
}

func equal(a, b jsontree.Value) bool {
	return a.Kind == b.Kind && a.Scalar == b.Scalar && slices.EqualFunc(a.Members, b.Members, func(x, y jsontree.Member) bool {
		return x.Key == y.Key && equal(x.Value, y.Value)
	})
}

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
func traced(t *trace.Trace, file string, s *script.Script) bool {
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
func (r *Decider) script(file string) *script.Script {
	if s, ok := r.parsed[file]; ok {
		return s
	}
	var script *script.Script
	if content := r.contents(file, ""); len(content) > 0 {
		if s, err := trace.Parse(file, content[1:]); err == nil && isShell(file, s) {
			script = s
		}
	}
	r.parsed[file] = script
	return script
}

func isShell(file string, s *script.Script) bool {
	if s.Shebang != "" {
		words, _ := shell.Interpreter(s.Shebang)
		return shell.LanguageOf(words) == shell.Shell
	}
	return path.Ext(file) == "" || shell.ByExtension(file) == "bash"
}
