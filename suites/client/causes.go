package client

import (
	"strconv"
	"strings"

	"hookwatch/suites"
)

// A Kind is a kind of cause: the reason for the client's reaction to an output. It is also the ID
// of the rule that explains it.
type Kind string

// A Cause is a kind with its parameters.
type Cause struct {
	Kind    Kind
	Event   string
	Key     string        // of the output
	Value   string        // the hook's value of the key
	Want    string        // the values that the client accepts for the key
	Exit    int           // exit code, or the status of an http hook
	Signal  string        // the signal that ended the hook
	Effect  suites.Effect // of a refusal
	Version Version       // of the client
	Count   int           // of hooks
}

// The ways in which a hook ended.
const (
	Silent        Kind = "silent"
	StderrDropped Kind = "stderr-dropped"
	ExitCode      Kind = "exit-code-not-2"
	NotExecutable Kind = "not-executable"
	NotFound      Kind = "command-not-found"
	Killed        Kind = "killed-by-signal"
	NotStarted    Kind = "not-started"
	TimedOut      Kind = "timed-out"
	Background    Kind = "background"
	TooLate       Kind = "background-too-late"
	LateContext   Kind = "background-context"
	NoEvent       Kind = "no-such-event"
	NeverRuns     Kind = "if-never-runs"
	EntryDropped  Kind = "entry-dropped"
	NoHook        Kind = "no-hook"
	OtherClient   Kind = "other-client"
	HTTPStatus    Kind = "http-status"
)

// InBackground reports whether the client does not wait for the hook.
func (k Kind) InBackground() bool { return k == Background || k == TooLate || k == LateContext }

var exitRules = []ruleRow{
	{Silent, suites.Info, "exit code 0 without output",
		"Goes on as if there were no hook.", "", onAll, keeps},
	{StderrDropped, suites.Warning, "exit code 0 without output; stderr is dropped",
		"Drops stderr: neither the model nor the user sees it.",
		"Exit 2 to block with this text, or print JSON with additionalContext for the model.", onAll, loses},
	{ExitCode, suites.Error, "exit code {exit} is not 2; it blocks nothing and the model sees nothing",
		"Treats every exit code other than 0 and 2 as a failure of the hook and goes on; only valid JSON on stdout still counts.",
		"{block}{onFailure}", onAll, failure},
	{NotExecutable, suites.Error, "exit code 126: the command is not executable; it blocks nothing and the model sees nothing",
		"Goes on as if there were no hook.", "chmod +x the script, or start it through its interpreter.", onAll, failure},
	{NotFound, suites.Error, "exit code 127: the command was not found; it blocks nothing and the model sees nothing",
		"Goes on as if there were no hook. Other causes are an unquoted path with a space, a missing interpreter, and a carriage return after its name.",
		"Correct the path, quote it, and use only what /bin/sh supports.", onAll, failure},
	{Killed, suites.Error, "the hook was killed by {signal}; it blocks nothing and the model sees nothing",
		"Goes on as if there were no hook; text on stdout is lost.", "Find out what kills it.{onFailure}", onAll, failure},
	{NotStarted, suites.Error, "the hook could not be started; it blocks nothing and the model sees nothing",
		"Goes on as if there were no hook. Causes are ${CLAUDE_PLUGIN_ROOT} in a settings file, and shell powershell without pwsh.",
		"Correct the entry's command.", onAll, failure},
	{TimedOut, suites.Error, "the hook timed out: the client cancels it and goes on",
		"Cancels the hook and drops what it printed; {proceeds}.",
		"Make it faster, or raise its timeout (seconds).{onFailure}", onAll, failure},
	{Background, suites.Info, "the hook runs in the background",
		"Does not wait for it.", "", onAll, keeps},
	{TooLate, suites.Error, "the hook runs in the background: neither exit code nor output has an effect",
		`Does not wait for a hook with async, or one that printed {"async":true} first; its refusal comes too late.`,
		"Remove async from a hook that must block.", onAll, loses},
	{LateContext, suites.Info, "the hook runs in the background; its context reaches the model later",
		"Does not wait for it, and sends the model additionalContext and systemMessage when it has ended.", "", on332, keeps},
	{NoEvent, suites.Error, "client {version} has no event {value}: the hook never runs",
		"Ignores an unknown event without a warning.", "Event names are case-sensitive, as in PreToolUse.", onAll, keeps},
	{NeverRuns, suites.Error, "an entry with `if` never runs on {event}",
		"Evaluates `if` on tool events only, and runs such a hook on no other event.", "Remove `if` from the entry.", onAll, loses},
	{EntryDropped, suites.Error, "dropped: this entry never runs, because {value}",
		"Ignores an entry that its validation rejects; under PreToolUse and PermissionRequest, and on 2.1.197 under every event, it ignores the whole settings file.",
		"Correct the entry; hookwatch check finds such entries.", onAll, keeps},
	{NoHook, suites.Info, "no hook ran", "Goes on.", "", onAll, keeps},
	{OtherClient, suites.Info, "{value}", "A client other than Claude Code reads the output by its own rules (hookwatch help clients).", "", nil, keeps},
	{HTTPStatus, suites.Error, "the server answered with status {exit}; that blocks nothing, even with a decision",
		"Treats a status outside 2xx as a failure of the hook, and drops the body.",
		"Answer with status 200 and a JSON decision.{onFailure}", on330, loses},
}

// The uses of text on stdout.
const (
	TextDropped    Kind = "text-dropped"
	TextToModel    Kind = "text-to-model"
	NotOneDocument Kind = "not-one-document"
	HTTPText       Kind = "http-not-json"
	WorktreePath   Kind = "worktree-path"
	WorktreeNoPath Kind = "worktree-no-path"
)

var texts = []ruleRow{
	{TextDropped, suites.Error, "stdout is not one JSON document: the client drops it and goes on",
		"Reads JSON only if stdout contains nothing else; text before or after it, an array or a missing brace make it plain text, which this event drops.",
		"Print one JSON object and nothing else; write diagnostics to stderr.", onAll, loses},
	{TextToModel, suites.Info, "plain stdout of {event} reaches the model",
		"Passes text on stdout to the model, even if it is JSON: no decision in it counts.", "", onAll, loses},
	{NotOneDocument, suites.Error, "stdout is not one JSON document: the client reports an error and drops it",
		"Treats text between braces as broken JSON, and two documents as none, unless no line of them has a known key.",
		"Print one JSON object; make it with jq or a JSON library, not by hand.", onNewer, loses},
	{HTTPText, suites.Error, "the answer is not a JSON object: the client reports an error and drops it",
		"Accepts only JSON objects from http hooks.", "Answer with a JSON object.", on330, loses},
	{WorktreePath, suites.Info, "the client uses the whole stdout as the path, and fails if that is not a directory",
		"Uses everything that WorktreeCreate prints as the path of the new worktree.", "", on330, keeps},
	{WorktreeNoPath, suites.Error, "WorktreeCreate fails: the client uses the whole stdout as the path, and that is {value}",
		"Uses everything that WorktreeCreate prints as the path; JSON, surrounding text and empty output are not a path.",
		"Print the directory's path and nothing else.", on330, loses},
}

// Outputs that the client's validation refuses.
const (
	WrongType       Kind = "wrong-type"
	UnknownValue    Kind = "unknown-value"
	NoEventName     Kind = "no-event-name"
	UnknownName     Kind = "unknown-event-name"
	OtherName       Kind = "other-event-name"
	NotAccepted     Kind = "no-specific-output"
	UnknownKeys     Kind = "unknown-keys"
	Exit2Dropped    Kind = "invalid-json-at-exit-2"
	OtherNameAtExit Kind = "other-event-name-at-exit-2"
)

// DropsOutput reports whether the client drops a whole output because of one part of it.
func (k Kind) DropsOutput() bool {
	switch k {
	case WrongType, UnknownValue, NoEventName, UnknownName, OtherName, NotAccepted:
		return true
	}
	return false
}

var refusedOutputs = []ruleRow{
	{WrongType, suites.Error, "{drops}: {key} is not {want}",
		"Drops the whole output, including its decision, if one known key has the wrong type; {proceeds}.",
		"Correct the value.", onAll, loses},
	{UnknownValue, suites.Error, "{drops}: {key} is {value}, not one of {want}",
		"Drops the whole output if a decision has an unknown value; {proceeds}.",
		"Top-level decision is approve or block; permissionDecision is allow, deny or ask.", onAll, loses},
	{NoEventName, suites.Error, "{drops}: hookSpecificOutput has no hookEventName",
		"Drops the whole output.", `Add "hookEventName" with the event's name.`, onAll, loses},
	{UnknownName, suites.Error, "{drops}: hookEventName is {value}, which accepts no hookSpecificOutput",
		"Drops the whole output.", "Write the event's own name.", onAll, loses},
	{OtherName, suites.Error, "{drops}: hookEventName is {value}, but the event is {event}",
		"Drops the whole output.", "Take the name from hook_event_name of the payload.", onAll, loses},
	{NotAccepted, suites.Error, "{drops}: {event} accepts no hookSpecificOutput",
		"Drops the whole output.", "Use the top-level keys, or exit 2 and stderr.", onAll, loses},
	{UnknownKeys, suites.Error, "the client does not know {key} and drops it silently",
		"Accepts and drops unknown keys, including a misspelled or misplaced decision.",
		"hookwatch schema output EVENT lists the keys that it knows.", onAll, loses},
	{Exit2Dropped, suites.Error, "2.1.197 drops the output, exit code 2 with it: {key} is not valid",
		"2.1.197 ignores exit code 2 together with an output that its validation rejects, and {proceeds}; newer clients block.",
		"Print no JSON at exit code 2.", onAll, loses},
	{OtherNameAtExit, suites.Error, "hookEventName is {value}, but the event is {event}: the client drops the output, exit code 2 with it",
		"Lets through what exit code 2 should block, on all events except PreToolUse, PreCompact, ConfigChange and Elicitation.",
		"Print no JSON at exit code 2, or take the name from hook_event_name of the payload.", on330, loses},
}

// The ways in which a hook refused, and whether the client accepts them.
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

var refusals = []ruleRow{
	{Exit2, suites.Info, "exit code 2{does}",
		"Follows exit code 2 and uses stderr as the reason; stdout is ignored unless it is a JSON decision.", "", onAll, keeps},
	{Exit2Ignored, suites.Error, "exit code 2 does not block {event} and the model sees nothing",
		"Goes on: exit code 2 has no effect on this event, and its text is dropped.",
		"Block at an event that can be blocked, such as PreToolUse.", onAll, loses},
	{JSONNo, suites.Info, "the JSON decision{does}",
		"Follows the decision whatever the exit code is, and drops stderr.", "", onAll, keeps},
	{JSONNoIgnored, suites.Error, "the JSON decision does not block {event} and the model sees nothing",
		"Goes on: the key has no effect on this event.", "Block at an event that can be blocked, such as PreToolUse.", onAll, loses},
	{FailureBlocks, suites.Info, `the hook failed, and onFailure is "block": that{does}`,
		"Treats every failure (exit code 1, a signal, a timeout, invalid JSON) as exit code 2 if the entry's onFailure is block.", "", on330, keeps},
	{AnyFailure, suites.Info, "{event} fails when its hook does not exit 0",
		"Treats any failure of the hook as a failure of the operation.", "", on330, keeps},
	{TimeoutBlocks, suites.Info, "the hook timed out, which blocks {event}",
		"Treats a timeout as a refusal.", "", nil, keeps},
	{ConditionNotOK, suites.Info, "the answer to the hook's prompt is not ok: that{does}",
		"Denies with the answer's reason.", "", on330, keeps},
	{ConditionEnds, suites.Warning, "the answer to the hook's prompt is not ok: that ends the session",
		"Ends the session if a prompt hook's answer is not ok.", "Set continueOnBlock to deny and go on.", on330, keeps},
	{MissingScript, suites.Error, "exit code 2 of an interpreter without its script: the client makes an exception for {event}",
		"Does not block if stderr contains `no such file` or `can't open` and stdout is empty, even if the hook itself printed that.",
		"Correct the path; use other words in the hook's own messages.", onAll, loses},
	{StartReason, suites.Warning, "{event} cannot be blocked; 2.1.197 passes the reason to the model",
		"Starts in any case; newer clients drop the reason.", "Use additionalContext.", onOld, loses},
}

// Outputs that the client follows.
const (
	Nothing       Kind = "nothing-to-heed"
	NoEffect      Kind = "decision-without-effect"
	Allowed       Kind = "allowed"
	AllowedSwitch Kind = "switch-allowed"
	AllowedLine   Kind = "line-allowed"
	Asked         Kind = "asked"
	Deferred      Kind = "deferred"
	RuleDenies    Kind = "rule-denies"
	RuleAsks      Kind = "rule-asks"
	Granted       Kind = "permission-granted"
	Refused       Kind = "permission-refused"
	HaltEnds      Kind = "continue-false-ends"
	HaltAfterTool Kind = "continue-false-after-tool"
	HaltWithDeny  Kind = "continue-false-beside-deny"
	HaltPrompt    Kind = "continue-false-blocks-prompt"
	HaltStops     Kind = "continue-false-stops"
	HaltIgnored   Kind = "continue-false-ignored"
	HaltUnknown   Kind = "continue-false-unknown"
	Retry         Kind = "retry"
	ConditionOK   Kind = "condition-met"
	ConditionText Kind = "condition-unreadable"
	Reported      Kind = "reported-to-model"
)

var outcomes = []ruleRow{
	{Nothing, suites.Info, "nothing in the output changes what happens", "Goes on.", "", onAll, keeps},
	{NoEffect, suites.Error, "decision {value} has no effect on {event}",
		"Accepts the decision and drops it.", "hookwatch schema output EVENT lists what has one.", onAll, loses},
	{Allowed, suites.Info, "the tool runs without a permission prompt",
		"Skips the permission prompt; deny and ask rules of the settings and the client's own checks of .claude and .git still apply.", "", onAll, keeps},
	{AllowedSwitch, suites.Info, "the model is switched", "Switches.", "", on330, keeps},
	{AllowedLine, suites.Info, "the line of the command runs", "Runs it, as far as the command's allowed-tools let it.", "", on332, keeps},
	{Asked, suites.Info, "permissionDecision ask: without a user to ask, {event} is denied",
		"Asks the user; if there is none, denies with the reason.", "", onAll, keeps},
	{RuleDenies, suites.Info, "{value}, whatever a hook allows or asks",
		"Applies the rules to the input that hooks made of the call's, and denies it.", "", on332, keeps},
	{RuleAsks, suites.Info, "{value}, whatever a hook allows",
		"Applies the rules to the input that hooks made of the call's, and asks the user.", "", on332, keeps},
	{Deferred, suites.Warning, "permissionDecision defer ends the run at once",
		"Ends the run without a tool result.", "", onAll, keeps},
	{Granted, suites.Info, "the hook grants the permission, unless it was answered before",
		"Uses the hook's answer as the user's, with or without exit code 2.", "", onOld, keeps},
	{Refused, suites.Info, "the hook refuses the permission, unless it was answered before",
		"Uses the hook's answer as the user's, with or without exit code 2.", "", onOld, keeps},
	{HaltEnds, suites.Info, "continue:false ends the session", "Ends; the model does not see stopReason.", "", onAll, keeps},
	{HaltAfterTool, suites.Warning, "continue:false: the tool still runs, then the session ends",
		"Runs the tool anyway.", "Add permissionDecision deny, or exit 2, to keep the tool from running.", onAll, loses},
	{HaltWithDeny, suites.Info, "continue:false with a deny ends the session",
		"Denies and ends; 2.1.197 only denies.", "", onNewer, keeps},
	{HaltPrompt, suites.Info, "continue:false stops before the model is asked", "Sends no request and shows stopReason.", "", onAll, keeps},
	{HaltStops, suites.Info, "continue:false lets {event} finish, whatever else the output contains",
		"Stops only the subagent: a block, exit code 2 and additionalContext in the same output have no effect, and the session goes on.", "", onAll, keeps},
	{HaltIgnored, suites.Error, "continue:false has no effect on {event}", "Goes on.", "Refuse in another way.", onAll, loses},
	{HaltUnknown, suites.Warning, "continue:false is not known to have an effect on {event}", "Not observed.", "Refuse in another way.", nil, loses},
	{Retry, suites.Info, "the model may try the denied call again", "Informs the model.", "", nil, keeps},
	{ConditionOK, suites.Info, "the answer to the hook's prompt is ok", "Goes on.", "", on330, keeps},
	{Reported, suites.Warning, "the model receives the result of the hook of {event}, with its output",
		"Goes on, and adds each hook's result to what it sends the model about /compact or /model.",
		"Print nothing and exit 0 if the model need not know.", onAll, keeps},
	{ConditionText, suites.Error, "the answer to the hook's prompt is not {\"ok\": ...}: the client reports an error and drops it",
		"Goes on.", `Have the prompt ask for {"ok": true} or {"ok": false, "reason": "..."}.`, nil, loses},
}

// Changes to values of the client, and texts that it passes on.
const (
	InputRewritten   Kind = "input-rewritten"
	InputIncomplete  Kind = "input-incomplete"
	InputEmpty       Kind = "input-empty"
	InputRefused     Kind = "input-refused"
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

var changes = []ruleRow{
	{InputRewritten, suites.Info, "updatedInput replaces the tool's whole input",
		"Runs the tool with exactly this input.", "", onAll, keeps},
	{InputIncomplete, suites.Error, "updatedInput lacks {key}, which {value} requires: the call is denied",
		"Replaces the whole input, finds it incomplete and denies the call with a message about its schema.",
		"Copy tool_input and change only the fields that you mean to change.", onAll, loses},
	{InputEmpty, suites.Error, "updatedInput is empty: the call is denied",
		"Replaces the whole input with nothing and denies the call.", "Copy tool_input and change only the fields that you mean to change.", on330, loses},
	{InputRefused, suites.Error, "{event} takes no updatedInput: the line does not run",
		"Runs no line of a command for which a hook gives another input.", "Exit 2 to keep the line from running.", on332, loses},
	{OutputRewritten, suites.Info, "{key} replaces the tool's result",
		"Shows the model this instead.", "", onAll, keeps},
	{OutputShape, suites.Error, "updatedToolOutput does not have the shape of the tool's own output",
		"Drops it without a warning.", "Copy tool_response and change only the fields that you mean to change.", onAll, loses},
	{MCPOutput, suites.Error, "updatedMCPToolOutput has no effect on {value}",
		"Applies it only to tools of MCP servers.", "Use updatedToolOutput.", onAll, loses},
	{DisplayRewritten, suites.Info, "displayContent replaces the displayed text", "Shows this instead.", "", nil, keeps},
	{Answered, suites.Info, "the hook answers instead of the user", "Passes the answer to the server.", "", nil, keeps},
	{Declined, suites.Info, "the hook declines instead of the user", "Passes the answer to the server.", "", nil, keeps},
	{ContextToModel, suites.Info, "additionalContext reaches the model",
		"Passes it on; above 10,000 characters, a preview and the path of a file.", "", onAll, keeps},
	{ContextTurn, suites.Warning, "additionalContext on {event} forces another turn",
		"Lets the model go on instead of stopping.", "Omit it unless stop_hook_active is false and another turn is intended.", onAll, keeps},
	{ContextLost, suites.Error, "additionalContext on {event} is accepted and never reaches the model",
		"Accepts the key and drops it.", "Use an event whose context reaches the model, such as SessionStart.", on330, loses},
	{FirstMessage, suites.Info, "initialUserMessage adds a turn before the prompt", "Runs that turn first.", "", onAll, keeps},
	{RewriteRace, suites.Warning, "{count} hooks rewrite the same value: the last to finish wins",
		"Runs hooks in parallel.", "Rewrite it in one hook only.", onOld, keeps},
}

// givesInput reports whether the hook replaced a tool's input, validly or not.
func (k Kind) givesInput() bool {
	return k == InputRewritten || k == InputIncomplete || k == InputEmpty
}

// did describes the effect of a refusal.
var did = map[suites.Effect]string{
	suites.Denied:        " denies {event}",
	suites.ShownToModel:  " comes too late to prevent anything: its text is sent to the model",
	suites.AnotherTurn:   " keeps the model from stopping",
	suites.PromptBlocked: " blocks the prompt: the model is not asked",
	suites.SessionEnds:   " ends the loop",
}

// Sentence returns the cause as one sentence. All such sentences are made here.
func (c Cause) Sentence() string {
	drops := "the client drops the whole output"
	if c.Effect == suites.ShownToModel {
		drops = "the client uses no key of the output and shows the model its text"
	}
	text := strings.NewReplacer("{does}", did[c.Effect], "{drops}", drops).Replace(c.Kind.row().what)
	return strings.NewReplacer(
		"{event}", c.Event, "{key}", c.Key, "{value}", c.Value, "{want}", c.Want, "{exit}", strconv.Itoa(c.Exit),
		"{signal}", c.Signal, "{version}", string(c.Version.Profile()), "{count}", strconv.Itoa(c.Count),
	).Replace(text)
}

// Because returns the cause of the reading as one sentence.
func (r Reading) Because() string { return r.Cause.Sentence() }
