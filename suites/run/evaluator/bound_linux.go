package evaluator

import (
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"hookwatch/suites"
)

// self returns the path of hookwatch's own program, even if its file was replaced.
func self() (string, error) { return "/proc/self/exe", nil }

// limitMemory limits the address space to memory bytes more than the process has already
// reserved. Go ends a process that gets no memory.
func limitMemory(memory int64) {
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return
	}
	pages, _, _ := bytes.Cut(b, []byte(" "))
	reserved, err := strconv.ParseInt(string(pages), 10, 64)
	if err != nil {
		return
	}
	limit := uint64(reserved*int64(os.Getpagesize()) + memory)
	_ = unix.Setrlimit(unix.RLIMIT_AS, &unix.Rlimit{Cur: limit, Max: limit})
}

// renew limits the processor time of the next evaluation. The parent kills the process
// earlier, unless the parent itself is stopped.
func renew() {
	var used unix.Rusage
	var limit unix.Rlimit
	if unix.Getrusage(unix.RUSAGE_SELF, &used) != nil || unix.Getrlimit(unix.RLIMIT_CPU, &limit) != nil {
		return
	}
	// Twice the time for two threads, and twice that for the garbage collector.
	limit.Cur = min(limit.Max, uint64(used.Utime.Sec+used.Stime.Sec)+4*uint64(suites.MaxExpressionTime.Seconds()))
	_ = unix.Setrlimit(unix.RLIMIT_CPU, &limit)
}
