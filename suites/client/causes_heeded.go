package client

import "hookwatch/suites"

// How a hook said no, and whether that counts.
const (
	Exit2          Kind = "exit-2"
	Exit2Ignored   Kind = "exit-2-ignored"
	JSONNo         Kind = "json-no"
	JSONNoIgnored  Kind = "json-no-ignored"
	FailureBlocks  Kind = "failure-blocks"
	AnyFailure     Kind = "any-failure-blocks"
	TimeoutBlocks  Kind = "timeout-blocks"
	ConditionNotOK Kind = "condition-not-met"
	ConditionEnds  Kind = "condition-ends-session"
	MissingScript  Kind = "missing-script"
	StartReason    Kind = "start-not-blocked"
)

var noes = []causeRow{
	{Exit2, suites.Info, "exit code 2{does}",
		"Heeds exit code 2 and uses stderr as the reason; stdout is not read for one, unless it is a JSON decision.", "", onAll, keeps},
	{Exit2Ignored, suites.Error, "exit code 2 does not block {event} and the model is not told",
		"Cannot be kept from what the event is about: exit code 2 has no effect there, and the model is not told.",
		"Block at an event that can be blocked, such as PreToolUse.", onAll, loses},
	{JSONNo, suites.Info, "the JSON decision{does}",
		"Heeds the decision whatever the exit code is, and drops stderr.", "", onAll, keeps},
	{JSONNoIgnored, suites.Error, "the JSON decision does not block {event} and the model is not told",
		"Cannot be kept from what the event is about by this key.", "Block at an event that can be blocked, such as PreToolUse.", onAll, loses},
	{FailureBlocks, suites.Info, `the hook failed, and onFailure is "block": that{does}`,
		"Counts every failure (exit code 1, a signal, a time-out, invalid JSON) as exit code 2 where the entry's onFailure is block.", "", on330, keeps},
	{AnyFailure, suites.Info, "{event} fails when its hook does not exit 0",
		"Takes any failure of the hook for a failure of what the event is about.", "", on330, keeps},
	{TimeoutBlocks, suites.Info, "the hook timed out, which blocks {event}",
		"Takes a time-out for a no.", "", nil, keeps},
	{ConditionNotOK, suites.Info, "the answer to the hook's prompt is not ok: that{does}",
		"Denies with the answer's reason.", "", on330, keeps},
	{ConditionEnds, suites.Warning, "the answer to the hook's prompt is not ok: that ends the session",
		"Ends the session where a prompt hook's answer is not ok.", "Set continueOnBlock to deny and go on.", on330, keeps},
	{MissingScript, suites.Error, "exit code 2 of an interpreter without its script: the client makes an exception for {event}",
		"Does not block where stderr says `no such file` or `can't open` and stdout is empty, whoever printed it.",
		"Correct the path; in a message of the hook's own, use other words.", onAll, loses},
	{StartReason, suites.Warning, "{event} cannot be blocked; 2.1.197 hands the reason to the model",
		"Starts in any case; newer clients do not hand the reason over.", "Use additionalContext.", onOld, loses},
}

// What the client does as the output asks.
const (
	Nothing        Kind = "nothing-to-heed"
	NoEffect       Kind = "decision-without-effect"
	Allowed        Kind = "allowed"
	AllowedSwitch  Kind = "switch-allowed"
	Asked          Kind = "asked"
	Deferred       Kind = "deferred"
	Granted        Kind = "permission-granted"
	Refused        Kind = "permission-refused"
	HaltEnds       Kind = "continue-false-ends"
	HaltAfterTool  Kind = "continue-false-after-tool"
	HaltBesideDeny Kind = "continue-false-beside-deny"
	HaltPrompt     Kind = "continue-false-blocks-prompt"
	HaltStops      Kind = "continue-false-stops"
	HaltIgnored    Kind = "continue-false-ignored"
	HaltUnknown    Kind = "continue-false-unknown"
	Retry          Kind = "retry"
	ConditionOK    Kind = "condition-met"
	ConditionText  Kind = "condition-unreadable"
	Reported       Kind = "reported-to-model"
)

var heeded = []causeRow{
	{Nothing, suites.Info, "nothing in the output changes what happens", "Goes on.", "", onAll, keeps},
	{NoEffect, suites.Error, "decision {value} has no effect on {event}",
		"Accepts the decision and drops it.", "hookwatch schema output EVENT lists what has one.", onAll, loses},
	{Allowed, suites.Info, "the tool runs and nobody is asked",
		"Skips the permission prompt; a deny or ask rule of the settings still holds.", "", onAll, keeps},
	{AllowedSwitch, suites.Info, "the model is switched", "Switches.", "", on330, keeps},
	{Asked, suites.Info, "permissionDecision ask: without a person to ask, {event} is denied",
		"Asks the person; where there is none, denies with the reason.", "", onAll, keeps},
	{Deferred, suites.Warning, "permissionDecision defer ends the run at once",
		"Ends the run without a result of the tool.", "", onAll, keeps},
	{Granted, suites.Info, "the hook grants the permission, if nobody answered before it",
		"Takes the hook's answer for the person's, exit code 2 beside it or not.", "", onOld, keeps},
	{Refused, suites.Info, "the hook refuses the permission, if nobody answered before it",
		"Takes the hook's answer for the person's, exit code 2 beside it or not.", "", onOld, keeps},
	{HaltEnds, suites.Info, "continue:false ends the session", "Ends; the model does not see stopReason.", "", onAll, keeps},
	{HaltAfterTool, suites.Warning, "continue:false: the tool still runs, then the session ends",
		"Runs the tool all the same.", "Add permissionDecision deny, or exit 2, to keep the tool from running.", onAll, loses},
	{HaltBesideDeny, suites.Info, "continue:false beside a deny ends the session",
		"Denies and ends; 2.1.197 denies alone.", "", onNewer, keeps},
	{HaltPrompt, suites.Info, "continue:false stops before the model is asked", "Asks nothing and shows stopReason.", "", onAll, keeps},
	{HaltStops, suites.Info, "continue:false lets {event} come to its end, whatever else the output says",
		"Stops the subagent alone: a block, exit code 2 and additionalContext in the same output have no effect, and the session goes on.", "", onAll, keeps},
	{HaltIgnored, suites.Error, "continue:false has no effect on {event}", "Goes on.", "Use another way to say no.", onAll, loses},
	{HaltUnknown, suites.Warning, "continue:false is not known to have an effect on {event}", "Not observed.", "Use another way to say no.", nil, loses},
	{Retry, suites.Info, "the model may try the denied call again", "Tells the model so.", "", nil, keeps},
	{ConditionOK, suites.Info, "the answer to the hook's prompt is ok", "Goes on.", "", on330, keeps},
	{Reported, suites.Warning, "the model is told what became of the hook of {event}, with what it said",
		"Goes on, and puts what became of each hook into what it tells the model of /compact or /model.",
		"Print nothing, and exit 0, where the model need not know.", onAll, keeps},
	{ConditionText, suites.Error, "the answer to the hook's prompt is not {\"ok\": ...}: the client reports an error and drops it",
		"Goes on.", `Have the prompt ask for {"ok": true} or {"ok": false, "reason": "..."}.`, nil, loses},
}

// What the client changes or hands on.
const (
	InputRewritten   Kind = "input-rewritten"
	InputIncomplete  Kind = "input-incomplete"
	InputEmpty       Kind = "input-empty"
	OutputRewritten  Kind = "output-rewritten"
	OutputShape      Kind = "output-of-wrong-shape"
	MCPOutput        Kind = "mcp-output-elsewhere"
	DisplayRewritten Kind = "display-rewritten"
	Answered         Kind = "answered"
	Declined         Kind = "declined"
	ContextToModel   Kind = "context-added"
	ContextTurn      Kind = "context-forces-turn"
	ContextLost      Kind = "context-lost"
	FirstMessage     Kind = "first-message"
	RewriteRace      Kind = "rewrite-race"
)

var changes = []causeRow{
	{InputRewritten, suites.Info, "updatedInput replaces the tool's whole input",
		"Runs the tool with this input alone.", "", onAll, keeps},
	{InputIncomplete, suites.Error, "updatedInput lacks {key}, which {value} cannot do without: the call is denied",
		"Replaces the whole input, finds it incomplete and denies the call with a message about its schema.",
		"Copy tool_input and change what is to change.", onAll, loses},
	{InputEmpty, suites.Error, "updatedInput is empty: the call is denied",
		"Replaces the whole input by nothing and denies the call.", "Copy tool_input and change what is to change.", on330, loses},
	{OutputRewritten, suites.Info, "{key} replaces what the tool returned",
		"Shows the model this instead.", "", onAll, keeps},
	{OutputShape, suites.Error, "updatedToolOutput does not have the shape of the tool's own output",
		"Drops it without a word.", "Copy tool_response and change what is to change.", onAll, loses},
	{MCPOutput, suites.Error, "updatedMCPToolOutput has no effect on {value}",
		"Heeds it for tools of MCP servers alone.", "Use updatedToolOutput.", onAll, loses},
	{DisplayRewritten, suites.Info, "displayContent replaces what is shown", "Shows this instead.", "", nil, keeps},
	{Answered, suites.Info, "the hook answers in the person's place", "Hands the answer to the server.", "", nil, keeps},
	{Declined, suites.Info, "the hook declines in the person's place", "Hands the answer to the server.", "", nil, keeps},
	{ContextToModel, suites.Info, "additionalContext reaches the model",
		"Hands it over; above 10,000 characters a preview and the path of a file.", "", onAll, keeps},
	{ContextTurn, suites.Warning, "additionalContext on {event} forces another turn",
		"Lets the model go on instead of stopping.", "Leave it out unless stop_hook_active is false and the turn is meant.", onAll, keeps},
	{ContextLost, suites.Error, "additionalContext on {event} is accepted and never reaches the model",
		"Accepts the key and drops it.", "Use an event whose context reaches the model, such as SessionStart.", on330, loses},
	{FirstMessage, suites.Info, "initialUserMessage adds a turn before the prompt", "Runs a whole turn first.", "", onAll, keeps},
	{RewriteRace, suites.Warning, "{count} hooks rewrite the same thing: the last to finish wins",
		"Runs hooks side by side.", "Leave rewriting to one hook.", onOld, keeps},
}
