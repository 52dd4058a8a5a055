package check

import (
	"fmt"
	"strings"
	"testing"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/discover"
)

// TestPowerShell checks that a hook for PowerShell is not judged where pwsh is absent, with what the client
// does then, and that its command is not read as one of sh.
func TestPowerShell(t *testing.T) {
	t.Parallel()
	const command = `& "$env:CLAUDE_PROJECT_DIR\.claude\hooks\guard.ps1"`
	for _, tt := range []struct {
		event, onFailure string
		absent           bool
		effect           suites.Effect
		want             string
	}{
		{"PreToolUse", "", true, suites.Proceeds, "the client does not start the hook, and the call proceeds as if there were none"},
		{"PreToolUse", "block", true, suites.Denied, "the client does not start the hook, and every call is denied"},
		{"Stop", "", true, suites.Proceeds, "the client does not start the hook, and the turn ends as if there were none"},
		{"PreToolUse", "", false, "", ""},
	} {
		h := discover.Hook{ID: "h", Event: tt.event, Type: "command", Command: command}
		h.Entry.Shell, h.Entry.OnFailure = "powershell", tt.onFailure
		tree := Tree{Root: t.TempDir(), Installed: func(string) bool { return !tt.absent }}
		q := Inspect(tree, h)
		r := q.Report()
		var effects []string
		for _, f := range r.Findings {
			effects = append(effects, f.What+": "+f.Effect)
		}
		want := "not judged here: pwsh is absent: " + tt.want
		if !tt.absent {
			want = ""
		}
		if got := strings.Join(effects, "; "); got != want || r.Effect != tt.effect || (r.Absent == "pwsh is absent") != tt.absent {
			t.Errorf("%s %s: %q, %q, %s, want %q and %s", tt.event, tt.onFailure, got, r.Absent, r.Effect, want, tt.effect)
		}
		tree.Registered.Hooks = []discover.Hook{h}
		if all := tree.judge(entryRules); len(all) > 0 {
			t.Errorf("%s: %+v", tt.event, all)
		}
	}
	for _, program := range powerShells {
		q := &judgement{of: subject{tree: Tree{Root: "/p"}, hook: discover.Hook{Event: "PreToolUse", Command: program + " -File x.ps1"}}}
		q.judgeAbsent(&results{}, suites.Result{Exit: 127, Effect: suites.Proceeds}, program, client.MissingProgram)
		if got := fmt.Sprint(whats(q.findings)); got != "[not judged here: "+program+" is absent]" || !q.ends {
			t.Errorf("%s: %s", program, got)
		}
	}
}

// TestWindowsPaths checks paths with backslashes, and scripts of PowerShell that a shell would read.
func TestWindowsPaths(t *testing.T) {
	t.Parallel()
	files := map[string]string{".claude/hooks/x.sh": "#!/bin/bash\n", ".claude/hooks/x.ps1": "exit 2\n", ".claude/hooks/y.ps1": "#!/usr/bin/env pwsh\n"}
	const names = "backslash-path the command names a path with backslashes: "
	for command, want := range map[string]string{
		`.claude\hooks\x.sh`:                           "error " + names + "the shell looks for .claudehooksx.sh",
		`bash .claude\hooks\x.sh`:                      "error " + names + "the shell looks for .claudehooksx.sh",
		`C:\hooks\x.sh --fast`:                         "error " + names + "the shell looks for C:hooksx.sh",
		`"$CLAUDE_PROJECT_DIR\.claude\hooks\x.sh"`:     "warning " + names + `$CLAUDE_PROJECT_DIR\.claude\hooks\x.sh`,
		`bash "${CLAUDE_PROJECT_DIR}\.claude\hooks\x"`: "warning " + names + `${CLAUDE_PROJECT_DIR}\.claude\hooks\x`,
		`"$CLAUDE_PROJECT_DIR"/.claude/hooks/x.sh`:     "",
		`"$CLAUDE_PROJECT_DIR"/.claude/hooks/y.ps1`:    "",
		`grep -q 'a\.b\.c'`:                            "",
		`"$CLAUDE_PROJECT_DIR"/.claude/hooks/x.ps1`:    "error bad-interpreter .claude/hooks/x.ps1 is PowerShell, and has no #! line: the shell would read it as its own script",
	} {
		if got := found(treeOf(t, files, command)); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", command, got, want)
		}
	}
}
