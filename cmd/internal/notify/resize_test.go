package notify

import (
	"strings"
	"testing"
	"time"

	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
)

// TestResized checks that after a change of the terminal's width the last block and all later
// output are laid out for the new width.
func TestResized(t *testing.T) {
	t.Parallel()
	r := recordOf("s", "A1", "n", false, "exit 0, want 2")
	failed := doneWith(r, 1, 2, suites.Mismatch{Kind: "exit", Field: "exit", Got: "0", Want: "2"})
	failed.Rerun = "hookwatch run A1"
	earlier := []session.Event{openingEvent(), session.Warning{Text: "said before the save"}}
	block := []session.Event{
		savedOf(0, "a/rather/long/path/of/a/hook.sh", "A1", "A2"),
		savedOf(20*time.Millisecond, "b.sh", "B1"),
		session.RunStarted{Cases: 2, Total: 118},
		failed,
		session.RunDone{Tally: suites.Tally{Failed: 1, Passed: 1}, State: stateBefore, Duration: time.Second},
	}
	after := []session.Event{session.Rested{}, session.Warning{Text: "a warning that is longer than the narrow terminal has columns"}}
	for at := range len(block) + 1 {
		columns := 100
		m := newTerminal(t, columns)
		v := New(m, Options{Watch: true, TTY: true, Now: atNow, Width: func() int { return columns }})
		showTo(v, earlier, block[:at])
		columns, m.columns = 50, 50
		v.Handle(session.Resized{})
		showTo(v, block[at:], after)
		if err := v.Close(); err != nil {
			t.Fatal(err)
		}
		fresh := newTerminal(t, 50)
		w := New(fresh, Options{Watch: true, TTY: true, Now: atNow, Width: func() int { return 50 }})
		showTo(w, earlier, block, after)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if got, want := m.String(), fresh.String(); !strings.HasSuffix(want, got) || !strings.Contains(got, "A1") || m.wraps > 0 {
			t.Errorf("resized after %d events: %d wraps\n%s\nwant the end of\n%s", at, m.wraps, got, want)
		}
	}
}
