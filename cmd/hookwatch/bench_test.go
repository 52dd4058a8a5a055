package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

func writeFiles(b testing.TB, root string, files map[string]string) {
	b.Helper()
	for name, content := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
			b.Fatal(err)
		}
	}
}

func percentile(values []time.Duration, p float64) time.Duration {
	slices.Sort(values)
	return values[min(len(values)-1, int(p*float64(len(values))))]
}

// BenchmarkSaveToStart measures from the moment at which a save is complete to
// the first line of the hook's interpreter, in place and isolated: 200 saves are
// a good number (-benchtime 200x). The budget is 5 ms at the median, 20 ms at
// the 99th percentile.
func BenchmarkSaveToStart(b *testing.B) {
	for _, mode := range []string{"none", "auto"} {
		b.Run(mode, func(b *testing.B) { saveToStart(b, mode) })
	}
}

func saveToStart(b *testing.B, mode string) {
	root := b.TempDir()
	hook := func(n int) string {
		return fmt.Sprintf("#!/bin/bash\necho $EPOCHREALTIME\n: %d\nexit 0\n", n)
	}
	writeFiles(b, root, map[string]string{
		".hookwatch.yaml": "hooks: [hooks]\nsuites: [suite.yaml]\nverify: off\nnotify: {desktop: false}\n",
		"suite.yaml":      "suite: s\nhook: hooks/h.sh\ncases:\n  - {id: A1, name: a, event: Stop, expect: {exit: 0}}\n",
		"hooks/h.sh":      hook(0),
	})
	w := watch(b, root, "HOOKWATCH_ISOLATION="+mode) // a file would have to be agreed to
	first := w.runDone()
	for _, e := range first {
		if is := e.Record.Isolation; e.Event == "case" && (is == "none") != (mode == "none") {
			b.Fatalf("isolation is %s, want %s", is, mode)
		}
	}
	var took []time.Duration
	n := 0
	for b.Loop() {
		n++
		if err := os.WriteFile(filepath.Join(root, "hooks/h.sh"), []byte(hook(n)), 0o755); err != nil {
			b.Fatal(err)
		}
		saved := time.Now()
		took = append(took, started(b, w.runDone()).Sub(saved))
	}
	b.ReportMetric(float64(percentile(took, 0.5).Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(percentile(took, 0.99).Microseconds())/1000, "p99-ms")
	<-time.After(time.Second) // until it rests
	memory, idle := atRest(b, w.cmd.Process.Pid)
	b.ReportMetric(memory, "rss-MB")
	b.ReportMetric(idle, "idle-cpu-ms/s")
	w.quit()
}

// started returns the time at which the hook of the last case among the events began.
func started(b *testing.B, events []event) time.Time {
	b.Helper()
	for _, e := range slices.Backward(events) {
		if e.Event != "case" {
			continue
		}
		seconds, err := strconv.ParseFloat(strings.TrimSpace(e.Record.ActualOutput), 64)
		if err != nil {
			b.Fatal(err)
		}
		return time.UnixMicro(int64(seconds * 1e6))
	}
	b.Fatalf("no case in %+v", events)
	return time.Time{}
}

// large writes a project of 1,000 hooks and 10,000 cases, whose verdicts are on
// record.
func large(b *testing.B) string {
	b.Helper()
	root := b.TempDir()
	files := map[string]string{".hookwatch.yaml": "suites: [suites/*.yaml]\nverify: off\nnotify: {desktop: false}\nresults: {dir: results}\n"}
	for s := range 10 {
		var suite strings.Builder
		fmt.Fprintf(&suite, "suite: s%d\nevent: PreToolUse\ntool: Bash\ncases:\n", s)
		for h := range 100 {
			name := fmt.Sprintf(".claude/hooks/h%03d.sh", s*100+h)
			files[name] = fmt.Sprintf("#!/bin/bash\n# hook %d\ncat >/dev/null\nexit 0\n", s*100+h)
			for c := range 10 {
				fmt.Fprintf(&suite, "  - {id: C%05d, name: case_%d, hook: %s, command: \"echo %d\", expect: {exit: 0}}\n",
					s*1000+h*10+c, c, name, c)
			}
		}
		files[fmt.Sprintf("suites/s%d.yaml", s)] = suite.String()
	}
	writeFiles(b, root, files)
	if out, err := program(b, root, "--once", "--format", "json").Output(); err != nil {
		b.Fatalf("%v\n%.300s", err, out)
	}
	return root
}

// BenchmarkLarge measures a session over 10,000 cases and 1,000 hooks: from its
// start to watching, from a save to the selection of its ten cases, and what it
// takes when nothing happens. Budgets: 300 ms, 10 ms beyond BenchmarkSaveToStart,
// no CPU and 40 MB.
func BenchmarkLarge(b *testing.B) {
	root := large(b)
	var starts, saves []time.Duration
	var memory, idle float64
	for b.Loop() {
		begin := time.Now()
		w := watch(b, root, "HOOKWATCH_TRACE=never") // ten thousand runs more would come before any rest
		w.until("start", func(e event) bool { return e.Event == "started" })
		starts = append(starts, time.Since(begin))
		for n := range 20 {
			hook := fmt.Sprintf("#!/bin/bash\ncat >/dev/null\n: %d\nexit 0\n", time.Now().UnixNano())
			begin := time.Now()
			if err := os.WriteFile(filepath.Join(root, fmt.Sprintf(".claude/hooks/h%03d.sh", n)), []byte(hook), 0o755); err != nil {
				b.Fatal(err)
			}
			seen := w.until("selection", func(e event) bool { return e.Event == "changed" })
			saves = append(saves, time.Since(begin))
			if got := len(seen[len(seen)-1].Selected); got != 10 {
				b.Fatalf("selected %d cases, want 10", got)
			}
			w.runDone()
		}
		w.rested()
		memory, idle = atRest(b, w.cmd.Process.Pid)
		w.quit()
	}
	b.ReportMetric(float64(percentile(starts, 0.5).Milliseconds()), "start-ms")
	b.ReportMetric(float64(percentile(saves, 0.5).Microseconds())/1000, "select-p50-ms")
	b.ReportMetric(memory, "rss-MB")
	b.ReportMetric(idle, "idle-cpu-ms/s")
}

// atRest reads what a process takes of memory, in MB, and of the processor, in
// milliseconds a second over two seconds.
func atRest(b *testing.B, pid int) (memory, cpu float64) {
	b.Helper()
	ticks := func() float64 {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			b.Fatal(err)
		}
		fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+2:]))
		user, _ := strconv.ParseFloat(fields[11], 64)
		system, _ := strconv.ParseFloat(fields[12], 64)
		return (user + system) * 10 // a tick is 10 ms
	}
	before := ticks()
	<-time.After(2 * time.Second)
	cpu = (ticks() - before) / 2
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kb, _ := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			memory = kb / 1000
		}
	}
	return memory, cpu
}
