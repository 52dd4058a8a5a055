package trace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/depend/javascript"
	"hookwatch/suites/depend/script"
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
	if shebang := script.Shebang(content); shebang != "" {
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
	options := Preload(dir, preloadName, env)["NODE_OPTIONS"]
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
	starts, text, ok := nodeStarts(log, d)
	if !ok {
		d.incomplete("the log of node holds a torn line")
		return
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

// nodeStarts counts the records of each process and thread that started, and reports whether the text of
// a function was used. ok is false if the log ends within a record.
func nodeStarts(log []byte, d *decoder) (starts map[string]int, text, ok bool) {
	starts = map[string]int{}
	for line := range bytes.Lines(log) {
		var s nodeStart
		if err := json.Unmarshal(line, &s); err != nil || !bytes.HasSuffix(line, []byte("\n")) {
			return nil, false, false
		}
		if s.Text {
			text = true
			continue
		}
		d.start(node{})
		d.trace.Interprets = true
		starts[fmt.Sprintf("%d/%d", s.PID, s.Thread)]++
		if s.Thread == 0 && s.File != "" {
			if f := d.file(node{isTypeScript(s.File)}, s.File, s.Dir); f != nil {
				f.met.Main = true
			}
		}
	}
	return starts, text, true
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
		case c.Maps[s.URL] != nil || !s.covers(f.script.Unit(f.script.Size)):
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
	if name == ".bin" {
		return "" // programs of all packages, mostly links to files in theirs
	}
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
		if sweep.executed(f.script.Unit(st.From), f.script.Unit(st.To)) {
			f.hit[st] = true
		}
	}
	sweep = rangeSweep{ranges: ranges}
	for _, body := range slices.Sorted(maps.Keys(f.script.Bodies)) {
		at := f.script.Unit(body) - 1 // the body of an arrow function may begin with another function
		if sweep.executed(at, at) {
			f.functions[f.script.Bodies[body].Key] = true
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
func (l node) Parse(src []byte) (*script.Script, error) { return javascript.Script(src, l.typed) }
