package client

import (
	"bytes"
	"cmp"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"hookwatch/suites"
)

// An Event is a moment at which the client runs hooks, and what it makes of their
// outputs there.
type Event struct {
	Name string
	// MatchedOn is the stdin field that a matcher is compared with; FileChanged
	// compares the base name of it. Empty: the matcher is ignored and every hook
	// of the event runs.
	MatchedOn string
	// Tool tells that the payload names a tool and that an entry's `if` is looked at.
	Tool bool
	// Since is the first observed version that has the event; empty for all.
	Since Version

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

	IgnoresBlock     bool // decision block has no effect beside Exit2
	AnyFailure       bool // whatever does not exit 0 fails what the event is about
	TimeoutBlocks    bool // a time-out is a no; documented
	PassesOtherName  bool // exit code 2 is dropped with JSON that names another event
	PardonsNoScript  bool // exit code 2 of an interpreter without its script is no no
	IgnoresOnFailure bool // the entry key onFailure has no effect
	KeepsExit2       bool // 2.1.197 heeds exit code 2 beside JSON that names another event
	NeedsSettings    bool // a plugin's hooks run only if a settings file has hooks of such an event, too
	LosesContext     bool // additionalContext is accepted and reaches nobody
}

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
	if e.Name == "FileChanged" {
		return path.Base(strings.ReplaceAll(value, `\`, "/"))
	}
	return value
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

// RuleAt returns the rule with an ID as it reads for an event; ok is false for no rule of the client.
func RuleAt(id string, e Event) (r suites.Rule, ok bool) {
	row, ok := rowOf(Kind(id))
	if !ok {
		return suites.Rule{}, false
	}
	r = row.rule()
	r.Client, r.Remedy = e.Fill(row.client), e.Fill(row.remedy)
	return r, true
}

// Remedy returns what to do about the cause at its event.
func (c Cause) Remedy() string {
	row, _ := rowOf(c.Kind)
	event, known := EventByName(c.Event)
	if !known {
		return row.rule().Remedy
	}
	return event.Fill(row.remedy)
}
