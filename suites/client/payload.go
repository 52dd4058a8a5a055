package client

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Payload returns the client's input to a hook on stdin: one JSON object on one line that ends in a
// newline, its fields in the client's order. It returns an error for unknown events and for invalid
// raw JSON.
func Payload(in PayloadInput) ([]byte, error) {
	if len(bytes.TrimSpace(in.Override)) > 0 {
		return readOverride(in.Override)
	}
	event, ok := EventByName(in.Event)
	if !ok {
		return nil, fmt.Errorf("payload: the client has no event %q; names are case-sensitive, as in PreToolUse", in.Event)
	}
	if event.fields == nil {
		return nil, fmt.Errorf("payload: the fields of %s are not known", in.Event)
	}
	in = in.addDefaults(event)
	fields, err := append(commonFields(in, event), event.fields(in)...).under(in.Over)
	if err != nil {
		return nil, fmt.Errorf("payload of %s: %w", in.Event, err)
	}
	var line bytes.Buffer
	if err := fields.write(&line); err != nil {
		return nil, fmt.Errorf("payload of %s: %w", in.Event, err)
	}
	line.WriteByte('\n')
	return line.Bytes(), nil
}

func readOverride(raw json.RawMessage) ([]byte, error) {
	var line bytes.Buffer
	if err := json.Compact(&line, raw); err != nil {
		return nil, fmt.Errorf("payload: not valid JSON: %w", err)
	}
	if line.Bytes()[0] != '{' {
		return nil, errors.New("payload: a full payload must be a JSON object")
	}
	line.WriteByte('\n')
	return line.Bytes(), nil
}

func (in PayloadInput) addDefaults(event Event) PayloadInput {
	fill := func(field *string, value string) {
		if *field == "" {
			*field = value
		}
	}
	fill(&in.SessionID, "5e551011-0000-4000-8000-000000000001")
	fill(&in.Cwd, "/home/user/project")
	fill(&in.TranscriptPath, "/home/user/.claude/projects/project/"+in.SessionID+".jsonl")
	fill(&in.PermissionMode, "default")
	fill(&in.Prompt, "say hello")
	fill(&in.LastMessage, "done")
	fill(&in.Value, event.Usual)
	fill(&in.Tool, "Bash") // events without a tool do not use it
	if event.MatchedOn == agentType {
		fill(&in.AgentID, "a0000000000000001")
		fill(&in.AgentType, in.Value)
	}
	return in
}

// UsualMatcher returns a value that the client was observed to send in the field that matchers of
// an event are compared with; "" if that is the tool, or if there is none.
func UsualMatcher(event string) string {
	about, _ := EventByName(event)
	return about.Usual
}

// agentType is the field that matchers of a subagent's own events are compared with.
const agentType = "agent_type"

func commonFields(in PayloadInput, event Event) object {
	fields := object{
		{"session_id", in.SessionID},
		{"transcript_path", in.TranscriptPath},
		{"cwd", in.Cwd},
	}
	if !event.beforeID {
		fields = append(fields, payloadField{"prompt_id", "5e551011-0000-4000-8000-000000000002"})
	}
	if event.withMode {
		fields = append(fields, payloadField{"permission_mode", in.PermissionMode})
	}
	if in.AgentID != "" {
		fields = append(fields, payloadField{"agent_id", in.AgentID}, payloadField{agentType, in.AgentType})
	}
	if event.Effort {
		fields = append(fields, payloadField{"effort", object{{"level", "high"}}})
	}
	return append(fields, payloadField{"hook_event_name", in.Event})
}

// Varying are the fields of a payload that differ between equal calls, each with a value to keep in
// place of the client's; "" if Payload sets one.
var Varying = map[string]string{
	"session_id": "", "transcript_path": "", "prompt_id": "", "tool_use_id": "", "duration_ms": "", "turn_id": "", "message_id": "",
	"agent_transcript_path": "", "agent_id": "a0000000000000001",
}

const toolUseID = "toolu_0001"

// toolFields returns the fields of every tool event. mcp_server was observed on client 2.1.332, for
// tools of MCP servers; its source is where the server is configured, as project or dynamic.
func toolFields(in PayloadInput) object {
	fields := object{{"tool_name", in.Tool}, {"tool_input", toolInput(in)}}
	if words := strings.SplitN(in.Tool, "__", 3); words[0] == "mcp" && len(words) == 3 {
		fields = append(fields, payloadField{"mcp_server", object{{"name", words[1]}, {"source", "project"}}})
	}
	return fields
}

func expansionFields(in PayloadInput) object {
	prompt := "/" + in.Value
	arguments := ""
	if after, found := strings.CutPrefix(in.Prompt, prompt); found {
		prompt, arguments = in.Prompt, strings.TrimSpace(after)
	}
	return object{
		{"expansion_type", "slash_command"}, {"command_name", in.Value}, {"command_args", arguments},
		{"command_source", "projectSettings"}, {"prompt", prompt},
	}
}

// skillShellFields are those of a line that a skill or a command runs before the model is asked;
// observed on client 2.1.332.
func skillShellFields(in PayloadInput) object {
	return object{
		{"tool_name", in.Tool}, {"tool_input", object{{"command", cmp.Or(in.Command, "echo hello")}}}, {"tool_use_id", toolUseID},
		{"command_name", "example"}, {"command_source", "projectSettings"}, {"invoked_by", "user"},
	}
}

// permissionRequestFields has no tool_use_id; observed on client 2.1.197.
func permissionRequestFields(in PayloadInput) object {
	rule := object{{"toolName", in.Tool}}
	if in.Command != "" {
		rule = append(rule, payloadField{"ruleContent", in.Command})
	}
	suggestion := object{
		{"type", "addRules"}, {"rules", list{rule}}, {"behavior", "allow"}, {"destination", "localSettings"},
	}
	return append(toolFields(in), payloadField{"permission_suggestions", list{suggestion}})
}

func subagentStopFields(in PayloadInput) object {
	transcript := strings.TrimSuffix(in.TranscriptPath, ".jsonl") + "/subagents/agent-" + in.AgentID + ".jsonl"
	return append(object{{"stop_hook_active", in.StopHookActive}, {"agent_transcript_path", transcript}}, turnEndFields(in)...)
}

func turnEndFields(in PayloadInput) object {
	return object{{"last_assistant_message", in.LastMessage}, {"background_tasks", list{}}, {"session_crons", list{}}}
}

func taskFields(PayloadInput) object {
	return object{{"task_id", "1"}, {"task_subject", "example"}, {"task_description", "an example"}}
}

func elicitationFields(in PayloadInput) object {
	schema := object{
		{"type", "object"},
		{"properties", object{{"name", object{{"type", "string"}}}}},
		{"required", list{"name"}},
	}
	return object{{"mcp_server_name", in.Value}, {"message", "your name?"}, {"mode", "form"}, {"requested_schema", schema}}
}

func messageDisplayFields(in PayloadInput) object {
	return object{
		{"turn_id", "5e551011-0000-4000-8000-000000000003"}, {"message_id", "5e551011-0000-4000-8000-000000000004"},
		{"index", 0}, {"final", true}, {"delta", in.LastMessage},
	}
}

func modelSwitchFields(in PayloadInput) object {
	return object{
		{"from_model", "claude-opus-5-5"}, {"to_model", in.Value}, {"requested_model", "haiku"}, {"source", "command"},
		{"context_tokens", 10}, {"prompt_cache_warm", true}, {"cache_ttl", "5m"},
		{"estimated_cache_write_usd", 0}, {"pricing", "catalog"},
	}
}

// MatchedValue returns the value that the event's matchers are compared with: the event's field of
// the payload, or else the tool's name.
func MatchedValue(event, tool string, stdin []byte) string {
	about, ok := EventByName(event)
	if !ok {
		return ""
	}
	return cmp.Or(about.MatcherValue(stdin), tool)
}
