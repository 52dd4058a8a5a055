package client

import (
	"slices"

	"hookwatch/suites"
)

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
