package run_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"hookwatch/suites/isolate"
	"hookwatch/suites/run"
)

func init() { attacks["locking"] = locking }

// TestLocksOutside: locks and leases that a hook takes on files of the project
// and HOME hold in its sandbox alone. Those on files elsewhere, which are shown
// as they are, hold outside as long as the case runs: the topic isolation says so.
func TestLocksOutside(t *testing.T) {
	t.Parallel()
	for where, want := range map[string]bool{"project": false, "home": false, "outside": true} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			dir := besideThisFile(t)
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			p, r := chosen(t, isolate.Namespaces, func(o *run.Options, i *isolate.Options) {
				i.Shown, i.Home = []string{self}, filepath.Join(dir, "home")
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
			held, told := heldUntil(done, file)
			if !want && !strings.Contains(told, "flock <nil>\nposix <nil>\n") {
				t.Errorf("the hook: %s", told)
			}
			if held != "" && !want {
				t.Errorf("outside hold %q; the hook: %s", held, told)
			}
			ended := make(chan string, 1)
			ended <- ""
			if held, _ := heldUntil(ended, file); held != "" {
				t.Errorf("%s is held after the case", held)
			}
		})
	}
}

// heldUntil tries the file until the case is done, and tells what was in the way
// for a good part of that time.
func heldUntil(done <-chan string, file string) (held, told string) {
	var all, flock, posix, open int
	for ended := false; ; {
		select {
		case told = <-done:
			ended = true
		default:
		}
		if ended && all > 0 {
			for what, n := range map[string]int{"flock": flock, "posix": posix, "open": open} {
				if n*4 > all { // a process that is being started has our descriptors for a moment
					held += " " + what
				}
			}
			fields := strings.Fields(held)
			slices.Sort(fields)
			return strings.Join(fields, " "), told
		}
		all++
		f, err := os.OpenFile(file, os.O_RDWR|unix.O_NONBLOCK, 0)
		if err != nil {
			open++
			continue
		}
		if unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil {
			flock++
		}
		lock := unix.Flock_t{Type: unix.F_WRLCK}
		if unix.FcntlFlock(f.Fd(), unix.F_GETLK, &lock) == nil && lock.Type != unix.F_UNLCK {
			posix++
		}
		_ = f.Close()
	}
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
	_ = unix.Nanosleep(&unix.Timespec{Sec: 1}, nil) // the locks last as long
}
