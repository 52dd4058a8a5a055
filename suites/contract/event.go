package contract

import (
	"encoding/json"
	"path"
	"strings"

	"hookwatch/suites"
)

// An Event is a moment at which the client runs hooks.
type Event struct {
	Name string
	// MatchedOn is the stdin field that a matcher is compared with; FileChanged
	// compares the base name of it. Empty: the matcher is ignored and every hook
	// of the event runs.
	MatchedOn string
	// Exit2 is what exit code 2 does, and a JSON decision of block with it:
	// suites.Ignored where the client only notes it.
	Exit2 suites.Effect
	// Exit2Observed tells that Exit2 was seen in runs; otherwise it is documented.
	Exit2Observed bool
	// PlainStdout tells that text on stdout with exit code 0 reaches the model.
	PlainStdout bool
	// Since is the first observed version that has the event; empty for all.
	Since Version
	// Tool tells that the payload names a tool and that an entry's `if` is looked at.
	Tool bool
}

// Known reports whether a client of version v has the event.
func (e Event) Known(v Version) bool { return e.Since == "" || !v.old() }

// MatcherValue is what a matcher is compared with for this payload; "" when the
// event ignores matchers or the payload has no such field.
func (e Event) MatcherValue(payload []byte) string {
	if e.MatchedOn == "" {
		return ""
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(payload, &fields) != nil {
		return ""
	}
	var value string
	if json.Unmarshal(fields[e.MatchedOn], &value) != nil {
		return ""
	}
	if e.Name == "FileChanged" {
		return path.Base(strings.ReplaceAll(value, `\`, "/"))
	}
	return value
}

// exit2 is what exit code 2 does on a client of version v.
func (e Event) exit2(v Version) suites.Effect {
	if e.Name == "WorktreeRemove" && v.old() {
		return suites.Ignored // 2.1.197 only logs it; documented
	}
	return e.Exit2
}

// events is the table of all events. The matcher columns of PreModelSwitch,
// PostModelSwitch (compared with the model) and DirectoryAdded (taken as none)
// are the least certain: those hooks were observed without a matcher, or never.
var events = []Event{
	{Name: "SessionStart", MatchedOn: "source", Exit2: suites.Ignored, Exit2Observed: true, PlainStdout: true},
	{Name: "Setup", MatchedOn: "trigger", Exit2: suites.Ignored},
	{Name: "InstructionsLoaded", MatchedOn: "load_reason", Exit2: suites.Ignored},
	{Name: "UserPromptSubmit", Exit2: suites.PromptBlocked, Exit2Observed: true, PlainStdout: true},
	{Name: "UserPromptExpansion", MatchedOn: "command_name", Exit2: suites.PromptBlocked},
	{Name: "PreToolUse", MatchedOn: "tool_name", Exit2: suites.Denied, Exit2Observed: true, Tool: true},
	{Name: "PermissionRequest", MatchedOn: "tool_name", Exit2: suites.Ignored, Exit2Observed: true, Tool: true},
	{Name: "PermissionDenied", MatchedOn: "tool_name", Exit2: suites.Ignored, Tool: true},
	{Name: "PostToolUse", MatchedOn: "tool_name", Exit2: suites.ShownToModel, Exit2Observed: true, Tool: true},
	{Name: "PostToolUseFailure", MatchedOn: "tool_name", Exit2: suites.ShownToModel, Exit2Observed: true, Tool: true},
	{Name: "PostToolBatch", Exit2: suites.SessionEnds},
	{Name: "SubagentStart", MatchedOn: "agent_type", Exit2: suites.Ignored},
	{Name: "SubagentStop", MatchedOn: "agent_type", Exit2: suites.AnotherTurn, Exit2Observed: true},
	{Name: "TaskCreated", Exit2: suites.Denied},
	{Name: "TaskCompleted", Exit2: suites.Denied},
	{Name: "Stop", Exit2: suites.AnotherTurn, Exit2Observed: true},
	{Name: "StopFailure", MatchedOn: "error", Exit2: suites.Ignored},
	{Name: "PreCompact", MatchedOn: "trigger", Exit2: suites.Denied},
	{Name: "PostCompact", MatchedOn: "trigger", Exit2: suites.Ignored},
	{Name: "Notification", MatchedOn: "notification_type", Exit2: suites.Ignored},
	{Name: "Elicitation", MatchedOn: "mcp_server_name", Exit2: suites.Denied},
	{Name: "ElicitationResult", MatchedOn: "mcp_server_name", Exit2: suites.Denied},
	{Name: "ConfigChange", MatchedOn: "source", Exit2: suites.Denied},
	{Name: "CwdChanged", Exit2: suites.Ignored},
	{Name: "FileChanged", MatchedOn: "file_path", Exit2: suites.Ignored},
	{Name: "WorktreeCreate", Exit2: suites.Denied},
	{Name: "WorktreeRemove", Exit2: suites.Denied},
	{Name: "MessageDisplay", Exit2: suites.Ignored},
	{Name: "SessionEnd", MatchedOn: "reason", Exit2: suites.Ignored},
	{Name: "PreModelSwitch", MatchedOn: "to_model", Exit2: suites.Denied, Since: V329},
	{Name: "PostModelSwitch", MatchedOn: "to_model", Exit2: suites.Ignored, Since: V329},
	{Name: "DirectoryAdded", Exit2: suites.Ignored, Since: V329},
	{Name: "TeammateIdle", Exit2: suites.AnotherTurn},
}

// EventByName finds an event by its exact, case-sensitive name.
func EventByName(name string) (Event, bool) {
	for _, event := range events {
		if event.Name == name {
			return event, true
		}
	}
	return Event{}, false
}
