package client

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"
)

// Payload makes what the client writes to a hook's stdin: one JSON object on one
// line that ends in a newline, its fields in the client's order. It fails for an
// event that the client does not have and for raw JSON that is not valid.
func Payload(in PayloadInput) ([]byte, error) {
	if len(bytes.TrimSpace(in.Override)) > 0 {
		return overridden(in.Override)
	}
	event, ok := EventByName(in.Event)
	if !ok {
		return nil, fmt.Errorf("payload: the client has no event %q; names are case-sensitive, as in PreToolUse", in.Event)
	}
	in = in.withDefaults(event)
	fields, err := append(commonFields(in), eventFields[event.Name](in)...).under(in.Over)
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

func overridden(raw json.RawMessage) ([]byte, error) {
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

func (in PayloadInput) withDefaults(event Event) PayloadInput {
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
	fill(&in.Value, matcherDefaults[event.Name])
	if event.Tool || event.Name == "PostToolBatch" {
		fill(&in.Tool, "Bash")
	}
	if event.Name == "SubagentStart" || event.Name == "SubagentStop" {
		fill(&in.AgentID, "a0000000000000001")
		fill(&in.AgentType, in.Value)
	}
	return in
}

// UsualMatcher is a value that the client was seen to send in the field which matchers of an
// event are compared with; "" where that is the tool, or nothing.
func UsualMatcher(event string) string { return matcherDefaults[event] }

// matcherDefaults are values that the client was seen to send, by event;
// DirectoryAdded's was not captured.
var matcherDefaults = map[string]string{
	"SessionStart":        "startup",
	"Setup":               "init",
	"InstructionsLoaded":  "session_start",
	"UserPromptExpansion": "greet",
	"SubagentStart":       "general-purpose",
	"SubagentStop":        "general-purpose",
	"StopFailure":         "unknown",
	"PreCompact":          "manual",
	"PostCompact":         "manual",
	"Notification":        "elicitation_response",
	"Elicitation":         "demo",
	"ElicitationResult":   "demo",
	"ConfigChange":        "local_settings",
	"SessionEnd":          "other",
	"DirectoryAdded":      "register_repo_root",
	"PreModelSwitch":      "claude-haiku-5-5",
	"PostModelSwitch":     "claude-haiku-5-5",
}

// Which of the common fields an event carries; observed.
var (
	beforeFirstPrompt = set("SessionStart", "Setup", "InstructionsLoaded")
	withMode          = set("UserPromptSubmit", "UserPromptExpansion", "PreToolUse", "PermissionRequest", "PermissionDenied",
		"PostToolUse", "PostToolUseFailure", "PostToolBatch", "Stop", "SubagentStop")
	withEffort = set("PreToolUse", "PermissionRequest", "PermissionDenied", "PostToolUse", "PostToolUseFailure",
		"PostToolBatch", "Stop", "StopFailure", "SubagentStop")
)

func set(names ...string) map[string]bool {
	in := make(map[string]bool, len(names))
	for _, name := range names {
		in[name] = true
	}
	return in
}

func commonFields(in PayloadInput) object {
	fields := object{
		{"session_id", in.SessionID},
		{"transcript_path", in.TranscriptPath},
		{"cwd", in.Cwd},
	}
	if !beforeFirstPrompt[in.Event] {
		fields = append(fields, payloadField{"prompt_id", "5e551011-0000-4000-8000-000000000002"})
	}
	if withMode[in.Event] {
		fields = append(fields, payloadField{"permission_mode", in.PermissionMode})
	}
	if in.AgentID != "" {
		fields = append(fields, payloadField{"agent_id", in.AgentID}, payloadField{"agent_type", in.AgentType})
	}
	if withEffort[in.Event] {
		fields = append(fields, payloadField{"effort", object{{"level", "high"}}})
	}
	return append(fields, payloadField{"hook_event_name", in.Event})
}

// eventFields makes the fields that an event adds to the common ones, in the
// client's order. TeammateIdle is from the schema of 2.1.197, for it was never seen
// to fire; the others were captured from running clients.
var eventFields = map[string]func(PayloadInput) object{
	"SessionStart": func(in PayloadInput) object { return object{{"source", in.Value}} },
	"Setup":        func(in PayloadInput) object { return object{{"trigger", in.Value}} },
	"InstructionsLoaded": func(in PayloadInput) object {
		return object{{"file_path", in.Cwd + "/CLAUDE.md"}, {"memory_type", "Project"}, {"load_reason", in.Value}}
	},
	"UserPromptSubmit":    func(in PayloadInput) object { return object{{"prompt", in.Prompt}} },
	"UserPromptExpansion": expansionFields,
	"PreToolUse": func(in PayloadInput) object {
		return append(toolFields(in), payloadField{"tool_use_id", toolUseID})
	},
	"PermissionRequest":  permissionRequestFields,
	"PermissionDenied":   permissionDeniedFields,
	"PostToolUse":        postToolUseFields,
	"PostToolUseFailure": postToolUseFailureFields,
	"PostToolBatch":      postToolBatchFields,
	"SubagentStart":      func(PayloadInput) object { return nil },
	"SubagentStop":       subagentStopFields,
	"TaskCreated":        taskFields,
	"TaskCompleted":      taskFields,
	"Stop": func(in PayloadInput) object {
		return append(object{{"stop_hook_active", in.StopHookActive}}, turnEndFields(in)...)
	},
	"StopFailure": func(in PayloadInput) object {
		return object{{"error", in.Value}, {"last_assistant_message", in.LastMessage}}
	},
	"PreCompact": func(in PayloadInput) object {
		return object{{"trigger", in.Value}, {"custom_instructions", "keep names"}}
	},
	"PostCompact": func(in PayloadInput) object {
		return object{{"trigger", in.Value}, {"compact_summary", in.LastMessage}}
	},
	"Notification": func(in PayloadInput) object {
		return object{{"message", in.LastMessage}, {"notification_type", in.Value}}
	},
	"Elicitation": elicitationFields,
	"ElicitationResult": func(in PayloadInput) object {
		return object{{"mcp_server_name", in.Value}, {"mode", "form"}, {"action", "cancel"}}
	},
	"ConfigChange": func(in PayloadInput) object {
		return object{{"source", in.Value}, {"file_path", in.Cwd + "/.claude/settings.local.json"}}
	},
	"CwdChanged": func(in PayloadInput) object {
		return object{{"old_cwd", path.Dir(in.Cwd)}, {"new_cwd", in.Cwd}}
	},
	"FileChanged": func(in PayloadInput) object {
		return object{{"file_path", in.file()}, {"event", "change"}}
	},
	"WorktreeCreate": func(PayloadInput) object { return object{{"name", "example"}} },
	"WorktreeRemove": func(in PayloadInput) object { return object{{"worktree_path", in.Cwd}} },
	"MessageDisplay": func(in PayloadInput) object {
		return object{
			{"turn_id", "5e551011-0000-4000-8000-000000000003"}, {"message_id", "5e551011-0000-4000-8000-000000000004"},
			{"index", 0}, {"final", true}, {"delta", in.LastMessage},
		}
	},
	"SessionEnd":      func(in PayloadInput) object { return object{{"reason", in.Value}} },
	"PreModelSwitch":  modelSwitchFields,
	"PostModelSwitch": modelSwitchFields,
	"DirectoryAdded": func(in PayloadInput) object {
		return object{{"directory", in.Cwd + "/sub"}, {"source", in.Value}}
	},
	"TeammateIdle": func(PayloadInput) object {
		return object{{"teammate_name", "helper"}, {"team_name", "team"}}
	},
}

const toolUseID = "toolu_0001"

// toolFields are those of every tool event. mcp_server was observed on client
// 2.1.330, for tools of MCP servers; its place among the others was not.
func toolFields(in PayloadInput) object {
	fields := object{{"tool_name", in.Tool}, {"tool_input", toolInput(in)}}
	if words := strings.SplitN(in.Tool, "__", 3); words[0] == "mcp" && len(words) == 3 {
		fields = append(fields, payloadField{"mcp_server", words[1]})
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

// permissionRequestFields carries no tool_use_id; observed on client 2.1.197.
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

func permissionDeniedFields(in PayloadInput) object {
	return append(toolFields(in), payloadField{"tool_use_id", toolUseID}, payloadField{"reason", "blocked for safety"})
}

func postToolUseFields(in PayloadInput) object {
	return append(toolFields(in),
		payloadField{"tool_response", toolResponse(in)}, payloadField{"tool_use_id", toolUseID}, payloadField{"duration_ms", 12})
}

func postToolUseFailureFields(in PayloadInput) object {
	return append(toolFields(in),
		payloadField{"tool_use_id", toolUseID}, payloadField{"error", "Exit code 1"}, payloadField{"is_interrupt", false}, payloadField{"duration_ms", 12})
}

func postToolBatchFields(in PayloadInput) object {
	call := append(toolFields(in), payloadField{"tool_use_id", toolUseID}, payloadField{"tool_response", in.LastMessage})
	return object{{"tool_calls", list{call}}}
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

func modelSwitchFields(in PayloadInput) object {
	return object{
		{"from_model", "claude-opus-5-5"}, {"to_model", in.Value}, {"requested_model", "haiku"}, {"source", "command"},
		{"context_tokens", 10}, {"prompt_cache_warm", true}, {"cache_ttl", "5m"},
		{"estimated_cache_write_usd", 0}, {"pricing", "catalog"},
	}
}

// MatchedValue is the value that the event's matchers are compared with: the tool's
// name, or the field of the payload that the event names.
func MatchedValue(event, tool string, stdin []byte) string {
	about, ok := EventByName(event)
	if !ok {
		return ""
	}
	if v := about.MatcherValue(stdin); v != "" {
		return v
	}
	return tool
}
