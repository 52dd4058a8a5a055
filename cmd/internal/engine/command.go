package engine

import (
	"hookwatch/cmd/internal/notify"
	"hookwatch/suites"
)

// A Command is what a person at the keyboard asks of a watching engine.
type Command interface{ command() }

// A Deed is a command that needs no more than its name.
type Deed int

// The deeds.
const (
	RunAll Deed = iota + 1
	RunFailed
	RunAgain // the last selection
	Cancel   // the run in progress
	Quit
)

// Matching runs the cases that it lets through.
type Matching func(c *suites.Case) bool

// A Show hands the view what a person asks of it. Done, if there is one, is closed
// once the view has seen it.
type Show struct {
	Event notify.Event
	Done  chan<- struct{}
}

// Failures asks the view to go so many of the present failures on.
type Failures struct{ By int }

// Typed shows the pattern of a filter while it is typed, and how many cases it would
// let through.
type Typed struct {
	By      notify.FilterBy
	Pattern string
	Lets    Matching
}

// A Halt lets nothing run from when Still is closed until Go is: the program is about
// to be stopped, and the time that a case is given would run on.
type Halt struct {
	Still chan<- struct{}
	Go    <-chan struct{}
}

func (Deed) command()     {}
func (Matching) command() {}
func (Show) command()     {}
func (Failures) command() {}
func (Typed) command()    {}
func (Halt) command()     {}
