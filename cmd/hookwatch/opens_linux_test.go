package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestOpens: from a save to the end of the run that it makes, hookwatch itself opens
// the saved file twice at most, and no other file that the case depends on. What its hooks open is theirs, and
// records are no part of a case.
func TestOpens(t *testing.T) {
	t.Parallel()
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is absent")
	}
	for _, isolation := range []string{"none", "auto"} {
		t.Run(isolation, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			hook := func(n int) string {
				return fmt.Sprintf("#!/bin/bash\n. \"$CLAUDE_PROJECT_DIR/hooks/lib.sh\"\necho %d $L $(<\"$CLAUDE_PROJECT_DIR/hooks/config.json\")\n", n)
			}
			writeFiles(t, root, map[string]string{
				".hookwatch.yaml":   "hooks: [hooks]\nsuites: [suite.yaml]\nverify: off\nnotify: {desktop: false}\n",
				"suite.yaml":        "suite: s\ncases:\n  - {id: A1, name: a, hook: hooks/h.sh, event: Stop, expect: {exit: 0}}\n  - {id: A2, name: b, hook: hooks/other.sh, event: Stop, expect: {exit: 0}}\n",
				"hooks/h.sh":        hook(0),
				"hooks/other.sh":    hook(0),
				"hooks/lib.sh":      "L=1\n",
				"hooks/config.json": `{"a": 1}`,
			})
			log := filepath.Join(t.TempDir(), "strace") // in a directory that is not watched
			w := watchBy(t, []string{strace, "-f", "-qq", "-y", "-e", "trace=open,openat,openat2", "-o", log}, root, nil, "HOOKWATCH_ISOLATION="+isolation)
			w.runDone()
			w.rested()
			session := below(t, w.cmd.Process.Pid)[0]
			before := opensIn(t, log, session, root)
			w.replace("hooks/h.sh", hook(1)) // one event: a save in place makes several
			w.runDone()
			after := opensIn(t, log, session, root)
			if err := syscall.Kill(session, syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
			for range w.events { // to its end
			}
			if err := w.cmd.Wait(); w.cmd.ProcessState.ExitCode() != 130 {
				t.Errorf("watching ended with %v", err)
			}
			for file, n := range after {
				if info, err := os.Stat(w.path(file)); strings.HasPrefix(file, ".claude/tests/hooks/results") || err == nil && info.IsDir() {
					continue
				}
				most := 0
				if file == "hooks/h.sh" {
					most = 2
				}
				if n -= before[file]; n > most {
					t.Errorf("%s was opened %d times, want at most %d", file, n, most)
				}
			}
			if after["hooks/h.sh"] == before["hooks/h.sh"] {
				t.Error("no process opened the saved file: the opens are not seen")
			}
		})
	}
}

// opensIn counts, for the files of a project, the opens that a process succeeded in.
func opensIn(t *testing.T, log string, process int, root string) map[string]int {
	t.Helper()
	threads := map[string]bool{}
	for _, thread := range namesIn(t, fmt.Sprintf("/proc/%d/task", process)) {
		threads[thread] = true
	}
	f, err := os.Open(log)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	opens := map[string]int{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		thread, call, _ := strings.Cut(lines.Text(), " ")
		_, result, _ := strings.Cut(call, " = ") // 7</the/path>
		_, opened, inside := strings.Cut(result, "<"+root+"/")
		if name, ended := strings.CutSuffix(opened, ">"); inside && ended && threads[thread] {
			opens[name]++
		}
	}
	return opens
}
