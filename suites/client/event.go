package client

import (
	"bytes"
	"encoding/json"
	"path"
	"strings"

	"hookwatch/suites"
)

// An Event is a moment at which the client runs hooks, and what it makes of their
// outputs there.
type Event struct {
	Name string
	// MatchedOn is the stdin field that a matcher is compared with; FileChanged
	// compares the base name of it. Empty: the matcher is ignored and every hook
	// of the event runs.
	MatchedOn string
	// Tool tells that the payload names a tool and that an entry's `if` is looked at.
	Tool bool
	// Since is the first observed version that has the event; empty for all.
	Since Version

	// Exit2 is what exit code 2 does, and a JSON decision block with it.
	Exit2 suites.Effect
	// Exit2On are the versions on which Exit2 was observed; none: documented.
	Exit2On []Version
	// Failure is what a failure does where the entry's onFailure is block; empty: what
	// exit code 2 does.
	Failure suites.Effect
	// Told is how the model is told of a no; empty: it is not.
	Told string
	// Plain is what the model is told of text on stdout; empty: nothing.
	Plain string
	// Proceeds is what happens if no hook keeps it from happening; empty: the session goes on.
	Proceeds string
	// Reports is how the model is told what became of each hook; empty: it is not.
	Reports string
	// Halt is what continue:false does; empty: not known.
	Halt suites.Effect

	IgnoresBlock     bool // decision block has no effect beside Exit2
	AnyFailure       bool // whatever does not exit 0 fails what the event is about
	TimeoutBlocks    bool // a time-out is a no; documented
	PassesOtherName  bool // exit code 2 is dropped with JSON that names another event
	PardonsNoScript  bool // exit code 2 of an interpreter without its script is no no
	IgnoresOnFailure bool // the entry key onFailure has no effect
	KeepsExit2       bool // 2.1.197 heeds exit code 2 beside JSON that names another event
	NeedsSettings    bool // a plugin's hooks run only if a settings file has hooks of such an event, too
	LosesContext     bool // additionalContext is accepted and reaches nobody
}

// The ways in which the model is told.
const (
	asError    = "{label} hook error: {text}"
	asReminder = `{label} hook blocking error from command: "{command}": {text}`
	asStop     = "Stop hook feedback:\n{text}"
	asFeedback = "{event} hook feedback:\n{text}"
	asFailed   = "{event} [{command}] failed: {text}"
	asBroken   = "{event} hook failed: {command}: {text}"
	asContext  = "{event} hook additional context: {text}"
	asSuccess  = "{label} hook success: {text}"
	asItIs     = "{text}"
)

// The ways in which the client tells the model what became of each hook, in the output of
// a command that the person gave; observed on clients 2.1.197 and 2.1.330.
const (
	ofCompact = "{event} [{command}] {text}"    // of /compact: every hook that says something
	ofModel   = "{event} hook {label} failed: " // of /model: those that fail
)

// Known reports whether a client of version v has the event.
func (e Event) Known(v Version) bool { return v.Since(e.Since) }

// MatcherValue is what a matcher is compared with for this payload; "" when the
// event ignores matchers or the payload has no such field.
func (e Event) MatcherValue(payload []byte) string {
	if e.MatchedOn == "" {
		return ""
	}
	value := field(payload, e.MatchedOn)
	if e.Name == "FileChanged" {
		return path.Base(strings.ReplaceAll(value, `\`, "/"))
	}
	return value
}

// field is a text in a JSON object; "" where there is none. What comes after it is not
// read: the client writes what matchers look at before a tool's input, which may be large.
func field(object []byte, name string) (text string) {
	in := json.NewDecoder(bytes.NewReader(object))
	if open, err := in.Token(); err != nil || open != json.Delim('{') {
		return ""
	}
	for in.More() {
		key, err := in.Token()
		if err != nil {
			return ""
		}
		var value json.RawMessage
		if in.Decode(&value) != nil {
			return ""
		}
		if key == name {
			_ = json.Unmarshal(value, &text) // no text is none
			return text
		}
	}
	return ""
}
