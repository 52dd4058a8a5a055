package client

import (
	"strings"

	"hookwatch/suites"
)

// A call is one output on its way to a reading.
type call struct {
	version Version
	event   Event
	in      Output
	form    form
	output  map[string]any // nil unless form is document or asyncMore
	nested  map[string]any // hookSpecificOutput
	matched string
}

func (c call) cause(kind Kind) Cause {
	return Cause{Kind: kind, Event: c.event.Name, Exit: c.in.Exit, Signal: c.in.Signal, Version: c.version}
}

func (c call) reading(effect suites.Effect, kind Kind) Reading {
	return Reading{Effect: effect, Cause: c.cause(kind)}
}

func (c call) ignored(kind Kind) Reading { return c.reading(suites.Ignored, kind) }

func (c call) proceeds(kind Kind) Reading { return c.reading(suites.Proceeds, kind) }

// exited reports whether the hook is a program that ended with this exit code.
func (c call) exited(code int) bool {
	return c.in.Signal == "" && c.in.Exit == code && c.in.Entry.Type != "http" && !c.asksModel()
}

func (c call) exit2() bool { return c.exited(2) }

// asksModel reports whether the hook is a question to a model.
func (c call) asksModel() bool { return c.in.Entry.Type == "prompt" || c.in.Entry.Type == "agent" }

// failed reports whether the hook did not come to a good end.
func (c call) failed() bool {
	if c.in.NotStarted != "" || c.in.Signal != "" || c.in.TimedOut {
		return true
	}
	if c.in.Entry.Type == "http" {
		return c.in.Exit != 0 && (c.in.Exit < 200 || c.in.Exit > 299)
	}
	return c.in.Exit != 0
}

// failuresBlock reports whether the entry has failures count as exit code 2.
func (c call) failuresBlock() bool {
	background := c.in.Entry.Async || c.in.Entry.AsyncRewake
	return c.in.Entry.OnFailure == "block" && !c.event.IgnoresOnFailure && !background && !c.asksModel() && !c.version.old()
}

// label names the hook as the client does to the model: "PreToolUse:Bash".
func (c call) label() string {
	if c.matched == "" || c.event.MatchedOn == "" {
		return c.event.Name
	}
	return c.event.Name + ":" + c.matched
}

// tells is a text with what the client puts around it; nothing without a way to
// tell it.
func (c call) tells(way, text string) []string {
	switch {
	case way == "":
		return nil
	case way == asFailed, way == asBroken: // the command stands in it already
		text = strings.TrimPrefix(text, "["+c.in.Entry.Command+"]: ")
	}
	return []string{strings.NewReplacer(
		"{label}", c.label(), "{event}", c.event.Name, "{command}", c.in.Entry.Command, "{text}", text,
	).Replace(way)}
}

// of is what the hook said of a key of hookSpecificOutput, as far as the client
// knows the key for this event.
func (c call) of(key string) any {
	if _, known := fieldNamed(SpecificFields(c.version, c.event.Name), key); !known {
		return nil
	}
	return c.nested[key]
}

func (c call) textOf(key string) string {
	text, _ := c.of(key).(string)
	return text
}

func withContext(reading Reading, texts ...string) Reading {
	reading.Context = append(reading.Context, texts...)
	reading.ModelSees = append(reading.ModelSees, texts...)
	return reading
}

func nonEmpty(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}
