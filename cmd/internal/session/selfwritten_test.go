//go:build unix

package session

import (
	"strings"
	"testing"
)

// TestSelfWritten checks that a hook that writes a file on which its cases depend does not keep a
// session running forever.
func TestSelfWritten(t *testing.T) {
	t.Parallel()
	s := newScene(t, map[string]string{
		"suites/s.yaml":  oneCase("A1", "expect: {exit: 0}"),
		"hooks/guard.sh": "#!/bin/bash\necho \"$(date +%s%N)\" >>\"$(dirname \"$0\")/audit.log\"\nexit 0\n",
	})
	comesToRest(t, s, "audit.log")
}

// TestSelfWrittenElsewhere checks the same for a hook whose inputs are unknown and that writes
// somewhere in the project.
func TestSelfWrittenElsewhere(t *testing.T) {
	t.Parallel()
	s := newScene(t, map[string]string{
		"suites/s.yaml":  oneCase("A1", "expect: {exit: 0}"),
		"out/state.txt":  "0\n",
		"hooks/guard.sh": "#!/bin/bash\nname=state\ncat \"$PWD/out/$name\" 2>/dev/null\ndate +%s%N >\"$PWD/out/${name}.txt\"\nexit 0\n",
	})
	comesToRest(t, s, "out/state.txt")
}

// comesToRest checks that a session comes to rest although a hook writes a file, and warns of it
// at most once.
func comesToRest(t *testing.T, s *scene, file string) {
	t.Helper()
	w := s.watch()
	if done := w.runDone(); done.Tally.Passed != 1 {
		t.Errorf("%+v", done.Tally)
	}
	w.until("rest", func(e Event) bool { _, is := e.(Rested); return is })
	w.quit()
	warnings := 0
	for len(w.events) > 0 {
		if e, ok := (<-w.events).(Warning); ok && strings.Contains(e.Text, file) {
			warnings++
		}
	}
	if warnings > 1 {
		t.Errorf("%d warnings", warnings)
	}
}
