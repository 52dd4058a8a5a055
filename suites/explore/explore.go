// Package explore finds inputs that make a hook decide. It makes interpreters log what they compare the
// input with, derives the next inputs from that, and tells which decisions of a script were reached.
//
// The method is known from fuzzing as input-to-state correspondence: a value that is part of the input,
// or contains it, is compared with a text or a pattern, so an input in which a matching text replaces
// it passes the comparison.
package explore

import (
	"bytes"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/depend/trace"
)

// An Op is how a value is compared with a pattern.
type Op string

// The ways of comparing. Regexp has the syntax of Perl, Python or JavaScript, Extended that of POSIX, which
// bash has, and Basic that of grep and sed without -E.
const (
	Equal    Op = "=="
	Prefix   Op = "prefix"
	Suffix   Op = "suffix"
	Contains Op = "contains"
	Glob     Op = "glob"
	Regexp   Op = "regexp"
	Extended Op = "extended"
	Basic    Op = "basic"
)

// What is logged in the form of a comparison: that a field of the payload, the value, is read; and the error
// of a statement, the pattern, that a hook caught or whose message it discarded.
const (
	reading Op = "read"
	failing Op = "error"
)

// A Comparison is one that a hook made. Value is "" if it is not known, as of what grep reads.
type Comparison struct {
	File    string // as the interpreter names it; "" for a command without a file
	Line    int    // from 1
	Op      Op
	Value   string
	Pattern string
}

// A Record is what one firing was seen to do.
type Record struct {
	Comparisons []Comparison   // in order, each once
	Reads       []FieldRead    // in order, each once
	Errors      []Failure      // that the hook caught or whose messages it may have discarded
	shell       []command      // of bash, in order
	unknown     []fromStdin    // comparisons of bash whose value its log does not show
	began       map[place]bool // statements of Python
	covered     []covered      // of Node, by file and process
	inline      []inline       // code of Python
}

// A FieldRead is a read of a field of the payload, whether or not it was sent.
type FieldRead struct {
	File  string
	Line  int
	Field Field
}

// A Failure is an error in a statement of a hook.
type Failure struct {
	File string
	Line int
	What string
}

// statements returns the places that were reached: of bash without columns, and of Node the parts of code
// that V8 counts, by their limits in place of line and column.
func (r *Record) statements() (all []place) {
	for _, c := range r.shell {
		word, _, _ := strings.Cut(c.text, " ")
		word, _, _ = strings.Cut(word, "=")
		all = append(all, place{file: c.file, line: c.line, word: word})
	}
	for p := range r.began {
		all = append(all, p)
	}
	for _, c := range r.covered {
		for _, s := range c.spans {
			if s.Count > 0 {
				all = append(all, place{file: c.file, line: s.From, column: s.To, word: counted})
			}
		}
	}
	return all
}

// Files returns the files whose statements a firing ran, as the interpreter names them.
func (r *Record) Files() (all []string) {
	for _, p := range r.statements() {
		if !slices.Contains(all, p.file) {
			all = append(all, p.file)
		}
	}
	return all
}

// A place is where a statement begins; columns count from 0. Of bash it has the first word in place of the column.
type place struct {
	file         string
	line, column int
	word         string
}

// counted is the word of a part of code that V8 counts.
const counted = "\x00"

// languages observe the comparisons of scripts, each with files in a directory of its own.
var languages = []struct {
	name   string
	start  func(dir string, env []string) suites.Tracing
	decode func(r *Record, logs map[string][]byte)
}{
	{"bash", startBash, (*Record).bash},
	{"python", startPython, (*Record).python},
	{"node", startNode, (*Record).node},
}

const logName = "log"

// Start returns how to observe a firing with files in dir. env is the environment of the hook.
func Start(dir string, env []string) (all suites.Tracing) {
	for _, l := range languages {
		trace.Add(&all, l.name, l.start(filepath.Join(dir, l.name), env))
	}
	return all
}

// Read returns what the logs of a firing show. The files of its project, which was at root, are named from
// there, because each firing may have a copy of its own, and a search compares firings.
func Read(logs map[string][]byte, root string) *Record {
	r := &Record{began: map[place]bool{}}
	for _, l := range languages {
		l.decode(r, trace.LogsOf(l.name, logs))
	}
	if root != "" {
		r.nameFrom(root + "/")
	}
	return r
}

// nameFrom removes the directory of the project from the names of files.
func (r *Record) nameFrom(root string) {
	cut := func(file *string) { *file = strings.TrimPrefix(*file, root) }
	for i := range r.Comparisons {
		cut(&r.Comparisons[i].File)
	}
	for i := range r.Reads {
		cut(&r.Reads[i].File)
	}
	for i := range r.Errors {
		cut(&r.Errors[i].File)
	}
	for i := range r.shell {
		cut(&r.shell[i].file)
	}
	for i := range r.unknown {
		cut(&r.unknown[i].File)
	}
	for i := range r.covered {
		cut(&r.covered[i].file)
	}
	began := map[place]bool{}
	for p := range r.began {
		cut(&p.file)
		began[p] = true
	}
	r.began = began
}

// Observes reports whether the firings of a script can be observed.
func Observes(file string, src []byte) bool { return trace.LanguageOf(file, src) != nil }

// Keep removes what other files did, such as a program's launcher and what observes the firing itself.
func (r *Record) Keep(own func(file string) bool) {
	r.shell = slices.DeleteFunc(r.shell, func(c command) bool { return !own(c.file) })
	r.covered = slices.DeleteFunc(r.covered, func(c covered) bool { return !own(c.file) })
	maps.DeleteFunc(r.began, func(p place, _ bool) bool { return !own(p.file) })
	r.Reads = slices.DeleteFunc(r.Reads, func(f FieldRead) bool { return !own(f.File) })
	r.Errors = slices.DeleteFunc(r.Errors, func(f Failure) bool { return !own(f.File) })
	r.Comparisons = slices.DeleteFunc(r.Comparisons, func(c Comparison) bool { return !own(c.File) })
}

func (r *Record) add(c Comparison) {
	switch c.Op {
	case reading:
		if read := (FieldRead{c.File, c.Line, Field(c.Value)}); !slices.Contains(r.Reads, read) {
			r.Reads = append(r.Reads, read)
		}
		return
	case failing:
		r.Errors = append(r.Errors, Failure{c.File, c.Line, c.Pattern})
		return
	}
	if c.Pattern != "" && !slices.Contains(r.Comparisons, c) {
		r.Comparisons = append(r.Comparisons, c)
	}
}

// Resolve adds the comparisons of a script that its text shows and no log, and gives those of code that it contains
// their place.
func (r *Record) Resolve(file string, src []byte) {
	language := trace.LanguageOf(file, src)
	switch {
	case language == nil:
	case language.Name() == "bash":
		r.cases(file, src)
		r.place(file, src)
	case language.Name() == "python":
		r.literals(file, src, arm())
	default:
		r.literals(file, src, equality())
	}
}

// LogsAccesses is a variable with which a firing of Node logs where it uses files, too, for Last.
const LogsAccesses = "HOOKWATCH_ACCESSES"

// Last returns the place in a script to which a firing came last, FILE:LINE; "" if it is not known. If that started
// another script, which was observed, it is in the other one.
func Last(logs map[string][]byte, scripts []string) (place string) {
	for _, l := range languages {
		for entry := range bytes.SplitSeq(bytes.ReplaceAll(trace.LogsOf(l.name, logs)[logName], []byte{0}, []byte(commandMark)), []byte(commandMark)) {
			f := strings.Split(string(entry), "\x1f")
			for _, s := range scripts {
				if len(f) > 2 && Same(f[1], s) {
					place = s + ":" + f[2]
				}
			}
		}
	}
	return place
}
