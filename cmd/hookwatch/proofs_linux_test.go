package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestProveKey presses g in a session: the guard is searched for ways around, and a save that opens
// another one is a regression, until a save closes it again.
func TestProveKey(t *testing.T) {
	t.Parallel()
	if exec.Command("unshare", "--user", "--map-root-user", "--mount", "true").Run() != nil {
		t.Skip("no namespaces")
	}
	const (
		hook  = ".claude/hooks/guard.sh"
		tight = "#!/bin/bash\nread -r -d '' in\n[[ $in == *'git push'*--force* ]] && exit 2\nexit 0\n"
		loose = "#!/bin/bash\nread -r -d '' in\n[[ $in == *'git push --force'* ]] && exit 2\nexit 0\n"
	)
	root := filepath.Join(t.TempDir(), "proved")
	writeFiles(t, root, map[string]string{
		hook:                    tight,
		".claude/settings.json": `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "bash \"$CLAUDE_PROJECT_DIR\"/` + hook + `"}]}]}}`,
		"suites/own.yaml": "suite: own\ncases:\n" +
			"  - {id: A1, name: forced, registered: guard.sh, event: PreToolUse, tool: Bash, command: git push --force origin main, expect: {effect: denied}}\n",
		".hookwatch.yaml": "verify: off\nsuites: [suites/*.yaml]\nnotify: {desktop: false, settle: 20ms}\nrun: {jobs: 2, trace: never}\n",
	})
	cmd := program(t, root)
	cmd.Env = append(cmd.Env, "NO_COLOR=1", "LANG=C")
	p := commandOnTerminal(t, cmd, "", 200, usualRows)
	p.wait(restingLine, 1)
	p.types("g")
	p.until("[habit]", func(shown string) bool {
		return strings.Contains(shown, "[habit]") || strings.Contains(shown, " of them pass; ") // the last line
	})
	if !strings.Contains(p.text(), "[habit]") { // its seconds did not suffice for that on this machine
		t.Log("the search ended before the ways around the guard: what a save does with them is not tested")
		p.types("q")
		p.end()
		return
	}
	p.wait("makes cases of them", 1)
	writeFiles(t, root, map[string]string{hook: loose})
	p.wait("regression PreToolUse-guard.sh", 1)
	writeFiles(t, root, map[string]string{hook: tight})
	p.wait("resolved PreToolUse-guard.sh", 1)
	p.types("q")
	p.end()
}
