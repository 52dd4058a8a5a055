// Package trace records the commands that one run of a case executed, and determines whether an edit
// of a script can change the outcome of such a run. It makes interpreters log what they run, and turns
// the logs into the set of statements that were reached. Only hashes are written to disk, neither the text of
// commands nor the values of variables.
package trace

import (
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/depend/script"
)

// A Trace describes the code that one case executed.
type Trace struct {
	// Form is the constant of that name in the version of hookwatch that made the trace.
	Form int `json:"form,omitempty"`
	// Files maps slash paths from the project's root (absolute outside it) to the bash files in
	// which any command ran.
	Files map[string]*Met `json:"files,omitempty"`
	// Words are all words of the reached statements. If a function is added or removed, they
	// show whether a statement could have called it.
	Words Set `json:"words,omitempty"`
	// Names are the names and patterns of files that statements use other than by sourcing or
	// running them; "*" may be any file.
	Names []string `json:"names,omitempty"`
	// Dynamic reports whether commands ran whose names are in no file.
	Dynamic bool `json:"dynamic,omitempty"`
	// Shows reports whether the text of functions was printed that cannot be identified.
	Shows bool `json:"shows,omitempty"`
	// Shown are the names of functions whose text was printed.
	Shown Set `json:"shown,omitempty"`
	// Exported are the names of functions whose text was in the environment of programs. If a
	// bash ran one of them, that is traced too.
	Exported Set `json:"exported,omitempty"`
	// Environment reports whether a program may have read its whole environment.
	Environment bool `json:"environment,omitempty"`
	// Starts reports whether a program ran that may have started shells itself.
	Starts bool `json:"starts,omitempty"`
	// Interprets reports whether a program in another language ran, which may have read any
	// data.
	Interprets bool `json:"interprets,omitempty"`
	// Traced are the languages in which the run was traced, but for bash, and Started those of them
	// in which an interpreter started.
	Traced  []string `json:"traced,omitempty"`
	Started []string `json:"started,omitempty"`
	// Hidden are the languages of which the case may have run code without a trace.
	Hidden []string `json:"hidden,omitempty"`
	// Lines reports whether the output contains line numbers, as bash's errors do.
	Lines bool `json:"lines,omitempty"`
	// Opaque describes a part that the trace cannot see; "" if there is none.
	Opaque string `json:"opaque,omitempty"`
	// Incomplete is the reason why events may be missing; "" if none are.
	Incomplete string `json:"incomplete,omitempty"`
	// Observed are the paths that the processes of the case used; nil if they were not observed
	// or the record of them is not complete.
	Observed *Observed `json:"observed,omitempty"`
}

// A Met describes the parts of one file that were reached.
type Met struct {
	Digest     string `json:"digest"`               // of the content that was executed
	Statements Set    `json:"statements,omitempty"` // keys of statements
	Functions  Set    `json:"functions,omitempty"`  // names of functions that were entered
	Main       bool   `json:"main,omitempty"`       // bash was started on it
	Whole      string `json:"whole,omitempty"`      // why the whole file counts as reached; "" if it does not
	Text       string `json:"text,omitempty"`       // why even its comments and lines matter; "" if they do not
	// Values are those that comparisons in statements had, nil for an evaluation of which they are not known.
	// They may contain secrets, so they stay in memory.
	Values map[evaluated][]Values `json:"-"`
}

// Form changes whenever the same script gets other statements or keys, or more of them belong in a
// trace. A trace with another Form cannot be used.
const Form = 1

// Carry returns a trace that is valid for the new content of a file, after edits that do not
// affect it. If the trace is for content other than the old one, Carry returns it unchanged. The
// trace itself is not modified.
func (t *Trace) Carry(e *Edits) *Trace {
	met := t.Files[e.Path]
	if met == nil || met.Digest != e.Old {
		return t
	}
	moved := met.after(e.List)
	moved.Digest = e.New
	next := *t
	next.Files = maps.Clone(t.Files)
	next.Files[e.Path] = &moved
	return &next
}

// Blind returns the reason why the trace may not cover everything that the case executed, "" if
// it covers all.
func (t *Trace) Blind() string {
	switch {
	case t.Incomplete != "":
		return "the trace is not complete: " + t.Incomplete
	case t.Opaque != "":
		return "the trace does not see everything: " + t.Opaque
	default:
		return ""
	}
}

// ShowsFunction reports whether the text of a function may have been printed, or read by a
// program that reads its whole environment.
func (t *Trace) ShowsFunction(name string) bool {
	key := WordKey(name)
	return t.Shows || t.Shown.Has(key) || (t.Environment || t.Dynamic) && t.Exported.Has(key)
}

// Uses reports whether a reached statement uses a file with this name other than by sourcing or
// running it, and returns the name or pattern that it uses.
func (t *Trace) Uses(file string) (string, bool) {
	base := path.Base(file)
	i := slices.IndexFunc(t.Names, func(pattern string) bool {
		ok, err := path.Match(pattern, base)
		return ok || err != nil
	})
	if i < 0 {
		return "", false
	}
	return t.Names[i], true
}

// A Language traces scripts of one programming language. A new one has a parser in a package of its
// own that returns a script.Script, implements this interface here by the methods of decoder, and is
// added to languages; nothing else distinguishes languages.
type Language interface {
	// Name is the language's name in messages, such as "bash". It also names the directory of its
	// files in a traced run.
	Name() string
	// Recognises reports whether an interpreter of the language may run a file, by its path and
	// first line.
	Recognises(file string, content []byte) bool
	// Start returns how to trace a run with files in dir. env is the environment of the hooks.
	Start(dir string, env []string) suites.Tracing
	// Decode adds the logs of a run, by their path in the directory of Start, to d.
	Decode(logs map[string][]byte, d *decoder)
	// Parse divides a script into statements. Errors are those of a parser, with a line.
	Parse(src []byte) (*script.Script, error)
	// Unseen returns the reason why the case of a trace may have run a file, given its interpreter
	// line, without a record of it, "" if it cannot. met is nil if there is no record at all.
	Unseen(shebang string, met *Met, t *Trace) string
}

// languages lists all languages. The first also parses files that none recognises, because shells
// can source files with any name.
var languages = []Language{bash{}, python{}, node{}, node{typed: true}}

// traces reports whether the run of a trace was traced in a language, so that a file without a record
// was not executed by it. Traces of earlier versions are of bash alone.
func traces(t *Trace, l Language) bool {
	return l == languages[0] || slices.Contains(t.Traced, l.Name())
}

// LanguageOf returns the language of a file, nil if none recognises it.
func LanguageOf(file string, content []byte) Language {
	for _, l := range languages {
		if l.Recognises(file, content) {
			return l
		}
	}
	return nil
}

// Parse divides a file into statements.
func Parse(file string, src []byte) (*script.Script, error) {
	l := LanguageOf(file, src)
	if l == nil {
		l = languages[0]
	}
	return l.Parse(src)
}

// Start returns how to trace a run in all languages. Each has a directory of its own in dir.
func Start(dir string, env []string) (all suites.Tracing) {
	for _, l := range languages {
		Add(&all, l.Name(), l.Start(filepath.Join(dir, l.Name()), env))
	}
	return all
}

// Add adds a way of tracing, with its files in a directory.
func Add(all *suites.Tracing, dir string, t suites.Tracing) {
	if all.Files == nil {
		all.Files, all.Set = map[string]string{}, map[string]string{}
	}
	for name, content := range t.Files {
		all.Files[dir+"/"+name] = content
	}
	for _, name := range t.Logs {
		all.Logs = append(all.Logs, dir+"/"+name)
	}
	maps.Copy(all.Set, t.Set)
}

// LogsOf returns the logs in a directory, by the name that its way of tracing gave them.
func LogsOf(dir string, logs map[string][]byte) map[string][]byte {
	own := map[string][]byte{}
	for name, content := range logs {
		if rest, ok := strings.CutPrefix(name, dir+"/"); ok {
			own[rest] = content
		}
	}
	return own
}

// Preload returns the variables by which Python loads the sitecustomize module of a directory and Node a file of it
// first, before what an environment names.
func Preload(dir, file string, env []string) map[string]string {
	quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(filepath.Join(dir, file))
	set := map[string]string{"PYTHONPATH": dir, "NODE_OPTIONS": `--require "` + quoted + `"`}
	for name, joined := range map[string]string{"PYTHONPATH": string(filepath.ListSeparator), "NODE_OPTIONS": " "} {
		if theirs := ValueOf(env, name); theirs != "" {
			set[name] += joined + theirs
		}
	}
	return set
}
