//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A soakSample is the use of resources by a session at rest.
type soakSample struct {
	edits     int
	elapsed   time.Duration
	rss       int // kB
	memory        // zero for a program that is not this test binary
	threads   int
	files     int // open ones
	watches   int // of inotify
	processes int // below the session
	kept      int // sandboxes of failing cases
	running   int // entries in the directory of running cases
	results   int // kB of records
}

const soakHeader = "edits     time   RSS MB  heap kB  objects  goroutines  threads  files  watches  processes  kept  running  results kB"

func (s soakSample) String() string {
	return fmt.Sprintf("%5d %8s %8.1f %8d %8d %11d %8d %6d %8d %10d %5d %8d %11d", s.edits, s.elapsed.Round(time.Second),
		float64(s.rss)/1024, s.Heap/1024, s.Objects, s.Goroutines, s.threads, s.files, s.watches, s.processes, s.kept, s.running, s.results)
}

// sample measures the session.
func (s *soak) sample(edits int) soakSample {
	s.t.Helper()
	m := soakSample{edits: edits, elapsed: time.Since(s.began)}
	if s.socket != "" {
		if err := json.Unmarshal(ask(s.t, s.socket, "memory"), &m.memory); err != nil {
			s.t.Fatal(err)
		}
	}
	proc := fmt.Sprintf("/proc/%d", s.cmd.Process.Pid)
	m.rss = statusNumber(s.t, proc, "VmRSS")
	m.threads = statusNumber(s.t, proc, "Threads")
	m.files = len(namesIn(s.t, proc+"/fd"))
	for _, f := range namesIn(s.t, proc+"/fdinfo") {
		text, _ := os.ReadFile(filepath.Join(proc, "fdinfo", f)) // it may be closed by now
		m.watches += strings.Count(string(text), "inotify wd:")
	}
	m.processes = len(below(s.t, s.cmd.Process.Pid))
	kept, _ := filepath.Glob(filepath.Join(s.temp, "*", "kept", "*"))
	running, _ := filepath.Glob(filepath.Join(s.temp, "*", "run-*", "*"))
	m.kept, m.running = len(kept), len(running)
	m.results = sizeBelow(s.t, filepath.Join(s.root, ".claude/tests/hooks/results"))
	return m
}

// statusNumber is a number of a process's status.
func statusNumber(t testing.TB, proc, field string) int {
	t.Helper()
	text, err := os.ReadFile(proc + "/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), field+":")
	n, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func namesIn(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names
}

// below returns the descendants of a process, including zombies.
func below(t testing.TB, pid int) []int {
	t.Helper()
	var all []int
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, l := range lists {
		text, _ := os.ReadFile(l) // the thread may have ended
		for _, field := range strings.Fields(string(text)) {
			child, err := strconv.Atoi(field)
			if err != nil {
				t.Fatal(err)
			}
			all = append(append(all, child), below(t, child)...)
		}
	}
	return all
}

// sizeBelow is how many kB of files are below a directory.
func sizeBelow(t testing.TB, dir string) int {
	t.Helper()
	var bytes int64
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil // it may be gone by now
		}
		if info, err := d.Info(); err == nil {
			bytes += info.Size()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return int(bytes / 1024)
}

// The bounds on what a session holds after the first tenth of the edits. Memory is
// measured at rest, after a garbage collection; what is left of noise in it grows no
// more than this with each edit, and within a short soak by this at most.
const (
	heapAnEdit = 100     // bytes; ten thousand edits make less than a MB of it
	rssAnEdit  = 300     // bytes
	heapNoise  = 2 << 20 // bytes
	rssNoise   = 4 << 20 // bytes
	spareFiles = 4       // open ones: the logs of the agents of the latest run
	spareTasks = 16      // threads: Go's runtime starts some when it has to wait, more on a busy machine, and ends none
	mostKept   = 20      // as the configuration has it
)

// flat checks the samples against each other: the first was taken before any edit.
func flat(t testing.TB, samples []soakSample) {
	t.Helper()
	first, last := samples[1], samples[len(samples)-1]
	edits := last.edits - first.edits
	grown := func(what string, from, to, each, noise int) {
		if most := max(edits*each, noise); to-from > most {
			t.Errorf("%s grew from %d to %d kB in %d edits: %d bytes an edit, want no more than %d", what, from/1024, to/1024, edits, (to-from)/edits, each)
		}
	}
	grown("live heap", int(first.Heap), int(last.Heap), heapAnEdit, heapNoise)
	grown("resident memory", first.rss*1024, last.rss*1024, rssAnEdit, rssNoise)
	for _, s := range samples[1:] {
		for _, c := range []struct {
			what      string
			got, most int
		}{
			{"goroutines", s.Goroutines, samples[0].Goroutines + spareFiles},
			{"threads", s.threads, samples[0].threads + spareTasks},
			{"open files", s.files, samples[0].files + spareFiles},
			{"watches", s.watches, samples[0].watches},
			{"processes", s.processes, samples[0].processes},
			{"kept sandboxes", s.kept, mostKept},
			{"entries in the directory of running cases", s.running, samples[0].running},
		} {
			if c.got > c.most {
				t.Errorf("after %d edits: %d %s, want at most %d", s.edits, c.got, c.what, c.most)
			}
		}
	}
}
