package notify

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"hookwatch/suites"
)

func show(v View, scenes ...[]Event) {
	for _, s := range scenes {
		for _, e := range s {
			v.Handle(e)
		}
	}
}

func atNow() time.Time { return now }

// onceScene is a full run with a regression and what else there may be.
func onceScene() []Event {
	r := regression()
	return slices.Concat([]Event{once(opening())}, r[1:])
}

func TestHumanPlain(t *testing.T) {
	t.Parallel()
	watched := slices.Concat([]Event{opening()}, regression(), resolved(), pressed(), unrelated(), problems(), pressed())
	for _, tt := range []struct {
		file   string
		o      HumanOptions
		events []Event
	}{
		{"once_regression.txt", HumanOptions{}, onceScene()},
		{"once_resolved.txt", HumanOptions{}, slices.Concat([]Event{once(opening())}, resolved()[1:])},
		{"once_verbose.txt", HumanOptions{Verbose: true}, onceScene()},
		{"once_output.txt", HumanOptions{}, output()},
		{"once_skips.txt", HumanOptions{}, skips()},
		{"once_problems.txt", HumanOptions{}, problems()},
		{"watch_plain.txt", HumanOptions{Watch: true}, watched},
		{"watch_skips.txt", HumanOptions{Watch: true}, skips()},
	} {
		var out bytes.Buffer
		tt.o.Now = atNow
		v := NewHuman(&out, tt.o)
		show(v, tt.events)
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
	watched := slices.Concat([]Event{opening()}, regression(), resolved(), unrelated(), deleted())
	for _, tt := range []struct {
		file    string
		columns int
		o       HumanOptions
		events  []Event
	}{
		{"tty_once.txt", 100, HumanOptions{}, onceScene()},
		{"tty_watch.txt", 100, HumanOptions{Watch: true}, watched},
		{"tty_problems.txt", 80, HumanOptions{Watch: true}, problems()},
		{"tty_output.txt", 80, HumanOptions{}, output()},
		{"tty_watch_40.txt", 40, HumanOptions{Watch: true}, watched},
		{"tty_output_40.txt", 40, HumanOptions{}, output()},
		{"tty_skips_40.txt", 40, HumanOptions{}, skips()},
	} {
		screens := map[bool]string{}
		for _, color := range []bool{false, true} {
			m := newTerminal(t, tt.columns)
			m.cooked = !tt.o.Watch
			tt.o.Color, tt.o.TTY, tt.o.Now = color, true, atNow
			tt.o.Width = func() int { return tt.columns }
			v := NewHuman(m, tt.o)
			show(v, tt.events)
			screens[color] = m.String()
			_ = v.Close()
			if strings.Contains(m.String(), HelpText()[:10]) {
				t.Errorf("%s: Close leaves the status line:\n%s", tt.file, m)
			}
		}
		if screens[false] != screens[true] {
			t.Errorf("%s: colour moves the text", tt.file)
		}
		golden(t, tt.file, screens[true])
	}
}

// TestHumanProgress: a run of a thousand cases rewrites one line, at most 20
// times a second, and leaves nothing of it.
func TestHumanProgress(t *testing.T) {
	t.Parallel()
	m := newTerminal(t, 60)
	clock := now
	v := NewHuman(m, HumanOptions{TTY: true, Width: func() int { return 60 },
		Now: func() time.Time { return clock }})
	records := []suites.Record{}
	v.Handle(RunStarted{Cases: 1000, Total: 1000, Full: true})
	for i := range 1000 {
		clock = clock.Add(2 * time.Millisecond) // 2 s in all
		records = append(records, rec("pm", "P", "a_name_that_is_much_too_long_for_the_line_it_is_shown_on", true, ""))
		v.Handle(done(records[i], i+1, 1000))
		if i == 499 && !strings.HasPrefix(m.String(), "500 of 1000  P a_name") {
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
		v := NewHuman(&out, HumanOptions{Color: color, Now: atNow})
		show(v, onceScene())
		if got := strings.Contains(out.String(), "\x1b[1;31mFAIL \x1b[m"); got != color {
			t.Errorf("colour %v: %q", color, out.String())
		}
		out.Reset()
		show(v, resolved()[1:])
		if strings.Contains(out.String(), "\x1b["+sgr[red]) {
			t.Errorf("red where nothing failed: %q", out.String())
		}
	}
}

// TestHumanForgesNoLine: no name reaches the start of a row by the spaces or the
// line ends in it, in whatever width.
func TestHumanForgesNoLine(t *testing.T) {
	t.Parallel()
	for columns := 20; columns < 200; columns += 7 {
		for _, gap := range []string{"\n", "\r\n", "\u2028", "\v", strings.Repeat(" ", columns-9), strings.Repeat(" ", columns), strings.Repeat(" ", 10_000)} {
			m := newTerminal(t, columns)
			v := NewHuman(m, HumanOptions{Color: true, TTY: true, Watch: true, Now: atNow, Width: func() int { return columns }})
			forged := "x" + gap + "FORGED 500"
			r := rec(forged, forged, forged, false, forged)
			e := done(r, 1, 2)
			e.Verdict.Note, e.Sandbox, e.Effect, e.Tools, e.Transition = forged, forged, forged, []string{forged}, Explained
			show(v, []Event{
				Started{Project: forged, Isolation: "none", Cases: 1}, Warning{forged},
				Changed{Changes: []Change{{forged, []string{forged}}}, Selected: []Selection{{suites.Key{Suite: "s", ID: "A"}, []string{forged}}}, Uncovered: []string{forged}},
				RunStarted{Cases: 2}, e, done(rec("s", "B", forged, true, "absent: "+forged), 2, 2), RunDone{Records: []suites.Record{r}, Aborted: forged},
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

// TestHumanCutsNames: a name of ten thousand letters takes a row or two.
func TestHumanCutsNames(t *testing.T) {
	t.Parallel()
	m := newTerminal(t, 80)
	v := NewHuman(m, HumanOptions{TTY: true, Watch: true, Now: atNow, Width: func() int { return 80 }})
	long := strings.Repeat("n", 10_000)
	show(v, []Event{Started{Project: long, Cases: 1}, RunStarted{Cases: 1}, done(rec("s", "A", long, false, ""), 1, 1)})
	if len(m.rows) > 25 {
		t.Errorf("%d rows:\n%.2000s", len(m.rows), m)
	}
	_ = v.Close()
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestWriteErrors(t *testing.T) {
	t.Parallel()
	for name, v := range map[string]View{
		"human": NewHuman(brokenPipe{}, HumanOptions{}),
		"json":  NewJSON(brokenPipe{}, nil),
		"jsonl": NewJSONL(brokenPipe{}, nil),
	} {
		v.Handle(RunDone{})
		if err := v.Close(); err == nil || err.Error() != "broken pipe" {
			t.Errorf("%s: Close says %v", name, err)
		}
	}
}

// TestTransitionWords lists what is said beside a verdict.
func TestTransitionWords(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		transition Transition
		status     suites.Status
		since      time.Time
		want       string
	}{
		{Regression, suites.Fail, at(13, 58, 0), "regression, passed at 13:58"},
		{Regression, suites.Fail, time.Time{}, "regression"},
		{Resolved, suites.Pass, at(13, 58, 0).AddDate(0, 0, -1), "resolved, failed at 2026-08-11 13:58"},
		{Resolved, suites.Pass, time.Time{}, "resolved"},
		{Edited, suites.Fail, now, "the case itself changed"},
		{Explained, suites.Fail, now, "explained: biome, jaq changed"},
		{New, suites.Fail, now, "new"},
		{Same, suites.Fail, now, "failed before"},
		{Same, suites.Pass, now, ""},
	} {
		h := NewHuman(nil, HumanOptions{Now: atNow}).(*human)
		got := ""
		for _, p := range h.transition(CaseDone{Transition: tt.transition, Since: tt.since, Tools: []string{"biome", "jaq"},
			Verdict: suites.Verdict{Status: tt.status}}) {
			got += p.text
		}
		if got != tt.want {
			t.Errorf("%q %s: %q, want %q", tt.transition, tt.status, got, tt.want)
		}
	}
}

// FuzzHuman checks that nothing that an event holds reaches a terminal raw.
func FuzzHuman(f *testing.F) {
	f.Add("\x1b[2J", "a\nb\nc\r", 40, true)
	f.Add("P01", strings.Repeat("日本\x00 ", 50), 80, false)
	f.Fuzz(func(t *testing.T, a, b string, columns int, watch bool) {
		m := newTerminal(t, 1+columns&0x7f)
		v := NewHuman(m, HumanOptions{Color: true, TTY: true, Watch: watch, Now: atNow,
			Width: func() int { return m.columns }})
		r := rec(a, b, a, false, b)
		e := done(r, 1, 2, suites.Mismatch{Field: "stdout", Got: a, Want: b}, suites.Mismatch{Field: "x", Got: a + "\n" + b, Want: b + "\n" + a})
		e.Effect, e.Sandbox = a, b
		skip := rec(b, a, b, true, "absent: "+a)
		show(v, []Event{
			Started{Project: a, Isolation: b, Watched: 1}, Warning{a},
			Problems{List: []suites.Problem{{At: suites.Position{File: a, Line: 1}, What: b, Hint: a}}},
			Changed{Changes: []Change{{a, []string{b}}}, Selected: []Selection{{suites.Key{Suite: a, ID: b}, []string{a}}}},
			RunStarted{Cases: 2}, e, done(skip, 2, 2),
			RunDone{Records: []suites.Record{r, skip, skip, skip, skip}, Aborted: a, StandIns: []string{b}},
		})
		_ = v.Close()
	})
}
