//go:build linux

package run_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/process"
	"hookwatch/suites/run"
	"hookwatch/suites/sandbox"
)

// BenchmarkIsolation runs one case in place, in namespaces, and in namespaces in a project of
// 50,000 files, alternately, and reports the additional median time of the latter two. Each
// includes the start of the supervisor.
func BenchmarkIsolation(b *testing.B) {
	small, large := benchProject(b, 10), benchProject(b, 50_000)
	runners := []*run.Runner{
		benchRunner(b, small, "none"), benchRunner(b, small, "namespaces"), benchRunner(b, large, "namespaces"),
	}
	c := &suites.Case{Suite: "s", ID: "A", Hook: ".claude/hooks/hook.sh", Steps: []suites.Step{{Event: "PreToolUse", Tool: "Bash", Command: "ls"}}}
	times := make([][]time.Duration, len(runners))
	for b.Loop() {
		for i, r := range runners {
			begin := time.Now()
			o, err := r.Case(context.Background(), c)
			if err != nil {
				b.Fatal(err)
			}
			if err := r.Remove(o); err != nil {
				b.Fatal(err)
			}
			times[i] = append(times[i], time.Since(begin))
			if last := o.Last(); last.Exit != 0 {
				b.Fatalf("%+v", o)
			}
		}
	}
	none := median(times[0])
	b.ReportMetric(ms(none), "none-ms")
	b.ReportMetric(ms(median(times[1])-none), "more-ms")
	b.ReportMetric(ms(median(times[2])-none), "more-50k-ms")
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

func ms(d time.Duration) float64 { return float64(d) / 1e6 }

func benchProject(b *testing.B, files int) string {
	b.Helper()
	root := b.TempDir()
	hook := filepath.Join(root, ".claude/hooks/hook.sh")
	if err := os.MkdirAll(filepath.Dir(hook), 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(hook, []byte("#!/bin/bash\nexit 0\n"), 0o755); err != nil {
		b.Fatal(err)
	}
	for i := range files {
		dir := filepath.Join(root, fmt.Sprintf("src/%03d", i/100))
		if i%100 == 0 {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				b.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%02d.txt", i%100)), []byte("text\n"), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	return root
}

func benchRunner(b *testing.B, root string, mode string) *run.Runner {
	b.Helper()
	home := b.TempDir()
	o := run.Options{
		Root: root, Temp: b.TempDir(), Timeout: time.Minute,
		Env: process.With(run.Environment(os.Environ(), nil), map[string]string{"HOME": home}),
	}
	bounds := sandbox.Options{Root: root, Home: home, Size: 256_000_000, Processes: 1000, Memory: 2 << 30}
	choice, err := sandbox.Choose(mode, bounds, o.Temp)
	if err != nil {
		b.Skipf("user namespaces are needed: %v", err)
	}
	o.Isolation = choice
	return run.New(o)
}
