package client

import (
	"bytes"
	"cmp"
	"encoding/json"
	"path"
	"slices"
	"strings"
	"time"

	"hookwatch/suites"
)

// A Trace is what the client's transcripts show of the runs of an event's hooks. It was observed on
// client 2.1.332, with ten kinds of output of the hooks of 13 events.
type Trace int

const (
	// TraceNone: nothing, whatever a hook does.
	TraceNone Trace = iota + 1
	// TraceDecisions: what a hook denies or allows, in a record or result that does not name it.
	TraceDecisions
	// TraceOutput: each run that prints, fails, decides or is ended. A silent success leaves nothing.
	TraceOutput
	// TraceAll: each run.
	TraceAll
)

// An Event is a moment at which the client runs hooks: their input, their selection and the effects
// of their outputs. Each event has one row, in events.go.
type Event struct {
	Name string
	// Since is the first observed version that has the event; empty for all.
	Since Version

	// MatchedOn is the stdin field that a matcher is compared with. If it is empty, the matcher is
	// ignored and every hook of the event runs.
	MatchedOn string
	// BaseName reports that a matcher is compared only with the base name of that field.
	BaseName bool
	// OnlyBars reports that only a bar separates the names of a matcher; a comma and a space are
	// part of a name.
	OnlyBars bool
	// Values are all values of that field, if their list is closed.
	Values []string
	// Usual is a value that the client was observed to send in that field; empty if it is the
	// tool's name.
	Usual string
	// Others are more values of that field, if their list is open.
	Others []string

	// fields returns the fields that the event adds to the common ones of a payload, in the
	// client's order.
	fields func(PayloadInput) object
	// Tool reports that the payload names a tool and that an entry's `if` is evaluated.
	Tool bool
	// Command is a Bash command that triggers the event, if a harmless one would not. Outside
	// reports that calls for files trigger it only if the file is outside the project.
	Command string
	Outside bool
	// Guards is the action that hooks of the event usually exist to stop.
	Guards Guarded
	// Stop reports that the event occurs when the model has stopped: stop_hook_active in the
	// payload reports that a hook already made it continue, and additionalContext makes it
	// continue.
	Stop     bool
	beforeID bool // the event precedes the first prompt, which gives a payload its prompt_id
	withMode bool // the payload has permission_mode
	// Effort reports that the payload has the effort of the model, and the hook's environment
	// CLAUDE_EFFORT.
	Effort bool

	// EnvFile reports that hooks get CLAUDE_ENV_FILE.
	EnvFile bool
	// Timeout is the time limit of hooks whose entry has none; 0 selects the default of the hook's
	// type. AnyType reports that it applies to every type of hook.
	Timeout time.Duration
	AnyType bool
	// InNames reports that the names of unregistered hook scripts may contain the event's name.
	// FirstInNames requires it as their first word because it is a common word.
	InNames, FirstInNames bool
	// Unreported reports that the client prints nothing about the event's hooks.
	Unreported bool
	// Last reports that the client sends the model nothing more after the event.
	Last bool
	// Trace is what the client's transcripts show of the event's hooks; 0 if that was not observed.
	Trace Trace

	// Output are the keys of hookSpecificOutput; none if the event accepts no such object.
	Output []Field
	// PrintsPath reports that a command prints the path of a directory to stdout, not JSON.
	PrintsPath bool

	// Exit2 is the effect of exit code 2 and of a JSON decision "block".
	Exit2 suites.Effect
	// Failure is the effect of a failure if the entry's onFailure is block; empty if it is that of
	// exit code 2.
	Failure suites.Effect
	// RefusalFormat is the format of the model's message about a refusal; empty if it gets none.
	RefusalFormat string
	// Plain is the format in which the model gets text from stdout; empty if it gets none.
	Plain string
	// Proceeds describes the outcome if no hook prevents it; empty if the session goes on.
	Proceeds string
	// Reports is the format in which the model gets the result of each hook; empty if it gets none.
	Reports string
	// Halt is the effect of continue:false; empty if it is unknown.
	Halt suites.Effect
	// Allow is the cause of the effect of a decision that allows; empty if the event has no such
	// decision.
	Allow Kind

	IgnoresBlock     bool // decision block has no effect in addition to Exit2
	AnyFailure       bool // any exit code but 0 makes the event's action fail
	TimeoutBlocks    bool // a time-out blocks; documented
	PassesOtherName  bool // exit code 2 is dropped with JSON that names another event
	PardonsNoScript  bool // exit code 2 of an interpreter without its script does not block
	PardonsPlugin    bool // as PardonsNoScript, for a plugin's hooks; read from the code
	IgnoresOnFailure bool // the entry key onFailure has no effect
	KeepsExit2       bool // 2.1.197 uses exit code 2 with JSON that names another event
	NeedsSettings    bool // a plugin's hooks run only if a settings file also has hooks of such an event
	LosesContext     bool // additionalContext is accepted and dropped
	RefusesInput     bool // any updatedInput is a refusal
	DropsFile        bool // one refused entry makes the client drop the whole settings file
	PromptEnds       bool // a prompt hook's "not ok" ends the session; observed on client 2.1.330, 2.1.197 denied
	SendsReason      bool // 2.1.197 sends the model the reason of a block that has no effect
}

// Guarded is an action that hooks exist to stop.
type Guarded string

// The guarded actions.
const (
	Calls   Guarded = "calls of tools"
	Prompts Guarded = "prompts"
)

// GuardEvent returns the event at which calls or prompts can be stopped.
func GuardEvent(what Guarded) Event { return findEvent(func(e Event) bool { return e.Guards == what }) }

// PermissionEvent returns the event whose hooks decide, in the user's place, whether a call may run.
func PermissionEvent() Event { return findEvent(func(e Event) bool { return e.Allow == Granted }) }

func findEvent(is func(Event) bool) Event { return events[slices.IndexFunc(events, is)] }

// The formats of messages to the model.
const (
	asError    = "{label} hook error: {text}"
	asReminder = `{label} hook blocking error from command: "{command}": {text}`
	asStop     = "Stop hook feedback:\n{text}"
	asFeedback = "{event} hook feedback:\n{text}"
	asFailed   = "{event} [{command}] failed: {text}"
	asBroken   = "{event} hook failed: {command}: {text}"
	asContext  = "{event} hook additional context: {text}"
	asSuccess  = "{label} hook success: {text}"
	asItIs     = "{text}"
	asNotRun   = "[not run: blocked by hook: {text}]" // in place of a line of a command
)

// The formats in which the client reports the result of each hook to the model, in the output of a
// command of the user; observed on clients 2.1.197 and 2.1.330.
const (
	ofCompact = "{event} [{command}] {text}"    // of /compact: every hook with output
	ofModel   = "{event} hook {label} failed: " // of /model: failed hooks
)

// Known reports whether a client of version v has the event.
func (e Event) Known(v Version) bool { return v.Since(e.Since) }

// MatcherValue returns the value that a matcher is compared with for this payload; "" if the event
// ignores matchers or the payload has no such field.
func (e Event) MatcherValue(payload []byte) string {
	if e.MatchedOn == "" {
		return ""
	}
	value := field(payload, e.MatchedOn)
	if e.BaseName {
		return path.Base(strings.ReplaceAll(value, `\`, "/"))
	}
	return value
}

// matches reports whether a matcher accepts one of the values.
func (e Event) matches(matcher string, values ...string) (bool, error) {
	separators := MatcherSeparators
	if e.OnlyBars {
		separators = OnlyBars
	}
	return EvaluateMatcher(matcher, separators, values...)
}

// field returns a string field of a JSON object; "" if there is none. It stops reading at the
// field: the client writes the fields of matchers before a tool's input, which may be large.
func field(object []byte, name string) (text string) {
	in := json.NewDecoder(bytes.NewReader(object))
	if open, err := in.Token(); err != nil || open != json.Delim('{') {
		return ""
	}
	for in.More() {
		key, err := in.Token()
		if err != nil {
			return ""
		}
		var value json.RawMessage
		if in.Decode(&value) != nil {
			return ""
		}
		if key == name {
			_ = json.Unmarshal(value, &text) // a value that is not a string counts as missing
			return text
		}
	}
	return ""
}

// Events returns all events.
func Events() []Event { return slices.Clone(events) }

// EventByName returns the event with an exact, case-sensitive name.
func EventByName(name string) (Event, bool) {
	return find(events, func(e Event) bool { return e.Name == name })
}

// Fill replaces the parts of a rule's text that depend on the event:
//
//   - {proceeds}: the outcome if the hook failed
//   - {exit 2}: the same, next to the effect of exit code 2
//   - {or no}: the effect of exit code 2 of an interpreter without its script
//   - {block} and {onFailure}: remedies; the latter makes failures block
//
// The zero Event gives texts that are valid for any event.
func (e Event) Fill(text string) string {
	if !strings.Contains(text, "{") {
		return text
	}
	proceeds, codes, orNo := e.proceeds(), e.proceeds(), ""
	if no := e.No(); no != "" {
		codes = "exit code 2: " + no + "; other codes: " + proceeds
		if !e.PardonsNoScript {
			orNo = "; where an interpreter is given the file, it exits with 2 and " + no
		}
	}
	onFailure := ""
	if e.failuresCanBlock() {
		onFailure = ` Or set onFailure "block" in the entry: failures block then.`
	}
	return strings.NewReplacer("{proceeds}", proceeds, "{exit 2}", codes, "{or no}", orNo,
		"{block}", e.block(), "{onFailure}", onFailure).Replace(text)
}

// block returns the advice for preventing an action other than by a failure of the hook.
func (e Event) block() string {
	switch {
	case e.Name == "" || blocks(e.Exit2):
		return "Exit 2 to block."
	case e.Exit2 == suites.ShownToModel:
		return "Exit 2 to show stderr to the model."
	case e.failuresCanBlock():
		return "Print a JSON decision."
	default:
		return "Exit 0: no exit code of a hook blocks " + e.Name + "."
	}
}

// failuresCanBlock reports whether onFailure "block" has an effect.
func (e Event) failuresCanBlock() bool {
	return e.Name == "" || !e.IgnoresOnFailure && blocks(cmp.Or(e.Failure, e.Exit2))
}

// blocks reports whether an effect prevents something.
func blocks(effect suites.Effect) bool {
	return !slices.Contains([]suites.Effect{suites.Ignored, suites.ShownToModel, ""}, effect)
}

func (e Event) proceeds() string {
	switch {
	case e.Name == "":
		return "the client goes on"
	case e.Proceeds == "":
		return "the session goes on"
	default:
		return e.Proceeds
	}
}

// No describes the effect of exit code 2 of a hook on every run; "" if it has none.
func (e Event) No() string {
	switch e.Exit2 {
	case suites.Denied:
		if e.Tool {
			return "every call is denied"
		}
		return e.Name + " is denied every time"
	case suites.PromptBlocked:
		return "every prompt is blocked"
	case suites.AnotherTurn:
		return "every stop is held up"
	case suites.ShownToModel:
		return "the model is shown the error every time"
	case suites.SessionEnds:
		return "the session ends"
	default:
		return ""
	}
}
