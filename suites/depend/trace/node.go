package trace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf16"

	"hookwatch/suites"
	"hookwatch/suites/depend/javascript"
	"hookwatch/suites/shell"
)

// node traces the scripts of Node by the coverage that V8 counts. Scripts of TypeScript are parsed in
// another way, and traced with the others.
type node struct{ typed bool }

func (l node) Name() string {
	if l.typed {
		return "typescript"
	}
	return "node"
}

// Recognises implements Language.
func (l node) Recognises(file string, content []byte) bool {
	typed := isTypeScript(file)
	if shebang := shebangOf(content); shebang != "" {
		words, _ := shell.Interpreter(shebang)
		return typed == l.typed && len(words) > 0 && path.Base(words[0]) == "node"
	}
	switch path.Ext(file) {
	case ".js", ".cjs", ".mjs":
		return !l.typed
	}
	return typed && l.typed
}

func isTypeScript(file string) bool {
	switch path.Ext(file) {
	case ".ts", ".cts", ".mts":
		return true
	}
	return false
}

const (
	preloadName  = "start.cjs"
	coverageName = "coverage/"
)

// preload writes one record for each process and each worker that starts. If the coverage of one is
// missing at the end, it was killed and its trace is lost. Another record is written when the text of
// a function is used, comments included: everything that turns one into text, such as f + "", calls
// Function.prototype.toString, as console.log does for its arguments while coverage is counted. It leaves nothing behind that a hook could notice, except in its
// environment and in that method being another one.
const preload = `'use strict';
try {
  const { threadId } = require('node:worker_threads');
  const { appendFileSync } = require('node:fs');
  const { apply, defineProperty } = Reflect;
  const { stringify } = JSON;
  const { captureStackTrace } = Error;
  const record = (r) => appendFileSync(%s, stringify({ pid: process.pid, thread: threadId, ...r }) + '\n');
  record({ file: process.argv[1] || '', dir: process.cwd() });
  const native = Function.prototype.toString, builtin = /\{ \[native code\] \}$/, test = builtin.test;
  let used = false;
  const { toString } = {
    toString() {
      let text;
      try {
        text = apply(native, this === toString ? native : this, []);
      } catch (e) {
        captureStackTrace(e, toString);
        throw e;
      }
      if (!used && !apply(test, builtin, [text])) {
        used = true;
        try { record({ text: true }); } catch {}
      }
      return text;
    },
  };
  defineProperty(Function.prototype, 'toString', { value: toString, writable: true, enumerable: false, configurable: true });
} catch {}
delete require.cache[__filename];
if (module.parent) module.parent.children.pop();
`

// Start implements Language. Node writes the coverage of a process when it ends, even by an
// uncaught error or a signal of its own.
func (l node) Start(dir string, env []string) suites.Tracing {
	if l.typed {
		return suites.Tracing{}
	}
	log, err := json.Marshal(filepath.Join(dir, logName))
	if err != nil {
		return suites.Tracing{} // a string
	}
	quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(filepath.Join(dir, preloadName))
	options := `--require "` + quoted + `"`
	if theirs := valueOf(env, "NODE_OPTIONS"); theirs != "" {
		options += " " + theirs
	}
	return suites.Tracing{
		Files: map[string]string{preloadName: fmt.Sprintf(preload, log), logName: ""},
		Logs:  []string{logName, coverageName},
		Set:   map[string]string{"NODE_OPTIONS": options, "NODE_V8_COVERAGE": filepath.Join(dir, coverageName)},
	}
}

// A nodeStart is the record of a process or a worker that started.
type nodeStart struct {
	PID    int    `json:"pid"`
	Thread int    `json:"thread"`
	File   string `json:"file"`
	Dir    string `json:"dir"`
	Text   bool   `json:"text"` // it used the text of a function, and started before
}

// A nodeCoverage is the file that Node writes for a process or a worker.
type nodeCoverage struct {
	Result []scriptCoverage           `json:"result"`
	Maps   map[string]json.RawMessage `json:"source-map-cache"`
}

type scriptCoverage struct {
	URL       string             `json:"url"`
	Functions []functionCoverage `json:"functions"`
}

type functionCoverage struct {
	Ranges []codeRange `json:"ranges"`
}

// A codeRange counts how often code was executed, in UTF-16 units.
type codeRange struct {
	Start int  `json:"startOffset"`
	End   int  `json:"endOffset"`
	Count int  `json:"count"`
	whole bool // it is a function, and not a part of one
}

// Decode implements Language.
func (l node) Decode(logs map[string][]byte, d *decoder) {
	if l.typed {
		return
	}
	log, kept := logs[logName]
	if !kept {
		d.incomplete("the log of node is lost")
	}
	text := false
	starts := map[string]int{} // by process and thread
	for line := range bytes.Lines(log) {
		var s nodeStart
		if err := json.Unmarshal(line, &s); err != nil || !bytes.HasSuffix(line, []byte("\n")) {
			d.incomplete("the log of node holds a torn line")
			return
		}
		if s.Text {
			text = true
			continue
		}
		d.start(node{})
		d.trace.Interprets = true
		starts[fmt.Sprintf("%d/%d", s.PID, s.Thread)]++
		if s.Thread != 0 || s.File == "" {
			continue
		}
		if f := d.file(node{isTypeScript(s.File)}, s.File, s.Dir); f != nil {
			f.met.Main = true
		}
	}
	for name, content := range logs {
		if name == logName || !strings.HasPrefix(name, coverageName) {
			continue
		}
		var pid, time, thread int
		if n, err := fmt.Sscanf(path.Base(name), "coverage-%d-%d-%d.json", &pid, &time, &thread); n != 3 || err != nil {
			continue
		}
		id := fmt.Sprintf("%d/%d", pid, thread)
		if starts[id]--; starts[id] < 0 {
			d.incomplete("a node started in another environment")
		}
		var c nodeCoverage
		if err := json.Unmarshal(content, &c); err != nil {
			d.incomplete("the coverage of a node cannot be read")
			continue
		}
		c.decode(d)
	}
	for _, n := range starts {
		if n > 0 {
			d.incomplete("a node ended without its coverage")
		}
	}
	for _, f := range d.files {
		if _, is := f.by.(node); is && text {
			f.met.Text = "the case uses the text of a function"
		}
	}
}

// decode adds the executed code of one process.
func (c *nodeCoverage) decode(d *decoder) {
	for i := range c.Result {
		s := &c.Result[i]
		if strings.HasPrefix(s.URL, "node:") {
			continue
		}
		u, err := url.Parse(s.URL)
		if err != nil || u.Scheme != "file" && !(u.Scheme == "" && path.IsAbs(u.Path)) {
			d.trace.Dynamic = true // such as the argument of --eval, which can use all that is exported
			continue
		}
		if filepath.Base(u.Path) == preloadName {
			continue
		}
		if manifest := packageOf(u.Path); manifest != "" {
			d.trace.Dynamic = true
			if known := d.run.Resolve(manifest, ""); known != "" && !path.IsAbs(known) {
				d.whole(known, "a package counts as a whole")
			}
			continue
		}
		f := d.file(node{isTypeScript(u.Path)}, u.Path, "")
		switch {
		case f == nil:
			d.trace.Dynamic = true
		case f.script == nil:
			d.trace.Dynamic = true
		case c.Maps[s.URL] != nil || !s.covers(f.script.units.of(f.script.size)):
			d.trace.Dynamic = true
			f.met.Whole = "it was translated before it ran"
		default:
			f.count(s)
			d.trace.Lines = d.trace.Lines || f.places()
		}
	}
}

// covers reports whether the code that ran has the size of the file. When Node strips types, it adds
// a comment with the name.
func (s *scriptCoverage) covers(size int) bool {
	stripped := size + len("\n\n//# sourceURL=") + len(s.URL)
	return slices.ContainsFunc(s.Functions, func(fn functionCoverage) bool {
		return len(fn.Ranges) > 0 && fn.Ranges[0].Start == 0 && (fn.Ranges[0].End == size || fn.Ranges[0].End == stripped)
	})
}

// packageOf returns the manifest of the package that a file belongs to, "" if it is in none.
func packageOf(file string) string {
	const dir = "/node_modules/"
	i := strings.LastIndex(file, dir)
	if i < 0 {
		return ""
	}
	parts := strings.SplitN(file[i+len(dir):], "/", 3)
	name := parts[0]
	if strings.HasPrefix(name, "@") && len(parts) > 1 {
		name += "/" + parts[1]
	}
	return file[:i+len(dir)] + name + "/package.json"
}

// places reports whether a statement was executed that may use the places of code.
func (f *fileDecoder) places() bool {
	for st := range f.hit {
		if st.Facts.Lines {
			return true
		}
	}
	return false
}

// count records the statements whose code was executed. The innermost range around the beginning
// of a statement counts, except for functions within the statement, which run later or never. Of two
// equal ranges, such as those of a class and of its fields, the executed one counts.
func (f *fileDecoder) count(s *scriptCoverage) {
	var ranges []codeRange
	for _, fn := range s.Functions {
		for i, r := range fn.Ranges {
			r.whole = i == 0
			ranges = append(ranges, r)
		}
	}
	slices.SortStableFunc(ranges, func(a, b codeRange) int {
		if a.Start != b.Start {
			return a.Start - b.Start
		}
		return b.End - a.End
	})
	sweep := rangeSweep{ranges: ranges}
	for _, st := range f.script.Statements {
		if sweep.executed(f.script.units.of(st.from), f.script.units.of(st.to)) {
			f.hit[st] = true
		}
	}
	sweep = rangeSweep{ranges: ranges}
	for _, body := range slices.Sorted(maps.Keys(f.script.bodies)) {
		at := f.script.units.of(body - 1) // the body of an arrow function may begin with another function
		if sweep.executed(at, at) {
			f.functions[f.script.bodies[body].Key] = true
		}
	}
}

// A rangeSweep finds the ranges around places in ascending order. Ranges are sorted, outer ones
// first.
type rangeSweep struct {
	ranges []codeRange
	open   []codeRange // that begin before the place
}

// executed reports whether the code at the beginning of a place was executed.
func (s *rangeSweep) executed(start, end int) bool {
	for len(s.ranges) > 0 && s.ranges[0].Start <= start {
		s.open, s.ranges = append(s.open, s.ranges[0]), s.ranges[1:]
	}
	s.open = slices.DeleteFunc(s.open, func(r codeRange) bool { return r.End <= start })
	found, size, executed := false, 0, false
	for _, r := range s.open {
		if r.Start > start || r.whole && r.Start >= start && r.End <= end {
			continue
		}
		switch length := r.End - r.Start; {
		case !found || length < size:
			found, size, executed = true, length, r.Count > 0
		case length == size:
			executed = executed || r.Count > 0
		}
	}
	return executed || !found
}

// units converts byte offsets of a text into offsets in UTF-16 units. It is nil for ASCII.
type units []int32

func unitsOf(src []byte) units {
	if !slices.ContainsFunc(src, func(b byte) bool { return b >= 0x80 }) {
		return nil
	}
	u := make(units, len(src)+1)
	n := int32(0)
	for i, r := range string(src) {
		u[i] = n
		n += int32(utf16.RuneLen(r))
	}
	u[len(src)] = n
	return u
}

func (u units) of(offset int) int {
	if u == nil {
		return offset
	}
	return int(u[offset])
}

// Beyond implements Language.
func (node) Beyond(old, new *Script) string {
	switch {
	case old.Structure == new.Structure:
		return ""
	case old.Compiled.Directives != new.Compiled.Directives:
		return "its directives changed"
	case old.Compiled.Module != new.Compiled.Module:
		return "it changed between script and module"
	case old.Compiled.Module && old.Compiled.Exports != new.Compiled.Exports:
		return "its exports changed"
	case new.Compiled.Strict && !old.Compiled.Strict:
		return "it has new code that a module or strict code cannot have"
	}
	for _, name := range new.Compiled.Imports {
		if !slices.Contains(old.Compiled.Imports, name) {
			return "it imports " + name
		}
	}
	for _, r := range new.Compiled.Regexps {
		if !slices.Contains(old.Compiled.Regexps, r) {
			return "it has a new regular expression that Node may refuse"
		}
	}
	return ""
}

// Unseen implements Language.
func (node) Unseen(_ string, met *Met, t *Trace) string {
	switch {
	case met != nil || t.Observed != nil: // what is only read is seen too
		return ""
	case t.Starts:
		return "a program that the case ran may run or read it"
	case t.Interprets:
		return "the case may read it under a name that is put together"
	}
	return ""
}

// Parse implements Language.
func (l node) Parse(src []byte) (*Script, error) {
	switch {
	case bytes.IndexByte(src, 0) >= 0:
		return nil, errors.New("it holds a NUL byte")
	case l.typed && unitsOf(src) != nil:
		return nil, errors.New("it is TypeScript with characters other than ASCII, whose places may change when types are stripped")
	}
	return parseNode(src, l.typed)
}

// Compiled is what Node checks before it runs any code of a file.
type Compiled struct {
	Directives string
	Module     bool
	Exports    string
	Strict     bool // it has code that is not allowed everywhere
	Imports    []string
	Regexps    []string // not known to be valid
}

// parseNode divides JavaScript into statements.
func parseNode(src []byte, typed bool) (*Script, error) {
	parse := javascript.Parse
	if typed {
		parse = javascript.ParseTypeScript
	}
	p, err := parse(string(src), false)
	if err != nil {
		var problem *javascript.Problem
		if errors.As(err, &problem) {
			return nil, fmt.Errorf("line %d: %s", 1+strings.Count(string(src[:problem.At]), "\n"), problem.What)
		}
		return nil, err
	}
	s := &Script{Digest: suites.Digest(src), Shebang: shebangOf(src), Quotes: true, units: unitsOf(src), size: len(src), bodies: map[int]*Function{}}
	s.Compiled = Compiled{
		Directives: strings.Join(p.Strict, "\n"), Module: p.Module, Exports: strings.Join(p.Exports, "\n"),
		Strict: p.Returns || p.Awaits || p.Sloppy, Imports: p.Imports, Regexps: p.Regexps,
	}
	b := &nodeBuilder{script: s, meanings: p.Meanings()}
	for i := range len(src) {
		if src[i] == '\n' {
			b.lines = append(b.lines, i)
		}
	}
	s.Body = &Block{Slot: "file", Declared: p.Body.Declared, id: mix(0, "file")}
	s.Structure = b.block(s.Body, p.Body)
	if strings.Contains(string(src), "sourceMappingURL=") {
		s.Own = "it names a source map"
	}
	return s, nil
}

type nodeBuilder struct {
	script   *Script
	lines    []int // offsets of the line ends
	meanings map[*javascript.Statement]*javascript.Meaning
	function *Function
}

func (b *nodeBuilder) line(offset int) int { return 1 + sort.SearchInts(b.lines, offset) }

// block adds the statements of a block, and returns a hash of all of it.
func (b *nodeBuilder) block(blk *Block, of *javascript.Block) uint64 {
	blk.Function = b.function
	full := canon{hash: offset64}
	full.put(of.Slot)
	for _, d := range of.Declared {
		full.put(d)
	}
	seen := map[uint64]int{}
	for _, s := range of.Statements {
		full.number(b.statement(blk, s, seen))
	}
	return full.hash
}

func (b *nodeBuilder) statement(blk *Block, s *javascript.Statement, seen map[uint64]int) uint64 {
	m := b.meanings[s]
	st := &Statement{
		In: blk, Index: len(blk.Statements), Start: b.line(s.From), End: b.line(max(s.To-1, s.From)), Sure: true,
		Binds: m.Defines, Facts: Facts{
			Words: m.Words, Names: m.Names, Dynamic: m.Dynamic != "", Ends: m.Untrace, Opaque: m.Unseen,
			Starts: m.Starts, Interprets: m.Starts, Environment: m.Starts, Lines: m.Lines,
		},
		from: s.From, to: s.To,
	}
	if m.Self != "" {
		b.script.Own = m.Self
	}
	blk.Statements = append(blk.Statements, st)
	b.script.Statements = append(b.script.Statements, st)
	shell := canon{hash: offset64}
	for _, t := range s.Tokens {
		shell.number(uint64(t.Kind))
		shell.put(t.Text)
	}
	st.Shell = shell.hash
	id := mix(blk.id, strconv.FormatUint(st.Shell, 36), strconv.Itoa(seen[st.Shell]))
	seen[st.Shell]++
	st.Key = keyOf(id)
	full := canon{hash: offset64}
	full.number(st.Shell)
	for i, inner := range s.Blocks {
		full.number(b.inner(st, s, inner, i))
	}
	st.Full = full.hash
	return st.Full
}

// inner adds a block of a statement.
func (b *nodeBuilder) inner(st *Statement, s *javascript.Statement, of *javascript.Block, i int) uint64 {
	blk := &Block{Of: st, Slot: of.Slot, Declared: of.Declared, id: mix(st.id(), of.Slot, strconv.Itoa(i))}
	st.Blocks = append(st.Blocks, blk)
	if of.Slot != "function" {
		return b.block(blk, of)
	}
	fn := &Function{Name: b.name(s, i), Key: keyOf(mix(blk.id, "function")), Start: st.Start, End: b.line(of.At), Body: blk, Outer: b.function, Recorded: true}
	if n := len(of.Statements); n > 0 {
		fn.End = b.line(of.Statements[n-1].To)
	}
	blk.Of = nil
	if fn.Name != "" {
		b.script.Functions = append(b.script.Functions, fn)
	} else if b.function != nil {
		fn.Name = b.function.Name
	}
	b.script.bodies[of.At] = fn
	outer := b.function
	b.function = fn
	full := b.block(blk, of)
	b.function = outer
	return full
}

// name returns the name of the function whose body is the i-th block of a statement, "" if it has
// none.
func (b *nodeBuilder) name(s *javascript.Statement, i int) string {
	if s.Function != "" {
		return s.Function
	}
	mark := -1
	for j, t := range s.Tokens {
		if t.Kind == javascript.Mark {
			if i == 0 {
				mark = j
				break
			}
			i--
		}
	}
	depth := 0
	for j := mark - 1; j > 0; j-- {
		t := s.Tokens[j]
		if t.Kind == javascript.Punctuator {
			switch t.Text {
			case ")", "]", "}":
				depth++
				continue
			case "(", "[", "{":
				if depth--; depth < 0 {
					return ""
				}
				if depth == 0 && s.Tokens[j-1].Kind == javascript.Name && s.Tokens[j-1].Text != "function" && s.Tokens[j-1].Text != "async" {
					return s.Tokens[j-1].Text // a method or a named function
				}
				continue
			case "=", ":":
				if depth == 0 && s.Tokens[j-1].Kind == javascript.Name {
					return s.Tokens[j-1].Text
				}
			}
		}
		if depth == 0 && t.Kind == javascript.Mark {
			return ""
		}
	}
	return ""
}
