package record

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"hookwatch/suites"
)

// onFullDisk makes the test binary work on a small file system of its own.
const onFullDisk = "RECORD_TEST_FULL_DISK"

// TestFullDisk checks that a record without room on the disk is removed again and
// reported, and that later ones are kept once there is room.
func TestFullDisk(t *testing.T) {
	if dir := os.Getenv(onFullDisk); dir != "" {
		fillDisk(t, dir)
		return
	}
	t.Parallel()
	c := exec.Command(os.Args[0], "-test.run", "^TestFullDisk$")
	c.Env = append(os.Environ(), onFullDisk+"="+t.TempDir())
	c.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := c.CombinedOutput()
	if errors.Is(err, syscall.EPERM) {
		t.Skip("needs user namespaces")
	}
	if err != nil || strings.Contains(string(out), "SKIP") {
		t.Errorf("%v\n%s", err, out)
	}
}

func fillDisk(t *testing.T, dir string) {
	must(t, syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=256k"))
	s := open(t, Options{Place: at(dir)})
	runFull(t, s, "r0", noon, rec("r0", "pm/P01", "0"))
	must(t, s.Begin(Run{ID: "r1"}))
	filler := filepath.Join(dir, "filler")
	f, err := os.Create(filler)
	must(t, err)
	for err == nil {
		_, err = f.Write(make([]byte, 1<<10))
	}
	_ = f.Close()
	large := rec("r1", "pm/P01", strings.Repeat("x", 64<<10))
	err = s.Append(large)
	var failed *WriteError
	if !errors.As(err, &failed) || !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "the disk is full: free some space") {
		t.Errorf("got %v", err)
	}
	if err := s.EndSelected([]suites.Record{large}, inputs("P01"), suites.Environment{}); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("the end of the run: %v", err)
	}
	wantState(t, dir, "pm-agent-20260301T120000Z.jsonl: pm/P01=0")
	if text := read(t, filepath.Join(dir, rollingName, "pm-agent.jsonl")); strings.Count(text, "\n") != 1 || !strings.HasSuffix(text, "\n") {
		t.Errorf("half a line is left: %.200q", text)
	}
	must(t, os.Remove(filler))
	small := rec("r1", "pm/P01", "1")
	must(t, s.Append(small))
	must(t, s.EndSelected([]suites.Record{small}, nil, suites.Environment{}))
	wantState(t, dir, "pm-agent-20260301T120000Z.jsonl: pm/P01=1")
}
