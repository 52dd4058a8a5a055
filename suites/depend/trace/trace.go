// Package trace records the commands that one run of a case executed. It makes bash log every
// command before it runs, and turns the log into the set of statements that were reached. A
// statement is identified by its place in the syntax tree and its text and not by its line, so a
// trace remains valid if other places of the file are edited. Only hashes are kept, neither the
// text of commands nor the values of variables.
package trace

import (
	"maps"
	"path"
	"slices"
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
}

// Form changes whenever the same script gets other statements or keys, or more of them belong in a
// trace. A trace with another Form cannot be used.
const Form = 1

// Carry returns a trace that is valid for new content of a file, after an edit that does not
// affect it. If the trace is for content other than before, Carry returns it unchanged. The
// trace itself is not modified.
func (t *Trace) Carry(file, before, after string) *Trace {
	met := t.Files[file]
	if met == nil || met.Digest != before {
		return t
	}
	moved := *met
	moved.Digest = after
	next := *t
	next.Files = maps.Clone(t.Files)
	next.Files[file] = &moved
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
