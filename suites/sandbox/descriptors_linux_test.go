package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"hookwatch/suites/process"
	"hookwatch/suites/process/supervisor"
)

// TestDescriptors checks that a sandbox is created without a descriptor above 63, because at the
// first of these a process with threads waits until all processors have passed through the kernel.
func TestDescriptors(t *testing.T) {
	t.Parallel()
	root := tree(t, map[string]string{"p/.git/HEAD": "ref: refs/heads/main\n"})
	plan := newPlan(Options{Root: filepath.Join(root, "p"), Home: filepath.Join(root, "home"), Size: 1 << 20})
	errRefused := errors.New("refused")
	var opened []int
	_, err := plan.Open(func(s process.Setup) (*process.Supervisor, error) {
		opened = nil
		for _, step := range s.Steps {
			switch step[0] {
			case supervisor.Open:
				n, err := strconv.Atoi(step[1])
				if err != nil {
					t.Errorf("%q: %v", step, err)
				}
				opened = append(opened, n)
			}
		}
		return nil, errRefused
	}, Wanted{Dir: t.TempDir(), Search: filepath.SplitList(os.Getenv("PATH")), Dirs: []string{"tmp"}})
	if !errors.Is(err, errRefused) {
		t.Fatal(err)
	}
	if len(opened) != 1 || opened[0] != supervisor.StorageFD || opened[0] > 63 {
		t.Errorf("the steps open %v, want %d", opened, supervisor.StorageFD)
	}
}
