package notify

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
	"hookwatch/suites/process/testdata/processtest"
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
		if i == 499 && strings.TrimSpace(m.String()) != "running 500 of 1000" {
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
		t.Errorf("Close returns %v", err)
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
		h := New(nil, Options{Now: atNow, Watch: true}).(*human)
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

func TestCaseNames(t *testing.T) {
	t.Parallel()
	got := caseNames([]suites.Key{{Suite: "pm", ID: "P01"}, {Suite: "pm", ID: "P02"}, {Suite: "own", ID: "P01"}})
	if want := []string{"pm/P01", "P02", "own/P01"}; !slices.Equal(got, want) {
		t.Errorf("caseNames = %q, want %q", got, want)
	}
}

// TestMain runs the tests or, in a child of one of them, a sender of one desktop
// notification.
func TestMain(m *testing.M) {
	if events := os.Getenv(senderEvents); events != "" {
		os.Exit(sender(events))
	}
	processtest.VerifyTestMain(m, nil)
}

func TestMismatchTexts(t *testing.T) {
	t.Parallel()
	output := strings.Repeat("line\n", 200)
	r := suites.Record{ActualOutput: output, ActualStderr: "other"}
	start := strconv.Quote(output[:400])
	for _, tt := range []struct{ name, got, want string }{
		{"a word", "empty", "empty"},
		{"quoted", `"{\"a\":1}\n"`, "{\"a\":1}\n"},
		{"quoted within words", `"a" on "b"`, `"a" on "b"`},
		{"unclosed", `"a`, `"a`},
		{"the beginning of the output", start + "... (1000 bytes)", output},
		{"the beginning of something else", `"x"... (9 bytes)`, "x\n... (9 bytes)"},
	} {
		if got := gotText(suites.Mismatch{Got: tt.got}, r); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	for in, want := range map[string]string{
		`"one\n"`: `"one\n"`, `"one\ntwo"`: "one\ntwo", "nothing": "nothing", `no "a\nb"`: `no "a\nb"`,
	} {
		if got := wantText(suites.Mismatch{Want: in}); got != want {
			t.Errorf("want %q is shown as %q, want %q", in, got, want)
		}
	}
}

func TestDifferenceInTheLastNewline(t *testing.T) {
	t.Parallel()
	h := New(nil, Options{}).(*human)
	var got []string
	for _, l := range h.difference("a\nb", "a\nb\n", "") {
		got = append(got, l[1].text)
	}
	if want := `@@ -1,2 +1,2 @@| a|-b|+b|\ No newline at end of file`; strings.Join(got, "|") != want {
		t.Errorf("%q, want %q", strings.Join(got, "|"), want)
	}
}

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

func TestSpan(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		-time.Second:                            "0 ms",
		0:                                       "0 ms",
		1400 * time.Microsecond:                 "1 ms",
		99 * time.Millisecond:                   "99 ms",
		99600 * time.Microsecond:                "0.10 s",
		740 * time.Millisecond:                  "0.74 s",
		994 * time.Millisecond:                  "0.99 s",
		996 * time.Millisecond:                  "1.0 s",
		4120 * time.Millisecond:                 "4.1 s",
		59940 * time.Millisecond:                "59.9 s",
		59960 * time.Millisecond:                "1 min 00 s",
		125 * time.Second:                       "2 min 05 s",
		59*time.Minute + 59600*time.Millisecond: "1 h 00 min",
		62 * time.Minute:                        "1 h 02 min",
	} {
		if got := span(d); got != want {
			t.Errorf("span(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestMoments(t *testing.T) {
	t.Parallel()
	now := atTime(14, 2, 11).Time
	for _, tt := range []struct {
		name, got, want string
	}{
		{"clock in the place of now", clock(atTime(14, 2, 11).UTC(), now), "14:02:11"},
		{"moment today", moment(atTime(13, 58, 0).UTC(), now), "13:58"},
		{"moment yesterday", moment(now.AddDate(0, 0, -1), now), "2026-08-11 14:02"},
		{"ago seconds", formatAge(now.Add(-59*time.Second), now), "just now"},
		{"ago future", formatAge(now.Add(time.Hour), now), "just now"},
		{"ago minutes", formatAge(now.Add(-2*time.Minute), now), "2 min ago"},
		{"ago hours", formatAge(now.Add(-3*time.Hour), now), "3 h ago"},
		{"ago day", formatAge(now.Add(-25*time.Hour), now), "1 day ago"},
		{"ago days", formatAge(now.Add(-49*time.Hour), now), "2 days ago"},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, tt.got, tt.want)
		}
	}
}

// TestPrinted checks that a failure shows the hook's output once, and the place of the case.
func TestPrinted(t *testing.T) {
	t.Parallel()
	exit := suites.Mismatch{Kind: "exit", Field: "exit", Got: "1", Want: "2"}
	for name, tt := range map[string]struct {
		mismatch       suites.Mismatch
		note           string
		stderr, stdout string
		want           []string
		never          string
	}{
		"a traceback": {exit, "exit 1, want 2", "Traceback (most recent call last):\n  File \"h.py\", line 3\nKeyError: 'x'\n", "",
			[]string{"stderr  Traceback (most recent call last):", "  File \"h.py\", line 3", "KeyError: 'x'"}, "stdout"},
		"both streams":      {exit, "exit 1, want 2", "err", "{\"a\": 1}\n", []string{"stderr  err", `stdout  {"a": 1}`}, ""},
		"nothing":           {exit, "exit 1, want 2", " \n", "", nil, "stderr"},
		"shown as cause":    {exit, "exit 1, want 2; jq: not found", "jq: not found\n", "", []string{"jq: not found"}, "stderr  jq"},
		"shown as mismatch": {suites.Mismatch{Kind: "stderr", Field: "stderr", Got: `"no"`, Want: `"yes"`}, "", "no", "", []string{`stderr "no", want "yes"`}, "stderr  no"},
		"inert":             {exit, "exit 1, want 2", "\x1b[2Jx\n", "", []string{`stderr  \x1b[2Jx`}, "\x1b"},
	} {
		e := session.CaseDone{
			Record:  suites.Record{ID: "G1", TestName: "g", InputSummary: "git push", ActualStderr: tt.stderr, ActualOutput: tt.stdout},
			Verdict: suites.Verdict{Status: suites.Fail, Note: tt.note, Mismatches: []suites.Mismatch{tt.mismatch}},
			At:      "suites/s.yaml:7:3", Transition: session.First,
		}
		if _, cause, found := strings.Cut(tt.note, "; "); found {
			e.Verdict.Remarks = []string{cause}
		}
		var out strings.Builder
		v := New(&out, Options{})
		v.Handle(e)
		v.Handle(session.RunDone{})
		if err := v.Close(); err != nil {
			t.Fatal(err)
		}
		for _, want := range append(tt.want, "case  suites/s.yaml:7:3: git push") {
			if strings.Count(out.String(), want) != 1 {
				t.Errorf("%s: %q is not said once in\n%s", name, want, out.String())
			}
		}
		if tt.never != "" && strings.Contains(out.String(), tt.never) {
			t.Errorf("%s: %q is said in\n%s", name, tt.never, out.String())
		}
	}
}

// TestManyFailures checks that a watching session shows the first failures in full and the others
// by ID, and likewise resolved cases. A run for CI shows every failure.
func TestManyFailures(t *testing.T) {
	t.Parallel()
	for _, watching := range []bool{true, false} {
		var out bytes.Buffer
		h := New(&out, Options{Watch: watching})
		h.Handle(session.RunStarted{Cases: 12, Total: 12})
		for n := range 12 {
			r := suites.Record{Suite: "s", ID: fmt.Sprintf("A%02d", n), TestName: "n", Hook: fmt.Sprintf("h%d.sh", n), Note: "exit 0, want 2"}
			h.Handle(session.CaseDone{Record: r, Verdict: suites.Verdict{Status: suites.Fail, Note: r.Note,
				Mismatches: []suites.Mismatch{{Kind: "exit", Field: "exit", Got: "0", Want: "2"}}}, Done: n + 1, Of: 12})
		}
		h.Handle(session.RunDone{Tally: suites.Tally{Failed: 12}, State: suites.State{Tally: suites.Tally{Failed: 12}}})
		if err := h.Close(); err != nil {
			t.Fatal(err)
		}
		whole, byID := 12, 0
		if watching {
			whole, byID = wholeCases, 1
		}
		if got := strings.Count(out.String(), "exit 0, want 2"); got != whole {
			t.Errorf("watching %v: %d failures are shown whole, want %d\n%s", watching, got, whole, &out)
		}
		if got := strings.Count(out.String(), "7 more: A05-A11"); got != byID {
			t.Errorf("watching %v: the others are named %d times, want %d\n%s", watching, got, byID, &out)
		}
	}
}

// TestStandInNote checks that a note that the end of a run shows for all cases is not repeated
// for each.
func TestStandInNote(t *testing.T) {
	t.Parallel()
	for note, want := range map[string]string{
		"stand-in: jaq=gojq 1": "",
		"stand-in: jaq=gojq 1; left a process behind: sleep (ended)": "left a process behind: sleep (ended)",
		"unproven: control P01 exit 0, want 2; stand-in: jaq=gojq 1": "control P01 exit 0, want 2",
	} {
		if got := bareNote(suites.Unproven, note); got != want {
			t.Errorf("%q: %q, want %q", note, got, want)
		}
	}
}
