package payload

import (
	"cmp"
	"encoding/json"
)

// An Input says what a payload is about. Every field but Event has a
// neutral default, so that the zero value of the rest gives a plausible payload.
type Input struct {
	Event          string
	Tool           string          // for tool events; default Bash
	Command        string          // tool_input.command
	FilePath       string          // tool_input.file_path (notebook_path for NotebookEdit), or the event's own file
	Text           string          // what a tool writes, looks for or asks, where it takes a text
	ToolInput      json.RawMessage // replaces the tool_input made from the above
	ToolResponse   json.RawMessage // replaces the tool_response made for the tool
	SessionID      string
	TranscriptPath string
	Cwd            string
	Prompt         string
	PermissionMode string // default "default"
	Value          string // what the matcher is compared with, where it is not the tool: source, trigger, reason, agent type, ...
	AgentID        string // inside a subagent
	AgentType      string
	LastMessage    string // last_assistant_message
	StopHookActive bool
	Over           json.RawMessage // an object that is laid over what is made of the above; null leaves a field out
	Override       json.RawMessage // a full object, sent as it is instead of everything above
}

// text is the text that a tool takes; usual where none is given.
func (in Input) text(usual string) string { return cmp.Or(in.Text, usual) }

// file is the file that a tool is about, when one must be named.
func (in Input) file() string { return cmp.Or(in.FilePath, in.Cwd+"/example.txt") }
