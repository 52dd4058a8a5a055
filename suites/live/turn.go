// Package live models a session with the real client without running one: the answers of the
// scripted model, the output of the client, the turns that a case needs, and the effects that they
// prove. It is pure; package run executes it.
package live

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"hookwatch/suites/client"
)

// Program is the name of the client's program.
const Program = "claude"

// Install describes how the user gets the client.
const Install = "npm install -g @anthropic-ai/claude-code, or live.client"

// A Call is a tool call that the model makes.
type Call struct {
	Tool   string
	Input  json.RawMessage
	Tested bool // the call that the case tests; others only prepare it
}

// A Reply is one answer of the model: text, parallel calls, or an error.
type Reply struct {
	Delay  time.Duration // before the answer
	Text   string
	Calls  []Call
	Status int // of an HTTP error; 0 is none
}

// A Turn is the client's part in one step of a case.
type Turn struct {
	Event string
	Value string // the value compared with a matcher; "" if the event ignores matchers

	Place    []File   // in addition to the step's fixtures
	Flags    []string // flags of the client's start, in a first turn
	Prompts  []string // the user's messages, in order
	Adds     string   // a directory that the client is asked to add after the first of them
	Main     []Reply
	Subagent []Reply
	Nested   []Reply // to a client that a hook starts
	Allow    bool    // the tested call may run if the client asks
	From     int     // the index of the first prompt after which the model can be sent words of the event's hooks
	Again    bool    // no turn of its own: the event fires once more in the one before
}

// A File is content at a path.
type File struct{ Path, Content string }

// A Step is a step in the form that a hook run directly would get.
type Step struct {
	Event string
	Value string
	Sent  []byte          // the stdin of such a hook
	Whole json.RawMessage // the part of it that the case itself sets
	Raw   bool            // it is not a payload of the client
	First bool            // of its case
	// Nested are the model's answers to a client that a hook starts.
	Nested []Reply
	// File returns the current content of a file.
	File func(path string) (content string, exists bool)
}

// A NotLiveError is the reason why the client cannot be made to fire a step.
type NotLiveError struct{ Why string }

func (e *NotLiveError) Error() string { return "not live: " + e.Why }

func notLive(format string, args ...any) error {
	return &NotLiveError{fmt.Sprintf(format, args...)}
}

// ownFields returns the fields of a payload that a case itself sets.
func ownFields(whole json.RawMessage) (fields map[string]json.RawMessage) {
	if len(whole) == 0 || json.Unmarshal(whole, &fields) != nil {
		return nil
	}
	return fields
}

// payload are the fields of a hook's stdin that determine how its event is triggered.
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

// goOn is the user's message if its text does not matter.
const goOn = "go on"

// given are the fields of a payload that a case may set, and that the client then sends, perhaps in
// its own form.
var given = []string{
	"session_id", "transcript_path", "cwd", "hook_event_name", "prompt_id", "permission_mode", "effort", "tool_use_id",
	"tool_name", "tool_input", "prompt", "source", "trigger", "custom_instructions", "reason", "agent_type",
	"last_assistant_message", "stop_hook_active", "to_model", "requested_model",
	"expansion_type", "command_name", "command_args", "command_source",
	"task_subject", "task_description", "file_path", "mcp_server_name", "directory", "notification_type",
}

// NewTurn returns the turn of a step, or a NotLiveError if there is none.
func NewTurn(s Step) (Turn, error) {
	if s.Raw {
		return Turn{}, notLive("its stdin is given as it is, which the client never sends")
	}
	way := WayTo(s.Event)
	if way.Why != "" {
		return Turn{}, notLive("%s", way.Why)
	}
	var p payload
	if err := json.Unmarshal(s.Sent, &p); err != nil {
		return Turn{}, notLive("its payload is none that the client sends: %v", err)
	}
	for _, name := range slices.Sorted(maps.Keys(ownFields(s.Whole))) {
		if !slices.Contains(given, name) {
			return Turn{}, notLive("its payload says %s, which the client itself decides", name)
		}
	}
	t := Turn{Event: s.Event, Value: s.Value, Nested: s.Nested}
	return t, errors.Join(way.fire(&t, s, p))
}

// Settings returns a settings file with registered hooks and variables.
func Settings(entries []client.Entry, env map[string]string) []byte {
	type group struct {
		Matcher string           `json:"matcher,omitempty"`
		Hooks   []map[string]any `json:"hooks"`
	}
	hooks := make(map[string][]group)
	for _, e := range entries {
		hooks[e.Event] = append(hooks[e.Event], group{e.Matcher, []map[string]any{fields(e)}})
	}
	settings := map[string]any{"hooks": hooks}
	if len(env) > 0 {
		settings["env"] = env
	}
	return encode(settings)
}

func fields(e client.Entry) map[string]any {
	f := map[string]any{"type": cmp.Or(e.Type, "command")}
	for name, value := range map[string]string{
		"command": e.Command, "url": e.URL, "prompt": e.Prompt, "server": e.Server, "tool": e.Tool,
		"if": e.If, "shell": e.Shell, "onFailure": e.OnFailure,
	} {
		if value != "" {
			f[name] = value
		}
	}
	if e.Args != nil {
		f["args"] = e.Args
	}
	if e.Timeout > 0 {
		f["timeout"] = e.Timeout.Seconds()
	}
	for name, on := range map[string]bool{"async": e.Async, "asyncRewake": e.AsyncRewake, "once": e.Once, "continueOnBlock": e.ContinueOnBlock} {
		if on {
			f[name] = true
		}
	}
	return f
}

// RootCommand returns the command of an entry, changed to run in root and to find its script there,
// because the client's own project may be elsewhere.
func RootCommand(e client.Entry, root string) string {
	if e.Args != nil || e.Command == "" {
		return e.Command
	}
	in := strings.NewReplacer("${CLAUDE_PROJECT_DIR}", root, "$CLAUDE_PROJECT_DIR", root).Replace(e.Command)
	return "cd " + quote(root) + " && " + in
}
