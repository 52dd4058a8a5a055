package run_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"hookwatch/suites"
)

// BenchmarkObserved compares runs that record the paths that a hook uses with runs that do not, in
// turn. It reports the median time of the hook, and the mean time of the processors for the whole
// case, which does not depend on what else the machine does.
func BenchmarkObserved(b *testing.B) {
	for _, bb := range []struct{ name, needs, hook string }{
		{"bash with 10 children", "bash", "#!/usr/bin/env bash\nfor i in {1..10}; do cat rules.json >/dev/null; done\n"},
		{"python", "python3", "#!/usr/bin/env python3\nimport json, os, re, sys, subprocess\njson.load(open('rules.json'))\n"},
		{"node", "node", "#!/usr/bin/env node\nJSON.parse(require('fs').readFileSync('rules.json'))\n"},
	} {
		b.Run(bb.name, func(b *testing.B) {
			if _, err := exec.LookPath(bb.needs); err != nil {
				b.Skip(err)
			}
			// A version manager's python3 is a shell script.
			if out, err := exec.Command("python3", "-c", "import sys; print(sys.executable)").Output(); err == nil {
				bb.hook = strings.Replace(bb.hook, "/usr/bin/env python3", strings.TrimSpace(string(out)), 1)
			}
			p := newProject(b)
			p.write("hook", bb.hook, 0o755)
			p.write("rules.json", "{}\n", 0o644)
			r, _ := p.observedRunner("namespaces")
			c := &suites.Case{Suite: "s", ID: "A", Hook: "hook", Steps: []suites.Step{{Event: "Stop"}}}
			var took [2][]time.Duration
			var processors [2]time.Duration
			for b.Loop() {
				for i := range took {
					begin := ofChildren(b)
					run := r.Case
					if i == 1 {
						run = func(ctx context.Context, c *suites.Case) (suites.Outcome, error) { return r.TraceCase(ctx, c, nil) }
					}
					o, err := run(b.Context(), c)
					if err != nil || o.Last().Exit != 0 {
						b.Fatalf("%v, %+v", err, o.Last())
					}
					took[i] = append(took[i], o.Last().Duration)
					_ = r.Remove(o)
					processors[i] += ofChildren(b) - begin
				}
			}
			for i, name := range []string{"plain", "observed"} {
				b.ReportMetric(ms(processors[i])/float64(len(took[i])), name+"-cpu-ms")
				b.ReportMetric(ms(median(took[i])), name+"-ms")
			}
		})
	}
}

// ofChildren returns the time that all children took so far. It waits until they have
// ended, except for the one that starts others.
func ofChildren(b *testing.B) time.Duration {
	for running := true; running; runtime.Gosched() {
		running = false
		files, _ := filepath.Glob("/proc/self/task/*/children")
		for _, f := range files {
			pids, _ := os.ReadFile(f)
			for _, pid := range strings.Fields(string(pids)) {
				name, _ := os.ReadFile("/proc/" + pid + "/comm")
				running = running || strings.TrimSpace(string(name)) == "hookwatch-case"
			}
		}
	}
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_CHILDREN, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
