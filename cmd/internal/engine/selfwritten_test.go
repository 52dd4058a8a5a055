//go:build unix

package engine

import (
	"strings"
	"testing"

	"hookwatch/cmd/internal/notify"
)

// TestSelfWritten: a hook that writes beside itself into a file that its cases
// depend on does not keep a session running for ever.
func TestSelfWritten(t *testing.T) {
	t.Parallel()
	s := newScene(t, map[string]string{
		"suites/s.yaml":  oneCase("A1", "expect: {exit: 0}"),
		"hooks/guard.sh": "#!/bin/bash\necho \"$(date +%s%N)\" >>\"$(dirname \"$0\")/audit.log\"\nexit 0\n",
	})
	w := s.watch()
	if done := w.runDone(); done.Tally.Passed != 1 {
		t.Errorf("%+v", done.Tally)
	}
	w.quit()
	told := 0
	for len(w.events) > 0 {
		if e, ok := (<-w.events).(notify.Warning); ok && strings.Contains(e.Text, "audit.log") {
			told++
		}
	}
	if told > 1 {
		t.Errorf("told %d times", told)
	}
}
