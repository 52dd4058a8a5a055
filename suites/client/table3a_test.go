package client

import (
	"slices"
	"testing"

	"hookwatch/suites"
)

func table3a() []row {
	return slices.Concat(onFailureRows(), otherNameRows(), missingScriptRows(), documentRows(), fieldRows(), reachRows(), entryRows())
}

func onFailureRows() []row {
	block := Entry{OnFailure: "block", Type: "command"}
	const text = `[hook.sh]: failed; blocking because onFailure is "block"`
	denied := newOnly(suites.Denied, "PreToolUse:Bash hook error: "+text)
	rows := []row{
		{"3a onFailure block, exit 1", "PreToolUse", with(exits(1, "", "ERR"), block), denied},
		{"3a onFailure block, exit 127", "PreToolUse", with(exits(127, "", "ERR"), block), denied},
		{"3a onFailure block, signal", "PreToolUse", with(Output{Exit: -1, Signal: "SIGKILL"}, block), denied},
		{"3a onFailure block, timeout", "PreToolUse", with(Output{Exit: -1, TimedOut: true}, block), denied},
		{"3a onFailure block, invalid JSON", "PreToolUse", with(out(`{"decision":"deny"}`), block), denied},
		{"3a onFailure block, broken JSON", "PreToolUse", with(out(`{'decision':'deny'}`), block), denied},
		{"3a onFailure block, http", "PreToolUse", with(exits(500, "", ""), Entry{Type: "http", OnFailure: "block"}), denied},
		{"3a onFailure block, exit 1", "PostToolUse", with(exits(1, "", ""), block), newOnly(suites.ShownToModel, text)},
		{"3a onFailure block, exit 1", "UserPromptSubmit", with(exits(1, "", ""), block), newOnly(suites.PromptBlocked, "")},
		{"3a onFailure block, exit 0", "PreToolUse", with(exits(0, "", ""), block), newOnly(suites.Proceeds, "")},
		{"3a onFailure continue", "PreToolUse", with(exits(1, "", ""), Entry{OnFailure: "continue"}), newOnly(suites.Proceeds, "")},
		{"3a onFailure block, async, timeout", "PreToolUse", with(Output{Exit: -1, TimedOut: true}, Entry{OnFailure: "block", Async: true}), newOnly(suites.Proceeds, "")},
		{"3a onFailure block, async", "PreToolUse", with(exits(1, "", "ERR"), Entry{OnFailure: "block", Async: true}), newOnly(suites.Ignored, "")},
	}
	for _, event := range []string{"Stop", "SubagentStop", "TaskCompleted", "SessionStart", "SubagentStart"} {
		rows = append(rows, row{"3a onFailure has no effect", event, with(exits(1, "", ""), block), newOnly(suites.Proceeds, "")})
	}
	return rows
}

func otherNameRows() []row {
	var rows []row
	in := exits(2, specific("Setup", `"additionalContext":"CTX"`), "ERR")
	for _, event := range []string{"PreToolUse", "PreCompact", "ConfigChange", "Elicitation"} {
		sees := map[string]string{"PreToolUse": "ERR", "PreCompact": "ERR"}[event]
		rows = append(rows, row{"3a exit 2 + wrong hookEventName blocks", event, in, newOnly(suites.Denied, sees)})
	}
	for _, event := range []string{
		"PostToolUse", "PostToolUseFailure", "PostToolBatch", "UserPromptSubmit", "UserPromptExpansion",
		"Stop", "SubagentStop", "TaskCreated", "TaskCompleted", "PreModelSwitch",
	} {
		rows = append(rows, row{"3a exit 2 + wrong hookEventName lets pass", event, in, newOnly(suites.Ignored, "")})
	}
	return rows
}

func missingScriptRows() []row {
	var rows []row
	for _, stderr := range []string{"deploy.json: No such file or directory", "I can't open it"} {
		for _, event := range []string{"Stop", "SubagentStop", "TaskCompleted", "TeammateIdle"} {
			rows = append(rows, row{"3a script appears to be missing", event, exits(2, "", stderr), newOnly(suites.Ignored, "")})
		}
		rows = append(rows,
			row{"3a script appears to be missing, text on stdout", "Stop", exits(2, "TEXT", stderr), newOnly(suites.AnotherTurn, stderr)},
			row{"3a script appears to be missing", "PreToolUse", exits(2, "", stderr), newOnly(suites.Denied, stderr)},
			row{"3a script appears to be missing, of a plugin", "UserPromptSubmit", with(exits(2, "", stderr), Entry{Plugin: true}), newOnly(suites.Ignored, "")},
			row{"3a script appears to be missing, of no plugin", "UserPromptSubmit", exits(2, "", stderr), newOnly(suites.PromptBlocked, "")})
	}
	return rows
}

func documentRows() []row {
	const foreign = "{\"a\":1}\n{\"b\":2}"
	return []row{
		{"3a two JSON lines without a known key", "UserPromptSubmit", out(foreign), newOnly(suites.ContextAdded, foreign)},
		{"3a two JSON lines without a known key", "PreToolUse", out(foreign), newOnly(suites.Ignored, "")},
		{"3a two JSON lines with a known key", "UserPromptSubmit", out("{\"a\":1}\n" + blockJSON), newOnly(suites.Ignored, "")},
		{"3a byte order mark", "PreToolUse", out("\ufeff" + blockJSON), newOnly(suites.Denied, "RSN")},
		{"3a byte order mark", "Stop", out("\ufeff" + blockJSON), newOnly(suites.AnotherTurn, "RSN")},
		{"3a async line, then a document", "PreToolUse", out("{\"async\":true}\n" + blockJSON), newOnly(suites.Ignored, "")},
		{"3a async line, then a document, exit 2", "PreToolUse", exits(2, "{\"async\":true}\n"+blockJSON, "ERR"), newOnly(suites.Ignored, "")},
		{"3a async line, then a document", "UserPromptSubmit", out("{\"async\":true}\n" + blockJSON), newOnly(suites.Ignored, "")},
	}
}

func fieldRows() []row {
	model := func(event, fields string) Output { return out(specific(event, fields)) }
	return []row{
		{"3a PreModelSwitch deny", "PreModelSwitch", model("PreModelSwitch", `"permissionDecision":"deny","permissionDecisionReason":"RSN"`), newOnly(suites.Denied, "RSN")},
		{"3a PreModelSwitch ask", "PreModelSwitch", model("PreModelSwitch", `"permissionDecision":"ask","permissionDecisionReason":"RSN"`), newOnly(suites.Asked, "RSN")},
		{"3a PreModelSwitch allow", "PreModelSwitch", model("PreModelSwitch", `"permissionDecision":"allow"`), newOnly(suites.Allowed, "")},
		{"3a PreModelSwitch defer is no word", "PreModelSwitch", model("PreModelSwitch", `"permissionDecision":"defer"`), newOnly(suites.Ignored, "")},
		{"3a PostModelSwitch additionalContext", "PostModelSwitch", model("PostModelSwitch", `"additionalContext":"CTX"`), newOnly(suites.ContextAdded, "CTX")},
		{"3a classifierContext", "PostToolUse", model("PostToolUse", `"classifierContext":"x"`), newOnly(suites.Proceeds, "")},
		{"3a permissionDisplay", "PreToolUse", model("PreToolUse", `"permissionDisplay":"x"`), newOnly(suites.Proceeds, "")},
		{"3a suppressOriginalPrompt", "UserPromptExpansion", model("UserPromptExpansion", `"suppressOriginalPrompt":true`), newOnly(suites.Proceeds, "")},
		{"3a metrics", "PreToolUse", out(`{"metrics":{"a":1}}`), newOnly(suites.Ignored, "")},
	}
}

func reachRows() []row {
	rows := []row{
		{"3a plain stdout", "UserPromptExpansion", out("TEXT"), newOnly(suites.ContextAdded, "TEXT")},
		{"3a plain stdout", "PostModelSwitch", out("TEXT"), newOnly(suites.ContextAdded, "TEXT")},
		{"3a plain stdout enters the compaction prompt", "PreCompact", out("TEXT"), newOnly(suites.ContextAdded, "TEXT")},
		{"3a continue:false", "PostToolBatch", out(`{"continue":false}`), newOnly(suites.SessionEnds, "")},
		{"3a continue:false", "UserPromptExpansion", out(`{"continue":false}`), newOnly(suites.PromptBlocked, "")},
		{"3a continue:false with exit 1", "PreToolUse", exits(1, `{"continue":false}`, ""), newOnly(suites.SessionEnds, "")},
		{"3a continue:false with exit 1", "PostToolBatch", exits(1, `{"continue":false}`, ""), newOnly(suites.SessionEnds, "")},
		{"3a continue:false with exit 1", "UserPromptSubmit", exits(1, `{"continue":false}`, ""), newOnly(suites.PromptBlocked, "")},
		{"3a PermissionRequest allow beats exit 2", "PermissionRequest", exits(2, specific("PermissionRequest", `"decision":{"behavior":"allow"}`), "ERR"), newOnly(suites.Allowed, "")},
		{"3a PermissionRequest deny beats exit 2", "PermissionRequest", exits(2, specific("PermissionRequest", `"decision":{"behavior":"deny","message":"MSG"}`), "ERR"), newOnly(suites.Denied, "MSG")},
		{"3a updatedInput lacks a required key", "PreToolUse", out(specific("PreToolUse", `"updatedInput":{"description":"x"}`)), newOnly(suites.Denied, "command")},
		{"3a updatedInput is empty", "PreToolUse", out(specific("PreToolUse", `"updatedInput":{}`)), newOnly(suites.Denied, "command")},
		{"3a Stop block without a reason", "Stop", out(`{"decision":"block"}`), newOnly(suites.AnotherTurn, "Blocked by hook")},
	}
	for _, event := range []string{
		"PermissionRequest", "PermissionDenied", "Elicitation", "ElicitationResult", "MessageDisplay", "CwdChanged", "FileChanged", "Setup", "Notification",
	} {
		rows = append(rows, row{"3a additionalContext never reaches a request", event, out(specific(event, `"additionalContext":"CTX"`)), newOnly(suites.Ignored, "")})
	}
	return rows
}

func entryRows() []row {
	const no = `{"ok":false,"reason":"RSN"}`
	return []row{
		{"3a asyncRewake, exit 2", "PreToolUse", with(exits(2, "", "ERR"), Entry{AsyncRewake: true}), newOnly(suites.Denied, "ERR")},
		{"3a prompt hook not ok", "PreToolUse", with(out(no), Entry{Type: "prompt"}), newOnly(suites.SessionEnds, "")},
		{"3a prompt hook not ok", "PostToolUse", with(out(no), Entry{Type: "prompt"}), newOnly(suites.SessionEnds, "")},
		{"3a prompt hook not ok, continueOnBlock", "PreToolUse", with(out(no), Entry{Type: "prompt", ContinueOnBlock: true}), newOnly(suites.Denied, "RSN")},
		{"3a prompt hook ok", "PreToolUse", with(out(`{"ok":true}`), Entry{Type: "prompt"}), newOnly(suites.Proceeds, "")},
		{"5 prompt hook not ok", "PreToolUse", with(out(no), Entry{Type: "prompt"}), oldOnly(suites.Denied, "RSN")},
		{"3a agent hook not ok", "PreToolUse", with(out(no), Entry{Type: "agent"}), newOnly(suites.Denied, "Agent hook condition was not met: RSN")},
		{"3a http status 500 with block", "PreToolUse", with(exits(500, blockJSON, ""), Entry{Type: "http"}), newOnly(suites.Ignored, "")},
		{"3a http status 404 with block", "Stop", with(exits(404, blockJSON, ""), Entry{Type: "http"}), newOnly(suites.Ignored, "")},
		{"3a http status 200 with block", "PreToolUse", with(exits(200, blockJSON, ""), Entry{Type: "http"}), newOnly(suites.Denied, "RSN")},
		{"3a http plain text", "UserPromptSubmit", with(exits(200, "TEXT", ""), Entry{Type: "http"}), newOnly(suites.Ignored, "")},
		{"3a shell powershell, pwsh absent", "PreToolUse", with(Output{Exit: -1, NotStarted: "no pwsh"}, Entry{Shell: "powershell"}), newOnly(suites.Proceeds, "")},
		{"3a onFailure block, mcp_tool", "PreToolUse", with(exits(1, "", ""), Entry{Type: "mcp_tool", OnFailure: "block"}), newOnly(suites.Denied, "blocking because")},
		{"3a mcp_tool decision", "PreToolUse", with(out(blockJSON), Entry{Type: "mcp_tool"}), newOnly(suites.Denied, "RSN")},
	}
}

func TestTable3a(t *testing.T) {
	t.Parallel()
	check(t, table3a())
}
