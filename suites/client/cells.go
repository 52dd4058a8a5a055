package client

import (
	"slices"
	"strings"
	"unicode"

	"hookwatch/suites"
)

// A Cell is one kind of output at one event.
type Cell struct {
	Title  string // the section of the measurements, and the row
	Event  string
	Output Output
	Want   Want
}

// A Want is what was observed. Old is 2.1.197, newer are 2.1.329 and 2.1.330; "" was
// not observed. Sees is text that the model must be told, "" that it is told nothing.
type Want struct {
	old, newer         suites.Effect
	oldSees, newerSees string
}

func both(effect suites.Effect, sees string) Want { return Want{effect, effect, sees, sees} }

func newOnly(effect suites.Effect, sees string) Want { return Want{newer: effect, newerSees: sees} }

func oldOnly(effect suites.Effect, sees string) Want { return Want{old: effect, oldSees: sees} }

var (
	dropped = both(suites.Ignored, "")
	goesOn  = both(suites.Proceeds, "")
)

// On is what was observed on a version; not ok: nothing.
func (w Want) On(v Version) (effect suites.Effect, sees string, ok bool) {
	effect, sees = w.newer, w.newerSees
	if v.Profile() == V197 {
		effect, sees = w.old, w.oldSees
	}
	return effect, sees, effect != ""
}

// ID names the cell, the same in every version of this list that has it.
func (c Cell) ID() string {
	section, row, _ := strings.Cut(c.Title, " ")
	var b strings.Builder
	between := false
	for _, r := range row {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("{}[]+", r) {
			between = true
			continue
		}
		if between && b.Len() > 0 {
			b.WriteByte('-')
		}
		between = false
		b.WriteRune(r)
	}
	return section + "/" + c.Event + "/" + b.String()
}

// CellCommand is what the hook of a cell is called where nothing runs.
const CellCommand = "hook.sh"

// What hooks of cells say. No other text that a model is told holds these words.
const (
	blockDecision = `{"decision":"block","reason":"my-reason"}`
	long          = 10_001 // one character more than a context may have
)

func stdoutOnly(text string) Output { return Output{Stdout: []byte(text)} }

func exitsWith(code int, stdout, stderr string) Output {
	return Output{Exit: code, Stdout: []byte(stdout), Stderr: []byte(stderr)}
}

func with(in Output, entry Entry) Output {
	in.Entry = entry
	return in
}

func specificOutput(event, fields string) string {
	return `{"hookSpecificOutput":{"hookEventName":"` + event + `",` + fields + `}}`
}

// matchedBy is what each event's label shows where the measurements name it.
var matchedBy = map[string]string{"PreToolUse": "Bash", "PostToolUse": "Bash", "PostToolUseFailure": "Bash", "SessionStart": "startup"}

// Cells lists the cells, section by section.
func Cells() []Cell {
	all := slices.Concat(sectionOne(), sectionThree(), belowThree(), sectionThreeA(), sectionFour())
	all = slices.DeleteFunc(all, func(c Cell) bool { return c.Want == Want{} })
	for i := range all {
		all[i].Output.Entry.Command = CellCommand
		if all[i].Output.Matched == "" {
			all[i].Output.Matched = matchedBy[all[i].Event]
		}
	}
	return all
}

// sectionOne is the column of exit code 2, and what else the table of events says of
// outputs. Cells that are documented only are here, too.
func sectionOne() []Cell {
	exit2 := exitsWith(2, "", "my-error")
	rows := []Cell{
		{"1 exit 2", "PreToolUse", exit2, both(suites.Denied, "my-error")},
		{"1 exit 2", "UserPromptSubmit", exit2, both(suites.PromptBlocked, "")},
		{"1 exit 2", "UserPromptExpansion", exit2, both(suites.PromptBlocked, "")},
		{"1 exit 2", "PostToolUse", exit2, both(suites.ShownToModel, "my-error")},
		{"1 exit 2", "PostToolUseFailure", exit2, both(suites.ShownToModel, "my-error")},
		{"1 exit 2", "PostToolBatch", exit2, newOnly(suites.SessionEnds, "")},
		{"1 exit 2", "SubagentStop", exit2, both(suites.AnotherTurn, "my-error")},
		{"1 exit 2", "PostCompact", exit2, both(suites.ShownToModel, "PostCompact [hook.sh] failed: my-error")},
		{"1 exit 2", "Stop", exit2, both(suites.AnotherTurn, "my-error")},
		{"1 exit 2", "TeammateIdle", exit2, both(suites.AnotherTurn, "my-error")},
		{"1 exit 2", "TaskCreated", exit2, newOnly(suites.Denied, "TaskCreated hook feedback:\n[hook.sh]: my-error")},
		{"1 exit 2", "TaskCompleted", exit2, newOnly(suites.Denied, "TaskCompleted hook feedback:\n[hook.sh]: my-error")},
		{"1 exit 2", "PreCompact", exit2, newOnly(suites.Denied, "my-error")},
		{"1 exit 2", "Elicitation", exit2, newOnly(suites.Denied, "")},
		{"1 exit 2", "ElicitationResult", exit2, newOnly(suites.Denied, "")},
		{"1 exit 2", "ConfigChange", exit2, newOnly(suites.Denied, "")},
		{"1 exit 2", "PreModelSwitch", exit2, newOnly(suites.Denied, "my-error")},
		{"1 timeout", "PreModelSwitch", Output{Exit: -1, TimedOut: true}, newOnly(suites.Denied, "")},
		{"1 no such event yet", "PreModelSwitch", exit2, oldOnly(suites.Ignored, "")},
		{"1 no such event yet", "DirectoryAdded", exit2, oldOnly(suites.Ignored, "")},
		{"1 no such event", "preToolUse", exit2, dropped},
	}
	for _, event := range []string{
		"SessionStart", "Setup", "InstructionsLoaded", "PermissionRequest", "PermissionDenied", "SubagentStart", "StopFailure",
		"Notification", "CwdChanged", "FileChanged", "MessageDisplay", "SessionEnd",
	} {
		rows = append(rows, Cell{"1 exit 2 blocks nothing", event, exit2, both(suites.Ignored, "")})
	}
	for _, event := range []string{"PostModelSwitch", "DirectoryAdded"} {
		rows = append(rows, Cell{"1 exit 2 blocks nothing", event, exit2, newOnly(suites.Ignored, "")})
	}
	return append(rows, worktreeRows()...)
}

func worktreeRows() []Cell {
	fails := newOnly(suites.Denied, "")
	broken := both(suites.Denied, "WorktreeCreate hook failed: hook.sh: my-error")
	timeout := Output{Exit: -1, TimedOut: true}
	return []Cell{
		{"1 WorktreeCreate exit 2", "WorktreeCreate", exitsWith(2, "/w", "my-error"), broken},
		{"1 WorktreeCreate exit 1", "WorktreeCreate", exitsWith(1, "/w", "my-error"), broken},
		{"1 WorktreeCreate empty stdout", "WorktreeCreate", stdoutOnly("\n"), fails},
		{"1 WorktreeCreate JSON", "WorktreeCreate", stdoutOnly(specificOutput("WorktreeCreate", `"worktreePath":"/w"`)), fails},
		{"1 WorktreeCreate no such directory", "WorktreeCreate", stdoutOnly("my-text"), both(suites.Denied, "my-text")},
		{"1 WorktreeCreate timeout", "WorktreeCreate", timeout, fails},
		{"1 WorktreeCreate noise and a path: the whole stdout is the path", "WorktreeCreate", stdoutOnly("made it\n/w\n"), fails},
		{"1 WorktreeCreate a path", "WorktreeCreate", stdoutOnly("/tmp/w\n"), both(suites.Proceeds, "")},
		{"1 WorktreeRemove exit 2", "WorktreeRemove", exitsWith(2, "", "my-error"), both(suites.Denied, "")},
		{"1 WorktreeRemove exit 1", "WorktreeRemove", exitsWith(1, "", "my-error"), both(suites.Denied, "")},
		{"1 WorktreeRemove signal", "WorktreeRemove", Output{Exit: -1, Signal: "SIGKILL"}, both(suites.Denied, "")},
		{"1 WorktreeRemove timeout", "WorktreeRemove", timeout, both(suites.Denied, "")},
		{"1 WorktreeRemove block JSON", "WorktreeRemove", stdoutOnly(blockDecision), newOnly(suites.Ignored, "")},
		{"1 WorktreeRemove exit 0", "WorktreeRemove", stdoutOnly(""), goesOn},
	}
}

// columnEvents are those of the measured table; Stop and SubagentStop share one.
var columnEvents = []string{"PreToolUse", "PostToolUse", "UserPromptSubmit", "SessionStart", "Stop", "SubagentStop"}

// columns are PreToolUse, PostToolUse, UserPromptSubmit, SessionStart, and Stop with
// SubagentStop.
type columns [5]Want

func all(c Want) columns { return columns{c, c, c, c, c} }

// across makes a row for each column; EVENT in the output is the column's.
func across(name string, in Output, want columns) []Cell {
	var rows []Cell
	for i, event := range columnEvents {
		one := in
		one.Stdout = []byte(strings.ReplaceAll(string(in.Stdout), "EVENT", event))
		rows = append(rows, Cell{"3 " + name, event, one, want[min(i, len(want)-1)]})
	}
	return rows
}

// textToModel is a row of plain text: it reaches the model on two events only.
func textToModel(text string) columns {
	return columns{
		dropped, dropped,
		both(suites.ContextAdded, "UserPromptSubmit hook success: "+text),
		both(suites.ContextAdded, "SessionStart:startup hook success: "+text),
		dropped,
	}
}

// oldTextToModel is a row that 2.1.197 takes for text and newer clients for an error.
func oldTextToModel(text string) columns {
	want := textToModel(text)
	for _, i := range []int{2, 3} {
		want[i].newer, want[i].newerSees = suites.Ignored, ""
	}
	return want
}

var (
	blocked = columns{
		{suites.Denied, suites.Denied, "my-reason", "PreToolUse:Bash hook error: my-reason"},
		both(suites.ShownToModel, "hook blocking error from command: \"hook.sh\": my-reason"),
		both(suites.PromptBlocked, ""),
		{suites.ContextAdded, suites.Ignored, "my-reason", ""},
		both(suites.AnotherTurn, "Stop hook feedback:\nmy-reason"),
	}
	byExit2 = columns{
		both(suites.Denied, "PreToolUse:Bash hook error: [hook.sh]: my-error"),
		both(suites.ShownToModel, `from command: "hook.sh": [hook.sh]: my-error`),
		both(suites.PromptBlocked, ""), dropped,
		both(suites.AnotherTurn, "Stop hook feedback:\n[hook.sh]: my-error"),
	}
	byExit2Silent = columns{
		both(suites.Denied, "No stderr output"), both(suites.ShownToModel, "No stderr output"),
		both(suites.PromptBlocked, ""), dropped, both(suites.AnotherTurn, "No stderr output"),
	}
	context5 = columns{
		both(suites.ContextAdded, "my-context"), both(suites.ContextAdded, "my-context"), both(suites.ContextAdded, "my-context"),
		both(suites.ContextAdded, "my-context"), both(suites.AnotherTurn, "my-context"),
	}
)

func sectionThree() []Cell {
	var rows []Cell
	add := func(name string, in Output, want columns) { rows = append(rows, across(name, in, want)...) }
	addTexts(add)
	addDecisions(add)
	addRefused(add)
	addExits(add)
	addHalts(add)
	return rows
}

type adder func(name string, in Output, want columns)

func addTexts(add adder) {
	add("exit 0 empty", stdoutOnly(""), all(goesOn))
	add("exit 0 white space", stdoutOnly(" \n"), all(goesOn))
	add("exit 0 {}", stdoutOnly("{}"), all(goesOn))
	add("exit 0 plain text", stdoutOnly("my-text\n"), textToModel("my-text"))
	add("truncated JSON", stdoutOnly(`{"decision":"block","reason":"my-reason"`), textToModel(`{"decision":"block","reason":"my-reason"`))
	add("single quotes", stdoutOnly(`{'decision':'block','reason':'my-reason'}`), oldTextToModel(`{'decision':'block','reason':'my-reason'}`))
	add("two JSON lines", stdoutOnly("{}\n"+blockDecision), oldTextToModel("{}\n"+blockDecision))
	add("noise then JSON", stdoutOnly("hi\n"+blockDecision), textToModel("hi\n"+blockDecision))
	add("JSON then noise", stdoutOnly(blockDecision+"\nbye"), textToModel(blockDecision+"\nbye"))
	add("JSON array", stdoutOnly(`[`+blockDecision+`]`), textToModel(`[`+blockDecision+`]`))
	add("exit 0 + stderr", exitsWith(0, "", "my-error"), all(goesOn))
}

func addDecisions(add adder) {
	add("decision approve", stdoutOnly(`{"decision":"approve"}`), columns{both(suites.Allowed, ""), dropped, dropped, dropped, dropped})
	add("decision block + reason", stdoutOnly(blockDecision), blocked)
	add("block without reason", stdoutOnly(`{"decision":"block"}`), columns{
		{suites.Denied, suites.Denied, "Hook PreToolUse:Bash denied this tool", "Blocked by hook"},
		both(suites.ShownToModel, "Blocked by hook"), both(suites.PromptBlocked, ""), dropped,
		both(suites.AnotherTurn, "Stop hook feedback"),
	})
	add("decision allow", stdoutOnly(`{"decision":"allow"}`), all(dropped))
	add("decision deny", stdoutOnly(`{"decision":"deny","reason":"my-reason"}`), all(dropped))
	add("additionalContext, right event", stdoutOnly(specificOutput("EVENT", `"additionalContext":"my-context"`)), context5)
	add("top-level additionalContext", stdoutOnly(`{"additionalContext":"my-context"}`), all(dropped))
	add("type reminder", stdoutOnly(`{"type":"reminder","content":"my-context"}`), all(dropped))
	add("unknown keys", stdoutOnly(`{"decison":"block"}`), all(dropped))
	add("suppressOutput", stdoutOnly(`{"suppressOutput":true}`), all(goesOn))
	add("systemMessage", stdoutOnly(`{"systemMessage":"my-message"}`), all(goesOn))
}

func addRefused(add adder) {
	const context = `"additionalContext":"my-context"`
	onlyTool := columns{dropped}
	add("hookSpecificOutput without hookEventName", stdoutOnly(`{"hookSpecificOutput":{`+context+`}}`), all(dropped))
	add("wrong hookEventName", stdoutOnly(specificOutput("Notification", context)), all(dropped))
	add("unknown hookEventName", stdoutOnly(specificOutput("Whatever", context)), all(dropped))
	add("top-level permissionDecision deny", stdoutOnly(`{"permissionDecision":"deny"}`), onlyTool)
	add("permissionDecision block", stdoutOnly(specificOutput("PreToolUse", `"permissionDecision":"block"`)), onlyTool)
	add("one wrong type + block", stdoutOnly(`{"continue":"false","decision":"block"}`), all(dropped))
}

func addExits(add adder) {
	add("exit 1, text", exitsWith(1, "my-text", "my-error"), all(goesOn))
	add("exit 3, text", exitsWith(3, "my-text", ""), all(goesOn))
	add("SIGKILL, text", Output{Exit: -1, Signal: "SIGKILL", Stdout: []byte("my-text")}, all(goesOn))
	add("exit 1 + valid JSON block", exitsWith(1, blockDecision, ""), blocked)
	add("exit 2 + stderr", exitsWith(2, "", "my-error\n"), byExit2)
	add("exit 2, text on stdout only", exitsWith(2, "my-text", ""), byExit2Silent)
	add("exit 2 + valid JSON block", exitsWith(2, blockDecision, "my-error"), blocked)
	add("exit 2 + approve", exitsWith(2, `{"decision":"approve"}`, "my-error"), byExit2)
	add("exit 2 + allow", exitsWith(2, specificOutput("PreToolUse", `"permissionDecision":"allow"`), "my-error"), columns{byExit2[0]})
	add("exit 2 + JSON failing validation", exitsWith(2, `{"decision":"deny"}`, "my-error"), columns{
		{suites.Ignored, suites.Denied, "", "[hook.sh]: my-error"}, {}, {}, {},
		{suites.Ignored, suites.AnotherTurn, "", "[hook.sh]: my-error"},
	})
	add("exit 2 + wrong hookEventName", exitsWith(2, specificOutput("Setup", `"additionalContext":"my-context"`), "my-error"), columns{
		{suites.Ignored, suites.Denied, "", "[hook.sh]: blocked (exit 2); its output could not be processed"},
	})
	add("exit 2 + truncated JSON", exitsWith(2, `{"decision":`, "my-error"), columns{byExit2[0]})
	timeout := all(goesOn)
	timeout[1] = Want{}
	add("timeout", Output{Exit: -1, TimedOut: true, Stdout: []byte(blockDecision)}, timeout)
}

func addHalts(add adder) {
	halt := stdoutOnly(`{"continue":false,"stopReason":"my-stop-reason"}`)
	add("continue:false + stopReason", halt, columns{
		both(suites.SessionEnds, ""), both(suites.SessionEnds, ""), both(suites.PromptBlocked, ""), dropped, {},
	})

	deny := specificOutput("PreToolUse", `"permissionDecision":"deny","permissionDecisionReason":"my-reason"`)
	add("continue:false + permissionDecision deny", stdoutOnly(`{"continue":false,`+deny[1:]), columns{
		{suites.Denied, suites.SessionEnds, "my-reason", ""},
	})
}

// belowThree are the lines below the table.
func belowThree() []Cell {
	const bash = `{"stdout":"my-text","stderr":"","interrupted":false,"isImage":false}`
	pre := func(fields string) Output { return stdoutOnly(specificOutput("PreToolUse", fields)) }
	post := func(fields string) Output { return stdoutOnly(specificOutput("PostToolUse", fields)) }
	long := strings.Repeat("x", long)
	halt := stdoutOnly(`{"continue":false,"stopReason":"my-stop-reason"}`)
	return []Cell{
		{"3 continue:false + stopReason", "Stop", halt, both(suites.SessionEnds, "")},
		{"3 continue:false + stopReason", "SubagentStop", halt, goesOn},
		{"3 continue:false + block", "SubagentStop", stdoutOnly(`{"continue":false,` + blockDecision[1:]), goesOn},
		{"3 continue:false + block", "Stop", stdoutOnly(`{"continue":false,` + blockDecision[1:]), both(suites.SessionEnds, "")},
		{"3 continue:false + exit 2", "SubagentStop", exitsWith(2, `{"continue":false}`, "my-error"), goesOn},
		{"3 continue:false + context", "SubagentStop", stdoutOnly(`{"continue":false,` + specificOutput("SubagentStop", `"additionalContext":"my-context"`)[1:]), goesOn},
		{"3 permissionDecision allow", "PreToolUse", pre(`"permissionDecision":"allow"`), both(suites.Allowed, "")},
		{"3 permissionDecision deny", "PreToolUse", pre(`"permissionDecision":"deny","permissionDecisionReason":"my-reason"`), both(suites.Denied, "my-reason")},
		{"3 permissionDecision ask", "PreToolUse", pre(`"permissionDecision":"ask","permissionDecisionReason":"my-reason"`), both(suites.Asked, "my-reason")},
		{"3 defer", "PreToolUse", pre(`"permissionDecision":"defer"`), both(suites.SessionEnds, "")},
		{"3 updatedInput alone", "PreToolUse", pre(`"updatedInput":{"command":"touch other"}`), both(suites.Rewritten, "")},
		{"3 updatedInput, missing required key", "PreToolUse", pre(`"updatedInput":{"description":"x"}`), both(suites.Denied, "command")},
		{"3 additionalContext beside a deny", "PreToolUse", pre(`"permissionDecision":"deny","additionalContext":"my-context"`), both(suites.Denied, "my-context")},
		{"3 approve + permissionDecision deny", "PreToolUse", stdoutOnly(`{"decision":"approve",` + specificOutput("PreToolUse", `"permissionDecision":"deny"`)[1:]), Want{suites.Denied, suites.Denied, "denied this tool", "Blocked by hook"}},
		{"3 updatedToolOutput in the tool's shape", "PostToolUse", post(`"updatedToolOutput":` + bash), both(suites.Rewritten, "")},
		{"3 updatedToolOutput + block", "PostToolUse", stdoutOnly(`{"decision":"block","reason":"my-reason",` + specificOutput("PostToolUse", `"updatedToolOutput":`+bash)[1:]), both(suites.Rewritten, "my-reason")},
		{"3 updatedToolOutput + exit 2", "PostToolUse", exitsWith(2, specificOutput("PostToolUse", `"updatedToolOutput":`+bash), "my-error"), both(suites.Rewritten, "my-error")},
		{"3 updatedToolOutput as text", "PostToolUse", post(`"updatedToolOutput":"my-text"`), dropped},
		{"3 updatedMCPToolOutput on Bash", "PostToolUse", post(`"updatedMCPToolOutput":{}`), dropped},
		{"3 PostToolUseFailure additionalContext", "PostToolUseFailure", stdoutOnly(specificOutput("PostToolUseFailure", `"additionalContext":"my-context"`)), both(suites.ContextAdded, "my-context")},
		{"3 PostToolUseFailure exit 2", "PostToolUseFailure", exitsWith(2, "", "my-error"), both(suites.ShownToModel, "my-error")},
		{"3 PostToolUseFailure plain stdout", "PostToolUseFailure", stdoutOnly("my-text"), dropped},
		{"3 initialUserMessage", "SessionStart", stdoutOnly(specificOutput("SessionStart", `"initialUserMessage":"my-message"`)), both(suites.AnotherTurn, "my-message")},
		{"3 suppressOriginalPrompt", "UserPromptSubmit", stdoutOnly(specificOutput("UserPromptSubmit", `"suppressOriginalPrompt":true`)), goesOn},
		{"3 PermissionRequest allow", "PermissionRequest", stdoutOnly(specificOutput("PermissionRequest", `"decision":{"behavior":"allow"}`)), both(suites.Allowed, "")},
		{"3 PermissionRequest deny", "PermissionRequest", stdoutOnly(specificOutput("PermissionRequest", `"decision":{"behavior":"deny","message":"my-message"}`)), both(suites.Denied, "my-message")},
		{"3 PermissionRequest exit 2", "PermissionRequest", exitsWith(2, "", "my-error"), dropped},
		{"3 PermissionRequest approve", "PermissionRequest", stdoutOnly(`{"decision":"approve"}`), dropped},
		{"3 PermissionRequest block", "PermissionRequest", stdoutOnly(blockDecision), dropped},
		{"3 long additionalContext", "PreToolUse", pre(`"additionalContext":"` + long + `"`), both(suites.ContextAdded, "persisted-output")},
		{"3 long exit-2 stderr", "PreToolUse", exitsWith(2, "", long+long+long), both(suites.Denied, long+long+long)},
		{"3 JSON is processed on any exit code", "PreToolUse", exitsWith(3, specificOutput("PreToolUse", `"permissionDecision":"deny","permissionDecisionReason":"my-reason"`), ""), both(suites.Denied, "my-reason")},
	}
}

func sectionThreeA() []Cell {
	return slices.Concat(onFailureRows(), otherNameRows(), missingScriptRows(), documentRows(), fieldRows(), reportRows(), reachRows(), entryRows())
}

func onFailureRows() []Cell {
	block := Entry{OnFailure: "block", Type: "command"}
	const text = `[hook.sh]: failed; blocking because onFailure is "block"`
	denied := newOnly(suites.Denied, "PreToolUse:Bash hook error: "+text)
	rows := []Cell{
		{"3a onFailure block, exit 1", "PreToolUse", with(exitsWith(1, "", "my-error"), block), denied},
		{"3a onFailure block, exit 127", "PreToolUse", with(exitsWith(127, "", "my-error"), block), denied},
		{"3a onFailure block, signal", "PreToolUse", with(Output{Exit: -1, Signal: "SIGKILL"}, block), denied},
		{"3a onFailure block, timeout", "PreToolUse", with(Output{Exit: -1, TimedOut: true}, block), newOnly(suites.Denied, `[hook.sh]: timed out; blocking because onFailure is "block"`)},
		{"3a onFailure block, invalid JSON", "PreToolUse", with(stdoutOnly(`{"decision":"deny"}`), block), denied},
		{"3a onFailure block, broken JSON", "PreToolUse", with(stdoutOnly(`{'decision':'deny'}`), block), denied},
		{"3a onFailure block, http", "PreToolUse", with(exitsWith(500, "", ""), Entry{Type: "http", URL: "http://127.0.0.1/hook", OnFailure: "block"}), newOnly(suites.Denied, `[http://127.0.0.1/hook]: failed; blocking because onFailure is "block"`)},
		{"3a onFailure block, exit 1", "PostToolUse", with(exitsWith(1, "", ""), block), newOnly(suites.ShownToModel, text)},
		{"3a onFailure block, exit 1", "UserPromptSubmit", with(exitsWith(1, "", ""), block), newOnly(suites.PromptBlocked, "")},
		{"3a onFailure block, exit 0", "PreToolUse", with(exitsWith(0, "", ""), block), newOnly(suites.Proceeds, "")},
		{"3a onFailure continue", "PreToolUse", with(exitsWith(1, "", ""), Entry{OnFailure: "continue"}), newOnly(suites.Proceeds, "")},
		{"3a onFailure block, async, timeout", "PreToolUse", with(Output{Exit: -1, TimedOut: true}, Entry{OnFailure: "block", Async: true}), newOnly(suites.Proceeds, "")},
		{"3a onFailure block, async", "PreToolUse", with(exitsWith(1, "", "my-error"), Entry{OnFailure: "block", Async: true}), newOnly(suites.Ignored, "")},
	}
	rows = append(rows, failureElsewhere(block)...)
	for _, event := range []string{"Stop", "SubagentStop", "TaskCompleted", "SessionStart", "SubagentStart"} {
		rows = append(rows, Cell{"3a onFailure has no effect", event, with(exitsWith(1, "", ""), block), newOnly(suites.Proceeds, "")})
	}
	return rows
}

// failureElsewhere are failures at events that exit code 2 does not block, or that any
// failure blocks.
func failureElsewhere(block Entry) []Cell {
	timeout := Output{Exit: -1, TimedOut: true}
	refused := newOnly(suites.Denied, "blocking because")
	keeps := newOnly(suites.Denied, "")
	return []Cell{
		{"3a onFailure block, exit 1", "PermissionRequest", with(exitsWith(1, "", "my-error"), block), refused},
		{"3a onFailure block, timeout", "PermissionRequest", with(timeout, block), refused},
		{"3a onFailure block, invalid JSON", "PermissionRequest", with(stdoutOnly(`{"decision":"deny"}`), block), refused},
		{"3a invalid JSON", "WorktreeRemove", stdoutOnly(`{"decision":"deny"}`), both(suites.Denied, "")},
		{"3a broken JSON", "WorktreeRemove", stdoutOnly(`{'decision':'deny'}`), keeps},
		{"3a plain text", "WorktreeRemove", stdoutOnly("my-text"), newOnly(suites.Ignored, "")},
	}
}

func otherNameRows() []Cell {
	var rows []Cell
	in := exitsWith(2, specificOutput("Setup", `"additionalContext":"my-context"`), "my-error")
	for _, event := range []string{"PreToolUse", "PreCompact", "ConfigChange", "Elicitation"} {
		sees := map[string]string{"PreToolUse": "blocked (exit 2); its output could not be processed", "PreCompact": "my-error"}[event]
		rows = append(rows, Cell{"3a exit 2 + wrong hookEventName blocks", event, in, newOnly(suites.Denied, sees)})
	}
	for _, event := range []string{
		"PostToolUse", "PostToolUseFailure", "PostToolBatch", "UserPromptSubmit", "UserPromptExpansion",
		"Stop", "SubagentStop", "TaskCreated", "TaskCompleted",
	} {
		rows = append(rows, Cell{"3a exit 2 + wrong hookEventName lets pass", event, in, newOnly(suites.Ignored, "")})
	}
	const title = "3a exit 2 + wrong hookEventName lets pass, and the model is shown the output"
	return append(rows, Cell{title, "PreModelSwitch", in, newOnly(suites.ShownToModel, "my-context")})
}

func missingScriptRows() []Cell {
	var rows []Cell
	for _, stderr := range []string{"deploy.json: No such file or directory", "I can't open it"} {
		title := "3a script appears to be missing: " + stderr
		for _, event := range []string{"Stop", "SubagentStop", "TaskCompleted", "TeammateIdle"} {
			rows = append(rows, Cell{title, event, exitsWith(2, "", stderr), newOnly(suites.Ignored, "")})
		}
		rows = append(rows,
			Cell{title + ", text on stdout", "Stop", exitsWith(2, "my-text", stderr), newOnly(suites.AnotherTurn, stderr)},
			Cell{title, "PreToolUse", exitsWith(2, "", stderr), newOnly(suites.Denied, stderr)},
			Cell{title + ", of a plugin", "UserPromptSubmit", with(exitsWith(2, "", stderr), Entry{Plugin: true}), newOnly(suites.Ignored, "")},
			Cell{title + ", of no plugin", "UserPromptSubmit", exitsWith(2, "", stderr), newOnly(suites.PromptBlocked, "")})
	}
	return rows
}

func documentRows() []Cell {
	const foreign = "{\"a\":1}\n{\"b\":\"my-text\"}"
	return []Cell{
		{"3a two JSON lines without a known key", "UserPromptSubmit", stdoutOnly(foreign), newOnly(suites.ContextAdded, foreign)},
		{"3a two JSON lines without a known key", "PreToolUse", stdoutOnly(foreign), newOnly(suites.Ignored, "")},
		{"3a two JSON lines with a known key", "UserPromptSubmit", stdoutOnly("{\"a\":1}\n" + blockDecision), newOnly(suites.Ignored, "")},
		{"3a two JSON lines with a known key", "PreCompact", stdoutOnly("{}\n" + blockDecision), newOnly(suites.Ignored, "")},
		{"3a two JSON lines with a known key", "PostCompact", stdoutOnly("{}\n" + blockDecision), newOnly(suites.Ignored, "")},
		{"3a two JSON lines without a known key", "PreCompact", stdoutOnly(foreign), newOnly(suites.ContextAdded, "my")},
		{"3a byte order mark", "PreToolUse", stdoutOnly("\ufeff" + blockDecision), newOnly(suites.Denied, "my-reason")},
		{"3a byte order mark", "Stop", stdoutOnly("\ufeff" + blockDecision), newOnly(suites.AnotherTurn, "my-reason")},
		{"3a async line, then a document", "PreToolUse", stdoutOnly("{\"async\":true}\n" + blockDecision), newOnly(suites.Ignored, "")},
		{"3a async line, then a document, exit 2", "PreToolUse", exitsWith(2, "{\"async\":true}\n"+blockDecision, "my-error"), newOnly(suites.Ignored, "")},
		{"3a async line, then a document", "UserPromptSubmit", stdoutOnly("{\"async\":true}\n" + blockDecision), newOnly(suites.Ignored, "")},
	}
}

func fieldRows() []Cell {
	model := func(event, fields string) Output { return stdoutOnly(specificOutput(event, fields)) }
	return []Cell{
		{"3a PreModelSwitch deny", "PreModelSwitch", model("PreModelSwitch", `"permissionDecision":"deny","permissionDecisionReason":"my-reason"`), newOnly(suites.Denied, "my-reason")},
		{"3a PreModelSwitch ask", "PreModelSwitch", model("PreModelSwitch", `"permissionDecision":"ask","permissionDecisionReason":"my-reason"`), newOnly(suites.Asked, "my-reason")},
		{"3a PreModelSwitch allow", "PreModelSwitch", model("PreModelSwitch", `"permissionDecision":"allow"`), newOnly(suites.Allowed, "")},
		{"3a PreModelSwitch defer is no word", "PreModelSwitch", model("PreModelSwitch", `"permissionDecision":"defer"`), newOnly(suites.ShownToModel, `"permissionDecision": "defer"`)},
		{"3a PostModelSwitch additionalContext", "PostModelSwitch", model("PostModelSwitch", `"additionalContext":"my-context"`), newOnly(suites.ContextAdded, "my-context")},
		{"3a classifierContext", "PostToolUse", model("PostToolUse", `"classifierContext":"x"`), newOnly(suites.Proceeds, "")},
		{"3a permissionDisplay", "PreToolUse", model("PreToolUse", `"permissionDisplay":"x"`), newOnly(suites.Proceeds, "")},
		{"3a suppressOriginalPrompt", "UserPromptExpansion", model("UserPromptExpansion", `"suppressOriginalPrompt":true`), newOnly(suites.Proceeds, "")},
		{"3a metrics", "PreToolUse", stdoutOnly(`{"metrics":{"a":1}}`), newOnly(suites.Ignored, "")},
	}
}

// reportRows are of the events of which the model is told what became of each hook.
func reportRows() (rows []Cell) {
	context := specificOutput("Setup", `"additionalContext":"my-context"`)
	const message, bad, shown = `{"systemMessage":"my-message"}`, `{"decision":"my-word"}`, `"decision": "my-word"`
	for _, event := range []string{"PreCompact", "PostCompact"} {
		effect := map[string]suites.Effect{"PreCompact": suites.ContextAdded, "PostCompact": suites.ShownToModel}[event]
		whole := "completed successfully: "
		rows = append(rows,
			Cell{"3a report of text", event, stdoutOnly("my-text"), both(effect, "my-text")},
			Cell{"3a report of JSON", event, stdoutOnly(message), both(effect, whole+message)},
			Cell{"3a report of {}", event, stdoutOnly("{}"), both(effect, whole+"{}")},
			Cell{"3a report of another event's name", event, stdoutOnly(context), both(effect, whole+context)},
			Cell{"3a report of exit 1", event, exitsWith(1, "my-text", "my-error"), both(suites.ShownToModel, "failed: my-error")},
			Cell{"3a report of exit 1, silent", event, exitsWith(1, "my-text", ""), goesOn},
			Cell{"3a report of exit 1 with JSON", event, exitsWith(1, message, "my-error"), both(suites.ShownToModel, "failed: my-error")},
			Cell{"3a report of JSON failing validation", event, stdoutOnly(bad), both(suites.ShownToModel, shown)},
			Cell{"3a report of JSON failing validation, exit 1", event, exitsWith(1, bad, "my-error"), Want{suites.ShownToModel, suites.ShownToModel, shown, "my-error"}},
		)
	}
	return append(rows,
		Cell{"3a exit 2 + JSON failing validation", "PreCompact", exitsWith(2, bad, "my-error"), Want{suites.ShownToModel, suites.Denied, shown, "my-error"}},
		Cell{"3a exit 2 + JSON failing validation", "PostCompact", exitsWith(2, bad, "my-error"), Want{suites.ShownToModel, suites.ShownToModel, shown, "failed: my-error"}},
		Cell{"3a exit 2 + JSON failing validation", "Elicitation", exitsWith(2, bad, "my-error"), newOnly(suites.Denied, "")},
		Cell{"3a exit 2 + JSON failing validation", "ConfigChange", exitsWith(2, bad, "my-error"), newOnly(suites.Denied, "")},
		Cell{"3a exit 2 + JSON failing validation", "PreModelSwitch", exitsWith(2, bad, "my-error"), newOnly(suites.Denied, "my-error")},
		Cell{"3a report of text", "PreModelSwitch", stdoutOnly("my-text"), newOnly(suites.Ignored, "")},
		Cell{"3a report of JSON", "PreModelSwitch", stdoutOnly(message), newOnly(suites.ShownToModel, "my-message")},
		Cell{"3a report of another event's name", "PreModelSwitch", stdoutOnly(context), newOnly(suites.ShownToModel, "my-context")},
		Cell{"3a report of exit 1", "PreModelSwitch", exitsWith(1, "my-text", "my-error"), newOnly(suites.ShownToModel, "my-error")},
		Cell{"3a report of exit 1 with JSON", "PreModelSwitch", exitsWith(1, message, "my-error"), newOnly(suites.ShownToModel, "my-message")},
		Cell{"3a report of JSON failing validation", "PreModelSwitch", stdoutOnly(bad), newOnly(suites.ShownToModel, shown)},
		Cell{"3a report of JSON failing validation, exit 1", "PreModelSwitch", exitsWith(1, bad, ""), newOnly(suites.ShownToModel, shown)},
		Cell{"3a report of exit 2, silent", "PreCompact", exitsWith(2, "", ""), newOnly(suites.Denied, "")},
		Cell{"3a report of exit 2, silent", "PostCompact", exitsWith(2, "", ""), newOnly(suites.Ignored, "")},
		Cell{"3a report of exit 1 with {}", "PreModelSwitch", exitsWith(1, "{}", "my-error"), newOnly(suites.Proceeds, "")},
		Cell{"3a report of exit 2, silent", "PreModelSwitch", exitsWith(2, "", ""), newOnly(suites.Denied, "No stderr output")},
		Cell{"3a report of exit 2, silent", "WorktreeCreate", exitsWith(2, "", ""), newOnly(suites.Denied, "")},
		Cell{"3a report of exit 2, silent", "TaskCreated", exitsWith(2, "", ""), newOnly(suites.Denied, "No stderr output")},
		Cell{"3a report of exit 2, silent", "PostToolUseFailure", exitsWith(2, "", ""), newOnly(suites.ShownToModel, "No stderr output")},
		Cell{"3a report of exit 2, text on stdout only", "PostCompact", exitsWith(2, "my-text", ""), newOnly(suites.Ignored, "")},
		Cell{"3a report of exit 1 with context", "PreModelSwitch", exitsWith(1, specificOutput("PreModelSwitch", `"additionalContext":"my-context"`), ""), newOnly(suites.Ignored, "")},
		Cell{"3a report of exit 1 with context and stderr", "PreModelSwitch", exitsWith(1, specificOutput("PreModelSwitch", `"additionalContext":"my-context"`), "my-error"), newOnly(suites.Ignored, "")},
		Cell{"3a report of context", "PreModelSwitch", stdoutOnly(specificOutput("PreModelSwitch", `"additionalContext":"my-context"`)), newOnly(suites.Ignored, "")},
		Cell{"3a report of text", "PostModelSwitch", exitsWith(1, "my-text", "my-error"), newOnly(suites.Proceeds, "")},
	)
}

func reachRows() []Cell {
	rows := []Cell{
		{"3a plain stdout", "UserPromptExpansion", stdoutOnly("my-text"), newOnly(suites.ContextAdded, "my-text")},
		{"3a plain stdout", "PostModelSwitch", stdoutOnly("my-text"), newOnly(suites.ContextAdded, "my-text")},
		{"3a plain stdout enters the compaction prompt", "PreCompact", stdoutOnly("my-text"), newOnly(suites.ContextAdded, "my-text")},
		{"3a continue:false", "PostToolBatch", stdoutOnly(`{"continue":false}`), newOnly(suites.SessionEnds, "")},
		{"3a continue:false", "UserPromptExpansion", stdoutOnly(`{"continue":false}`), newOnly(suites.PromptBlocked, "")},
		{"3a continue:false with exit 1", "PreToolUse", exitsWith(1, `{"continue":false}`, ""), newOnly(suites.SessionEnds, "")},
		{"3a continue:false with exit 1", "PostToolBatch", exitsWith(1, `{"continue":false}`, ""), newOnly(suites.SessionEnds, "")},
		{"3a continue:false with exit 1", "UserPromptSubmit", exitsWith(1, `{"continue":false}`, ""), newOnly(suites.PromptBlocked, "")},
		{"3a PermissionRequest allow beats exit 2", "PermissionRequest", exitsWith(2, specificOutput("PermissionRequest", `"decision":{"behavior":"allow"}`), "my-error"), newOnly(suites.Allowed, "")},
		{"3a PermissionRequest deny beats exit 2", "PermissionRequest", exitsWith(2, specificOutput("PermissionRequest", `"decision":{"behavior":"deny","message":"my-message"}`), "my-error"), newOnly(suites.Denied, "my-message")},
		{"3a updatedInput lacks a required key", "PreToolUse", stdoutOnly(specificOutput("PreToolUse", `"updatedInput":{"description":"x"}`)), newOnly(suites.Denied, "command")},
		{"3a updatedInput is empty", "PreToolUse", stdoutOnly(specificOutput("PreToolUse", `"updatedInput":{}`)), newOnly(suites.Denied, "command")},
		{"3a Stop block without a reason", "Stop", stdoutOnly(`{"decision":"block"}`), newOnly(suites.AnotherTurn, "Blocked by hook")},
	}
	for _, event := range []string{
		"PermissionRequest", "PermissionDenied", "Elicitation", "ElicitationResult", "MessageDisplay", "CwdChanged", "FileChanged", "Setup", "Notification",
	} {
		rows = append(rows, Cell{"3a additionalContext never reaches a request", event, stdoutOnly(specificOutput(event, `"additionalContext":"my-context"`)), newOnly(suites.Ignored, "")})
	}
	return rows
}

func entryRows() []Cell {
	const no = `{"ok":false,"reason":"my-reason"}`
	return []Cell{
		{"3a asyncRewake, exit 2", "PreToolUse", with(exitsWith(2, "", "my-error"), Entry{AsyncRewake: true}), newOnly(suites.Denied, "my-error")},
		{"3a prompt hook not ok", "PreToolUse", with(stdoutOnly(no), Entry{Type: "prompt"}), newOnly(suites.SessionEnds, "")},
		{"3a prompt hook not ok", "PostToolUse", with(stdoutOnly(no), Entry{Type: "prompt"}), newOnly(suites.SessionEnds, "")},
		{"3a prompt hook not ok, continueOnBlock", "PreToolUse", with(stdoutOnly(no), Entry{Type: "prompt", ContinueOnBlock: true}), newOnly(suites.Denied, "my-reason")},
		{"3a prompt hook ok", "PreToolUse", with(stdoutOnly(`{"ok":true}`), Entry{Type: "prompt"}), newOnly(suites.Proceeds, "")},
		{"5 prompt hook not ok", "PreToolUse", with(stdoutOnly(no), Entry{Type: "prompt"}), oldOnly(suites.Denied, "my-reason")},
		{"3a agent hook not ok", "PreToolUse", with(stdoutOnly(no), Entry{Type: "agent"}), newOnly(suites.Denied, "Agent hook condition was not met: my-reason")},
		{"3a http status 500 with block", "PreToolUse", with(exitsWith(500, blockDecision, ""), Entry{Type: "http"}), newOnly(suites.Ignored, "")},
		{"3a http status 404 with block", "Stop", with(exitsWith(404, blockDecision, ""), Entry{Type: "http"}), newOnly(suites.Ignored, "")},
		{"3a http status 200 with block", "PreToolUse", with(exitsWith(200, blockDecision, ""), Entry{Type: "http"}), newOnly(suites.Denied, "my-reason")},
		{"3a http plain text", "UserPromptSubmit", with(exitsWith(200, "my-text", ""), Entry{Type: "http"}), newOnly(suites.Ignored, "")},
		{"3a shell powershell, pwsh absent", "PreToolUse", with(Output{Exit: -1, NotStarted: "no pwsh"}, Entry{Shell: "powershell"}), newOnly(suites.Proceeds, "")},
		{"3a onFailure block, mcp_tool", "PreToolUse", with(exitsWith(1, "", ""), Entry{Type: "mcp_tool", OnFailure: "block"}), newOnly(suites.Denied, "blocking because")},
		{"3a mcp_tool decision", "PreToolUse", with(stdoutOnly(blockDecision), Entry{Type: "mcp_tool"}), newOnly(suites.Denied, "my-reason")},
	}
}

func sectionFour() []Cell {
	failed := func(code int, stderr string) Output { return exitsWith(code, "", stderr) }
	const python = "python3: can't open file '/x/missing.py': [Errno 2] No such file or directory"
	const dash = "sh: 0: cannot open missing.sh: No such file"
	var rows []Cell
	pair := func(name string, in Output, pre, stop Want) {
		rows = append(rows, Cell{"4 " + name, "PreToolUse", in, pre}, Cell{"4 " + name, "Stop", in, stop})
	}
	pair("missing path", failed(127, "/bin/sh: 1: /x.sh: not found"), goesOn, goesOn)
	pair("bad interpreter", failed(127, "/bin/sh: 1: ./x.sh: not found"), goesOn, goesOn)
	pair("CRLF shebang", failed(127, "env: 'bash\\r': No such file or directory"), goesOn, goesOn)
	pair("unquoted space", failed(127, "/bin/sh: 1: /my: not found"), goesOn, goesOn)
	pair("not executable", failed(126, "/bin/sh: 1: ./x.sh: Permission denied"), goesOn, goesOn)
	pair("node missing file", failed(1, "Error: Cannot find module"), goesOn, goesOn)
	pair("bash missing.sh", failed(127, "bash: missing.sh: No such file or directory"), goesOn, goesOn)
	pair("python3 missing.py", failed(2, python), both(suites.Denied, python), dropped)
	pair("sh missing.sh with dash", failed(2, dash), both(suites.Denied, dash), dropped)
	pair("shell syntax error", failed(2, "sh: 1: Syntax error"), both(suites.Denied, "Syntax error"), Want{})
	pair("CLAUDE_PLUGIN_ROOT in settings.json", Output{Exit: -1, NotStarted: "Failed to run"}, goesOn, Want{})
	pair("[[ ]] bashism", failed(127, "/bin/sh: 1: [[: not found"), goesOn, Want{})
	async := Entry{Async: true}
	pair("async:true, exit 2", with(failed(2, "my-error"), async), dropped, dropped)
	pair("async:true, block", with(stdoutOnly(blockDecision), async), dropped, dropped)
	pair(`{"async":true}, exit 2`, exitsWith(2, `{"async":true}`, "my-error"), dropped, dropped)
	pair(`{"async":true}`, stdoutOnly(`{"async":true,"asyncTimeout":5}`), goesOn, goesOn)
	pair("if", with(failed(2, "my-error"), Entry{If: "Bash(git *)"}), both(suites.Denied, "my-error"), dropped)
	return rows
}
