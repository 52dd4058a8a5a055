package cells

import (
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/client"
)

// columnEvents are those of the measured table; Stop and SubagentStop share one.
var columnEvents = []string{"PreToolUse", "PostToolUse", "UserPromptSubmit", "SessionStart", "Stop", "SubagentStop"}

// columns are PreToolUse, PostToolUse, UserPromptSubmit, SessionStart, and Stop with
// SubagentStop.
type columns [5]Want

func all(c Want) columns { return columns{c, c, c, c, c} }

// across makes a row for each column; EVENT in the output is the column's.
func across(name string, in client.Output, want columns) []Cell {
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
	add := func(name string, in client.Output, want columns) { rows = append(rows, across(name, in, want)...) }
	addTexts(add)
	addDecisions(add)
	addRefused(add)
	addExits(add)
	addHalts(add)
	return rows
}

type adder func(name string, in client.Output, want columns)

func addTexts(add adder) {
	add("exit 0 empty", out(""), all(goesOn))
	add("exit 0 white space", out(" \n"), all(goesOn))
	add("exit 0 {}", out("{}"), all(goesOn))
	add("exit 0 plain text", out("my-text\n"), textToModel("my-text"))
	add("truncated JSON", out(`{"decision":"block","reason":"my-reason"`), textToModel(`{"decision":"block","reason":"my-reason"`))
	add("single quotes", out(`{'decision':'block','reason':'my-reason'}`), oldTextToModel(`{'decision':'block','reason':'my-reason'}`))
	add("two JSON lines", out("{}\n"+blockJSON), oldTextToModel("{}\n"+blockJSON))
	add("noise then JSON", out("hi\n"+blockJSON), textToModel("hi\n"+blockJSON))
	add("JSON then noise", out(blockJSON+"\nbye"), textToModel(blockJSON+"\nbye"))
	add("JSON array", out(`[`+blockJSON+`]`), textToModel(`[`+blockJSON+`]`))
	add("exit 0 + stderr", exits(0, "", "my-error"), all(goesOn))
}

func addDecisions(add adder) {
	add("decision approve", out(`{"decision":"approve"}`), columns{both(suites.Allowed, ""), dropped, dropped, dropped, dropped})
	add("decision block + reason", out(blockJSON), blocked)
	add("block without reason", out(`{"decision":"block"}`), columns{
		{suites.Denied, suites.Denied, "Hook PreToolUse:Bash denied this tool", "Blocked by hook"},
		both(suites.ShownToModel, "Blocked by hook"), both(suites.PromptBlocked, ""), dropped,
		both(suites.AnotherTurn, "Stop hook feedback"),
	})
	add("decision allow", out(`{"decision":"allow"}`), all(dropped))
	add("decision deny", out(`{"decision":"deny","reason":"my-reason"}`), all(dropped))
	add("additionalContext, right event", out(specific("EVENT", `"additionalContext":"my-context"`)), context5)
	add("top-level additionalContext", out(`{"additionalContext":"my-context"}`), all(dropped))
	add("type reminder", out(`{"type":"reminder","content":"my-context"}`), all(dropped))
	add("unknown keys", out(`{"decison":"block"}`), all(dropped))
	add("suppressOutput", out(`{"suppressOutput":true}`), all(goesOn))
	add("systemMessage", out(`{"systemMessage":"my-message"}`), all(goesOn))
}

func addRefused(add adder) {
	const context = `"additionalContext":"my-context"`
	onlyTool := columns{dropped}
	add("hookSpecificOutput without hookEventName", out(`{"hookSpecificOutput":{`+context+`}}`), all(dropped))
	add("wrong hookEventName", out(specific("Notification", context)), all(dropped))
	add("unknown hookEventName", out(specific("Whatever", context)), all(dropped))
	add("top-level permissionDecision deny", out(`{"permissionDecision":"deny"}`), onlyTool)
	add("permissionDecision block", out(specific("PreToolUse", `"permissionDecision":"block"`)), onlyTool)
	add("one wrong type + block", out(`{"continue":"false","decision":"block"}`), all(dropped))
}

func addExits(add adder) {
	add("exit 1, text", exits(1, "my-text", "my-error"), all(goesOn))
	add("exit 3, text", exits(3, "my-text", ""), all(goesOn))
	add("SIGKILL, text", client.Output{Exit: -1, Signal: "SIGKILL", Stdout: []byte("my-text")}, all(goesOn))
	add("exit 1 + valid JSON block", exits(1, blockJSON, ""), blocked)
	add("exit 2 + stderr", exits(2, "", "my-error\n"), byExit2)
	add("exit 2, text on stdout only", exits(2, "my-text", ""), byExit2Silent)
	add("exit 2 + valid JSON block", exits(2, blockJSON, "my-error"), blocked)
	add("exit 2 + approve", exits(2, `{"decision":"approve"}`, "my-error"), byExit2)
	add("exit 2 + allow", exits(2, specific("PreToolUse", `"permissionDecision":"allow"`), "my-error"), columns{byExit2[0]})
	add("exit 2 + JSON failing validation", exits(2, `{"decision":"deny"}`, "my-error"), columns{
		{suites.Ignored, suites.Denied, "", "[hook.sh]: my-error"}, {}, {}, {},
		{suites.Ignored, suites.AnotherTurn, "", "[hook.sh]: my-error"},
	})
	add("exit 2 + wrong hookEventName", exits(2, specific("Setup", `"additionalContext":"my-context"`), "my-error"), columns{
		{suites.Ignored, suites.Denied, "", "[hook.sh]: blocked (exit 2); its output could not be processed"},
	})
	add("exit 2 + truncated JSON", exits(2, `{"decision":`, "my-error"), columns{byExit2[0]})
	timeout := all(goesOn)
	timeout[1] = Want{}
	add("timeout", client.Output{Exit: -1, TimedOut: true, Stdout: []byte(blockJSON)}, timeout)
}

func addHalts(add adder) {
	halt := out(`{"continue":false,"stopReason":"my-stop-reason"}`)
	add("continue:false + stopReason", halt, columns{
		both(suites.SessionEnds, ""), both(suites.SessionEnds, ""), both(suites.PromptBlocked, ""), dropped, {},
	})

	deny := specific("PreToolUse", `"permissionDecision":"deny","permissionDecisionReason":"my-reason"`)
	add("continue:false + permissionDecision deny", out(`{"continue":false,`+deny[1:]), columns{
		{suites.Denied, suites.SessionEnds, "my-reason", ""},
	})
}

// belowThree are the lines below the table.
func belowThree() []Cell {
	const bash = `{"stdout":"my-text","stderr":"","interrupted":false,"isImage":false}`
	pre := func(fields string) client.Output { return out(specific("PreToolUse", fields)) }
	post := func(fields string) client.Output { return out(specific("PostToolUse", fields)) }
	long := strings.Repeat("x", long)
	halt := out(`{"continue":false,"stopReason":"my-stop-reason"}`)
	return []Cell{
		{"3 continue:false + stopReason", "Stop", halt, both(suites.SessionEnds, "")},
		{"3 continue:false + stopReason", "SubagentStop", halt, goesOn},
		{"3 continue:false + block", "SubagentStop", out(`{"continue":false,` + blockJSON[1:]), goesOn},
		{"3 continue:false + block", "Stop", out(`{"continue":false,` + blockJSON[1:]), both(suites.SessionEnds, "")},
		{"3 continue:false + exit 2", "SubagentStop", exits(2, `{"continue":false}`, "my-error"), goesOn},
		{"3 continue:false + context", "SubagentStop", out(`{"continue":false,` + specific("SubagentStop", `"additionalContext":"my-context"`)[1:]), goesOn},
		{"3 permissionDecision allow", "PreToolUse", pre(`"permissionDecision":"allow"`), both(suites.Allowed, "")},
		{"3 permissionDecision deny", "PreToolUse", pre(`"permissionDecision":"deny","permissionDecisionReason":"my-reason"`), both(suites.Denied, "my-reason")},
		{"3 permissionDecision ask", "PreToolUse", pre(`"permissionDecision":"ask","permissionDecisionReason":"my-reason"`), both(suites.Asked, "my-reason")},
		{"3 defer", "PreToolUse", pre(`"permissionDecision":"defer"`), both(suites.SessionEnds, "")},
		{"3 updatedInput alone", "PreToolUse", pre(`"updatedInput":{"command":"touch other"}`), both(suites.Rewritten, "")},
		{"3 updatedInput, missing required key", "PreToolUse", pre(`"updatedInput":{"description":"x"}`), both(suites.Denied, "command")},
		{"3 additionalContext beside a deny", "PreToolUse", pre(`"permissionDecision":"deny","additionalContext":"my-context"`), both(suites.Denied, "my-context")},
		{"3 approve + permissionDecision deny", "PreToolUse", out(`{"decision":"approve",` + specific("PreToolUse", `"permissionDecision":"deny"`)[1:]), Want{suites.Denied, suites.Denied, "denied this tool", "Blocked by hook"}},
		{"3 updatedToolOutput in the tool's shape", "PostToolUse", post(`"updatedToolOutput":` + bash), both(suites.Rewritten, "")},
		{"3 updatedToolOutput + block", "PostToolUse", out(`{"decision":"block","reason":"my-reason",` + specific("PostToolUse", `"updatedToolOutput":`+bash)[1:]), both(suites.Rewritten, "my-reason")},
		{"3 updatedToolOutput + exit 2", "PostToolUse", exits(2, specific("PostToolUse", `"updatedToolOutput":`+bash), "my-error"), both(suites.Rewritten, "my-error")},
		{"3 updatedToolOutput as text", "PostToolUse", post(`"updatedToolOutput":"my-text"`), dropped},
		{"3 updatedMCPToolOutput on Bash", "PostToolUse", post(`"updatedMCPToolOutput":{}`), dropped},
		{"3 PostToolUseFailure additionalContext", "PostToolUseFailure", out(specific("PostToolUseFailure", `"additionalContext":"my-context"`)), both(suites.ContextAdded, "my-context")},
		{"3 PostToolUseFailure exit 2", "PostToolUseFailure", exits(2, "", "my-error"), both(suites.ShownToModel, "my-error")},
		{"3 PostToolUseFailure plain stdout", "PostToolUseFailure", out("my-text"), dropped},
		{"3 initialUserMessage", "SessionStart", out(specific("SessionStart", `"initialUserMessage":"my-message"`)), both(suites.AnotherTurn, "my-message")},
		{"3 suppressOriginalPrompt", "UserPromptSubmit", out(specific("UserPromptSubmit", `"suppressOriginalPrompt":true`)), goesOn},
		{"3 PermissionRequest allow", "PermissionRequest", out(specific("PermissionRequest", `"decision":{"behavior":"allow"}`)), both(suites.Allowed, "")},
		{"3 PermissionRequest deny", "PermissionRequest", out(specific("PermissionRequest", `"decision":{"behavior":"deny","message":"my-message"}`)), both(suites.Denied, "my-message")},
		{"3 PermissionRequest exit 2", "PermissionRequest", exits(2, "", "my-error"), dropped},
		{"3 PermissionRequest approve", "PermissionRequest", out(`{"decision":"approve"}`), dropped},
		{"3 PermissionRequest block", "PermissionRequest", out(blockJSON), dropped},
		{"3 long additionalContext", "PreToolUse", pre(`"additionalContext":"` + long + `"`), both(suites.ContextAdded, "persisted-output")},
		{"3 long exit-2 stderr", "PreToolUse", exits(2, "", long+long+long), both(suites.Denied, long+long+long)},
		{"3 JSON is processed on any exit code", "PreToolUse", exits(3, specific("PreToolUse", `"permissionDecision":"deny","permissionDecisionReason":"my-reason"`), ""), both(suites.Denied, "my-reason")},
	}
}
