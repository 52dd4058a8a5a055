// Package mutate breaks scripts on purpose, one place at a time. The operators of a language find
// the places in the syntax of the script; whether tests notice the result is measured elsewhere.
package mutate

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"hookwatch/suites/depend/script"
	"hookwatch/suites/depend/trace"
)

// Operators are the names of the operators that break the behaviour of a script, in the order of
// reports: a statement is deleted, a condition negated, an exit status, a return value or a constant
// changed, an operator swapped, a line printed, an alternative or an element of a list dropped.
var Operators = []string{"delete", "negate", "exit", "constant", "swap", "print", "arm"}

// A Mutant is a file with one edit.
type Mutant struct {
	Operator, File, What string
	Line, Column         int // of the edit, from 1; columns count bytes
	Original, Content    []byte
	Change               Change
	First                []byte // of a second edit: the text before the first; nil for others
}

// Before returns the content of the project's file.
func (m Mutant) Before() []byte {
	if m.First != nil {
		return m.First
	}
	return m.Original
}

func (m Mutant) String() string { return fmt.Sprintf("%s:%d %s", m.File, m.Line, m.What) }

// Diff returns the lines of the edit before and after it, each on one line.
func (m Mutant) Diff() (before, after string) {
	from := bytes.LastIndexByte(m.Original[:m.Change.From], '\n') + 1
	rest := len(m.Original)
	if i := bytes.IndexByte(m.Original[m.Change.To:], '\n'); i >= 0 {
		rest = m.Change.To + i
	}
	return oneLine(string(m.Original[from:rest])), oneLine(string(m.Original[from:m.Change.From]) + m.Change.With + string(m.Original[m.Change.To:rest]))
}

// oneLine joins the lines of a text and shortens it.
func oneLine(text string) string {
	const most = 120
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "..."
	}
	return text
}

// A Change is one edit of a text: With replaces the bytes from From to To.
type Change struct {
	From, To int
	With     string
	What     string
}

func (c Change) mutant(operator, file string, text []byte) Mutant {
	head := text[:c.From]
	return Mutant{
		Operator: operator, File: file, What: c.What, Original: text, Content: slices.Concat(text[:c.From], []byte(c.With), text[c.To:]), Change: c,
		Line: 1 + bytes.Count(head, []byte("\n")), Column: c.From - bytes.LastIndexByte(head, '\n'),
	}
}

// A Script is a source file that can be broken. A language implements it and is added to languages.
type Script interface {
	// Path returns the file, from the project's root.
	Path() string
	// Changes returns the edits of an operator, none if the language does not have the operator.
	Changes(operator string) []Change
	// Mutant returns the file with a change. ok is false if the language rejects the result, or if
	// it means the same.
	Mutant(operator string, c Change) (m Mutant, ok bool)
	// Function returns the name of the innermost function at an offset, "" at top level.
	Function(offset int) string
}

// changesBy returns the edits of an operator, none if there is no such operator.
func changesBy[S Script](operators map[string]func(S) []Change, operator string, s S) []Change {
	if of := operators[operator]; of != nil {
		return of(s)
	}
	return nil
}

// languages are the languages with operators, by the name of the language that traces them. What is
// drawn at random depends on the seed only.
var languages = map[string]func(file string, text []byte, seed uint64) (Script, error){
	"bash":   func(file string, text []byte, seed uint64) (Script, error) { return NewSource(file, text, seed) },
	"node":   newJavaScript,
	"python": newPython,
}

// NewScript parses a script in its language.
func NewScript(file string, text []byte, seed uint64) (Script, error) {
	l := trace.LanguageOf(file, text)
	if l == nil || languages[l.Name()] == nil {
		return nil, fmt.Errorf("%s: no operators for its language", file)
	}
	return languages[l.Name()](file, text, seed)
}

// A parsed is a script with the properties that all languages share.
type parsed struct {
	file   string
	text   []byte
	script *script.Script
}

func parseScript(file string, text []byte) (parsed, error) {
	script, err := trace.Parse(file, text)
	return parsed{file, text, script}, err
}

// Path implements Script.
func (p parsed) Path() string { return p.file }

// Mutant implements Script.
func (p parsed) Mutant(operator string, c Change) (Mutant, bool) {
	m := c.mutant(operator, p.file, p.text)
	edited, err := trace.Parse(p.file, m.Content)
	if err != nil || bytes.Equal(m.Content, p.text) || (edited.Structure == p.script.Structure) != Cosmetic[operator] {
		return Mutant{}, false
	}
	return m, true
}

// Function implements Script.
func (p parsed) Function(offset int) (name string) {
	line := 1 + bytes.Count(p.text[:offset], []byte("\n"))
	for _, f := range p.script.Functions {
		if f.Start < line && line <= f.End {
			name = f.Name
		}
	}
	return name
}

func (p parsed) at(from, to int) string { return string(p.text[from:to]) }

// Cosmetic are the operators that change nothing that an interpreter executes.
var Cosmetic = map[string]bool{"comment": true, "blank": true, "indent": true, "key-space": true}

func short(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > 40 {
		return text[:40] + "..."
	}
	return text
}

// lineStart reports whether only white space precedes an offset on its line, and the line before
// does not continue on it.
func lineStart(text []byte, at int) bool {
	head := text[:at]
	nl := bytes.LastIndexByte(head, '\n')
	return len(bytes.TrimSpace(head[nl+1:])) == 0 && !bytes.HasSuffix(bytes.TrimRight(head[:max(nl, 0)], " \t"), []byte("\\"))
}

// An Identity names a mutant as long as the function that it is in is the same. It has no line
// numbers, and does not depend on other functions.
type Identity struct {
	File     string `json:"file" yaml:"file"`
	Function string `json:"function,omitempty" yaml:"function,omitempty"` // "" at top level
	Operator string `json:"operator" yaml:"operator"`
	Change   string `json:"change" yaml:"change"`
	Nth      int    `json:"nth,omitempty" yaml:"nth,omitempty"` // of those that would be equal; 0 for the first
}

func (id Identity) String() string {
	text := fmt.Sprintf("%s %s %s: %s", id.File, cmp.Or(id.Function, "(top level)"), id.Operator, id.Change)
	if id.Nth > 0 {
		text += fmt.Sprintf(" (%d)", id.Nth)
	}
	return text
}

// order is the place of the identity in a sample. It depends only on the seed, so that an edit
// elsewhere does not draw another sample.
func (id Identity) order(seed uint64) uint64 {
	h := fnv.New64a()
	_ = binary.Write(h, binary.LittleEndian, seed)
	h.Write([]byte(id.String()))
	x := h.Sum64() // fnv alone would keep texts with a common end together
	x = (x ^ x>>33) * 0xff51afd7ed558ccd
	x = (x ^ x>>33) * 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

// A Subject is a mutant with its identity.
type Subject struct {
	Mutant
	ID Identity
}

// subjects returns all mutants of a script by an operator.
func subjects(s Script, operator string) (list []Subject) {
	edits := s.Changes(operator)
	slices.SortStableFunc(edits, func(a, b Change) int { return a.From - b.From })
	seen := map[Identity]int{}
	for _, edit := range edits {
		m, ok := s.Mutant(operator, edit)
		if !ok {
			continue
		}
		id := Identity{File: s.Path(), Function: s.Function(edit.From), Operator: operator, Change: edit.What}
		seen[id]++
		if n := seen[id]; n > 1 {
			id.Nth = n
		}
		list = append(list, Subject{m, id})
	}
	return list
}

// All returns the mutants of a script, a list for each of the operators. A text that two of them
// make counts for the first.
func All(s Script, operators []string) (all [][]Subject) {
	made := map[string]bool{}
	for _, op := range operators {
		all = append(all, dropMade(subjects(s, op), made))
	}
	return all
}

// dropMade returns the mutants whose text is not among those already made, and adds theirs.
func dropMade(list []Subject, made map[string]bool) []Subject {
	return slices.DeleteFunc(list, func(m Subject) bool {
		text := string(m.Content)
		was := made[text]
		made[text] = true
		return was
	})
}

// Sample returns at most so many of each list, in an order by the seed, one of each list after the
// other, so that the first ones are of all lists; 0 means all.
func Sample(lists [][]Subject, seed uint64, most int) []Subject {
	drawn := make([][]Subject, len(lists))
	for i, list := range lists {
		drawn[i] = sample(list, seed, most)
	}
	return Interleave(drawn)
}

func sample(all []Subject, seed uint64, most int) []Subject {
	list := slices.Clone(all)
	slices.SortFunc(list, func(a, b Subject) int {
		return cmp.Or(cmp.Compare(a.ID.order(seed), b.ID.order(seed)), strings.Compare(a.ID.String(), b.ID.String()))
	})
	if most > 0 && len(list) > most {
		list = list[:most]
	}
	return list
}

// Interleave returns one element of each list after the other.
func Interleave[T any](lists [][]T) (all []T) {
	for i := 0; ; i++ {
		found := false
		for _, list := range lists {
			if i < len(list) {
				all, found = append(all, list[i]), true
			}
		}
		if !found {
			return all
		}
	}
}
