package compare

import (
	"fmt"
	"regexp"

	"hookwatch/suites"
)

// A Change is a call that the sides of a hook treat otherwise.
type Change struct {
	Hook     string        `json:"hook"`
	Event    string        `json:"event"`
	At       string        `json:"at"`
	What     string        `json:"what"`
	Input    string        `json:"input"`
	Case     string        `json:"case,omitempty"`
	Base     Answer        `json:"base"`
	Head     Answer        `json:"head"`
	Together suites.Effect `json:"together,omitempty"` // of all hooks, if another one decides on both sides

	Call  *Call           `json:"-"`
	Runs  [4]Seen         `json:"-"` // two of the base and two of the head
	Place suites.Position `json:"-"` // of the script, or of the registration of a command without one
}

// An Answer is what a hook did, and the client's reaction.
type Answer struct {
	Effect  suites.Effect `json:"effect"`
	Because string        `json:"because"`
	Sees    string        `json:"model_sees,omitempty"`
	Rewrite string        `json:"rewrite,omitempty"`
	Output  string        `json:"output,omitempty"`
	Wrote   string        `json:"wrote,omitempty"`
}

// decides reports whether a call is let through or stopped that was not before.
func (c Change) decides() bool { return c.What == NewlyAllowed || c.What == NewlyBlocked }

// onlyNumbers reports whether only numbers differ.
func (c Change) onlyNumbers() bool {
	text := func(s Seen) string { return digits.ReplaceAllString(fmt.Sprintf("%+v", s), "0") }
	return text(c.Runs[0]) == text(c.Runs[2])
}

var digits = regexp.MustCompile(`\d+`)

// answer returns what a hook did with a call as it is reported.
func (c *Call) answer(s Seen) Answer {
	if show := c.Shown; show != nil {
		s.Because, s.Sees, s.Rewrite, s.Output, s.Wrote = show(s.Because), show(s.Sees), show(s.Rewrite), show(s.Output), show(s.Wrote)
	}
	return Answer{s.Effect, s.Because, s.Sees, s.Rewrite, s.Output, s.Wrote}
}

// What changed.
const (
	NewlyAllowed = "newly_allowed"
	NewlyBlocked = "newly_blocked"
	Rewrite      = "rewrite"
	Message      = "message"
	Effect       = "effect"
	Files        = "files"
	Output       = "output" // that the client drops
)

// Whats are the kinds of changes, the most important first.
var Whats = []string{NewlyAllowed, NewlyBlocked, Rewrite, Message, Effect, Files, Output}

// WhatOf compares two effects: it returns "" if they are the same.
func WhatOf(base, head suites.Effect) string {
	b, h := Seen{Effect: base}, Seen{Effect: head}
	return what([4]Seen{b, b, h, h})
}

// what compares two runs of the base with two of the head.
func what(runs [4]Seen) string {
	steady := func(of func(Seen) string) bool {
		b, h := of(runs[0]), of(runs[2])
		return b == of(runs[1]) && h == of(runs[3]) && b != h
	}
	text := func(of func(Seen) string) bool {
		return steady(of) || Different([4]string{of(runs[0]), of(runs[1]), of(runs[2]), of(runs[3])})
	}
	switch rank := func(s Seen) string { return fmt.Sprint(s.rank()) }; {
	case steady(rank) && runs[0].rank() > runs[2].rank():
		return NewlyAllowed
	case steady(rank) && runs[2].rank() > 1: // otherwise it is only no longer allowed without a prompt
		return NewlyBlocked
	case text(func(s Seen) string { return s.Rewrite }):
		return Rewrite
	case text(func(s Seen) string { return s.Sees }):
		return Message
	case steady(func(s Seen) string { return string(s.Effect) }):
		return Effect
	case text(func(s Seen) string { return s.Wrote }):
		return Files
	case text(func(s Seen) string { return s.Output }):
		return Output
	}
	return ""
}

var textParts = regexp.MustCompile(`\w+|\s+|.`)

// Different reports whether two runs of the base and two of the head differ in words that are equal
// in both runs of either. Runs of one side with different numbers of words cannot be compared.
func Different(texts [4]string) bool {
	var words [4][]string
	for i, t := range texts {
		words[i] = textParts.FindAllString(t, -1)
	}
	base, head := words[:2], words[2:]
	switch {
	case len(base[0]) != len(base[1]) || len(head[0]) != len(head[1]):
		return false
	case len(base[0]) != len(head[0]):
		return true
	}
	for i := range base[0] {
		if base[0][i] == base[1][i] && head[0][i] == head[1][i] && base[0][i] != head[0][i] {
			return true
		}
	}
	return false
}
