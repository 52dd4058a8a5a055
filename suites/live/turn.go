// Package live is what hookwatch knows of a session with the real client, without
// touching one: what the scripted model answers, what the client prints, which
// turns a case needs, and what all of it amounts to. It is pure; run carries it out.
package live

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"hookwatch/suites/client"
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

func (e *NotLiveError) Error() string { return "not live: " + e.Why }

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

// given are the fields of a payload that a case may say and the client then sends,
// or sends in its own way.
var given = []string{
	"session_id", "transcript_path", "cwd", "hook_event_name", "prompt_id", "permission_mode", "effort", "tool_use_id",
	"tool_name", "tool_input", "prompt", "source", "trigger", "custom_instructions", "reason", "agent_type",
	"last_assistant_message", "stop_hook_active", "to_model", "requested_model",
	"expansion_type", "command_name", "command_args", "command_source",
	"task_subject", "task_description", "file_path", "mcp_server_name", "directory", "notification_type",
}

// NewTurn makes the turn of a step, or says in a NotLiveError why there is none.
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
	for _, name := range sorted(saidFields(s.Whole)) {
		if !slices.Contains(given, name) {
			return Turn{}, notLive("its payload says %s, which the client itself decides", name)
		}
	}
	t := Turn{Event: s.Event, Value: s.Value, Nested: s.Nested}
	return t, errors.Join(way.fire(&t, s, p))
}

func sorted(m map[string]json.RawMessage) []string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Settings makes a settings file of registered hooks and of variables.
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
	return encoded(settings)
}

func fields(e client.Entry) map[string]any {
	f := map[string]any{"type": "command"}
	set := func(name, value string) {
		if value != "" {
			f[name] = value
		}
	}
	set("type", e.Type)
	set("command", e.Command)
	set("url", e.URL)
	set("prompt", e.Prompt)
	set("server", e.Server)
	set("tool", e.Tool)
	set("if", e.If)
	set("shell", e.Shell)
	set("onFailure", e.OnFailure)
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

// Rooted is the command of an entry that finds its script in root, and runs there,
// wherever the client's own project is.
func Rooted(e client.Entry, root string) string {
	if e.Args != nil || e.Command == "" {
		return e.Command
	}
	in := strings.NewReplacer("${CLAUDE_PROJECT_DIR}", root, "$CLAUDE_PROJECT_DIR", root).Replace(e.Command)
	return "cd '" + strings.ReplaceAll(root, "'", `'\''`) + "' && " + in
}
