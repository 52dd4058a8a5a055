package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"hookwatch/suites/process/testdata/processtest"
)

// unending takes any time, in little memory.
const unending = "first(range(1e15) | select(. < 0))"

// hostileExpressions are a suite and settings whose expressions take any time.
func hostileExpressions(t *testing.T) string {
	t.Helper()
	type hook struct {
		Type    string `json:"type"`
		Command string `json:"command"`
	}
	type group struct {
		Matcher string `json:"matcher"`
		Hooks   []hook `json:"hooks"`
	}
	var groups []group
	for i, matcher := range []string{"((((((.*)*)*)*)*)*)*$x", strings.Repeat("(a|b", 50) + strings.Repeat(")", 50), strings.Repeat("(", 20_000) + strings.Repeat(")", 20_000), "Bash.*"} {
		groups = append(groups, group{matcher, []hook{{"command", fmt.Sprintf(`"$CLAUDE_PROJECT_DIR"/h.sh %d`, i)}}})
	}
	settings, err := json.Marshal(map[string]any{"hooks": map[string]any{"PreToolUse": groups}})
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	writeFiles(t, root, map[string]string{
		".hookwatch.yaml":       "suites: [s.yaml]\nhooks: [.]\nverify: off\nresults: {dir: results}\n",
		".claude/settings.json": string(settings),
		"h.sh":                  "#!/bin/bash\n[[ -e $CLAUDE_PROJECT_DIR/slow ]] && { : >\"$CLAUDE_PROJECT_DIR/fired\"; sleep 100; }\necho '{\"a\": 1}'\n",
		"s.yaml": "suite: s\nevent: Stop\nhook: h.sh\ncases:\n" +
			"  - {id: T1, name: time, expect: {exit: 0, jq: '" + unending + "'}}\n" +
			"  - {id: T2, name: endless, expect: {exit: 0, jq: 'def f: f; f'}}\n",
	})
	for _, name := range []string{"h.sh"} {
		if err := os.Chmod(root+"/"+name, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// TestInterruptHostile checks that a signal ends every command with exit code 130, whatever
// expression of a stranger it evaluates, and that only commands without such an expression end by
// themselves.
func TestInterruptHostile(t *testing.T) {
	t.Parallel()
	root := hostileExpressions(t)
	for _, test := range processtest.Sample([]struct {
		args    string
		endless bool
	}{
		{"", true}, {"--once", true}, {"run T1", true}, {"query " + unending, true},
		{"check", false}, {"check --static", false}, {"list", false}, {"list --hooks", false}, {"why", false}, {"fire PreToolUse Bash", false}, {"verify", false},
		{"history", false}, {"list --suites", false}, {"show T1", false}, {"doctor", false}, {"coverage", false}, {"compare", false},
	}, 3) {
		t.Run("hookwatch "+test.args, func(t *testing.T) {
			t.Parallel()
			args := strings.Fields(test.args)
			if command, expression, ok := strings.Cut(test.args, " "); ok && command == "query" {
				args = []string{command, expression}
			}
			cmd := program(t, root, args...)
			cmd.Env = append(cmd.Env, "HOOKWATCH_RESULTS_DIR="+t.TempDir())
			start(t, cmd)
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			if !computes(cmd.Process.Pid, ended) {
				if test.endless {
					t.Errorf("it ended by itself: %v", cmd.ProcessState)
				}
				return
			}
			if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
				return // it ended just now
			}
			select {
			case <-ended:
			case <-time.After(ceiling):
				t.Fatal("it goes on")
			}
			if code := cmd.ProcessState.ExitCode(); code != 130 && (test.endless || code == -1) {
				t.Errorf("exit code %d, want 130", code)
			}
		})
	}
}

// computes waits until a process and its children have used a third of a second of processor time,
// which no command does that does not evaluate such an expression. It returns false if the process
// ends before.
func computes(pid int, ended chan error) bool {
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	limit := time.After(ceiling)
	for {
		select {
		case err := <-ended:
			ended <- err
			return false
		case <-look.C:
			if computed(pid) >= 33 {
				return true
			}
		case <-limit:
			return true
		}
	}
}

// computed returns the processor time of a process and its children, in hundredths of a second.
func computed(pid int) (ticks int) {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)) // empty once it has ended
	_, after, _ := strings.Cut(string(stat), ") ")
	if fields := strings.Fields(after); len(fields) > 12 {
		for _, used := range fields[11:13] { // in user mode, in the kernel
			n, _ := strconv.Atoi(used)
			ticks += n
		}
	}
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, list := range lists {
		text, _ := os.ReadFile(list)
		for child := range strings.FieldsSeq(string(text)) {
			if n, err := strconv.Atoi(child); err == nil {
				ticks += computed(n)
			}
		}
	}
	return ticks
}
