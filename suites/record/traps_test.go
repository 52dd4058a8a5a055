//go:build !windows

package record

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"hookwatch/suites/process/testdata/processtest"
)

// TestTraps checks for every replaced file or directory that nothing outside is written,
// deleted or read, nothing hangs, and the obstacle is named.
func TestTraps(t *testing.T) {
	t.Parallel()
	for _, tr := range traps {
		for _, state := range slices.Sorted(maps.Keys(states)) {
			if state == "hard link" && tr.dir {
				continue
			}
			t.Run(tr.name+" "+state, func(t *testing.T) {
				t.Parallel()
				project, outside := clone(t)
				must(t, set(project, outside, tr, state))
				before := tree(t, outside)
				reported := within(t, func() []string { return everything(project, func() {}) })
				checkOutside(t, before, project, outside, reported)
				named := strings.Contains(strings.Join(reported, "\n"), filepath.Join(project, tr.name)+" ")
				if quiet := tr.unsaid || state == "hard link" && !tr.appended; !named && !quiet {
					t.Errorf("the obstacle is not named: %q", reported)
				}
			})
		}
	}
}

// TestSwaps does the same while a run is in progress.
func TestSwaps(t *testing.T) {
	t.Parallel()
	for _, tr := range traps {
		for _, state := range slices.Sorted(maps.Keys(states)) {
			if state == "hard link" && tr.dir {
				continue
			}
			t.Run(tr.name+" "+state, func(t *testing.T) {
				t.Parallel()
				project, outside := clone(t)
				before := tree(t, outside)
				swapped := false
				reported := within(t, func() []string {
					return everything(project, func() {
						if !swapped {
							swapped = true
							if err := set(project, outside, tr, state); err != nil {
								t.Error(err)
							}
						}
					})
				})
				checkOutside(t, before, project, outside, reported)
			})
		}
	}
}

// TestSwappedWithoutEnd creates and removes links all the time.
func TestSwappedWithoutEnd(t *testing.T) {
	t.Parallel()
	project, outside := clone(t)
	before := tree(t, outside)
	dir := filepath.Join(project, inClone)
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			path := filepath.Join(dir, []string{"rolling/pm-agent.jsonl", "RESULTS.md", "rolling", "archive", "environment.json", "."}[i%6])
			aside := path + fmt.Sprint(".aside", i)
			if os.Rename(path, aside) == nil {
				_ = os.Symlink(filepath.Join(outside, []string{"bashrc", ""}[i%2]), path)
				_ = os.Remove(path)
				_ = os.Rename(aside, path)
			}
		}
	}()
	var reported []string
	for range 15 {
		reported = append(reported, within(t, func() []string { return everything(project, func() {}) })...)
	}
	close(stop)
	<-done
	checkOutside(t, before, project, outside, reported)
}

// TestTrapsAsAnOrdinaryUser does the same as a user whose permissions are checked.
func TestTrapsAsAnOrdinaryUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root, to become another user; the tests run as an ordinary one already")
	}
	t.Parallel()
	const nobody = 65534
	temp := t.TempDir()
	must(t, os.Chmod(filepath.Dir(temp), 0o755))
	program := filepath.Join(temp, "test")
	self, err := os.Executable()
	must(t, err)
	text, err := os.ReadFile(self)
	must(t, err)
	must(t, processtest.WriteProgram(program, text))
	own := filepath.Join(temp, "own")
	must(t, errors.Join(os.Mkdir(own, 0o755), os.Chown(own, nobody, nobody)))
	c := exec.Command(program, "-test.run", "^(TestTraps|TestSwappedWithoutEnd)$")
	c.Dir = own
	c.Env = []string{"TMPDIR=" + own, "HOME=" + own}
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
