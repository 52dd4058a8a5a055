package client

import (
	"testing"

	"hookwatch/suites"
)

// table1 is the column of exit code 2, and what else the table of events says of
// outputs. Cells that are documented only are here, too.
func table1() []row {
	exit2 := exits(2, "", "ERR")
	rows := []row{
		{"1 exit 2", "PreToolUse", exit2, both(suites.Denied, "ERR")},
		{"1 exit 2", "UserPromptSubmit", exit2, both(suites.PromptBlocked, "")},
		{"1 exit 2", "UserPromptExpansion", exit2, both(suites.PromptBlocked, "")},
		{"1 exit 2", "PostToolUse", exit2, both(suites.ShownToModel, "ERR")},
		{"1 exit 2", "PostToolUseFailure", exit2, both(suites.ShownToModel, "ERR")},
		{"1 exit 2", "PostToolBatch", exit2, newOnly(suites.SessionEnds, "")},
		{"1 exit 2", "SubagentStop", exit2, both(suites.AnotherTurn, "ERR")},
		{"1 exit 2", "Stop", exit2, both(suites.AnotherTurn, "ERR")},
		{"1 exit 2", "TeammateIdle", exit2, both(suites.AnotherTurn, "ERR")},
		{"1 exit 2", "TaskCreated", exit2, newOnly(suites.Denied, "TaskCreated hook feedback: [hook.sh]: ERR")},
		{"1 exit 2", "TaskCompleted", exit2, newOnly(suites.Denied, "TaskCompleted hook feedback: [hook.sh]: ERR")},
		{"1 exit 2", "PreCompact", exit2, newOnly(suites.Denied, "ERR")},
		{"1 exit 2", "Elicitation", exit2, newOnly(suites.Denied, "")},
		{"1 exit 2", "ElicitationResult", exit2, newOnly(suites.Denied, "")},
		{"1 exit 2", "ConfigChange", exit2, newOnly(suites.Denied, "")},
		{"1 exit 2", "PreModelSwitch", exit2, newOnly(suites.Denied, "ERR")},
		{"1 timeout", "PreModelSwitch", Output{Exit: -1, TimedOut: true}, newOnly(suites.Denied, "")},
		{"1 no such event yet", "PreModelSwitch", exit2, oldOnly(suites.Ignored, "")},
		{"1 no such event yet", "DirectoryAdded", exit2, oldOnly(suites.Ignored, "")},
		{"1 no such event", "preToolUse", exit2, dropped},
	}
	for _, event := range []string{
		"SessionStart", "Setup", "InstructionsLoaded", "PermissionRequest", "PermissionDenied", "SubagentStart", "StopFailure",
		"PostCompact", "Notification", "CwdChanged", "FileChanged", "MessageDisplay", "SessionEnd",
	} {
		rows = append(rows, row{"1 exit 2 blocks nothing", event, exit2, both(suites.Ignored, "")})
	}
	for _, event := range []string{"PostModelSwitch", "DirectoryAdded"} {
		rows = append(rows, row{"1 exit 2 blocks nothing", event, exit2, newOnly(suites.Ignored, "")})
	}
	return append(rows, worktreeRows()...)
}

func worktreeRows() []row {
	fails := newOnly(suites.Denied, "")
	timeout := Output{Exit: -1, TimedOut: true}
	return []row{
		{"1 WorktreeCreate exit 2", "WorktreeCreate", exits(2, "/w", "ERR"), fails},
		{"1 WorktreeCreate exit 1", "WorktreeCreate", exits(1, "/w", "ERR"), fails},
		{"1 WorktreeCreate empty stdout", "WorktreeCreate", out("\n"), fails},
		{"1 WorktreeCreate JSON", "WorktreeCreate", out(specific("WorktreeCreate", `"worktreePath":"/w"`)), fails},
		{"1 WorktreeCreate no such directory", "WorktreeCreate", out("TEXT"), fails},
		{"1 WorktreeCreate timeout", "WorktreeCreate", timeout, fails},
		{"1 WorktreeCreate noise and a path: the whole stdout is the path", "WorktreeCreate", out("made it\n/w\n"), fails},
		{"1 WorktreeCreate a path", "WorktreeCreate", out("/tmp/w\n"), both(suites.Proceeds, "")},
		{"1 WorktreeRemove exit 2", "WorktreeRemove", exits(2, "", "ERR"), cell{old: suites.Ignored, newer: suites.Denied}},
		{"1 WorktreeRemove exit 1", "WorktreeRemove", exits(1, "", "ERR"), fails},
		{"1 WorktreeRemove signal", "WorktreeRemove", Output{Exit: -1, Signal: "SIGKILL"}, fails},
		{"1 WorktreeRemove timeout", "WorktreeRemove", timeout, fails},
		{"1 WorktreeRemove block JSON", "WorktreeRemove", out(blockJSON), newOnly(suites.Ignored, "")},
		{"1 WorktreeRemove exit 0", "WorktreeRemove", out(""), goesOn},
	}
}

func TestTable1(t *testing.T) {
	t.Parallel()
	check(t, table1())
}

// TestMatchedOn is the matcher column.
func TestMatchedOn(t *testing.T) {
	t.Parallel()
	for event, want := range map[string]string{
		"SessionStart": "source", "Setup": "trigger", "InstructionsLoaded": "load_reason", "UserPromptSubmit": "",
		"UserPromptExpansion": "command_name", "PreToolUse": "tool_name", "PermissionRequest": "tool_name",
		"PermissionDenied": "tool_name", "PostToolUse": "tool_name", "PostToolUseFailure": "tool_name", "PostToolBatch": "",
		"SubagentStart": "agent_type", "SubagentStop": "agent_type", "TaskCreated": "", "TaskCompleted": "", "Stop": "",
		"StopFailure": "error", "PreCompact": "trigger", "PostCompact": "trigger", "Notification": "notification_type",
		"Elicitation": "mcp_server_name", "ElicitationResult": "mcp_server_name", "ConfigChange": "source", "CwdChanged": "",
		"FileChanged": "file_path", "WorktreeCreate": "", "WorktreeRemove": "", "MessageDisplay": "", "SessionEnd": "reason",
		"PreModelSwitch": "to_model", "PostModelSwitch": "to_model", "DirectoryAdded": "source", "TeammateIdle": "",
	} {
		if about, known := EventByName(event); !known || about.MatchedOn != want {
			t.Errorf("%s is matched on %q, want %q", event, about.MatchedOn, want)
		}
	}
}
