package session

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/process"
	"hookwatch/suites/sandbox"
)

// TestMachineFault checks that a case that the machine could not run is aborted with the reason,
// and is no failure of its hook.
func TestMachineFault(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err  error
		want suites.Status
		note string
	}{
		"descriptors": {syscall.EMFILE, suites.Aborted, "ulimit -n"},
		"memory":      {&process.ConfineError{Err: syscall.ENOMEM}, suites.Aborted, "memory"},
		"processes":   {&process.ShortageError{What: "too few processes"}, suites.Aborted, "too few processes"},
		"denied":      {&process.ConfineError{Err: syscall.EPERM}, suites.Aborted, "cannot be isolated here"},
		"unavailable": {&sandbox.UnavailableError{Why: "no"}, suites.Aborted, "cannot be isolated here"},
		"the case":    {errors.New("fixture x: the file exists"), suites.Fail, "fixture x"},
	} {
		x := &execution{c: &suites.Case{Suite: "s", ID: "A"}, err: fmt.Errorf("s/A: prepare: %w", c.err)}
		x.judge(time.Minute)
		if x.verdict.Status != c.want || !strings.Contains(x.verdict.Note, c.note) {
			t.Errorf("%s: %v %q, want %v with %q", name, x.verdict.Status, x.verdict.Note, c.want, c.note)
		}
	}
}
