package live

import (
	"encoding/json"
	"fmt"

	"hookwatch/suites"
)

// A Turn is what one step of a case has the client do.
type Turn struct {
	Event string
	Value string // what a matcher is compared with; "" where the event ignores them

	Place    []File   // beside the step's fixtures
	Flags    []string // with which the client starts, in a first turn
	Prompts  []string // what the user says, one after the other
	Adds     string   // a directory that the client is told to work in, too, after the first of them
	Main     []Reply
	Subagent []Reply
	Nested   []Reply // to a client that a hook starts
	Allow    bool    // the call that the step is about is let run when the client asks
	From     int     // the first prompt after which the model can be sent words of the event's hooks
	Again    bool    // no turn of its own: the event fires once more in the one before
	AtEnd    bool    // the end of the session is what it is about
}

// A File is content at a path.
type File struct{ Path, Content string }

// A Step is a step as it would be sent to a hook that is run directly.
type Step struct {
	Event string
	Value string
	Sent  []byte          // what such a hook would get on stdin
	Whole json.RawMessage // what of it the case itself says
	Raw   bool            // it is no payload of the client's
	First bool            // of its case
	// Nested is what the model answers a client that a hook starts.
	Nested []Reply
	// File is what a file holds by now.
	File func(path string) (content string, exists bool)
}

// A NotLiveError says why the client cannot be brought to fire a step.
type NotLiveError struct{ Why string }

func (e *NotLiveError) Error() string { return suites.NoteNotLive + e.Why }

func notLive(format string, args ...any) error {
	return &NotLiveError{fmt.Sprintf(format, args...)}
}

// saidFields are the fields of a payload that a case itself says.
func saidFields(whole json.RawMessage) (fields map[string]json.RawMessage) {
	if len(whole) == 0 || json.Unmarshal(whole, &fields) != nil {
		return nil
	}
	return fields
}

// payload is what of a hook's stdin says how its event comes about.
type payload struct {
	Tool           string          `json:"tool_name"`
	Input          json.RawMessage `json:"tool_input"`
	Prompt         string          `json:"prompt"`
	Source         string          `json:"source"`
	Trigger        string          `json:"trigger"`
	Instructions   string          `json:"custom_instructions"`
	Reason         string          `json:"reason"`
	AgentType      string          `json:"agent_type"`
	LastMessage    string          `json:"last_assistant_message"`
	StopHookActive bool            `json:"stop_hook_active"`
	To             string          `json:"to_model"`
	Name           string          `json:"command_name"`
	Arguments      string          `json:"command_args"`
	Calls          []struct {
		Tool  string          `json:"tool_name"`
		Input json.RawMessage `json:"tool_input"`
	} `json:"tool_calls"`
	Subject     string `json:"task_subject"`
	Description string `json:"task_description"`
	File        string `json:"file_path"`
	Server      string `json:"mcp_server_name"`
	Directory   string `json:"directory"`
	Notice      string `json:"notification_type"`
	Cwd         string `json:"cwd"`
}

// goOn is what the user says where it does not matter.
const goOn = "go on"
