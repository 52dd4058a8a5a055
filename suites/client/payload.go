package client

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
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
