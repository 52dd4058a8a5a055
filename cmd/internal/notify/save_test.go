package notify

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
)

// savedOf returns the event for one of the files of a save, and the cases that it selects.
func savedOf(after time.Duration, path string, ids ...string) session.Changed {
	e := session.Changed{At: session.Time{Time: sceneTime.Add(after)}, Changes: []session.Change{{Path: path}}, State: stateBefore}
	for _, id := range ids {
		e.Selected = append(e.Selected, suites.Selection{Key: suites.Key{Suite: "s", ID: id}, Because: []string{path + ": it changed"}})
	}
	return e
}

// TestOneSave checks that files saved in sequence, as by a branch switch, are one block until
// something else is printed.
func TestOneSave(t *testing.T) {
	t.Parallel()
	first, second := savedOf(0, "a.sh", "A1", "A2"), savedOf(20*time.Millisecond, "b.sh", "A2", "B1")
	run := session.RunStarted{Cases: 2, Total: 118}
	r := recordOf("s", "A1", "n", false, "exit 0, want 2")
	failed := doneWith(r, 1, 2, suites.Mismatch{Kind: "exit", Field: "exit", Got: "0", Want: "2"})
	late := savedOf(sameSave+1, "b.sh", "A2", "B1")
	for _, tt := range []struct {
		name   string
		tty    bool
		events []session.Event
		blocks []string // the selection line of each block
	}{
		{"at once", true, []session.Event{first, run, second, run}, []string{"3 of 118 selected: A1 A2 B1"}},
		{"nothing depends on the first", true, []session.Event{savedOf(0, "README.md"), second, run}, []string{"2 of 118 selected: A2 B1"}},
		{"three", true, []session.Event{first, run, second, savedOf(30*time.Millisecond, "c.sh", "C1"), run}, []string{"4 of 118 selected: A1 A2 B1 C1"}},
		{"a failure between", true, []session.Event{first, run, failed, second}, []string{"2 of 118 selected: A1 A2", "2 of 118 selected: A2 B1"}},
		{"later", true, []session.Event{first, run, late}, []string{"2 of 118 selected: A1 A2", "2 of 118 selected: A2 B1"}},
		{"no terminal", false, []session.Event{first, run, second}, []string{"2 of 118 selected: A1 A2", "2 of 118 selected: A2 B1"}},
	} {
		for _, columns := range []int{40, 100} {
			m := newTerminal(t, columns)
			var plainly bytes.Buffer
			o := Options{Watch: true, TTY: tt.tty, Now: atNow, Width: func() int { return columns }}
			v := New(m, o)
			if !tt.tty {
				v = New(&plainly, o)
			}
			showTo(v, []session.Event{openingEvent()}, tt.events)
			if err := v.Close(); err != nil {
				t.Fatal(err)
			}
			shown := plainly.String()
			if tt.tty {
				shown = m.String()
			}
			var blocks []string
			for line := range strings.Lines(shown) {
				if strings.Contains(line, "selected: ") {
					blocks = append(blocks, strings.TrimSpace(line))
				}
			}
			if strings.Join(blocks, "\n") != strings.Join(tt.blocks, "\n") {
				t.Errorf("%s, %d columns: %q, want %q\n%s", tt.name, columns, blocks, tt.blocks, shown)
			}
			if n := strings.Count(shown, "\n"+clock(sceneTime.Time, sceneTime.Time)); n != len(tt.blocks) {
				t.Errorf("%s, %d columns: %d stamps\n%s", tt.name, columns, n, shown)
			}
		}
	}
}
