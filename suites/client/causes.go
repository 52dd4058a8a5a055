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
	NoEvent       Kind = "no-such-event"
	NeverRuns     Kind = "if-never-runs"
	EntryDropped  Kind = "entry-dropped"
	NoHook        Kind = "no-hook"
	OtherClient   Kind = "other-client"
	HTTPStatus    Kind = "http-status"
)

// InBackground reports whether the client does not wait for the hook.
func (k Kind) InBackground() bool { return k == Background || k == TooLate }

var endings = []ruleRow{
	{Silent, suites.Info, "exit code 0 without output",
		"Goes on as if there were no hook.", "", onAll, keeps},
	{StderrDropped, suites.Warning, "exit code 0 without output; stderr is dropped",
		"Drops stderr: neither the model nor the person sees it.",
		"Exit 2 to block with this text, or print JSON with additionalContext to tell the model.", onAll, loses},
	{ExitCode, suites.Error, "exit code {exit} is not 2; that blocks nothing and the model is not told",
		"Takes every exit code but 0 and 2 for a failure of the hook and goes on; only valid JSON on stdout is still heeded.",
		"{block}{onFailure}", onAll, failure},
	{NotExecutable, suites.Error, "exit code 126: the command is not executable; that blocks nothing and the model is not told",
		"Goes on as if there were no hook.", "chmod +x the script, or start it through its interpreter.", onAll, failure},
	{NotFound, suites.Error, "exit code 127: the command was not found; that blocks nothing and the model is not told",
		"Goes on as if there were no hook. A path with a space that is not quoted, a missing interpreter and a carriage return after it end so, too.",
		"Correct the path, quote it, and keep to what /bin/sh knows.", onAll, failure},
	{Killed, suites.Error, "the hook was ended by {signal}; that blocks nothing and the model is not told",
		"Goes on as if there were no hook; text on stdout is lost.", "Find what ends it.{onFailure}", onAll, failure},
	{NotStarted, suites.Error, "the hook could not be started; that blocks nothing and the model is not told",
		"Goes on as if there were no hook. ${CLAUDE_PLUGIN_ROOT} in a settings file, and shell powershell without pwsh, end so.",
		"Correct the entry's command.", onAll, failure},
	{TimedOut, suites.Error, "the hook timed out: the client cancels it and goes on",
		"Cancels the hook and drops what it printed; {proceeds}.",
		"Make it faster, or raise its timeout (seconds).{onFailure}", onAll, failure},
	{Background, suites.Info, "the hook runs in the background",
		"Does not wait for it.", "", onAll, keeps},
	{TooLate, suites.Error, "the hook runs in the background: neither exit code nor output has an effect",
		`Does not wait for a hook with async, or that printed {"async":true} first; its no comes too late.`,
		"Remove async from a hook that is to block.", onAll, loses},
	{NoEvent, suites.Error, "client {version} has no event {value}: the hook never runs",
		"Leaves an event that it does not know out without a word.", "Event names are case-sensitive, as in PreToolUse.", onAll, keeps},
	{NeverRuns, suites.Error, "an entry with `if` never runs on {event}",
		"Looks at `if` on tool events alone, and runs such a hook nowhere else.", "Remove `if` from the entry.", onAll, loses},
	{EntryDropped, suites.Error, "dropped: this entry never runs, because {value}",
		"Leaves out an entry that its validation refuses; under PreToolUse and PermissionRequest, and on 2.1.197 under every event, it leaves out the whole settings file.",
		"Correct the entry; hookwatch check finds such entries.", onAll, keeps},
	{NoHook, suites.Info, "no hook ran", "Goes on.", "", onAll, keeps},
	{OtherClient, suites.Info, "{value}", "Another client than Claude Code reads the output by its own rules (hookwatch help clients).", "", nil, keeps},
	{HTTPStatus, suites.Error, "the server answered with status {exit}; that blocks nothing, even beside a decision",
		"Takes a status outside 2xx for a failure of the hook, and drops the body.",
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
		"Reads JSON only where it is all of stdout; noise before or after it, an array or a missing brace make it text, which this event drops.",
		"Print one JSON object and nothing else; send diagnostics to stderr.", onAll, loses},
	{TextToModel, suites.Info, "plain stdout of {event} reaches the model",
		"Hands text on stdout to the model, also if it is JSON: no decision in it counts.", "", onAll, loses},
	{NotOneDocument, suites.Error, "stdout is not one JSON document: the client reports an error and drops it",
		"Takes text between braces for JSON that is broken, and two documents for none, unless no line of them has a key that it knows.",
		"Print one JSON object; make it with jq or a JSON library, not by hand.", onNewer, loses},
	{HTTPText, suites.Error, "the answer is no JSON object: the client reports an error and drops it",
		"Takes only JSON objects from http hooks.", "Answer with a JSON object.", on330, loses},
	{WorktreePath, suites.Info, "the client takes the whole stdout as the path; it fails where that is no directory",
		"Takes all that WorktreeCreate prints as the path of the new worktree.", "", on330, keeps},
	{WorktreeNoPath, suites.Error, "WorktreeCreate fails: the client takes the whole stdout as the path, and that is {value}",
		"Takes all that WorktreeCreate prints as the path; JSON, text around it and silence make no path.",
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
		"Drops all of an output in which one known key has a wrong type, a decision in it as well; {proceeds}.",
		"Correct the value.", onAll, loses},
	{UnknownValue, suites.Error, "{drops}: {key} is {value}, not one of {want}",
		"Drops all of an output in which a decision is a word that it does not know; {proceeds}.",
		"Top-level decision is approve or block; permissionDecision is allow, deny or ask.", onAll, loses},
	{NoEventName, suites.Error, "{drops}: hookSpecificOutput has no hookEventName",
		"Drops all of such an output.", `Add "hookEventName" with the event's name.`, onAll, loses},
	{UnknownName, suites.Error, "{drops}: hookEventName is {value}, which takes no hookSpecificOutput",
		"Drops all of such an output.", "Write the event's own name.", onAll, loses},
	{OtherName, suites.Error, "{drops}: hookEventName is {value}, but the event is {event}",
		"Drops all of such an output.", "Take the name from hook_event_name of the payload.", onAll, loses},
	{NotAccepted, suites.Error, "{drops}: {event} takes no hookSpecificOutput",
		"Drops all of such an output.", "Use the top-level keys, or exit 2 and stderr.", onAll, loses},
	{UnknownKeys, suites.Error, "the client does not know {key} and drops it without a word",
		"Accepts and drops unknown keys, a misspelt decision and one in the wrong place among them.",
		"hookwatch schema output EVENT lists the keys that it knows.", onAll, loses},
	{Exit2Dropped, suites.Error, "2.1.197 drops the output, exit code 2 with it: {key} is not valid",
		"2.1.197 drops exit code 2 with an output that its validation refuses, and {proceeds}; newer clients block.",
		"Print no JSON at exit code 2.", onAll, loses},
	{OtherNameAtExit, suites.Error, "hookEventName is {value}, but the event is {event}: the client drops the output, exit code 2 with it",
		"Lets pass what exit code 2 was to block, on all events but PreToolUse, PreCompact, ConfigChange and Elicitation.",
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

var noes = []ruleRow{
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

// Outputs that the client follows.
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

var heeded = []ruleRow{
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

// Changes to values of the client, and texts that it passes on.
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

var changes = []ruleRow{
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

// did describes the effect of a refusal.
var did = map[suites.Effect]string{
	suites.Denied:        " denies {event}",
	suites.ShownToModel:  " comes too late to keep anything from happening: the model is told",
	suites.AnotherTurn:   " keeps the model from stopping",
	suites.PromptBlocked: " blocks the prompt: the model is not asked",
	suites.SessionEnds:   " ends the loop",
}

// Sentence returns the cause as one sentence. All such sentences are made here.
func (c Cause) Sentence() string {
	row, _ := rowOf(c.Kind)
	drops := "the client drops the whole output"
	if c.Effect == suites.ShownToModel {
		drops = "the client uses no key of the output and shows the model its text"
	}
	text := strings.NewReplacer("{does}", did[c.Effect], "{drops}", drops).Replace(row.what)
	return strings.NewReplacer(
		"{event}", c.Event, "{key}", c.Key, "{value}", c.Value, "{want}", c.Want, "{exit}", strconv.Itoa(c.Exit),
		"{signal}", c.Signal, "{version}", string(c.Version.Profile()), "{count}", strconv.Itoa(c.Count),
	).Replace(text)
}

// Because returns the cause of the reading as one sentence.
func (r Reading) Because() string { return r.Cause.Sentence() }
