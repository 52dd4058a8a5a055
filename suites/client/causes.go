package client

import "hookwatch/suites"

// How a hook ended.
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
	HTTPStatus    Kind = "http-status"
)

// InBackground reports whether the client does not wait for the hook.
func (k Kind) InBackground() bool { return k == Background || k == TooLate }

var endings = []causeRow{
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
	{HTTPStatus, suites.Error, "the server answered with status {exit}; that blocks nothing, even beside a decision",
		"Takes a status outside 2xx for a failure of the hook, and drops the body.",
		"Answer with status 200 and a JSON decision.{onFailure}", on330, loses},
}

// What becomes of text on stdout.
const (
	TextDropped    Kind = "text-dropped"
	TextToModel    Kind = "text-to-model"
	NotOneDocument Kind = "not-one-document"
	HTTPText       Kind = "http-not-json"
	WorktreePath   Kind = "worktree-path"
	WorktreeNoPath Kind = "worktree-no-path"
)

var texts = []causeRow{
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

// DropsOutput reports whether the client drops all of an output, for one thing in it.
func (k Kind) DropsOutput() bool {
	switch k {
	case WrongType, UnknownValue, NoEventName, UnknownName, OtherName, NotAccepted:
		return true
	}
	return false
}

var refusedOutputs = []causeRow{
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
