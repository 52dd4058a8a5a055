package session

import (
	"strings"

	"hookwatch/suites"
)

// The events below are requests of the user to the view, made with keys.

// Help asks a view for users to list the keys.
type Help struct{}

// A Key is a key of a watching session.
type Key struct {
	Key   string
	Short string // for the last line; "" if it is not shown there
	Does  string
}

// Keys lists the keys, the most used first.
func Keys() []Key {
	return []Key{
		{"?", "help", "show this; h does the same"},
		{"q", "quit", "end the session; so does Ctrl-C"},
		{"a", "all", "run all cases, and drop the filter"},
		{"f", "failed", "run the cases that fail now"},
		{"Enter", "again", "run the last selection again"},
		{"t", "name", "type a part of a name or ID: run those cases, and show only them"},
		{"p", "file", "type a part of a file: the same for its hook or its suite"},
		{"g", "prove", "search for ways around the guard saved last; later saves that open one are reported"},
		{"n N", "next", "show the next failure, the one before; so do the arrows down and up"},
		{"v", "whole", "show the whole output of failures, or its first and last lines"},
		{"e E", "edit", "open the hook of the failure shown last, or its case, in $VISUAL or $EDITOR"},
		{"o", "", "show only failures, or all cases again"},
		{"Esc", "", "cancel the run; leave what is being typed; drop the filter"},
		{"c", "", "clear the screen"},
		{"Ctrl-Z", "", "stop; fg goes on, with what was saved meanwhile"},
	}
}

// A FilterBy is the kind of text that a filter matches.
type FilterBy string

// Filters match a case's IDs and name, or its hook and the place of its definition.
const (
	ByName FilterBy = "name"
	ByFile FilterBy = "file"
)

// A CaseFilter selects cases by a part of their names or files, ignoring case. The zero value
// selects all.
type CaseFilter struct {
	By      FilterBy
	Pattern string
}

// Lets reports whether the filter selects a case, by its key, name, hook and place.
func (f CaseFilter) Lets(k suites.Key, name, hook, at string) bool {
	texts := []string{k.String(), name}
	if f.By == ByFile {
		texts = []string{hook, at}
	}
	for _, t := range texts {
		if strings.Contains(strings.ToLower(t), strings.ToLower(f.Pattern)) {
			return true
		}
	}
	return false
}

// Typing is a filter that the user is still typing, and the number of cases it would select.
type Typing struct {
	By      FilterBy
	Pattern string
	Cases   int
}

// Filtered sets the filter and ends its typing.
type Filtered struct{ Filter CaseFilter }

// Untyped ends the typing of a filter, which remains unchanged.
type Untyped struct{}

// OnlyFailures toggles whether only failures are shown.
type OnlyFailures struct{}

// Whole toggles whether the whole output of failures is shown.
type Whole struct{}

// ShowFailure moves by a number of present failures, and shows the one reached.
type ShowFailure struct {
	Failed []suites.Key // in the order of the cases
	By     int
}

// Clear clears the screen.
type Clear struct{}

// A Place is a line of a file; line 0 is none in particular.
type Place struct {
	File string // absolute
	Line int
}

// Edit asks for the place of the failure shown last: its hook's, or its case's. The view writes
// it to At and, if there is one, lends the terminal.
type Edit struct {
	Case bool
	At   *Place
}

// Suspended reports that another program uses the terminal; Resumed, that the view has it again.
type (
	Suspended struct{}
	Resumed   struct{}
)

func (Help) event()         {}
func (Typing) event()       {}
func (Filtered) event()     {}
func (Untyped) event()      {}
func (OnlyFailures) event() {}
func (Whole) event()        {}
func (ShowFailure) event()  {}
func (Clear) event()        {}
func (Edit) event()         {}
func (Suspended) event()    {}
func (Resumed) event()      {}
