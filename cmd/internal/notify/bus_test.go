package notify

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hookwatch/cmd/internal/notify/testdata/desktoptest"
	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
)

// The variable that makes the test binary a sender: a JSON list of Transitions.
const senderEvents = "NOTIFY_TEST_EVENTS"

// ceiling is far above the time of any step.
const ceiling = 5 * time.Minute

// sender passes the events to a desktop view in a process of its own, because the bus
// address and the connection belong to a process. It prints on stdout how long the view
// made it wait, and on stderr the messages of the view.
func sender(events string) int {
	var list []session.Transitions
	if err := json.Unmarshal([]byte(events), &list); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	v := NewDesktop(DesktopOptions{Bell: os.Stdout, TTY: true, Notice: func(s string) { fmt.Fprintln(os.Stderr, s) }})
	start := time.Now()
	for _, t := range list {
		v.Handle(t)
	}
	handled := time.Since(start)
	err := v.Close()
	fmt.Printf("%d %d\n", handled.Milliseconds(), time.Since(start).Milliseconds())
	if err != nil {
		return 1
	}
	return 0
}

// send runs a sender on the bus and returns its output.
func send(t *testing.T, bus string, env []string, events ...session.Transitions) (stdout, stderr string) {
	t.Helper()
	list, err := json.Marshal(events)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), ceiling)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0])
	// No PATH, so that neither notify-send nor dbus-launch can be used.
	cmd.Env = append([]string{senderEvents + "=" + string(list), "DBUS_SESSION_BUS_ADDRESS=" + bus,
		"GOCOVERDIR=" + cmp.Or(os.Getenv("GOCOVERDIR"), t.TempDir())}, env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("sender: %v\n%s", err, errs.String())
	}
	return out.String(), errs.String()
}

func TestDesktopOnRealBus(t *testing.T) {
	t.Parallel()
	bus := desktoptest.StartBus(t)
	s := desktoptest.Serve(t, bus, false)
	stdout, stderr := send(t, bus, nil,
		session.Transitions{Project: "plankton"},
		session.Transitions{Project: "plankton", Regressions: regressed("P01", "P03").Regressions,
			Resolved: []suites.Record{recordOf("pm", "P02", "npm_blocked", true, "")}})
	want := desktoptest.Notification{
		App: "hookwatch", Title: "hookwatch: plankton",
		Body: "regression of guard.sh: P01 name_P01, P03 name_P03\nresolved: P02 npm_blocked", Urgency: 1,
	}
	if got := s.All(); len(got) != 1 || got[0] != want {
		t.Errorf("shown %+v, want one: %+v", got, want)
	}
	if strings.Contains(stdout, "\a") || stderr != "" {
		t.Errorf("a bell or a text in addition to a notification: %q, %q", stdout, stderr)
	}
	send(t, bus, nil, regressed("P01"), session.Transitions{Project: "plankton", Resolved: regressed("P01").Regressions})
	if got := s.All(); len(got) != 2 || got[0].Replaces != 0 || got[1].Replaces != desktoptest.ID || got[1].Urgency != 0 {
		t.Errorf("shown %+v, want two: the second replaces the first, and is less urgent", got)
	}
	if send(t, bus, nil, session.Transitions{Project: "plankton"}); len(s.All()) != 0 {
		t.Error("a notification without a transition")
	}
	if send(t, bus, []string{"CI=1"}, regressed("P01")); len(s.All()) != 0 {
		t.Error("a notification in CI")
	}
}

func TestDesktopOnBusWithoutService(t *testing.T) {
	t.Parallel()
	bus := desktoptest.StartBus(t)
	for _, tt := range []struct{ name, address, why string }{
		{"no service", bus, "org.freedesktop.Notifications"},
		{"no bus", "unix:path=/nonexistent/bus", "/nonexistent/bus"},
		{"a bus that would have to be started", "autolaunch:", errNoBus.Error()},
	} {
		name := tt.name
		stdout, stderr := send(t, tt.address, nil, regressed("P01"), regressed("P02"))
		if !strings.Contains(stderr, tt.why) {
			t.Errorf("%s: said %q, want the reason %q", name, stderr, tt.why)
		}
		if strings.Count(stdout, "\a") != 2 {
			t.Errorf("%s: stdout %q, want two bells", name, stdout)
		}
		if strings.Count(stderr, "the bell rings instead") != 1 {
			t.Errorf("%s: said %q, want it said once", name, stderr)
		}
	}
}

func TestDesktopOnHangingService(t *testing.T) {
	t.Parallel()
	bus := desktoptest.StartBus(t)
	s := desktoptest.Serve(t, bus, true)
	stdout, _ := send(t, bus, nil, regressed("P01"), regressed("P02"))
	var handled, all int
	if _, err := fmt.Sscan(stdout, &handled, &all); err != nil {
		t.Fatalf("%q: %v", stdout, err)
	}
	// The view waits for 2 s; the rest is for a busy machine.
	if handled > 500 || all < 1000 || all > 5000 {
		t.Errorf("handled in %d ms, closed after %d ms with a service that hangs", handled, all)
	}
	if got := s.All(); len(got) != 1 {
		t.Errorf("%d calls were made to a service that hangs, want 1", len(got))
	}
}

// TestDesktopIsInert checks that a notification of hostile names has no markup, links or
// additional lines, is short, and offers no action.
func TestDesktopIsInert(t *testing.T) {
	t.Parallel()
	bus := desktoptest.StartBus(t)
	s := desktoptest.Serve(t, bus, false)
	const evil = "<b>x</b><a href='http://e.example'>y</a><img src=http://e.example/i.png>&lt;http://e.example www.e.example\x1b]0;t\a\u202e\u009b\u3164\nresolved: all"
	var bad []suites.Record
	for _, name := range []string{evil, strings.Repeat("n", 10_000), "$(calc) \"@ ]]> -- `x`", "d"} {
		bad = append(bad, recordOf("pm", name, name, false, evil))
	}
	send(t, bus, nil, session.Transitions{Project: evil + strings.Repeat("p", 10_000), Regressions: bad, Resolved: bad[:1]})
	got := s.All()
	if len(got) != 1 {
		t.Fatalf("shown %+v", got)
	}
	n := got[0]
	for _, text := range []string{n.Title, n.Body} {
		if i := strings.IndexFunc(text, func(r rune) bool { return r != '\n' && obeyed(r) || strings.ContainsRune("<>&", r) }); i >= 0 || strings.Contains(text, "://") || strings.Contains(text, "www.") || len(text) > 1500 {
			t.Errorf("%d bytes, at %d: %q", len(text), i, text)
		}
	}
	if strings.Count(n.Body, "\n") != 1 || strings.Contains(n.Title, "\n") || n.Icon != "" || n.Actions != 0 {
		t.Errorf("%+v", n)
	}
}

// TestDesktopRunsNothing checks that no program from PATH is run instead if the service
// fails, because a project's own may be first there.
func TestDesktopRunsNothing(t *testing.T) {
	t.Parallel()
	bin, bus := t.TempDir(), desktoptest.StartBus(t)
	ran := filepath.Join(bin, "ran")
	for _, name := range []string{"notify-send", "kdialog", "dbus-launch", "terminal-notifier", "osascript"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\necho \"$0\" >>'"+ran+"'\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, address := range []string{bus, "unix:path=/nonexistent/bus", "autolaunch:", "autolaunch:scope=x"} {
		if _, said := send(t, address, []string{"PATH=" + bin + ":/usr/bin:/bin"}, regressed("P01")); !strings.Contains(said, "the bell rings instead") {
			t.Errorf("%q: %q", address, said)
		}
	}
	if text, err := os.ReadFile(ran); err == nil {
		t.Errorf("these ran: %s", text)
	}
}
