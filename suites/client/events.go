package client

import (
	"slices"

	"hookwatch/suites"
)

// events is the table of all events. Matchers of PreModelSwitch and
// PostModelSwitch are compared with the model, which is taken to be to_model.
// That a timeout blocks PreModelSwitch is documented; that TeammateIdle pardons a
// missing script and passes another event's name was read from the code, and that
// ElicitationResult blocks beside one is taken from Elicitation. NeedsSettings was
// observed on client 2.1.330.
var events = []Event{
	{
		Name: "SessionStart", Proceeds: "the session starts", MatchedOn: "source", Exit2: suites.Ignored, Exit2On: onAll,
		Plain: asSuccess, Halt: suites.Ignored, IgnoresOnFailure: true,
	},
	{Name: "Setup", MatchedOn: "trigger", Exit2: suites.Ignored, LosesContext: true},
	{Name: "InstructionsLoaded", MatchedOn: "load_reason", Exit2: suites.Ignored},
	{
		Name: "UserPromptSubmit", Proceeds: "the prompt reaches the model", Exit2: suites.PromptBlocked, Exit2On: onAll,
		Plain: asSuccess, Halt: suites.PromptBlocked, PassesOtherName: true,
	},
	{
		Name: "UserPromptExpansion", Proceeds: "the prompt reaches the model", MatchedOn: "command_name", Exit2: suites.PromptBlocked,
		Plain: asSuccess, Halt: suites.PromptBlocked, PassesOtherName: true,
	},
	{
		Name: "PreToolUse", Proceeds: "the call proceeds", MatchedOn: "tool_name", Tool: true, Exit2: suites.Denied, Exit2On: onAll,
		Told: asError, Halt: suites.SessionEnds,
	},
	{
		Name: "PermissionRequest", Proceeds: "the user is asked", MatchedOn: "tool_name", Tool: true, Exit2: suites.Ignored, Exit2On: onOld,
		Told: asItIs, Failure: suites.Denied,
	},
	{Name: "PermissionDenied", MatchedOn: "tool_name", Tool: true, Exit2: suites.Ignored},
	{
		Name: "PostToolUse", MatchedOn: "tool_name", Tool: true, Exit2: suites.ShownToModel, Exit2On: onAll,
		Told: asReminder, Halt: suites.SessionEnds, PassesOtherName: true,
	},
	{
		Name: "PostToolUseFailure", MatchedOn: "tool_name", Tool: true, Exit2: suites.ShownToModel, Exit2On: onAll,
		Told: asReminder, PassesOtherName: true,
	},
	{Name: "PostToolBatch", Exit2: suites.SessionEnds, Exit2On: on330, Halt: suites.SessionEnds, PassesOtherName: true},
	{Name: "SubagentStart", Proceeds: "the subagent starts", MatchedOn: "agent_type", Exit2: suites.Ignored, IgnoresOnFailure: true},
	{
		Name: "SubagentStop", Proceeds: "the subagent ends", MatchedOn: "agent_type", Exit2: suites.AnotherTurn, Exit2On: onAll, Told: asStop,
		Halt: suites.Proceeds, PassesOtherName: true, PardonsNoScript: true, IgnoresOnFailure: true,
	},
	{Name: "TaskCreated", Proceeds: "the task is created", Exit2: suites.Denied, Exit2On: on330, Told: asFeedback, PassesOtherName: true},
	{
		Name: "TaskCompleted", Proceeds: "the task is completed", Exit2: suites.Denied, Exit2On: on330, Told: asFeedback,
		PassesOtherName: true, PardonsNoScript: true, IgnoresOnFailure: true,
	},
	{
		Name: "Stop", Proceeds: "the turn ends", Exit2: suites.AnotherTurn, Exit2On: onAll, Told: asStop, Halt: suites.SessionEnds,
		PassesOtherName: true, PardonsNoScript: true, IgnoresOnFailure: true,
	},
	{Name: "StopFailure", MatchedOn: "error", Exit2: suites.Ignored},
	{
		Name: "PreCompact", Proceeds: "the compaction proceeds", MatchedOn: "trigger", Exit2: suites.Denied, Exit2On: onAll,
		Told: asItIs, Plain: asItIs, KeepsExit2: true, Reports: ofCompact,
	},
	{Name: "PostCompact", MatchedOn: "trigger", Exit2: suites.ShownToModel, Exit2On: onAll, Told: asFailed, Reports: ofCompact},
	{Name: "Notification", MatchedOn: "notification_type", Exit2: suites.Ignored, LosesContext: true},
	{Name: "Elicitation", Proceeds: "the user is asked", MatchedOn: "mcp_server_name", Exit2: suites.Denied, Exit2On: onAll, KeepsExit2: true},
	{Name: "ElicitationResult", Proceeds: "the answer is sent", MatchedOn: "mcp_server_name", Exit2: suites.Denied, Exit2On: onAll},
	{Name: "ConfigChange", Proceeds: "the change takes effect", MatchedOn: "source", Exit2: suites.Denied, Exit2On: onAll, KeepsExit2: true},
	{Name: "CwdChanged", Exit2: suites.Ignored, NeedsSettings: true},
	{Name: "FileChanged", MatchedOn: "file_path", Exit2: suites.Ignored, NeedsSettings: true},
	{Name: "WorktreeCreate", Proceeds: "the worktree is not created", Exit2: suites.Denied, Exit2On: onAll, Told: asBroken, AnyFailure: true},
	{
		Name: "WorktreeRemove", Proceeds: "the worktree stays", Exit2: suites.Denied, Exit2On: onAll,
		AnyFailure: true, IgnoresBlock: true,
	},
	{Name: "MessageDisplay", Exit2: suites.Ignored},
	{Name: "SessionEnd", Proceeds: "the session ends", MatchedOn: "reason", Exit2: suites.Ignored},
	{
		Name: "PreModelSwitch", Proceeds: "the model is switched", MatchedOn: "to_model", Since: V329, Exit2: suites.Denied, Exit2On: on330,
		Told: asItIs, TimeoutBlocks: true, PassesOtherName: true, Reports: ofModel,
	},
	{Name: "PostModelSwitch", MatchedOn: "to_model", Since: V329, Exit2: suites.Ignored, Plain: asContext},
	{Name: "DirectoryAdded", MatchedOn: "source", Since: V329, Exit2: suites.Ignored},
	{Name: "TeammateIdle", Proceeds: "the teammate stops working", Exit2: suites.AnotherTurn, Told: asFeedback, PassesOtherName: true, PardonsNoScript: true},
}

// Events lists all events.
func Events() []Event { return slices.Clone(events) }

// EventByName finds an event by its exact, case-sensitive name.
func EventByName(name string) (Event, bool) {
	for _, event := range events {
		if event.Name == name {
			return event, true
		}
	}
	return Event{}, false
}
