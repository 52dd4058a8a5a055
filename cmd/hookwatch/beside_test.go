package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"
)

// besidePause is the time between two saves, in which every tool comes to rest.
const besidePause = 100 * time.Millisecond

// BenchmarkBeside measures the way from a complete save to the first line of the
// hook's interpreter for hookwatch, entr and nodemon: the same file, the same
// command, the same saves. BENCH_HOOKWATCH is the program as it is released;
// .ci/beside makes it, installs the other two and prints a table.
func BenchmarkBeside(b *testing.B) {
	released := os.Getenv(releasedVariable)
	if released == "" {
		b.Skip(releasedVariable + " is not set: see .ci/beside")
	}
	for _, tool := range []struct {
		name, stdin string
		command     []string
		env         string
	}{
		{"hookwatch,isolation_none", "", []string{released, "--format", "jsonl"}, "HOOKWATCH_ISOLATION=none"},
		{"hookwatch,isolation_auto", "", []string{released, "--format", "jsonl"}, "HOOKWATCH_ISOLATION=auto"},
		{"entr", "hooks/h.sh\n", []string{"entr", "-n", "bash", "hooks/h.sh"}, "TERM=dumb"},
		{"nodemon,delay_1ms", "", []string{"nodemon", "-q", "--delay", "1ms", "-w", "hooks", "-e", "sh", "--exec", "bash hooks/h.sh"}, "TERM=dumb"},
		{"nodemon", "", []string{"nodemon", "-q", "-w", "hooks", "-e", "sh", "--exec", "bash hooks/h.sh"}, "TERM=dumb"},
	} {
		b.Run(tool.name, func(b *testing.B) { besideSaves(b, tool.command, tool.stdin, tool.env) })
	}
}

func besideSaves(b *testing.B, command []string, stdin, env string) {
	b.Helper()
	root := b.TempDir()
	writeFiles(b, root, map[string]string{
		".hookwatch.yaml": "hooks: [hooks]\nsuites: [suite.yaml]\nverify: off\nnotify: {desktop: false}\n",
		"suite.yaml":      "suite: s\nhook: hooks/h.sh\ncases:\n  - {id: A1, name: a, event: Stop, expect: {exit: 0}}\n",
		"hooks/h.sh":      besideHook(0),
	})
	starts := besideStart(b, root, command, stdin, env)
	if _, ok := besideNext(starts, 0); !ok {
		b.Fatalf("%v did not run the hook", command)
	}
	var took []time.Duration
	n, missed := 0, 0
	for b.Loop() {
		<-time.After(besidePause)
		n++
		if err := os.WriteFile(filepath.Join(root, "hooks/h.sh"), []byte(besideHook(n)), 0o755); err != nil {
			b.Fatal(err)
		}
		saved := time.Now()
		if at, ok := besideNext(starts, n); ok {
			took = append(took, at.Sub(saved))
		} else {
			missed++
		}
	}
	if len(took) == 0 {
		b.Fatal("no save was heard of")
	}
	b.ReportMetric(float64(percentile(took, 0.5).Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(percentile(took, 0.99).Microseconds())/1000, "p99-ms")
	b.ReportMetric(float64(n), "saves")
	b.ReportMetric(float64(missed), "missed")
}

func besideHook(n int) string {
	return fmt.Sprintf("#!/bin/bash\necho \"$EPOCHREALTIME save %d.\"\nexit 0\n", n)
}

// A started hook is one whose first line has run.
type startedHook struct {
	save int
	at   time.Time
}

// besideStart starts a tool and passes on the output of the hook.
func besideStart(b *testing.B, root string, command []string, stdin, env string) <-chan startedHook {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), command[0], command[1:]...)
	cmd.Dir = root
	home := b.TempDir()
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_STATE_HOME="+home, "CI=true", env)
	if stdin != "" {
		names := filepath.Join(home, "names")
		writeFiles(b, home, map[string]string{"names": stdin})
		f, err := os.Open(names)
		if err != nil {
			b.Fatal(err)
		}
		defer f.Close()
		cmd.Stdin = f
	}
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	starts := make(chan startedHook, 1000)
	go func() {
		defer close(starts)
		printed := regexp.MustCompile(`(\d+)\.(\d{6}) save (\d+)\.`)
		lines := bufio.NewReader(out)
		for {
			line, err := lines.ReadString('\n')
			if m := printed.FindStringSubmatch(line); m != nil {
				seconds, _ := strconv.ParseInt(m[1], 10, 64)
				micros, _ := strconv.ParseInt(m[2], 10, 64)
				save, _ := strconv.Atoi(m[3])
				starts <- startedHook{save, time.Unix(seconds, micros*1000)}
			}
			if err != nil {
				return
			}
		}
	}()
	b.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		for range starts { // to its end
		}
		_ = cmd.Wait()
	})
	return starts
}

// besideNext waits for the run of a save.
func besideNext(starts <-chan startedHook, save int) (time.Time, bool) {
	limit := time.NewTimer(5 * time.Second)
	defer limit.Stop()
	for {
		select {
		case s, open := <-starts:
			if !open {
				return time.Time{}, false
			}
			if s.save == save {
				return s.at, true
			}
		case <-limit.C:
			return time.Time{}, false
		}
	}
}
