package corpus

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/pattern"
)

// What a run of a hook did, unless it passed, perhaps with text for the model. It failed by its exit code,
// by invalid JSON or to start; TimedOut is also a run that was ended otherwise, because not every record
// tells these apart.
const (
	Blocked, Asked, Allowed   = "blocked", "asked", "allowed"
	Rewrote, Failed, TimedOut = "rewrote", "failed", "timed_out"
)

// Outcomes are all of them.
var Outcomes = []string{Blocked, Asked, Allowed, Rewrote, Failed, TimedOut}

// recordKinds are the records about a hook, and what the run did. Observed on client 2.1.332 with ten
// kinds of output of the hooks of 13 events (see client.Trace), except the last two.
var recordKinds = map[string]string{
	"hook_success":                "",       // at UserPromptSubmit only with plain text
	"async_hook_response":         "",       // without a command and duration; a silent success leaves none
	"hook_non_blocking_error":     Failed,   // also for exit code 2 at SessionStart and SubagentStart
	"hook_cancelled":              TimedOut, // of PostToolUse without a command, a duration and timedOut
	"hook_blocking_error":         Blocked,  // without a duration
	"hook_stopped_continuation":   Blocked,  // without a command
	"hook_permission_decision":    Allowed,  // of PermissionRequest, without a command
	"hook_additional_context":     "",       // without a command; after hook_success except at UserPromptSubmit
	"hook_system_message":         "",       // the same
	"hook_error_during_execution": Failed,   // in published transcripts
	"hook_progress":               "",       // the start of each run; in published transcripts of 2.1.79
}

// repeats reports whether another record shows the run as well.
func (a attachment) repeats() bool {
	about, _ := client.EventByName(a.HookEvent)
	switch a.Type {
	case "hook_success":
		return a.ExitCode == 2 && about.Exit2 == suites.Ignored // a failure with another ID precedes it
	case "hook_additional_context", "hook_system_message":
		return a.HookEvent != "UserPromptSubmit"
	case "hook_permission_decision":
		return a.Decision == "deny" // the result of the call has the reason
	}
	return a.Command == "callback" // a function of the client's own
}

// refusals match texts about a refusal that has no other record, with its event, and rewaking one of a
// hook in the background; observed on client 2.1.332.
var (
	refusals = pattern.Lazy(`^(?:Error: )?(?:(PreToolUse):\S+ hook error: |(Task\w+) hook feedback:\n|Stop hook feedback:\n|UserPromptSubmit operation blocked by hook:\n|Operation stopped by hook: )`)
	rewaking = pattern.Lazy(`(?s)hook blocking error from command "([A-Za-z]+)(?::([^"]*))?": (.*?)\n?</system-reminder>`)
)

// refusal yields a refusal that is known by its text; event is that of a text which names none.
func (t *transcript) refusal(x row, event, id, text string) {
	if found := refusals().FindStringSubmatch(text); found != nil {
		text, event = text[len(found[0]):], cmp.Or(found[1], found[2], event)
	}
	t.yield(Shown{Event: event, ID: id, Text: text, Outcomes: []string{Blocked}, At: x.Time})
}

func (t *transcript) attachment(x row, a attachment) {
	_, value, _ := strings.Cut(a.HookName, ":")
	s := Shown{
		Event: a.HookEvent, ID: cmp.Or(a.ToolUseID, x.ToolUseID, x.UUID), Value: value, At: x.Time, Took: time.Duration(a.DurationMS) * time.Millisecond,
		Command: cmp.Or(a.Command, a.BlockingError.Command), Text: cmp.Or(a.BlockingError.BlockingError, a.Message, string(a.Content)),
		Async: a.Type == "async_hook_response", Outcomes: readRequests(a.Stdout),
	}
	outcome, known := recordKinds[a.Type]
	switch found := rewaking().FindStringSubmatch(a.Prompt); {
	case found != nil:
		s.Event, s.Value, s.Text, s.Async, outcome = found[1], found[2], found[3], true, Blocked
	case a.Type == "queued_command" && a.CommandMode == "prompt": // sent while the model worked
		t.prompt(x, a.Prompt)
		return
	case !known:
		t.Skipped[x.Type+"/"+a.Type]++
		return
	case a.repeats():
		return
	case s.Async && a.ExitCode != 0:
		outcome = Failed
	}
	if outcome != "" {
		s.Outcomes = []string{outcome}
	}
	t.named[s.ID+s.Text] = outcome == Blocked
	t.yield(s)
}

// readRequests returns what the output of a hook asks of the client.
func readRequests(stdout string) (all []string) {
	var out struct{ HookSpecificOutput map[string]json.RawMessage }
	_ = json.Unmarshal([]byte(stdout), &out) // text asks for nothing
	own := out.HookSpecificOutput
	if decision := map[string]string{`"ask"`: Asked, `"allow"`: Allowed}[string(own["permissionDecision"])]; decision != "" {
		all = append(all, decision)
	}
	if len(own["updatedInput"])+len(own["updatedToolOutput"])+len(own["updatedMCPToolOutput"]) > 0 {
		all = append(all, Rewrote)
	}
	return all
}

// stop reads the record of the end of a turn, which lists every hook that ran.
func (t *transcript) stop(x row) {
	t.yield(Shown{Event: "Stop", ID: x.ToolUseID, Payload: []byte{}, At: x.Time})
	for _, a := range x.HookInfos {
		t.yield(Shown{Event: "Stop", ID: x.ToolUseID, Command: a.Command, Took: time.Duration(a.DurationMS) * time.Millisecond, At: x.Time})
	}
	for i, text := range x.HookErrors {
		if !slices.Contains(x.FailedHookErrorIndexes, i) && !t.named[x.ToolUseID+text] {
			t.refusal(x, "Stop", x.ToolUseID, text)
		}
	}
}
