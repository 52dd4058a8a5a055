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
// that ends at once, or calls as many programs as real ones do: a hook of a public
// project takes 50 ms of the processor.
func registering(hooks int, work string) map[string]string {
	files := map[string]string{}
	var entries []string
	for i := range hooks {
		name := fmt.Sprintf(".claude/hooks/h%03d.sh", i)
		files[name] = "#!/bin/bash\ninput=$(cat)\n" + work + "\ncase $input in *never*) echo no >&2 ;; esac\nexit 0\n"
		entries = append(entries, fmt.Sprintf(`{"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/%s"}`, name))
	}
	files[".claude/settings.json"] = `{"hooks": {"PostToolUse": [{"matcher": "Bash", "hooks": [` + strings.Join(entries, ",\n") + `]}]}}`
	for i, in := range inputs {
		files[fmt.Sprintf("payload%d.json", i)] = in
	}
	return files
}

// inputs are those that check sends to a hook of Bash: a usual one, one with quotes
// and one of 200 KB, on which a hook itself works longer.
var inputs = []string{
	`{"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "echo hello"}}`,
	`{"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "true # it's \"quoted\""}}`,
	`{"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "true # ` + strings.Repeat(strings.Repeat("a", 39)+`\n# `, 5000) + `"}}`,
}

// usualWork is code that takes as long as a usual hook.
const usualWork = `for i in 1 2 3 4 5 6 7 8; do printf '%s' "$input" | sed 's/a/b/' | grep -c hello >/dev/null; done; for i in {1..8000}; do :; done`

// BenchmarkCheck measures a check of 30 hooks, three firings each, against the same
// launches with the same inputs by xargs on as many workers, in time and in what the
// processors did; and what looking at the files of 367 hooks takes. Budgets: 1.2 for usual hooks, one second.
func BenchmarkCheck(b *testing.B) {
	for name, work := range map[string]string{"usual": usualWork, "at once": ":"} {
		b.Run(name, func(b *testing.B) {
			root := b.TempDir()
			writeFiles(b, root, registering(30, work))
			var mine, theirs spent
			firings := 0
			for b.Loop() {
				took, fired := checking(b, root)
				firings = fired
				mine.add(took)
				theirs.add(launching(b, root, fired))
			}
			b.ReportMetric(float64(mine.wall)/float64(theirs.wall), "ours/xargs")
			b.ReportMetric(float64(mine.cpu)/float64(theirs.cpu), "ours/xargs-cpu")
			b.ReportMetric(float64(theirs.cpu.Milliseconds())/float64(b.N*firings), "hook-cpu-ms")
			b.ReportMetric(float64((mine.cpu-theirs.cpu).Milliseconds())/float64(b.N*firings), "own-cpu-ms/firing")
		})
	}
	b.Run("static", func(b *testing.B) {
		root := b.TempDir()
		writeFiles(b, root, registering(367, ":"))
		for b.Loop() {
			checking(b, root, "--static")
		}
	})
}

// spent is how long programs took, and the processors for them.
type spent struct{ wall, cpu time.Duration }

func (s *spent) add(other spent) { s.wall, s.cpu = s.wall+other.wall, s.cpu+other.cpu }

func spentBy(begin time.Time, cmd *exec.Cmd) spent {
	return spent{time.Since(begin), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
}

// checking is how long a check takes, and how often it fires.
func checking(b *testing.B, root string, args ...string) (spent, int) {
	b.Helper()
	begin := time.Now()
	cmd := program(b, root, append([]string{"check", "--format", "json"}, args...)...)
	out, err := cmd.Output()
	took := spentBy(begin, cmd)
	var doc struct{ Firings int }
	if bad := json.Unmarshal(out, &doc); bad != nil {
		b.Fatalf("%v, %v\n%.300s", err, bad, out)
	}
	return took, doc.Firings
}

// launching is how long xargs takes for as many launches.
func launching(b *testing.B, root string, times int) spent {
	b.Helper()
	var list strings.Builder
	for i := range times {
		fmt.Fprintf(&list, "%q <payload%d.json\n", filepath.Join(root, fmt.Sprintf(".claude/hooks/h%03d.sh", i%30)), i/30%len(inputs))
	}
	cmd := exec.Command("xargs", "-P", strconv.Itoa(runtime.NumCPU()), "-d", "\n", "-n", "1", "/bin/sh", "-c")
	cmd.Dir, cmd.Stdin = root, strings.NewReader(list.String())
	begin := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	return spentBy(begin, cmd)
}
