package main

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// registering is a project that registers so many hooks, each a script of its own
// that takes a while, as hooks do.
func registering(hooks int) map[string]string {
	files := map[string]string{}
	var entries []string
	for i := range hooks {
		name := fmt.Sprintf(".claude/hooks/h%03d.sh", i)
		files[name] = "#!/bin/bash\ninput=$(cat)\nfor i in {1..2000}; do :; done\ncase $input in *never*) echo no >&2 ;; esac\nexit 0\n"
		entries = append(entries, fmt.Sprintf(`{"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/%s"}`, name))
	}
	files[".claude/settings.json"] = `{"hooks": {"PostToolUse": [{"matcher": "Bash", "hooks": [` + strings.Join(entries, ",\n") + `]}]}}`
	return files
}

// BenchmarkCheck measures a check of 30 hooks, one firing each, against the same
// launches by xargs on as many workers, and what looking at the files of 367 hooks
// takes. Budgets: 1.2, one second.
func BenchmarkCheck(b *testing.B) {
	few, many := b.TempDir(), b.TempDir()
	writeFiles(b, few, registering(30))
	writeFiles(b, many, registering(367))
	writeFiles(b, few, map[string]string{"payload.json": `{"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "echo hello"}}`})
	var mine, theirs, static time.Duration
	firings := 0
	for b.Loop() {
		took, fired := checking(b, few)
		mine, firings = mine+took, fired
		theirs += launching(b, few, fired)
		took, _ = checking(b, many, "--static")
		static += took
	}
	b.ReportMetric(float64(mine)/float64(theirs), "ours/xargs")
	b.ReportMetric(float64(firings), "firings")
	b.ReportMetric(float64(static.Milliseconds())/float64(b.N), "static-ms")
}

// checking is how long a check takes, and how often it fires.
func checking(b *testing.B, root string, args ...string) (time.Duration, int) {
	b.Helper()
	begin := time.Now()
	out, err := program(b, root, append([]string{"check", "--format", "json"}, args...)...).Output()
	took := time.Since(begin)
	var doc struct{ Firings int }
	if bad := json.Unmarshal(out, &doc); bad != nil {
		b.Fatalf("%v, %v\n%.300s", err, bad, out)
	}
	return took, doc.Firings
}

// launching is how long xargs takes for as many launches.
func launching(b *testing.B, root string, times int) time.Duration {
	b.Helper()
	var list strings.Builder
	for i := range times {
		fmt.Fprintf(&list, "%q <payload.json\n", filepath.Join(root, fmt.Sprintf(".claude/hooks/h%03d.sh", i%30)))
	}
	cmd := exec.Command("xargs", "-P", strconv.Itoa(runtime.NumCPU()), "-d", "\n", "-n", "1", "/bin/sh", "-c")
	cmd.Dir, cmd.Stdin = root, strings.NewReader(list.String())
	begin := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	return time.Since(begin)
}
