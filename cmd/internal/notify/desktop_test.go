package notify

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
)

// regressed are transitions of cases that fail now.
func regressed(ids ...string) session.Transitions {
	t := session.Transitions{Project: "plankton"}
	for _, id := range ids {
		t.Regressions = append(t.Regressions, recordOf("pm", id, "name_"+id, false, ""))
	}
	return t
}

// A desk records what a desktop view does; its service answers as configured.
type desk struct {
	mu    sync.Mutex
	sent  []string
	said  []string
	bells strings.Builder
	hung  int // how often the connection was ended
	send  func(n int) error
}

func (d *desk) Write(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.bells.Write(p)
}

func (d *desk) open(tty bool) *desktop {
	return newView(DesktopOptions{Bell: d, TTY: tty, Notice: func(s string) {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.said = append(d.said, s)
	}}, func(n notification) error {
		d.mu.Lock()
		d.sent = append(d.sent, n.title+": "+n.body)
		count := len(d.sent)
		d.mu.Unlock()
		return d.send(count)
	}, func() { d.mu.Lock(); d.hung++; d.mu.Unlock() })
}

func TestDesktopBody(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		in   session.Transitions
		want string
	}{
		{"regression", regressed("P01"), "regression of guard.sh: P01 name_P01"},
		{"more than it names", regressed("P1", "P2", "P3", "P4", "P5"),
			"regression of guard.sh: P1 name_P1, P2 name_P2, P3 name_P3 (+2)"},
		{"both", session.Transitions{Regressions: regressed("P01").Regressions,
			Resolved: []suites.Record{recordOf("pm", "P02", "two", true, "")}},
			"regression of guard.sh: P01 name_P01\nresolved: P02 two"},
		{"with the reason", session.Transitions{Regressions: []suites.Record{recordOf("pm", "P01", "one", false, "exit 0, want 2"), {Hook: "a/b.sh", ID: "P02"}, {Hook: "a/c.sh", ID: "P03"}}},
			"regression of guard.sh (exit 0, want 2) and 2 more hooks: P01 one, P02, P03"},
		{"no markup, nothing raw", session.Transitions{Resolved: []suites.Record{recordOf("pm", "P02", "<b>&\x1b[1m", true, "")}},
			`resolved: P02 ‹b›+\x1b[1m`},
	} {
		if got := desktopBody(tt.in, nil); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestDesktopRest checks that a notification, which replaces its predecessor, names what still fails.
func TestDesktopRest(t *testing.T) {
	t.Parallel()
	var d desktop
	for i, tt := range []struct {
		in   session.Transitions
		want string
	}{
		{regressed("P01", "P02"), ""},
		{session.Transitions{Resolved: regressed("P01").Regressions}, "still failing: P02 name_P02"},
		{regressed("P03"), "still failing: P02 name_P02"},
		{session.Transitions{Resolved: regressed("P02", "P03").Regressions}, ""},
	} {
		body := desktopBody(tt.in, d.rest(tt.in))
		if _, rest, _ := strings.Cut(body, "still failing"); strings.TrimPrefix(tt.want, "still failing") != rest {
			t.Errorf("%d: %q, want %q", i, body, tt.want)
		}
	}
}

func TestDesktopSendsOnePerEvent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := &desk{send: func(int) error { return nil }}
		d := k.open(true)
		d.Handle(session.RunDone{})
		d.Handle(session.Transitions{Project: "plankton"}) // none
		d.Handle(regressed("P01"))
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		d.Handle(regressed("P02")) // too late, and harmless
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		if want := []string{"hookwatch: plankton: regression of guard.sh: P01 name_P01"}; !slices.Equal(k.sent, want) {
			t.Errorf("sent %q, want %q", k.sent, want)
		}
		if k.bells.Len() > 0 || len(k.said) > 0 || k.hung != 1 {
			t.Errorf("bells %q, said %q, connection ended %d times", k.bells.String(), k.said, k.hung)
		}
	})
}

func TestDesktopRingsWithoutService(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		tty         bool
		bell, shows string
	}{
		{true, "\a\a", "no desktop notification (no answer); the bell rings instead"},
		{false, "", "no desktop notification (no answer); transitions are shown here only"},
	} {
		synctest.Test(t, func(t *testing.T) {
			k := &desk{send: func(int) error { return errors.New("no answer") }}
			d := k.open(tt.tty)
			d.Handle(regressed("P01"))
			d.Handle(regressed("P02"))
			_ = d.Close()
			if k.bells.String() != tt.bell || len(k.said) != 1 || k.said[0] != tt.shows {
				t.Errorf("tty %v: bells %q, said %q", tt.tty, k.bells.String(), k.said)
			}
		})
	}
}

// TestDesktopHangingService checks that no verdict waits, no call is added to a hanging
// one, and the service is used again once it answers.
func TestDesktopHangingService(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		k := &desk{send: func(n int) error {
			if n == 1 {
				<-release
			}
			return nil
		}}
		d := k.open(true)
		start := time.Now()
		for range 3 * queued {
			d.Handle(regressed("P01"))
		}
		if waited := time.Since(start); waited != 0 {
			t.Errorf("Handle waited %v for a hanging service", waited)
		}
		<-time.After(sendLimit + time.Second) // fake time
		synctest.Wait()
		if len(k.sent) != 1 || k.hung != 1 || k.bells.Len() < queued || len(k.said) != 1 {
			t.Errorf("sent %d, ended %d, bells %d, said %q", len(k.sent), k.hung, k.bells.Len(), k.said)
		}
		close(release)
		synctest.Wait()
		d.Handle(regressed("P02"))
		synctest.Wait()
		if len(k.sent) != 2 {
			t.Errorf("sent %d after the service came back, want 2", len(k.sent))
		}
		_ = d.Close()
	})
}

func TestDesktopCloseWaitsNoLongerThanItSays(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		var sent atomic.Int32
		d := newView(DesktopOptions{},
			func(notification) error { sent.Add(1); <-release; return nil },
			func() { <-release })
		d.Handle(regressed("P01"))
		d.Handle(regressed("P02"))
		start := time.Now()
		_ = d.Close()
		if waited := time.Since(start); waited != 2*time.Second {
			t.Errorf("Close took %v with a service and a bus that hang, want 2 s", waited)
		}
		close(release)
		if n := sent.Load(); n != 1 {
			t.Errorf("%d calls were made, want none after the one that hangs", n)
		}
	})
}

func TestDesktopSilent(t *testing.T) {
	for _, tt := range []struct {
		ci     string
		off    bool
		silent bool
	}{{"", true, true}, {"true", false, true}, {"", false, false}} {
		t.Setenv("CI", tt.ci)
		v := NewDesktop(DesktopOptions{Off: tt.off})
		if _, speaks := v.(*desktop); speaks == tt.silent {
			t.Errorf("CI=%q, off %v: silent %v, want %v", tt.ci, tt.off, !speaks, tt.silent)
		}
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	}
}
