package process

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestShortage checks that an error of the system about a limit names it, with a remedy.
func TestShortage(t *testing.T) {
	t.Parallel()
	for errno, want := range map[syscall.Errno][2]string{
		syscall.EMFILE: {"ulimit -n", "ulimit -n 4096"},
		syscall.ENFILE: {"fs.file-max", "sysctl fs.file-max"},
		syscall.ENOMEM: {"memory", "--jobs 1"},
		syscall.EAGAIN: {"ulimit -u", "ulimit -u 4096"},
	} {
		var short *ShortageError
		err := fmt.Errorf("wrapped: %w", orShortage(&ConfineError{Err: errno}))
		if !errors.As(err, &short) || !errors.Is(err, errno) || Shortage(err) != short {
			t.Fatalf("%v: %v is no shortage", errno, err)
		}
		if !strings.Contains(short.Error(), want[0]) || !strings.Contains(strings.Join(short.Advice(), "\n"), want[1]) {
			t.Errorf("%v: %v, %q", errno, short, short.Advice())
		}
	}
	for _, err := range []error{syscall.EPERM, syscall.ENOENT, os.ErrNotExist} {
		if orShortage(err) != err || Shortage(err) != nil {
			t.Errorf("%v is a shortage", err)
		}
	}
	if Shortage(syscall.EAGAIN) != nil { // a lock that is taken
		t.Error("EAGAIN of another call is a shortage")
	}
}

// TestShortOfDescriptors checks that a command which the supervisor cannot start without
// more descriptors has no result.
func TestShortOfDescriptors(t *testing.T) {
	t.Parallel()
	b, err := Open(Setup{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if _, err := b.confineNothing(); err != nil { // it is running
		t.Fatal(err)
	}
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", b.process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	taken := map[string]bool{}
	for _, e := range entries {
		taken[e.Name()] = true
	}
	last := uint64(0)
	for free := 0; free < 3; last++ { // the pipes of the command, and no more
		if !taken[strconv.FormatUint(last, 10)] {
			free++
		}
	}
	limit := unix.Rlimit{Cur: last, Max: last}
	if err := unix.Prlimit(b.process.Pid, unix.RLIMIT_NOFILE, &limit, nil); err != nil {
		t.Fatal(err)
	}
	results, err := b.Run(t.Context(), Command{Argv: []string{"/bin/true"}, Dir: "/"})
	if short := Shortage(err); short == nil || !errors.Is(err, syscall.EMFILE) {
		t.Errorf("%v, %v, want a shortage of descriptors", results, err)
	}
}

// confineNothing waits until the supervisor answers.
func (b *Supervisor) confineNothing() (*Supervisor, error) {
	return b, b.confine(b.limits.steps(false))
}

// TestRoom checks that the descriptors limit the number of concurrent cases.
func TestRoom(t *testing.T) {
	t.Parallel()
	limit := openFilesLimit()
	if limit < LeastOpenFiles {
		t.Skip("too few descriptors for any case")
	}
	if n, err := Room(1); n != 1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if n, err := Room(limit); n >= limit || err != nil {
		t.Errorf("%d cases at a time with %d descriptors, %v", n, limit, err)
	}
	if err := roomFor(1); err != nil {
		t.Error(err)
	}
	if err := roomFor(OpenFiles / 3); Shortage(err) == nil {
		t.Errorf("%v, want a shortage", err)
	}
}
