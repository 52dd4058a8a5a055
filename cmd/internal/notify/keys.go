package notify

import (
	"strings"

	"hookwatch/suites"
)

// The events below are what the user asks of the view by keys.

// Help asks a view for users to list the keys.
type Help struct{}

// A Key is one that a watching session listens to.
type Key struct {
	Key   string
	Short string // for the last line; "" where there is no room for it
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
		{"t", "name", "type a part of a name or ID: run those cases, and tell only of them"},
		{"p", "file", "type a part of a file: the same for its hook or its suite"},
		{"n N", "next", "show the next failure, the one before; so do the arrows down and up"},
		{"v", "whole", "show the whole output of failures, or its first and last lines"},
		{"e E", "edit", "open the hook of the failure shown last, or its case, in $VISUAL or $EDITOR"},
		{"o", "", "tell only of failures, or of all again"},
		{"Esc", "", "cancel the run; leave what is being typed; drop the filter"},
		{"c", "", "clear the screen"},
		{"Ctrl-Z", "", "stop; fg goes on, with what was saved meanwhile"},
	}
}

// A FilterBy is the text that a filter looks at.
type FilterBy string

// What filters look at: a case's IDs and name, or its hook and where it is defined.
const (
	ByName FilterBy = "name"
	ByFile FilterBy = "file"
)

// A Filter lets cases through by a part of their names or files, in any case of
// letters. The zero value lets all through.
type Filter struct {
	By      FilterBy
	Pattern string
}

// Lets reports whether a case is let through, by its key, name, hook and place.
func (f Filter) Lets(k suites.Key, name, hook, at string) bool {
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

// Typing is a filter that the user is still typing, and how many cases it would let
// through.
type Typing struct {
	By      FilterBy
	Pattern string
	Cases   int
}

// Filtered sets the filter, and ends the typing of it.
type Filtered struct{ Filter Filter }

// Untyped ends the typing of a filter, which stays what it was.
type Untyped struct{}

// OnlyFailures turns all but failures off, or on again.
type OnlyFailures struct{}

// Whole turns the whole output of failures on, or off again.
type Whole struct{}

// Look goes so many of the present failures on, and shows the one that is reached.
type Look struct {
	Failed []suites.Key // in the order of the cases
	By     int
}

// Clear empties the screen.
type Clear struct{}

// A Place is a line of a file; 0 is none in particular.
type Place struct {
	File string // absolute
	Line int
}

// Edit asks for the place of the failure that was shown last: its hook's, or its
// case's. The view writes it to At, and lends the terminal where there is one.
type Edit struct {
	Case bool
	At   *Place
}

// Lent says that the terminal is another program's for a while; Returned, that it is
// the view's again.
type (
	Lent     struct{}
	Returned struct{}
)

func (Help) event()         {}
func (Typing) event()       {}
func (Filtered) event()     {}
func (Untyped) event()      {}
func (OnlyFailures) event() {}
func (Whole) event()        {}
func (Look) event()         {}
func (Clear) event()        {}
func (Edit) event()         {}
func (Lent) event()         {}
func (Returned) event()     {}
