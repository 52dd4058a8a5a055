package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"hookwatch/suites/disk"
)

// nothingRuns waits until nothing that was started goes on: not the program itself,
// as a supervisor, nor anything with the mark.
func (k *killing) nothingRuns() {
	k.t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	var left []string
	for limit := time.Now().Add(ceiling); time.Now().Before(limit); <-tick.C {
		if left = k.running(); len(left) == 0 {
			return
		}
	}
	k.t.Errorf("these go on after a kill: %q", left)
}

func (k *killing) running() (left []string) {
	all, _ := filepath.Glob("/proc/[0-9]*")
	for _, proc := range all {
		exe, _ := os.Readlink(proc + "/exe") // of a kernel thread or an ended process
		environ, _ := os.ReadFile(proc + "/environ")
		if exe == k.program || strings.Contains(string(environ), killMark+"="+k.temp) {
			line, _ := os.ReadFile(proc + "/cmdline")
			left = append(left, fmt.Sprintf("%s %s", filepath.Base(proc), strings.ReplaceAll(string(line), "\x00", " ")))
		}
	}
	return left
}

// nothingIsLeft looks for what killed sessions leave, once the next one has started
// and ended: sandboxes, mounts, files that were to replace others.
func (k *killing) nothingIsLeft(results string) {
	k.t.Helper()
	for _, pattern := range []string{filepath.Join(k.temp, "*", "run-*"), filepath.Join(results, "archive", ".*"), filepath.Join(results, "running.json")} {
		if found, _ := filepath.Glob(pattern); len(found) > 0 {
			k.t.Errorf("left after the next start: %q", found)
		}
	}
	hidden, _ := filepath.Glob(filepath.Join(results, ".*"))
	for _, f := range hidden {
		if _, leftover := disk.IsLeftover(filepath.Base(f)); leftover {
			k.t.Errorf("left after the next start: %s", f)
		}
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		k.t.Fatal(err)
	}
	for line := range strings.Lines(string(mounts)) {
		if strings.Contains(line, k.temp) || strings.Contains(line, k.root) {
			k.t.Errorf("mounted: %s", line)
		}
	}
}
