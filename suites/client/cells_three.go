package client

import (
	"strings"

	"hookwatch/suites"
)

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
