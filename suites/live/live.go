// Package live is what hookwatch knows of a session with the real client, without
// touching one: what the scripted model answers, what the client prints, which
// turns a case needs, and what all of it amounts to. It is pure; run carries it out.
package live

import (
	"encoding/json"
	"time"
)

// Program is the name of the client's program.
const Program = "claude"

// Install says how a person gets the client.
const Install = "npm install -g @anthropic-ai/claude-code, or live.client"

// A Call is a tool call that the model makes.
type Call struct {
	Tool   string
	Input  json.RawMessage
	Tested bool // the one that a case is about; others only prepare it
}

// A Reply is one answer of the model: text, calls made side by side, or an error.
type Reply struct {
	Delay  time.Duration // before it comes
	Text   string
	Calls  []Call
	Status int // of an HTTP error; 0 is none
}
