// Package trace knows what one run of a case executed: it makes bash write
// down every command that it is about to run, and turns what bash wrote into
// the set of statements that were reached. A statement is known by its place in
// the syntax tree and its text, never by its line, so a trace stays true when
// other places of the file are edited. Only hashes are kept: neither the text
// of commands nor the value of any variable.
package trace

import (
	"maps"
	"path"
	"slices"
)

// A Trace is what one case executed.
type Trace struct {
	// Files holds, by slash path from the project's root (absolute outside it),
	// the bash files of which any command was run.
	Files map[string]*Met `json:"files,omitempty"`
	// Words are all words of the statements that were met, so that a function
	// that appears or goes can be looked for among what could have called it.
	Words Set `json:"words,omitempty"`
	// Names are the names and patterns of files that statements use otherwise
	// than by sourcing or running them; "*" may be any file.
	Names []string `json:"names,omitempty"`
	// Dynamic tells that commands were run whose names stand in no file.
	Dynamic bool `json:"dynamic,omitempty"`
	// Shows tells that the text of functions was printed, which may have been any.
	Shows bool `json:"shows,omitempty"`
	// Shown are the names of functions whose text was.
	Shown Set `json:"shown,omitempty"`
	// Exported are the names of functions whose text was in the environment of
	// programs. A bash that ran one is traced itself.
	Exported Set `json:"exported,omitempty"`
	// Environment tells that a program may have looked at all of its environment.
	Environment bool `json:"environment,omitempty"`
	// Starts tells that a program was run that may have started shells of its own.
	Starts bool `json:"starts,omitempty"`
	// Interprets tells that a program in another language was run, which may have
	// read any data.
	Interprets bool `json:"interprets,omitempty"`
	// Lines tells that the output names line numbers, as bash's own errors do.
	Lines bool `json:"lines,omitempty"`
	// Opaque says what the trace cannot see into; "" when there is nothing.
	Opaque string `json:"opaque,omitempty"`
	// Incomplete says why events may be missing; "" when none are.
	Incomplete string `json:"incomplete,omitempty"`
}

// A Met is what was met of one file.
type Met struct {
	Digest     string `json:"digest"`               // of the content that this holds for
	Statements Set    `json:"statements,omitempty"` // keys of statements
	Functions  Set    `json:"functions,omitempty"`  // names of functions that were entered
	Main       bool   `json:"main,omitempty"`       // bash was started on it
	Whole      string `json:"whole,omitempty"`      // why all of the file counts as met; "" when not
}

// Carry makes the trace hold for another content of a file, as is right when
// the edit between the two was found not to affect it. Other content than the
// one before the edit is left alone. The trace itself is not changed.
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

// Blind says why the trace may not tell of everything that the case came
// through, "" when it does.
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

// ShowsFunction reports whether the text of a function may have been printed, or
// seen by a program that looks at all of its environment.
func (t *Trace) ShowsFunction(name string) bool {
	key := WordKey(name)
	return t.Shows || t.Shown.Has(key) || (t.Environment || t.Dynamic) && t.Exported.Has(key)
}

// Uses reports whether a met statement uses a file of this name otherwise than
// by sourcing or running it, and by what name.
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
