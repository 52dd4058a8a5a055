package client

import (
	"hookwatch/suites"
)

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
