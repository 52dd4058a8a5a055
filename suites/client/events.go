package client

import (
	"path"
	"time"

	"hookwatch/suites"
)

// events is the table of all events. A new event needs a row here, and a way in package live to
// trigger it in a session.
//
// Payloads were captured from running clients, except TeammateIdle's, which is from the schema of
// 2.1.197, and the source of DirectoryAdded. Keys of hookSpecificOutput are from the schema of
// 2.1.197; newer ones were observed on client 2.1.330. Matchers of PreModelSwitch and
// PostModelSwitch are compared with the model, which is assumed to be to_model. It is documented
// that a timeout blocks PreModelSwitch. It was read from the code that TeammateIdle pardons a
// missing script and drops exit code 2 with another event's name. ElicitationResult is assumed to
// block with another event's name because Elicitation does. NeedsSettings was observed on client
// 2.1.330. That PreSkillShellCommand drops the file was read from the code of 2.1.332. EnvFile was observed for SessionStart, and is from the schema of 2.1.197 for the others.
// Timeouts are documented; SessionEnd's was observed on client 2.1.197. DropsFile applies to newer
// clients, because 2.1.197 drops the file for an entry of any event.
var events = []Event{
	{
		Name: "SessionStart", Trace: TraceOutput, Proceeds: "the session starts", InNames: true, EnvFile: true,
		MatchedOn: "source", Values: []string{"startup", "resume", "clear", "compact", "fork"}, Usual: "startup",
		fields: func(in PayloadInput) object { return object{{"source", in.Value}} }, beforeID: true,
		Output: []Field{context, {Name: "initialUserMessage", Kind: AString}, title, watched, {Name: "reloadSkills", Kind: ABoolean}},
		Exit2:  suites.Ignored, Plain: asSuccess, Halt: suites.Ignored, IgnoresOnFailure: true, SendsReason: true,
	},
	{
		Name: "Setup", EnvFile: true,
		MatchedOn: "trigger", Values: []string{"init", "maintenance"}, Usual: "init",
		fields: func(in PayloadInput) object { return object{{"trigger", in.Value}} }, beforeID: true,
		Output: []Field{context},
		Exit2:  suites.Ignored, LosesContext: true,
	},
	{
		Name: "InstructionsLoaded", Unreported: true,
		MatchedOn: "load_reason", Usual: "session_start",
		fields: func(in PayloadInput) object {
			return object{{"file_path", in.Cwd + "/CLAUDE.md"}, {"memory_type", "Project"}, {"load_reason", in.Value}}
		},
		beforeID: true,
		Exit2:    suites.Ignored,
	},
	{
		Name: "UserPromptSubmit", Trace: TraceOutput, Proceeds: "the prompt reaches the model", InNames: true, Guards: Prompts, Timeout: 30 * time.Second,
		fields: func(in PayloadInput) object { return object{{"prompt", in.Prompt}} }, withMode: true,
		Output: []Field{context, title, suppress},
		Exit2:  suites.PromptBlocked, Plain: asSuccess, Halt: suites.PromptBlocked, PassesOtherName: true, PardonsPlugin: true,
	},
	{
		Name: "UserPromptExpansion", Proceeds: "the prompt reaches the model",
		MatchedOn: "command_name", Usual: "greet",
		fields: expansionFields, withMode: true,
		Output: []Field{context, markNewer(suppress)},
		Exit2:  suites.PromptBlocked, Plain: asSuccess, Halt: suites.PromptBlocked, PassesOtherName: true,
	},
	{
		Name: "PreToolUse", Trace: TraceOutput, Proceeds: "the call proceeds", InNames: true, Guards: Calls,
		MatchedOn: "tool_name", Tool: true,
		fields:   func(in PayloadInput) object { return append(toolFields(in), payloadField{"tool_use_id", toolUseID}) },
		withMode: true, Effort: true,
		Output: []Field{
			permission("allow", "deny", "ask", "defer"), because, {Name: "updatedInput", Kind: AnObject}, context,
			markNewer(Field{Name: "permissionDisplay", Kind: Anything}),
		},
		Exit2: suites.Denied, RefusalFormat: asError, Halt: suites.SessionEnds, Allow: Allowed, PromptEnds: true, DropsFile: true,
	},
	{
		Name: "PreSkillShellCommand", Proceeds: "the line runs", Since: V332,
		MatchedOn: "tool_name", Tool: true,
		fields: skillShellFields, withMode: true, Effort: true,
		Output: []Field{permission("allow", "deny", "ask"), because, {Name: "updatedInput", Kind: AnObject}, context},
		Exit2:  suites.Denied, RefusalFormat: asNotRun, Halt: suites.SessionEnds, LosesContext: true, RefusesInput: true, Allow: AllowedLine, DropsFile: true,
	},
	{
		Name: "PermissionRequest", Trace: TraceDecisions, Proceeds: "the user is asked", InNames: true, Command: "touch hookwatch-example",
		MatchedOn: "tool_name", Tool: true,
		fields: permissionRequestFields, withMode: true, Effort: true,
		Output: []Field{{Name: "decision", Kind: AnObject, Fields: []Field{
			{Name: "behavior", Kind: AString, Values: []string{"allow", "deny"}, Required: true},
			{Name: "updatedInput", Kind: AnObject}, {Name: "updatedPermissions", Kind: AnArray},
			{Name: "message", Kind: AString}, {Name: "interrupt", Kind: ABoolean},
		}}},
		Exit2: suites.Ignored, RefusalFormat: asItIs, Failure: suites.Denied, Allow: Granted, DropsFile: true,
	},
	{
		Name: "PermissionDenied", Command: "chmod 600 hookwatch-example", Outside: true,
		MatchedOn: "tool_name", Tool: true,
		fields: func(in PayloadInput) object {
			return append(toolFields(in), payloadField{"tool_use_id", toolUseID}, payloadField{"reason", "blocked for safety"})
		},
		withMode: true, Effort: true,
		Output: []Field{{Name: "retry", Kind: ABoolean}},
		Exit2:  suites.Ignored,
	},
	{
		Name: "PostToolUse", Trace: TraceOutput, InNames: true,
		MatchedOn: "tool_name", Tool: true,
		fields: func(in PayloadInput) object {
			return append(toolFields(in),
				payloadField{"tool_response", toolResponse(in)}, payloadField{"tool_use_id", toolUseID}, payloadField{"duration_ms", 12})
		},
		withMode: true, Effort: true,
		Output: []Field{
			context, {Name: "updatedToolOutput", Kind: Anything}, {Name: "updatedMCPToolOutput", Kind: Anything},
			markNewer(Field{Name: "classifierContext", Kind: Anything}),
		},
		Exit2: suites.ShownToModel, RefusalFormat: asReminder, Halt: suites.SessionEnds, PassesOtherName: true, PromptEnds: true,
	},
	{
		Name: "PostToolUseFailure", Trace: TraceOutput, InNames: true, Command: "false",
		MatchedOn: "tool_name", Tool: true,
		fields: func(in PayloadInput) object {
			return append(toolFields(in),
				payloadField{"tool_use_id", toolUseID}, payloadField{"error", "Exit code 1"}, payloadField{"is_interrupt", false}, payloadField{"duration_ms", 12})
		},
		withMode: true, Effort: true,
		Output: []Field{context},
		Exit2:  suites.ShownToModel, RefusalFormat: asReminder, PassesOtherName: true,
	},
	{
		Name: "PostToolBatch", Trace: TraceOutput,
		fields: func(in PayloadInput) object {
			call := append(toolFields(in), payloadField{"tool_use_id", toolUseID}, payloadField{"tool_response", in.LastMessage})
			return object{{"tool_calls", list{call}}}
		},
		withMode: true, Effort: true,
		Output: []Field{context},
		Exit2:  suites.SessionEnds, Halt: suites.SessionEnds, PassesOtherName: true,
	},
	{
		Name: "SubagentStart", Trace: TraceOutput, Proceeds: "the subagent starts", InNames: true,
		MatchedOn: "agent_type", Usual: "general-purpose",
		fields: func(PayloadInput) object { return nil }, // only the common fields
		Output: []Field{context},
		Exit2:  suites.Ignored, IgnoresOnFailure: true,
	},
	{
		Name: "SubagentStop", Trace: TraceOutput, Proceeds: "the subagent ends", InNames: true, Stop: true,
		MatchedOn: "agent_type", Usual: "general-purpose",
		fields: subagentStopFields, withMode: true, Effort: true,
		Output: []Field{context},
		Exit2:  suites.AnotherTurn, RefusalFormat: asStop, Halt: suites.Proceeds,
		PassesOtherName: true, PardonsNoScript: true, IgnoresOnFailure: true,
	},
	{
		Name: "TaskCreated", Trace: TraceDecisions, Proceeds: "the task is created",
		fields: taskFields,
		Exit2:  suites.Denied, RefusalFormat: asFeedback, PassesOtherName: true,
	},
	{
		Name: "TaskCompleted", Proceeds: "the task is completed",
		fields: taskFields,
		Exit2:  suites.Denied, RefusalFormat: asFeedback, PassesOtherName: true, PardonsNoScript: true, IgnoresOnFailure: true,
	},
	{
		Name: "Stop", Trace: TraceAll, Proceeds: "the turn ends", Stop: true, InNames: true, FirstInNames: true,
		fields: func(in PayloadInput) object {
			return append(object{{"stop_hook_active", in.StopHookActive}}, turnEndFields(in)...)
		},
		withMode: true, Effort: true,
		Output: []Field{context},
		Exit2:  suites.AnotherTurn, RefusalFormat: asStop, Halt: suites.SessionEnds,
		PassesOtherName: true, PardonsNoScript: true, IgnoresOnFailure: true,
	},
	{
		Name: "StopFailure", Unreported: true,
		MatchedOn: "error", OnlyBars: true, Usual: "unknown",
		fields: func(in PayloadInput) object {
			return object{{"error", in.Value}, {"last_assistant_message", in.LastMessage}}
		},
		Effort: true,
		Exit2:  suites.Ignored,
	},
	{
		Name: "PreCompact", Proceeds: "the compaction proceeds", InNames: true, Unreported: true,
		MatchedOn: "trigger", Values: []string{"manual", "auto"}, Usual: "manual",
		fields: func(in PayloadInput) object {
			return object{{"trigger", in.Value}, {"custom_instructions", "keep names"}}
		},
		Exit2: suites.Denied, RefusalFormat: asItIs, Plain: asItIs, KeepsExit2: true, Reports: ofCompact,
	},
	{
		Name: "PostCompact", Unreported: true,
		MatchedOn: "trigger", Values: []string{"manual", "auto"}, Usual: "manual",
		fields: func(in PayloadInput) object {
			return object{{"trigger", in.Value}, {"compact_summary", in.LastMessage}}
		},
		Exit2: suites.ShownToModel, RefusalFormat: asFailed, Reports: ofCompact,
	},
	{
		Name: "Notification", InNames: true, Unreported: true,
		MatchedOn: "notification_type", Usual: "elicitation_response", Others: []string{"permission_prompt", "idle_prompt"},
		fields: func(in PayloadInput) object {
			return object{{"message", in.LastMessage}, {"notification_type", in.Value}}
		},
		Output: []Field{context},
		Exit2:  suites.Ignored, LosesContext: true,
	},
	{
		Name: "Elicitation", Proceeds: "the user is asked", Unreported: true,
		MatchedOn: "mcp_server_name", Usual: "demo",
		fields: elicitationFields,
		Output: answers,
		Exit2:  suites.Denied, KeepsExit2: true,
	},
	{
		Name: "ElicitationResult", Proceeds: "the answer is sent", Unreported: true,
		MatchedOn: "mcp_server_name", Usual: "demo",
		fields: func(in PayloadInput) object {
			return object{{"mcp_server_name", in.Value}, {"mode", "form"}, {"action", "cancel"}}
		},
		Output: answers,
		Exit2:  suites.Denied,
	},
	{
		Name: "ConfigChange", Proceeds: "the change takes effect", Unreported: true,
		MatchedOn: "source", Values: []string{"project_settings", "user_settings", "local_settings", "policy_settings", "skills"}, Usual: "local_settings",
		fields: func(in PayloadInput) object {
			return object{{"source", in.Value}, {"file_path", in.Cwd + "/.claude/settings.local.json"}}
		},
		Exit2: suites.Denied, KeepsExit2: true,
	},
	{
		Name: "CwdChanged", EnvFile: true, Unreported: true,
		fields: func(in PayloadInput) object { return object{{"old_cwd", path.Dir(in.Cwd)}, {"new_cwd", in.Cwd}} },
		Output: []Field{watched},
		Exit2:  suites.Ignored, NeedsSettings: true,
	},
	{
		Name: "FileChanged", EnvFile: true, Unreported: true,
		MatchedOn: "file_path", BaseName: true,
		fields: func(in PayloadInput) object { return object{{"file_path", in.file()}, {"event", "change"}} },
		Output: []Field{watched},
		Exit2:  suites.Ignored, NeedsSettings: true,
	},
	{
		Name: "WorktreeCreate", Proceeds: "the worktree is not created", Unreported: true,
		fields: func(PayloadInput) object { return object{{"name", "example"}} },
		Output: []Field{{Name: "worktreePath", Kind: AString}}, PrintsPath: true,
		Exit2: suites.Denied, RefusalFormat: asBroken, AnyFailure: true,
	},
	{
		Name: "WorktreeRemove", Proceeds: "the worktree stays", Unreported: true,
		fields: func(in PayloadInput) object { return object{{"worktree_path", in.Cwd}} },
		Exit2:  suites.Denied, AnyFailure: true, IgnoresBlock: true,
	},
	{
		Name: "MessageDisplay", Trace: TraceNone, Timeout: 10 * time.Second,
		fields: messageDisplayFields,
		Output: []Field{{Name: "displayContent", Kind: AString}},
		Exit2:  suites.Ignored,
	},
	{
		Name: "SessionEnd", Trace: TraceNone, Proceeds: "the session ends", InNames: true, Unreported: true, Last: true, Timeout: 1500 * time.Millisecond, AnyType: true,
		MatchedOn: "reason", Usual: "other", Others: []string{"clear", "logout", "prompt_input_exit"},
		fields: func(in PayloadInput) object { return object{{"reason", in.Value}} },
		Exit2:  suites.Ignored,
	},
	{
		Name: "PreModelSwitch", Proceeds: "the model is switched", Since: V329,
		MatchedOn: "to_model", Usual: "claude-haiku-5-5",
		fields: modelSwitchFields,
		Output: []Field{markNewer(permission("allow", "deny", "ask")), markNewer(because)},
		Exit2:  suites.Denied, RefusalFormat: asItIs, TimeoutBlocks: true, PassesOtherName: true, Reports: ofModel, Allow: AllowedSwitch,
	},
	{
		Name: "PostModelSwitch", Since: V329,
		MatchedOn: "to_model", Usual: "claude-haiku-5-5",
		fields: modelSwitchFields,
		Output: []Field{markNewer(context)},
		Exit2:  suites.Ignored, Plain: asContext,
	},
	{
		Name: "DirectoryAdded", Since: V329, Unreported: true,
		MatchedOn: "source", Usual: "register_repo_root",
		fields: func(in PayloadInput) object {
			return object{{"directory", in.Cwd + "/sub"}, {"source", in.Value}}
		},
		Exit2: suites.Ignored,
	},
	{
		Name: "TeammateIdle", Proceeds: "the teammate stops working",
		fields: func(PayloadInput) object { return object{{"teammate_name", "helper"}, {"team_name", "team"}} },
		Exit2:  suites.AnotherTurn, RefusalFormat: asFeedback, PassesOtherName: true, PardonsNoScript: true,
	},
}
