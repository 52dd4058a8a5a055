package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// measured runs a command, which has to end by itself within a time and in so many
// bytes of memory, and gives what it printed.
func measured(t *testing.T, cmd *exec.Cmd, within time.Duration, bytesAtMost int) []byte {
	t.Helper()
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }() // how it ended is known from its state
	most, limit, look := 0, time.After(within), time.NewTicker(5*time.Millisecond)
	defer look.Stop()
	for {
		select {
		case <-ended:
			if most > bytesAtMost {
				t.Errorf("%s took %d MB of memory", cmd.Args[1:], most>>20)
			}
			return out.Bytes()
		case <-look.C:
			most = max(most, peak(cmd.Process.Pid))
		case <-limit:
			t.Errorf("%s did not end within %s", cmd.Args[1:], within)
			_ = cmd.Process.Kill()
		}
	}
}

// peak is the most memory that a process has had so far. What the system tells at
// its end counts that of the process which started it.
func peak(pid int) (size int) {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)) // empty once it has ended
	for line := range strings.Lines(string(status)) {
		if n, err := fmt.Sscanf(line, "VmHWM: %d kB", &size); n == 1 && err == nil {
			return size << 10
		}
	}
	return 0
}
