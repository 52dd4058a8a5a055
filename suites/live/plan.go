package live

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
)

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
	way, known := ways[s.Event]
	if !known {
		return Turn{}, notLive("%s", cmp.Or(outOfReach[s.Event], "hookwatch knows no way to have the client fire "+s.Event))
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
	return t, errors.Join(way(&t, s, p))
}

func sorted(m map[string]json.RawMessage) []string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// ways say how each event is brought about.
var ways map[string]func(t *Turn, s Step, p payload) error

func init() {
	ways = map[string]func(t *Turn, s Step, p payload) error{
		"PreToolUse":          tool(false),
		"PermissionRequest":   tool(false),
		"PermissionDenied":    unasked,
		"PostToolUse":         tool(true),
		"PostToolUseFailure":  tool(true),
		"PostToolBatch":       batch,
		"UserPromptSubmit":    prompt,
		"UserPromptExpansion": expansion,
		"CwdChanged":          changeDirectory,
		"Stop":                stop,
		"MessageDisplay":      stop,
		"SubagentStart":       subagent,
		"SubagentStop":        subagent,
		"SessionStart":        sessionStart,
		"SessionEnd":          sessionEnd,
		"Setup":               setup,
		"PreCompact":          compact,
		"PostCompact":         compact,
		"PreModelSwitch":      model,
		"PostModelSwitch":     model,
		"TaskCreated":         taskCreated,
		"TaskCompleted":       taskCompleted,
		"WorktreeCreate":      worktreeCreate,
		"WorktreeRemove":      worktreeRemove,
		"InstructionsLoaded":  instructions,
		"ConfigChange":        configuration,
		"FileChanged":         fileChanged,
		"DirectoryAdded":      directoryAdded,
		"Elicitation":         question,
		"ElicitationResult":   question,
		"Notification":        question,
	}
}

// outOfReach says why events cannot be had.
var outOfReach = map[string]string{
	"StopFailure":  "the client fires StopFailure now and then only",
	"TeammateIdle": "no way is known to have the client fire TeammateIdle",
}
