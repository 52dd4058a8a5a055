package mutants

import (
	"fmt"

	"hookwatch/suites/depend/trace"
)

// A Script is a source file that mutants are made of.
type Script interface {
	// Path is the file, from the project's root.
	Path() string
	// Changes gives the edits that an operator can make, none for operators that the language
	// does not have.
	Changes(operator string) []Change
	// Mutant is the file with the change, and whether it is one.
	Mutant(operator string, c Change) (Mutant, bool)
}

// byLanguage has the operators of each language that is traced, by its name.
var byLanguage = map[string]func(file string, text []byte, seed uint64) (Script, error){
	"bash":   func(file string, text []byte, seed uint64) (Script, error) { return NewSource(file, text, seed) },
	"node":   newJavaScript,
	"python": newPython,
}

// NewScript parses a script in its language.
func NewScript(file string, text []byte, seed uint64) (Script, error) {
	l := trace.LanguageOf(file, text)
	if l == nil || byLanguage[l.Name()] == nil {
		return nil, fmt.Errorf("%s: no operators for its language", file)
	}
	return byLanguage[l.Name()](file, text, seed)
}

// Path implements Script.
func (s *Source) Path() string { return s.File }

// Changes implements Script.
func (s *Source) Changes(operator string) []Change {
	if of := Operators[operator]; of != nil {
		return of(s)
	}
	return nil
}
