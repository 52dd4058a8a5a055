package contract

import (
	"slices"
	"strings"
	"testing"

	"hookwatch/suites"
)

// A cell is what one event does with a row's output. old and new are 2.1.197
// and 2.1.329; sees is text that the model must be told, "" that it is told nothing.
type cell struct {
	old, new         suites.Effect
	oldSees, newSees string
}

func both(effect suites.Effect, sees string) cell { return cell{effect, effect, sees, sees} }

var (
	goesOn  = both(suites.Proceeds, "")
	dropped = both(suites.Ignored, "")
)

// A row is one kind of output; cells are PreToolUse, PostToolUse,
// UserPromptSubmit, SessionStart, Stop. The zero cell was not observed.
type row struct {
	name     string
	in       Output
	decision string
	cells    [5]cell
}

var columns = [5]struct{ event, matched string }{
	{"PreToolUse", "Bash"}, {"PostToolUse", "Bash"}, {"UserPromptSubmit", ""}, {"SessionStart", "startup"}, {"Stop", ""},
}

func out(text string) Output { return Output{Stdout: []byte(text)} }

func exits(code int, stdout, stderr string) Output {
	return Output{Exit: code, Stdout: []byte(stdout), Stderr: []byte(stderr)}
}

func all(c cell) [5]cell { return [5]cell{c, c, c, c, c} }

// toModel is a row of plain text: it reaches the model on two events only.
func toModel(text string) [5]cell {
	return [5]cell{
		dropped, dropped,
		both(suites.ContextAdded, "UserPromptSubmit hook success: "+text),
		both(suites.ContextAdded, "SessionStart:startup hook success: "+text),
		dropped,
	}
}

// oldToModel is a row that 2.1.197 takes for text and 2.1.329 for an error.
func oldToModel(text string) [5]cell {
	cells := toModel(text)
	for _, i := range []int{2, 3} {
		cells[i].new, cells[i].newSees = suites.Ignored, ""
	}
	return cells
}

const blockJSON = `{"decision":"block","reason":"RSN"}`

var (
	blocked = [5]cell{
		{suites.Denied, suites.Denied, "RSN", "PreToolUse:Bash hook error: RSN"},
		both(suites.ShownToModel, "RSN"),
		both(suites.PromptBlocked, ""),
		{suites.ContextAdded, suites.Ignored, "RSN", ""},
		both(suites.AnotherTurn, "Stop hook feedback: RSN"),
	}
	exit2 = [5]cell{
		both(suites.Denied, "PreToolUse:Bash hook error: [hook.sh]: ERR"),
		both(suites.ShownToModel, "[hook.sh]: ERR"),
		both(suites.PromptBlocked, ""), dropped,
		both(suites.AnotherTurn, "Stop hook feedback: [hook.sh]: ERR"),
	}
	exit2Silent = [5]cell{
		both(suites.Denied, "No stderr output"), both(suites.ShownToModel, "No stderr output"),
		both(suites.PromptBlocked, ""), dropped, both(suites.AnotherTurn, "No stderr output"),
	}
	failsOpenOnce = [5]cell{
		{suites.Ignored, suites.Denied, "", "[hook.sh]: ERR"}, {}, {}, {},
		{suites.Ignored, suites.AnotherTurn, "", "[hook.sh]: ERR"},
	}
)

func rows() []row {
	return append(textRows(), append(jsonRows(), exitRows()...)...)
}

func textRows() []row {
	return []row{
		{"empty", out(""), "none", all(goesOn)},
		{"white space", out(" \n"), "none", all(goesOn)},
		{"empty object", out("{}"), "none", all(goesOn)},
		{"plain text", out("TEXT\n"), "none", toModel("TEXT")},
		{"truncated", out(`{"decision":"block"`), "none", toModel(`{"decision":"block"`)},
		{"single quotes", out(`{'decision':'block'}`), "none", oldToModel(`{'decision':'block'}`)},
		{"two documents", out("{}\n" + blockJSON), "none", oldToModel("{}\n" + blockJSON)},
		{"noise before", out("hi\n" + blockJSON), "none", toModel("hi\n" + blockJSON)},
		{"noise after", out(blockJSON + "\nbye"), "none", toModel(blockJSON + "\nbye")},
		{"array", out(`[{"decision":"block"}]`), "none", toModel(`[{"decision":"block"}]`)},
		{"stderr only", exits(0, "", "ERR"), "none", all(goesOn)},
	}
}

func jsonRows() []row {
	named := func(event string) string {
		return `{"hookSpecificOutput":{"hookEventName":"` + event + `","additionalContext":"CTX"}}`
	}
	return []row{
		{"approve", out(`{"decision":"approve"}`), "approve", [5]cell{both(suites.Allowed, ""), dropped, dropped, dropped, dropped}},
		{"block", out(blockJSON), "block", blocked},
		{"block without reason", out(`{"decision":"block"}`), "block", [5]cell{
			{suites.Denied, suites.Denied, "Hook PreToolUse:Bash denied this tool", "Blocked by hook"},
			both(suites.ShownToModel, "Blocked by hook"), both(suites.PromptBlocked, ""), dropped,
			both(suites.AnotherTurn, "Stop hook feedback"),
		}},
		{"decision allow", out(`{"decision":"allow"}`), "allow", all(dropped)},
		{"decision deny", out(`{"decision":"deny","reason":"RSN"}`), "deny", all(dropped)},
		{"context at the top", out(`{"additionalContext":"CTX"}`), "none", all(dropped)},
		{"reminder", out(`{"type":"reminder","content":"CTX"}`), "none", all(dropped)},
		{"typo", out(`{"decison":"block"}`), "none", all(dropped)},
		{"no event name", out(`{"hookSpecificOutput":{"additionalContext":"CTX"}}`), "none", all(dropped)},
		{"unknown event name", out(named("Whatever")), "none", all(dropped)},
		{"other event name", out(named("Notification")), "none", all(dropped)},
		{"permissionDecision at the top", out(`{"permissionDecision":"deny"}`), "deny", [5]cell{dropped}},
		{"permissionDecision block", out(`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"block"}}`), "block", [5]cell{dropped}},
		{"wrong type", out(`{"continue":"false","decision":"block"}`), "block", all(dropped)},
		{"null", out(`{"reason":null,"decision":"block"}`), "block", all(dropped)},
		{"stop", out(`{"continue":false,"stopReason":"RSN"}`), "none", [5]cell{
			both(suites.SessionEnds, ""), both(suites.SessionEnds, ""), both(suites.PromptBlocked, ""), dropped, both(suites.SessionEnds, ""),
		}},
		{"stop and deny", out(`{"continue":false,"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"RSN"}}`),
			"deny", [5]cell{{suites.Denied, suites.SessionEnds, "RSN", ""}}},
		{"messages", out(`{"suppressOutput":true,"systemMessage":"MSG"}`), "none", all(goesOn)},
	}
}

func exitRows() []row {
	approve := `{"decision":"approve"}`
	timeout := all(goesOn)
	timeout[1] = cell{}
	return []row{
		{"exit 1", exits(1, "TEXT", "ERR"), "none", all(goesOn)},
		{"exit 3", exits(3, "TEXT", ""), "none", all(goesOn)},
		{"killed", Output{Exit: -1, Signal: "SIGKILL", Stdout: []byte("TEXT")}, "none", all(goesOn)},
		{"exit 1, block", exits(1, blockJSON, ""), "block", blocked},
		{"exit 2, stderr", exits(2, "", "ERR\n"), "none", exit2},
		{"exit 2, stdout", exits(2, "TEXT", ""), "none", exit2Silent},
		{"exit 2, block", exits(2, blockJSON, "ERR"), "block", blocked},
		{"exit 2, approve", exits(2, approve, "ERR"), "approve", exit2},
		{"exit 2, invalid", exits(2, `{"decision":"deny"}`, "ERR"), "deny", failsOpenOnce},
		{"exit 2, other event name", exits(2, `{"hookSpecificOutput":{"hookEventName":"Setup"}}`, "ERR"), "none", [5]cell{failsOpenOnce[0]}},
		{"exit 2, truncated", exits(2, `{"decision":`, "ERR"), "none", [5]cell{exit2[0]}},
		{"timeout", Output{Exit: -1, TimedOut: true, Stdout: []byte(blockJSON)}, "block", timeout},
		{"exit 126", exits(126, "", "Permission denied"), "none", all(goesOn)},
		{"exit 127", exits(127, "", "not found"), "none", all(goesOn)},
		{"not started", Output{Exit: -1, NotStarted: "no such file"}, "none", all(goesOn)},
		{"python without script", exits(2, "", "python3: can't open file '/x.py': [Errno 2] No such file or directory"), "none",
			[5]cell{both(suites.Denied, "No such file"), {}, {}, {}, dropped}},
		{"dash without script", exits(2, "", "sh: 0: cannot open x.sh: No such file"), "none",
			[5]cell{both(suites.Denied, "No such file"), {}, {}, {}, dropped}},
		{"async entry", Output{Exit: 2, Stderr: []byte("ERR"), Async: true}, "none", all(dropped)},
		{"async entry, block", Output{Stdout: []byte(blockJSON), Async: true}, "block", all(dropped)},
		{"async output", out(`{"async":true,"asyncTimeout":5}`), "none", all(goesOn)},
		{"async output, exit 2", exits(2, `{"async":true}`, "ERR"), "none", all(dropped)},
	}
}

func TestInterpret(t *testing.T) {
	t.Parallel()
	for _, row := range rows() {
		for i, want := range row.cells {
			if want == (cell{}) {
				continue
			}
			in := row.in
			in.Command, in.Matched = "hook.sh", columns[i].matched
			event := columns[i].event
			t.Run(row.name+"/"+event, func(t *testing.T) {
				t.Parallel()
				check(t, Interpret(V197, event, in), row.decision, want.old, want.oldSees)
				check(t, Interpret(V329, event, in), row.decision, want.new, want.newSees)
			})
		}
	}
}

func check(t *testing.T, got Reading, decision string, effect suites.Effect, sees string) {
	t.Helper()
	if got.Decision != decision || got.Effect != effect {
		t.Errorf("decision %q, effect %q, want %q, %q (%s)", got.Decision, got.Effect, decision, effect, got.Reason)
	}
	if sees == "" && len(got.ModelSees) > 0 {
		t.Errorf("the model sees %q, want nothing", got.ModelSees)
	}
	if !slices.ContainsFunc(append(got.ModelSees, ""), func(text string) bool { return strings.Contains(text, sees) }) {
		t.Errorf("the model sees %q, want %q", got.ModelSees, sees)
	}
	if got.Reason == "" {
		t.Error("no reason given")
	}
}
