package notify

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
)

func atNow() time.Time { return sceneTime.Time }

// onceScene is a full run with a regression and all other kinds of results.
func onceScene() []session.Event {
	r := regressionScene()
	return slices.Concat([]session.Event{unwatched(openingEvent())}, r[1:])
}

func TestHumanPlain(t *testing.T) {
	t.Parallel()
	watched := slices.Concat([]session.Event{openingEvent()}, regressionScene(), resolvedScene(), pressedScene(), unrelatedScene(), problemScene(), pressedScene())
	for _, tt := range []struct {
		file   string
		o      Options
		events []session.Event
	}{
		{"once_regression.txt", Options{}, onceScene()},
		{"once_resolved.txt", Options{}, slices.Concat([]session.Event{unwatched(openingEvent())}, resolvedScene()[1:])},
		{"once_verbose.txt", Options{Verbose: true}, onceScene()},
		{"once_output.txt", Options{}, outputScene()},
		{"once_skips.txt", Options{}, skipScene()},
		{"once_problems.txt", Options{}, problemScene()},
		{"watch_plain.txt", Options{Watch: true}, watched},
		{"watch_skips.txt", Options{Watch: true}, skipScene()},
	} {
		var out bytes.Buffer
		tt.o.Now = atNow
		v := New(&out, tt.o)
		showTo(v, tt.events)
		if err := v.Close(); err != nil {
			t.Error(err)
		}
		if i := strings.IndexFunc(out.String(), func(r rune) bool { return r != '\n' && obeyed(r) }); i >= 0 {
			t.Errorf("%s: a control character at %d", tt.file, i)
		}
		golden(t, tt.file, out.String())
	}
}

func TestHumanTerminal(t *testing.T) {
	t.Parallel()
	watched := slices.Concat([]session.Event{openingEvent()}, regressionScene(), resolvedScene(), unrelatedScene(), deletedScene())
	for _, tt := range []struct {
		file    string
		columns int
		o       Options
		events  []session.Event
	}{
		{"tty_once.txt", 100, Options{}, onceScene()},
		{"tty_watch.txt", 100, Options{Watch: true}, watched},
		{"tty_problems.txt", 80, Options{Watch: true}, problemScene()},
		{"tty_output.txt", 80, Options{}, outputScene()},
		{"tty_watch_40.txt", 40, Options{Watch: true}, watched},
		{"tty_output_40.txt", 40, Options{}, outputScene()},
		{"tty_skips_40.txt", 40, Options{}, skipScene()},
	} {
		screens := map[bool]string{}
		for _, color := range []bool{false, true} {
			m := newTerminal(t, tt.columns)
			m.cooked = !tt.o.Watch
			tt.o.Color, tt.o.TTY, tt.o.Now = color, true, atNow
			tt.o.Width = func() int { return tt.columns }
			v := New(m, tt.o)
			showTo(v, tt.events)
			screens[color] = m.String()
			_ = v.Close()
			if strings.Contains(m.String(), "? help") {
				t.Errorf("%s: Close leaves the status line:\n%s", tt.file, m)
			}
		}
		if screens[false] != screens[true] {
			t.Errorf("%s: colour moves the text", tt.file)
		}
		golden(t, tt.file, screens[true])
	}
}

// TestHumanProgress checks that a run of a thousand cases updates one line at most 20 times per
// second, and leaves nothing of it.
func TestHumanProgress(t *testing.T) {
	t.Parallel()
	m := newTerminal(t, 60)
	clock := sceneTime.Time
	v := New(m, Options{TTY: true, Width: func() int { return 60 },
		Now: func() time.Time { return clock }})
	records := []suites.Record{}
	v.Handle(session.RunStarted{Cases: 1000, Total: 1000, Full: true})
	for i := range 1000 {
		clock = clock.Add(2 * time.Millisecond) // 2 s in total
		records = append(records, recordOf("pm", "P", "a_name_that_is_much_too_long_for_the_line_it_is_shown_on", true, ""))
		v.Handle(doneWith(records[i], i+1, 1000))
		if i == 499 && !strings.HasPrefix(m.String(), "running 500 of 1000  P a_name") {
			t.Errorf("half way the terminal shows %q", m)
		}
	}
	if m.erasures < 35 || m.erasures > 42 {
		t.Errorf("the line was rewritten %d times in 2 s, want about 40", m.erasures)
	}
	if m.wraps > 0 || len(m.rows) > 1 {
		t.Errorf("the line wrapped: %q", m)
	}
	v.Handle(finish(1000, suites.Tally{}, records...))
	if want := "PASS 1000  FAIL 0  SKIP 0  UNPROVEN 0  of 1000 in 0.74 s\n"; m.String() != want {
		t.Errorf("at the end the terminal shows %q, want %q", m, want)
	}
}

func TestHumanColor(t *testing.T) {
	t.Parallel()
	for _, color := range []bool{true, false} {
		var out bytes.Buffer
		v := New(&out, Options{Color: color, Now: atNow})
		showTo(v, onceScene())
		if got := strings.Contains(out.String(), "\x1b[1;31mFAIL \x1b[m"); got != color {
			t.Errorf("colour %v: %q", color, out.String())
		}
		out.Reset()
		showTo(v, resolvedScene()[1:])
		if strings.Contains(out.String(), "\x1b["+sgr[red]) {
			t.Errorf("red where nothing failed: %q", out.String())
		}
	}
}

// TestHumanForgesNoLine checks that spaces and line ends in a name never bring it to the start of
// a row, in any width.
func TestHumanForgesNoLine(t *testing.T) {
	t.Parallel()
	for columns := 20; columns < 200; columns += 7 {
		for _, gap := range []string{"\n", "\r\n", "\u2028", "\v", strings.Repeat(" ", columns-9), strings.Repeat(" ", columns), strings.Repeat(" ", 10_000)} {
			m := newTerminal(t, columns)
			v := New(m, Options{Color: true, TTY: true, Watch: true, Now: atNow, Width: func() int { return columns }})
			forged := "x" + gap + "FORGED 500"
			r := recordOf(forged, forged, forged, false, forged)
			e := doneWith(r, 1, 2)
			e.Verdict.Note, e.Sandbox, e.Effect, e.Tools, e.Transition = forged, forged, forged, []string{forged}, session.Explained
			showTo(v, []session.Event{
				session.Started{Project: forged, Isolation: "none", Cases: 1}, session.Warning{Text: forged},
				session.Changed{Changes: []session.Change{{Path: forged, Sections: []string{forged}}}, Selected: []suites.Selection{{Key: suites.Key{Suite: "s", ID: "A"}, Because: []string{forged}}}, Uncovered: []string{forged}},
				session.RunStarted{Cases: 2}, e, doneWith(recordOf("s", "B", forged, true, "absent: "+forged), 2, 2), session.RunDone{Records: []suites.Record{r}, Aborted: forged},
			})
			for _, row := range strings.Split(m.String(), "\n") {
				if strings.HasPrefix(row, "FORGED") {
					t.Fatalf("%d columns, %.20q: %q in\n%s", columns, gap, row, m)
				}
			}
			_ = v.Close()
		}
	}
}

// TestHumanCutsNames checks that a name of ten thousand letters takes one or two rows.
func TestHumanCutsNames(t *testing.T) {
	t.Parallel()
	m := newTerminal(t, 80)
	v := New(m, Options{TTY: true, Watch: true, Now: atNow, Width: func() int { return 80 }})
	long := strings.Repeat("n", 10_000)
	showTo(v, []session.Event{session.Started{Project: long, Cases: 1}, session.RunStarted{Cases: 1}, doneWith(recordOf("s", "A", long, false, ""), 1, 1)})
	if len(m.rows) > 25 {
		t.Errorf("%d rows:\n%.2000s", len(m.rows), m)
	}
	_ = v.Close()
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestWriteErrors(t *testing.T) {
	t.Parallel()
	v := New(brokenPipe{}, Options{})
	v.Handle(session.RunDone{})
	if err := v.Close(); err == nil || err.Error() != "broken pipe" {
		t.Errorf("Close says %v", err)
	}
}

// TestTransitionWords checks the text next to a verdict.
func TestTransitionWords(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		transition session.Transition
		status     suites.Status
		since      session.Time
		want       string
	}{
		{session.Regression, suites.Fail, atTime(13, 58, 0), "regression, passed at 13:58"},
		{session.Regression, suites.Fail, session.Time{}, "regression"},
		{session.Resolved, suites.Pass, session.Time{Time: atTime(13, 58, 0).AddDate(0, 0, -1)}, "resolved, failed at 2026-08-11 13:58"},
		{session.Resolved, suites.Pass, session.Time{}, "resolved"},
		{session.Edited, suites.Fail, sceneTime, "the case itself changed"},
		{session.Explained, suites.Fail, sceneTime, "explained: biome, jaq changed"},
		{session.First, suites.Fail, sceneTime, "new"},
		{session.Same, suites.Fail, sceneTime, "failed before"},
		{session.Same, suites.Pass, sceneTime, ""},
	} {
		h := New(nil, Options{Now: atNow}).(*human)
		got := ""
		for _, p := range h.transition(session.CaseDone{Transition: tt.transition, Since: tt.since, Tools: []string{"biome", "jaq"},
			Verdict: suites.Verdict{Status: tt.status}}) {
			got += p.text
		}
		if got != tt.want {
			t.Errorf("%q %s: %q, want %q", tt.transition, tt.status, got, tt.want)
		}
	}
}

// FuzzHuman checks that no text of an event reaches a terminal raw.
func FuzzHuman(f *testing.F) {
	f.Add("\x1b[2J", "a\nb\nc\r", 40, true)
	f.Add("P01", strings.Repeat("日本\x00 ", 50), 80, false)
	f.Fuzz(func(t *testing.T, a, b string, columns int, watch bool) {
		m := newTerminal(t, 1+columns&0x7f)
		v := New(m, Options{Color: true, TTY: true, Watch: watch, Now: atNow,
			Width: func() int { return m.columns }})
		r := recordOf(a, b, a, false, b)
		e := doneWith(r, 1, 2, suites.Mismatch{Kind: "stdout", Field: "stdout", Got: a, Want: b}, suites.Mismatch{Field: "x", Got: a + "\n" + b, Want: b + "\n" + a})
		e.Effect, e.Sandbox = a, b
		skip := recordOf(b, a, b, true, "absent: "+a)
		showTo(v, []session.Event{
			session.Started{Project: a, Isolation: b, Watched: 1}, session.Warning{Text: a},
			session.Problems{List: []suites.Problem{{At: suites.Position{File: a, Line: 1}, What: b, Hint: a}}},
			session.Changed{Changes: []session.Change{{Path: a, Sections: []string{b}}}, Selected: []suites.Selection{{Key: suites.Key{Suite: a, ID: b}, Because: []string{a}}}},
			session.RunStarted{Cases: 2}, e, doneWith(skip, 2, 2),
			session.RunDone{Records: []suites.Record{r, skip, skip, skip, skip}, Aborted: a, StandIns: []string{b}},
		})
		_ = v.Close()
	})
}
