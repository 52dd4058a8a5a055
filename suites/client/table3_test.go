package client

import (
	"strings"
	"testing"

	"hookwatch/suites"
)

// columns are those of the measured table; Stop and SubagentStop share one.
var columns = []string{"PreToolUse", "PostToolUse", "UserPromptSubmit", "SessionStart", "Stop", "SubagentStop"}

// cells are PreToolUse, PostToolUse, UserPromptSubmit, SessionStart, and Stop with
// SubagentStop.
type cells [5]cell

func all(c cell) cells { return cells{c, c, c, c, c} }

// across makes a row for each column; EVENT in the output is the column's.
func across(name string, in Output, want cells) []row {
	var rows []row
	for i, event := range columns {
		one := in
		one.Stdout = []byte(strings.ReplaceAll(string(in.Stdout), "EVENT", event))
		rows = append(rows, row{"3 " + name, event, one, want[min(i, len(want)-1)]})
	}
	return rows
}

// textToModel is a row of plain text: it reaches the model on two events only.
func textToModel(text string) cells {
	return cells{
		dropped, dropped,
		both(suites.ContextAdded, "UserPromptSubmit hook success: "+text),
		both(suites.ContextAdded, "SessionStart:startup hook success: "+text),
		dropped,
	}
}

// oldTextToModel is a row that 2.1.197 takes for text and newer clients for an error.
func oldTextToModel(text string) cells {
	want := textToModel(text)
	for _, i := range []int{2, 3} {
		want[i].newer, want[i].newerSees = suites.Ignored, ""
	}
	return want
}

var (
	blocked = cells{
		{suites.Denied, suites.Denied, "RSN", "PreToolUse:Bash hook error: RSN"},
		both(suites.ShownToModel, "hook blocking error from command \"hook.sh\": RSN"),
		both(suites.PromptBlocked, ""),
		{suites.ContextAdded, suites.Ignored, "RSN", ""},
		both(suites.AnotherTurn, "Stop hook feedback: RSN"),
	}
	byExit2 = cells{
		both(suites.Denied, "PreToolUse:Bash hook error: [hook.sh]: ERR"),
		both(suites.ShownToModel, `from command "hook.sh": [hook.sh]: ERR`),
		both(suites.PromptBlocked, ""), dropped,
		both(suites.AnotherTurn, "Stop hook feedback: [hook.sh]: ERR"),
	}
	byExit2Silent = cells{
		both(suites.Denied, "No stderr output"), both(suites.ShownToModel, "No stderr output"),
		both(suites.PromptBlocked, ""), dropped, both(suites.AnotherTurn, "No stderr output"),
	}
	context5 = cells{
		both(suites.ContextAdded, "CTX"), both(suites.ContextAdded, "CTX"), both(suites.ContextAdded, "CTX"),
		both(suites.ContextAdded, "CTX"), both(suites.AnotherTurn, "CTX"),
	}
)

func table3() []row {
	var rows []row
	add := func(name string, in Output, want cells) { rows = append(rows, across(name, in, want)...) }
	addTexts(add)
	addDecisions(add)
	addRefused(add)
	addExits(add)
	addHalts(add)
	return rows
}

type adder func(name string, in Output, want cells)

func addTexts(add adder) {
	add("exit 0 empty", out(""), all(goesOn))
	add("exit 0 white space", out(" \n"), all(goesOn))
	add("exit 0 {}", out("{}"), all(goesOn))
	add("exit 0 plain text", out("TEXT\n"), textToModel("TEXT"))
	add("truncated JSON", out(`{"decision":"block"`), textToModel(`{"decision":"block"`))
	add("single quotes", out(`{'decision':'block'}`), oldTextToModel(`{'decision':'block'}`))
	add("two JSON lines", out("{}\n"+blockJSON), oldTextToModel("{}\n"+blockJSON))
	add("noise then JSON", out("hi\n"+blockJSON), textToModel("hi\n"+blockJSON))
	add("JSON then noise", out(blockJSON+"\nbye"), textToModel(blockJSON+"\nbye"))
	add("JSON array", out(`[{"decision":"block"}]`), textToModel(`[{"decision":"block"}]`))
	add("exit 0 + stderr", exits(0, "", "ERR"), all(goesOn))
}

func addDecisions(add adder) {
	add("decision approve", out(`{"decision":"approve"}`), cells{both(suites.Allowed, ""), dropped, dropped, dropped, dropped})
	add("decision block + reason", out(blockJSON), blocked)
	add("block without reason", out(`{"decision":"block"}`), cells{
		{suites.Denied, suites.Denied, "Hook PreToolUse:Bash denied this tool", "Blocked by hook"},
		both(suites.ShownToModel, "Blocked by hook"), both(suites.PromptBlocked, ""), dropped,
		both(suites.AnotherTurn, "Stop hook feedback"),
	})
	add("decision allow", out(`{"decision":"allow"}`), all(dropped))
	add("decision deny", out(`{"decision":"deny","reason":"RSN"}`), all(dropped))
	add("additionalContext, right event", out(specific("EVENT", `"additionalContext":"CTX"`)), context5)
	add("top-level additionalContext", out(`{"additionalContext":"CTX"}`), all(dropped))
	add("type reminder", out(`{"type":"reminder","content":"CTX"}`), all(dropped))
	add("unknown keys", out(`{"decison":"block"}`), all(dropped))
	add("suppressOutput", out(`{"suppressOutput":true}`), all(goesOn))
	add("systemMessage", out(`{"systemMessage":"MSG"}`), all(goesOn))
}

func addRefused(add adder) {
	const context = `"additionalContext":"CTX"`
	onlyTool := cells{dropped}
	add("hookSpecificOutput without hookEventName", out(`{"hookSpecificOutput":{`+context+`}}`), all(dropped))
	add("wrong hookEventName", out(specific("Notification", context)), all(dropped))
	add("unknown hookEventName", out(specific("Whatever", context)), all(dropped))
	add("top-level permissionDecision deny", out(`{"permissionDecision":"deny"}`), onlyTool)
	add("permissionDecision block", out(specific("PreToolUse", `"permissionDecision":"block"`)), onlyTool)
	add("one wrong type + block", out(`{"continue":"false","decision":"block"}`), all(dropped))
}

func addExits(add adder) {
	add("exit 1, text", exits(1, "TEXT", "ERR"), all(goesOn))
	add("exit 3, text", exits(3, "TEXT", ""), all(goesOn))
	add("SIGKILL, text", Output{Exit: -1, Signal: "SIGKILL", Stdout: []byte("TEXT")}, all(goesOn))
	add("exit 1 + valid JSON block", exits(1, blockJSON, ""), blocked)
	add("exit 2 + stderr", exits(2, "", "ERR\n"), byExit2)
	add("exit 2, text on stdout only", exits(2, "TEXT", ""), byExit2Silent)
	add("exit 2 + valid JSON block", exits(2, blockJSON, "ERR"), blocked)
	add("exit 2 + approve", exits(2, `{"decision":"approve"}`, "ERR"), byExit2)
	add("exit 2 + allow", exits(2, specific("PreToolUse", `"permissionDecision":"allow"`), "ERR"), cells{byExit2[0]})
	add("exit 2 + JSON failing validation", exits(2, `{"decision":"deny"}`, "ERR"), cells{
		{suites.Ignored, suites.Denied, "", "[hook.sh]: ERR"}, {}, {}, {},
		{suites.Ignored, suites.AnotherTurn, "", "[hook.sh]: ERR"},
	})
	add("exit 2 + wrong hookEventName", exits(2, specific("Setup", `"additionalContext":"CTX"`), "ERR"), cells{
		{suites.Ignored, suites.Denied, "", "[hook.sh]: ERR"},
	})
	add("exit 2 + truncated JSON", exits(2, `{"decision":`, "ERR"), cells{byExit2[0]})
	timeout := all(goesOn)
	timeout[1] = cell{}
	add("timeout", Output{Exit: -1, TimedOut: true, Stdout: []byte(blockJSON)}, timeout)
}

func addHalts(add adder) {
	halt := out(`{"continue":false,"stopReason":"STOPRSN"}`)
	add("continue:false + stopReason", halt, cells{
		both(suites.SessionEnds, ""), both(suites.SessionEnds, ""), both(suites.PromptBlocked, ""), dropped, {},
	})
	deny := specific("PreToolUse", `"permissionDecision":"deny","permissionDecisionReason":"RSN"`)
	add("continue:false + permissionDecision deny", out(`{"continue":false,`+deny[1:]), cells{
		{suites.Denied, suites.SessionEnds, "RSN", ""},
	})
}

func TestTable3(t *testing.T) {
	t.Parallel()
	check(t, table3())
	check(t, []row{
		{"3 continue:false + stopReason", "Stop", out(`{"continue":false,"stopReason":"STOPRSN"}`), both(suites.SessionEnds, "")},
		{"3 continue:false + stopReason", "SubagentStop", out(`{"continue":false,"stopReason":"STOPRSN"}`), oldOnly(suites.Ignored, "")},
	})
}

// below3 are the lines below the table.
func below3() []row {
	const bash = `{"stdout":"","stderr":"","interrupted":false,"isImage":false}`
	pre := func(fields string) Output { return out(specific("PreToolUse", fields)) }
	post := func(fields string) Output { return out(specific("PostToolUse", fields)) }
	long := strings.Repeat("x", 10_001)
	return []row{
		{"3 permissionDecision allow", "PreToolUse", pre(`"permissionDecision":"allow"`), both(suites.Allowed, "")},
		{"3 permissionDecision deny", "PreToolUse", pre(`"permissionDecision":"deny","permissionDecisionReason":"RSN"`), both(suites.Denied, "RSN")},
		{"3 permissionDecision ask", "PreToolUse", pre(`"permissionDecision":"ask","permissionDecisionReason":"RSN"`), both(suites.Asked, "RSN")},
		{"3 defer", "PreToolUse", pre(`"permissionDecision":"defer"`), both(suites.SessionEnds, "")},
		{"3 updatedInput alone", "PreToolUse", pre(`"updatedInput":{"command":"ls"}`), both(suites.Rewritten, "")},
		{"3 updatedInput, missing required key", "PreToolUse", pre(`"updatedInput":{"description":"x"}`), both(suites.Denied, "command")},
		{"3 additionalContext beside a deny", "PreToolUse", pre(`"permissionDecision":"deny","additionalContext":"CTX"`), both(suites.Denied, "CTX")},
		{"3 approve + permissionDecision deny", "PreToolUse", out(`{"decision":"approve",` + specific("PreToolUse", `"permissionDecision":"deny"`)[1:]), both(suites.Denied, "o")},
		{"3 updatedToolOutput in the tool's shape", "PostToolUse", post(`"updatedToolOutput":` + bash), both(suites.Rewritten, "")},
		{"3 updatedToolOutput as text", "PostToolUse", post(`"updatedToolOutput":"text"`), dropped},
		{"3 updatedMCPToolOutput on Bash", "PostToolUse", post(`"updatedMCPToolOutput":{}`), dropped},
		{"3 PostToolUseFailure additionalContext", "PostToolUseFailure", out(specific("PostToolUseFailure", `"additionalContext":"CTX"`)), both(suites.ContextAdded, "CTX")},
		{"3 PostToolUseFailure exit 2", "PostToolUseFailure", exits(2, "", "ERR"), both(suites.ShownToModel, "ERR")},
		{"3 PostToolUseFailure plain stdout", "PostToolUseFailure", out("TEXT"), dropped},
		{"3 initialUserMessage", "SessionStart", out(specific("SessionStart", `"initialUserMessage":"MSG"`)), both(suites.AnotherTurn, "MSG")},
		{"3 suppressOriginalPrompt", "UserPromptSubmit", out(specific("UserPromptSubmit", `"suppressOriginalPrompt":true`)), goesOn},
		{"3 PermissionRequest allow", "PermissionRequest", out(specific("PermissionRequest", `"decision":{"behavior":"allow"}`)), both(suites.Allowed, "")},
		{"3 PermissionRequest deny", "PermissionRequest", out(specific("PermissionRequest", `"decision":{"behavior":"deny","message":"MSG"}`)), both(suites.Denied, "MSG")},
		{"3 PermissionRequest exit 2", "PermissionRequest", exits(2, "", "ERR"), dropped},
		{"3 PermissionRequest approve", "PermissionRequest", out(`{"decision":"approve"}`), dropped},
		{"3 PermissionRequest block", "PermissionRequest", out(blockJSON), dropped},
		{"3 long additionalContext", "PreToolUse", pre(`"additionalContext":"` + long + `"`), both(suites.ContextAdded, "persisted-output")},
		{"3 long exit-2 stderr", "PreToolUse", exits(2, "", long+long+long), both(suites.Denied, long+long+long)},
		{"3 JSON is processed on any exit code", "PreToolUse", exits(3, specific("PreToolUse", `"permissionDecision":"deny","permissionDecisionReason":"RSN"`), ""), both(suites.Denied, "RSN")},
	}
}

func TestBelowTable3(t *testing.T) {
	t.Parallel()
	check(t, below3())
	kept := Interpret(Default, "PreToolUse", out(specific("PreToolUse", `"additionalContext":"`+strings.Repeat("x", 10_000)+`"`)))
	checkReading(t, kept, suites.ContextAdded, "xxx")
}
