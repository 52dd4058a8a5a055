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

// An Event is a moment at which the client runs hooks: what it sends them, which of them it
// runs, and what it does with their outputs there. Each event has one row, in events.go.
type Event struct {
	Name string
	// Since is the first observed version that has the event; empty for all.
	Since Version

	// MatchedOn is the stdin field that a matcher is compared with. Empty: the matcher is
	// ignored and every hook of the event runs.
	MatchedOn string
	// BaseName reports that a matcher is compared with the base name of that field alone.
	BaseName bool
	// OnlyBars reports that only a bar separates the names of a matcher; a comma and a space
	// are part of a name.
	OnlyBars bool
	// Values are all values of that field, if their list is closed.
	Values []string
	// Usual is a value that the client was observed to send in that field; empty where it is
	// the tool's name.
	Usual string
	// Others are more values of that field, if their list is open.
	Others []string

	// fields makes the fields that the event adds to the common ones of a payload, in the
	// client's order.
	fields func(PayloadInput) object
	// Tool reports that the payload names a tool and that an entry's `if` is looked at.
	Tool bool
	// Command is a command of Bash by which a session comes to the event, and to which a harmless
	// one would not bring it; Outside reports that of calls for files only those for files
	// outside the project do.
	Command string
	Outside bool
	// Guards is what hooks of the event are usually there to stop.
	Guards Guarded
	// Stop reports that the event comes when the model has stopped: stop_hook_active in the
	// payload reports that a hook made it go on before, and additionalContext makes it go on.
	Stop       bool
	beforeID   bool // it comes before the first prompt, which gives a payload its prompt_id
	withMode   bool // the payload has permission_mode
	withEffort bool // the payload has effort

	// EnvFile reports that hooks get CLAUDE_ENV_FILE.
	EnvFile bool
	// Timeout is the time that hooks get whose entry names none, and AnyType reports that
	// those of every type get it; 0: what the type of the hook gets.
	Timeout time.Duration
	AnyType bool
	// InNames reports that scripts which no settings file registers are named after the event;
	// FirstInNames that its name is the first word of theirs, because it is a usual word.
	InNames, FirstInNames bool
	// Unreported reports that the client prints nothing of the event's hooks.
	Unreported bool
	// Last reports that the client sends the model nothing more after the event.
	Last bool

	// Output are the keys of hookSpecificOutput; none: the event accepts no such object.
	Output []Field
	// PrintsPath reports that stdout of a command is the path of a directory, and no JSON.
	PrintsPath bool

	// Exit2 is what exit code 2 does, and a JSON decision block with it.
	Exit2 suites.Effect
	// Exit2On are the versions on which Exit2 was observed; none: documented.
	Exit2On []Version
	// Failure is what a failure does where the entry's onFailure is block; empty: what
	// exit code 2 does.
	Failure suites.Effect
	// Told is how the model is told of a no; empty: it is not.
	Told string
	// Plain is what the model is told of text on stdout; empty: nothing.
	Plain string
	// Proceeds is what happens if no hook keeps it from happening; empty: the session goes on.
	Proceeds string
	// Reports is how the model is told what became of each hook; empty: it is not.
	Reports string
	// Halt is what continue:false does; empty: not known.
	Halt suites.Effect
	// Allow is the cause of the effect of a decision that allows; empty: there is no such
	// decision.
	Allow Kind

	IgnoresBlock     bool // decision block has no effect beside Exit2
	AnyFailure       bool // whatever does not exit 0 fails what the event is about
	TimeoutBlocks    bool // a time-out is a no; documented
	PassesOtherName  bool // exit code 2 is dropped with JSON that names another event
	PardonsNoScript  bool // exit code 2 of an interpreter without its script is no no
	PardonsPlugin    bool // as PardonsNoScript, of a plugin's hooks; read from the code
	IgnoresOnFailure bool // the entry key onFailure has no effect
	KeepsExit2       bool // 2.1.197 heeds exit code 2 beside JSON that names another event
	NeedsSettings    bool // a plugin's hooks run only if a settings file has hooks of such an event, too
	LosesContext     bool // additionalContext is accepted and reaches nobody
	DropsFile        bool // one entry that the client refuses makes it drop the whole settings file
	PromptEnds       bool // a prompt hook's "not ok" ends the session; observed on client 2.1.330, 2.1.197 denied
	TellsReason      bool // 2.1.197 sends the model the reason of a block that has no effect
}

// Guarded is what hooks are there to stop.
type Guarded string

// What hooks guard.
const (
	Calls   Guarded = "calls of tools"
	Prompts Guarded = "prompts"
)

// Guarding returns the event at which calls or prompts can be stopped.
func Guarding(what Guarded) Event {
	return only(func(e Event) bool { return e.Guards == what })
}

// Answering returns the event whose hooks answer, in the user's place, whether a call may run.
func Answering() Event { return only(func(e Event) bool { return e.Allow == Granted }) }

func only(is func(Event) bool) Event { return events[slices.IndexFunc(events, is)] }

// The ways in which the model is told.
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
)

// The ways in which the client tells the model what became of each hook, in the output of
// a command that the person gave; observed on clients 2.1.197 and 2.1.330.
const (
	ofCompact = "{event} [{command}] {text}"    // of /compact: every hook that says something
	ofModel   = "{event} hook {label} failed: " // of /model: those that fail
)

// Known reports whether a client of version v has the event.
func (e Event) Known(v Version) bool { return v.Since(e.Since) }

// MatcherValue is what a matcher is compared with for this payload; "" when the
// event ignores matchers or the payload has no such field.
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

// matches reports whether a matcher lets one of the values through.
func (e Event) matches(matcher string, values ...string) (bool, error) {
	separators := MatcherSeparators
	if e.OnlyBars {
		separators = OnlyBars
	}
	return EvaluateMatcher(matcher, separators, values...)
}

// field is a text in a JSON object; "" where there is none. What comes after it is not
// read: the client writes what matchers look at before a tool's input, which may be large.
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
			_ = json.Unmarshal(value, &text) // no text is none
			return text
		}
	}
	return ""
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

// Fill replaces the parts of a rule's text that depend on the event: {proceeds}, which is what
// happens although the hook failed, {exit 2}, which is that beside what exit code 2 does, {or no},
// which is what exit code 2 of an interpreter without its script does, and the remedies {block} and
// {onFailure}, which has failures block. The zero Event stands for any.
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

// block is how a hook keeps something from happening by more than its failure.
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

// blocks reports whether an effect keeps something from happening.
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

// No is what exit code 2 of a hook does every time; "" where it does nothing.
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
