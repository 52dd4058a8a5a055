package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
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

// TestInterruptHostile: a signal ends every command, whatever expression of a stranger it
// evaluates. The ceiling is ten times the promised time because this machine may be busy.
func TestInterruptHostile(t *testing.T) {
	root := hostileExpressions(t)
	var took []time.Duration
	for _, args := range [][]string{
		nil, {"--once"}, {"run", "T1"}, {"check"}, {"check", "--static"}, {"list"}, {"list", "--hooks"}, {"query", unending},
		{"why"}, {"explain", "-"}, {"fire", "PreToolUse", "Bash"}, {"verify"}, {"history"}, {"suites"}, {"show", "T1"}, {"doctor"}, {"coverage"}, {"compare"},
	} {
		t.Run("hookwatch "+strings.Join(args, " "), func(t *testing.T) {
			in, _, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			patience := 2 * time.Second
			for ; ; patience *= 3 {
				cmd, ended := program(t, root, args...), make(chan error, 1)
				cmd.Stdin = in
				start(t, cmd)
				go func() { ended <- cmd.Wait() }()
				select {
				case <-ended: // it had no more to do
					if slices.Contains([]string{"--once", "run T1", "explain -"}, strings.Join(args, " ")) || len(args) == 0 || args[0] == "query" {
						t.Errorf("ended by itself: %v", cmd.ProcessState)
					}
					return
				case <-time.After(patience):
				}
				sent := time.Now()
				if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
					return // it ended just now
				}
				select {
				case <-ended:
				case <-time.After(ceiling):
					t.Fatal("it goes on")
				}
				if cmd.ProcessState.ExitCode() == -1 && patience < ceiling { // so busy is the machine that it did not listen yet
					continue
				}
				took = append(took, time.Since(sent))
				if d := time.Since(sent); d > 2*time.Second {
					t.Errorf("ended %s after the signal", d)
				}
				if code := cmd.ProcessState.ExitCode(); code != 130 {
					t.Errorf("exit code %d, want 130", code)
				}
				return
			}
		})
	}
	slices.Sort(took)
	if len(took) > 0 {
		t.Logf("of %d commands that were interrupted: p50 %s, longest %s", len(took), took[len(took)/2].Round(time.Millisecond), took[len(took)-1].Round(time.Millisecond))
	}
}
