package notify

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
)

// keyedScene is a session with two failures, of which one is shown in full.
func keyedScene() []session.Event {
	first, second := recordOf("own", "A1", "first", false, "exit 1, want 2"), recordOf("pm", "P9", "second", false, "exit 3, want 0")
	first.ActualStderr = "/home/me/plankton/hooks/guard.sh: line 7: nope: command not found\n" + strings.Repeat("more\n", 20)
	second.Hook = "pm.sh"
	a, b := doneWith(first, 1, 2), doneWith(second, 2, 2)
	a.Script, a.Defined = "hooks/guard.sh", suites.Position{File: "suites/own.yaml", Line: 4}
	b.Script, b.Defined = "", suites.Position{File: "builtin:pm", Line: 9}
	return []session.Event{openingEvent(), session.RunStarted{Cases: 2, Total: 118, At: sceneTime}, a, b, finish(118, suites.Tally{Passed: 116, Failed: 2}, first, second), session.Rested{}}
}

// TestKeyed checks the output for each key, after the keys before it.
func TestKeyed(t *testing.T) {
	t.Parallel()
	own, pm := suites.Key{Suite: "own", ID: "A1"}, suites.Key{Suite: "pm", ID: "P9"}
	gone := suites.Key{Suite: "old", ID: "O1"}
	m := newTerminal(t, 80)
	v := New(m, Options{TTY: true, Watch: true, Now: atNow, Width: func() int { return 80 }, Show: func(k suites.Key) string { return "hookwatch show " + k.ID }})
	showTo(v, keyedScene())
	passing := recordOf("pm", "P9", "second", true, "")
	fixed := []session.Event{session.RunStarted{Cases: 1, Total: 118}, doneWith(passing, 1, 1), finish(118, suites.Tally{Passed: 118}, passing)}
	for _, tt := range []struct {
		events []session.Event
		shows  string // in addition to the earlier output
		hides  string
	}{
		{[]session.Event{session.Help{}}, "drop the filter", ""},
		{[]session.Event{session.Typing{By: session.ByName, Pattern: "x", Cases: 3}}, "filter by name: x_   3 cases", "watching"},
		{[]session.Event{session.Warning{Text: "meanwhile"}}, "filter by name: x_   3 cases", ""},
		{[]session.Event{session.Untyped{}}, "watching  PASS 116  FAIL 2", "filter by"},
		{[]session.Event{session.ShowFailure{Failed: []suites.Key{own, pm, gone}, By: 1}}, "failure 3 of 3  old/O1 failed before this session", ""},
		{nil, "hookwatch show O1", ""},
		{[]session.Event{session.ShowFailure{Failed: []suites.Key{own, pm}, By: 1}}, "failure 1 of 2\n  FAIL A1 first", ""},
		{[]session.Event{session.ShowFailure{Failed: []suites.Key{own, pm}, By: -1}}, "failure 2 of 2\n  FAIL P9 second", ""},
		{[]session.Event{session.ShowFailure{}}, "no case fails", ""},
		{[]session.Event{session.Filtered{Filter: session.CaseFilter{By: session.ByFile, Pattern: "GUARD"}}}, "file: GUARD", ""},
		{[]session.Event{session.ShowFailure{Failed: []suites.Key{own, pm}, By: 1}}, "failure 1 of 1\n  FAIL A1", ""},
		{keyedScene()[1:5], "FAIL 1 more, which the filter keeps back (Esc: all)", ""},
		{[]session.Event{session.Whole{}}, strings.Repeat("               more\n", 15), ""},
		{[]session.Event{session.Whole{}}, "first and last lines of output from now on", ""},
		{[]session.Event{session.Filtered{}}, "the filter is removed", ""},
		{[]session.Event{session.OnlyFailures{}}, "only failures", ""},
	} {
		before := m.String()
		showTo(v, tt.events)
		after := m.String()
		if n := strings.Count(before, tt.shows); tt.events != nil && !strings.HasPrefix(tt.shows, "filter by") && strings.Count(after, tt.shows) <= n || !strings.Contains(after, tt.shows) {
			t.Errorf("%v shows no %q:\n%s", tt.events, tt.shows, after)
		}
		if live := after[strings.LastIndex(strings.TrimSpace(after), "\n")+1:]; tt.hides != "" && strings.Contains(live, tt.hides) {
			t.Errorf("%v leaves %q", tt.events, live)
		}
	}
	before := m.String()
	showTo(v, fixed)
	if got, want := m.String(), before[:strings.LastIndex(strings.TrimSpace(before), "\n")]; !strings.HasPrefix(got, want) || strings.Count(got, "\n") != strings.Count(before, "\n") {
		t.Errorf("a run without failures is printed:\n%s", got[len(want):])
	}
	_ = v.Close()
}

// TestEdit checks that the place of a failure is that of its hook, at the reported line, or of
// its case, and that nothing is written until the editor ends.
func TestEdit(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	v := New(&out, Options{TTY: true, Watch: true, Now: atNow, Place: func(at string, k suites.Key) string {
		if k.ID == "P9" {
			return "hookwatch show P9"
		}
		return at
	}})
	var none session.Place
	v.Handle(session.Edit{At: &none})
	if none.File != "" || !strings.Contains(out.String(), "no failure was shown") {
		t.Errorf("%v: %s", none, &out)
	}
	showTo(v, keyedScene())
	keys := []suites.Key{{Suite: "own", ID: "A1"}, {Suite: "pm", ID: "P9"}}
	look := func(by int) { v.Handle(session.ShowFailure{Failed: keys, By: by}) }
	for v.(*human).asked.at != keys[0] {
		look(1)
	}
	var hook, in session.Place
	v.Handle(session.Edit{At: &hook})
	if hook != (session.Place{File: "/home/me/plankton/hooks/guard.sh", Line: 7}) {
		t.Errorf("the hook is at %v", hook)
	}
	before := out.Len()
	showTo(v, keyedScene()[1:])
	if out.Len() != before {
		t.Errorf("written over the editor: %q", out.String()[before:])
	}
	v.Handle(session.Resumed{})
	if !strings.Contains(out.String()[before:], "FAIL A1") {
		t.Errorf("lost: %q", out.String()[before:])
	}
	for v.(*human).asked.at != keys[0] {
		look(1)
	}
	v.Handle(session.Edit{Case: true, At: &in})
	v.Handle(session.Resumed{})
	if in != (session.Place{File: "/home/me/plankton/suites/own.yaml", Line: 4}) {
		t.Errorf("the case is at %v", in)
	}
	look(1)
	for _, e := range []session.Edit{{At: &none}, {Case: true, At: &none}} {
		if v.Handle(e); none.File != "" {
			t.Errorf("%+v: %v", e, none)
		}
	}
	for _, want := range []string{"the hook is in the settings alone", "P9 second is built in: hookwatch show P9"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q", want)
		}
	}
	_ = v.Close()
}

// TestTimeLeft checks that longer work shows an estimate of the remaining time.
func TestTimeLeft(t *testing.T) {
	t.Parallel()
	clock := sceneTime.Time
	m := newTerminal(t, 100)
	v := New(m, Options{TTY: true, Watch: true, Now: func() time.Time { return clock }, Width: func() int { return 100 }})
	v.Handle(openingEvent())
	v.Handle(session.RunStarted{Cases: 10, Total: 10})
	r := recordOf("s", "A", "a", true, "")
	for i := range 4 {
		clock = clock.Add(3 * time.Second)
		v.Handle(doneWith(r, i+1, 10))
	}
	if got := m.String(); !strings.Contains(got, "running 4 of 10  about 18.0 s left") {
		t.Errorf("%s", got)
	}
	v.Handle(finish(10, suites.Tally{Passed: 10}, r))
	for i := range 4 {
		clock = clock.Add(time.Minute)
		v.Handle(session.Tracing{Done: 100 + i, Of: 118})
	}
	if got := m.String(); !strings.Contains(got, "tracing 104 of 118  about 15 min 00 s left: what each case executes") {
		t.Errorf("%s", got)
	}
	v.Handle(session.Rested{})
	if got := m.String(); !strings.Contains(got, "\nwatching  ") {
		t.Errorf("%s", got)
	}
	_ = v.Close()
}

// TestASCII checks that a terminal without UTF-8 gets only ASCII characters.
func TestASCII(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	v := New(&out, Options{ASCII: true, Now: atNow})
	r := recordOf("s", "A", "größe", false, "exit 1 … 日本")
	showTo(v, []session.Event{openingEvent(), session.RunStarted{Cases: 1}, doneWith(r, 1, 1), finish(1, suites.Tally{Failed: 1}, r)})
	if got := out.String(); !strings.Contains(got, "gr??e") || strings.ContainsFunc(got, func(r rune) bool { return r > '~' }) {
		t.Error(got)
	}
}

// TestEditOfCause checks that a failure shown with its cause can be opened.
func TestEditOfCause(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	v := New(&out, Options{TTY: true, Watch: true, Now: atNow})
	r := recordOf("own", "A1", "first", false, "exit 2, want 0")
	r.Hook, r.ActualStderr = "guard.sh", "hooks/guard.sh: line 7: syntax error near unexpected token `}'\n"
	e := doneWith(r, 1, 1)
	e.Script = "hooks/guard.sh"
	showTo(v, []session.Event{openingEvent(), session.RunStarted{Cases: 1, Total: 118}, e, finish(118, suites.Tally{Failed: 1}, r)})
	var at session.Place
	if v.Handle(session.Edit{At: &at}); at != (session.Place{File: "/home/me/plankton/hooks/guard.sh", Line: 7}) {
		t.Errorf("%v: %s", at, &out)
	}
	v.Handle(session.Resumed{})
	_ = v.Close()
}
