package run_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"hookwatch/suites/run"
	"hookwatch/suites/sandbox"
)

func init() { attacks["locking"] = locking }

// TestLocksOutside checks that locks and leases of a hook do not reach outside its sandbox,
// whatever file they are on.
func TestLocksOutside(t *testing.T) {
	t.Parallel()
	for _, where := range []string{"project", "home", "outside"} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			dir := newPublicDir(t)
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			p, r := chosen(t, "namespaces", func(o *run.Options, i *sandbox.Options) {
				i.Shown, i.Home, i.Unmask = []string{self}, filepath.Join(dir, "home"), []string{"locked"}
				if err := os.MkdirAll(i.Home, 0o755); err != nil {
					t.Fatal(err)
				}
			})
			file := filepath.Join(map[string]string{"project": p.root, "home": filepath.Join(dir, "home"), "outside": dir}[where], "locked")
			write(t, file, "x")
			c := doing(attackVariable + `=locking "$SELF"`)
			c.Env["AT"], c.Env["SELF"] = file, self
			done := make(chan string, 1)
			go func() {
				o, err := r.Case(t.Context(), c)
				done <- fmt.Sprint(string(o.Last().Stdout), err)
				_ = r.Remove(o)
			}()
			held, printed := heldUntil(done, file)
			if !strings.Contains(printed, "flock <nil>\nposix <nil>\n") {
				t.Errorf("the hook: %s", printed)
			}
			if held != "" {
				locks, _ := os.ReadFile("/proc/locks")
				t.Errorf("outside hold %q; the hook: %s; all locks:\n%s", held, printed, locks)
			}
			for limit := time.Now().Add(5 * time.Minute); locked(file) != ""; { // its namespaces outlive its verdict
				if time.Now().After(limit) {
					t.Fatal("held after the case")
				}
			}
		})
	}
}

// heldUntil tries to lock the file until the case ends, and returns the obstacles.
func heldUntil(done <-chan string, file string) (held, printed string) {
	seen := map[string]bool{}
	for ended := false; !ended; {
		select {
		case printed = <-done:
			ended = true
		default:
		}
		for what := range strings.FieldsSeq(locked(file)) {
			seen[what] = true
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(seen)), " "), printed
}

// locked returns the reason why another process cannot lock a file. No process is started meanwhile,
// because it would have the descriptor for a moment, and with it the lock.
func locked(file string) (by string) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	f, err := os.OpenFile(file, os.O_RDWR|unix.O_NONBLOCK, 0)
	if err != nil {
		return "open"
	}
	defer f.Close()
	if unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil {
		by += "flock "
	}
	// A process that is being started would keep the lock, until it has closed its copy of the descriptor.
	defer func() { _ = unix.Flock(int(f.Fd()), unix.LOCK_UN) }()
	lock := unix.Flock_t{Type: unix.F_WRLCK}
	if unix.FcntlFlock(f.Fd(), unix.F_GETLK, &lock) == nil && lock.Type != unix.F_UNLCK {
		by += "posix"
	}
	return by
}

func locking() {
	f, err := os.Open(os.Getenv("AT"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("flock", unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB))
	lk := unix.Flock_t{Type: unix.F_RDLCK}
	fmt.Println("posix", unix.FcntlFlock(f.Fd(), unix.F_SETLK, &lk))
	_, err = unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_RDLCK)
	fmt.Println("lease", err)
	// The locks last as long as this loop, because an attempt to break the lease interrupts a wait.
	for end := time.Now().Add(time.Second); time.Now().Before(end); {
		_ = unix.Nanosleep(&unix.Timespec{Nsec: 1e8}, nil)
	}
}
