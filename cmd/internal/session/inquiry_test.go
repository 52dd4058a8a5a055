//go:build unix

package session

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/verdict"
)

// An inquired is a scene with a case that fails immediately. Its second run, which traces its
// tools, writes to a pipe and then hangs.
type inquired struct {
	*scene
	again string // a named pipe
}

func newInquired(t *testing.T) *inquired {
	t.Helper()
	dir := t.TempDir()
	again := filepath.Join(dir, "again")
	if err := syscall.Mkfifo(again, 0o600); err != nil {
		t.Fatal(err)
	}
	hook := fmt.Sprintf("#!/bin/bash\nif [[ -e %[1]s/ran ]]; then echo >%[1]s/again; sleep 1000; fi\ntouch %[1]s/ran\nexit 1\n", dir)
	return &inquired{scene: newScene(t, map[string]string{"hooks/guard.sh": hook, "suites/s.yaml": oneCase("A1", "gates: [sleep], expect: {exit: 0}")}), again: again}
}

// session returns a session with the isolation copy, because in place no case is run a second
// time.
func (s *inquired) session(view *spy, now func() time.Time) *Session {
	s.T.Helper()
	p := s.Load(Filter{})
	p.Config.Run.Isolation = "copy"
	return s.open(p, view, func(o *Options) { o.Now = now })
}

// underInquiry waits for the second run of the case.
func (s *inquired) underInquiry() {
	s.T.Helper()
	said := make(chan error, 1)
	go func() {
		_, err := os.ReadFile(s.again)
		said <- err
	}()
	select {
	case err := <-said:
		if err != nil {
			s.T.Error(err)
		}
	case <-time.After(ceiling):
		s.T.Fatal("the case was not run again")
	}
}

// TestCutInquiry checks that a failed case keeps its verdict and end time if the run ends during
// the second run.
func TestCutInquiry(t *testing.T) {
	t.Parallel()
	for name, cut := range map[string]func(s *Session, cancel context.CancelFunc) Summary{
		"aborted": func(s *Session, _ context.CancelFunc) Summary {
			s.abort("the time is over")
			return s.end(false)
		},
		"quit": func(s *Session, _ context.CancelFunc) Summary { return (&watch{session: s}).stop() },
		"interrupted": func(s *Session, cancel context.CancelFunc) Summary {
			cancel()
			s.drain()
			return s.end(true)
		},
		"interrupted, and heard of later": func(s *Session, cancel context.CancelFunc) Summary {
			cancel()
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			s.finish(ctx, <-s.results)
			return s.end(true)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, view := newInquired(t), &spy{}
			var inquiring atomic.Bool
			failed, later := time.Date(2026, 2, 20, 16, 49, 32, 0, time.UTC), time.Date(2026, 2, 20, 16, 49, 40, 0, time.UTC)
			session := s.session(view, func() time.Time {
				if inquiring.Load() {
					return later
				}
				return failed
			})
			ctx, cancel := context.WithTimeout(t.Context(), ceiling)
			defer cancel()
			session.begin(ctx, verdict.All(session.project.Cases, "asked for"), false)
			s.underInquiry()
			inquiring.Store(true)
			if sum := cut(session, cancel); sum.Tally != (suites.Tally{Failed: 1}) || view.order() != "start, A1 fail, end" {
				t.Errorf("%+v: %s", sum, view.order())
			}
			if r := s.present()["A1"]; r.Status() != suites.Fail || r.Timestamp != failed.Format(suites.TimestampLayout) {
				t.Errorf("on record, when its tools were looked at and not when it ended, or not at all: %+v", r)
			}
			s.empty(s.temp)
		})
	}
}

// TestStaleInquiry checks that a case made stale by a save gets no verdict although it ran to the
// end.
func TestStaleInquiry(t *testing.T) {
	t.Parallel()
	s, view := newInquired(t), &spy{}
	session := s.session(view, nil)
	session.begin(t.Context(), verdict.All(session.project.Cases, "asked for"), false)
	s.underInquiry()
	s.Write("hooks/guard.sh", "#!/bin/bash\n")
	session.abort("the time is over")
	session.end(false)
	if view.order() != "start, A1 aborted, end" {
		t.Error(view.order())
	}
}

// TestInquiryBounded checks that a second run that hangs is cancelled and explains nothing.
func TestInquiryBounded(t *testing.T) {
	t.Parallel()
	s, view := newInquired(t), &spy{}
	session := s.session(view, nil)
	bounded, end := context.WithCancel(t.Context())
	session.bound = func(context.Context, time.Duration) (context.Context, context.CancelFunc) { return bounded, func() {} }
	session.begin(t.Context(), verdict.All(session.project.Cases, "asked for"), false)
	s.underInquiry()
	end()
	e := <-session.results
	if len(e.outcome.Calls) > 0 {
		t.Errorf("%+v", e.outcome.Calls)
	}
	delete(session.running, e.c.Key())
	session.finish(t.Context(), e)
	session.end(false)
	if view.order() != "start, A1 fail, end" {
		t.Error(view.order())
	}
}

// TestBoundInquiry checks how long a second run may take, by the duration of the first.
func TestBoundInquiry(t *testing.T) {
	t.Parallel()
	for took, want := range map[time.Duration]time.Duration{0: 8 * time.Second, 2 * time.Second: 8 * time.Second, 9 * time.Second / 4: 9 * time.Second, time.Hour: 10 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := boundInquiry(t.Context(), took)
			defer cancel()
			if at, ok := ctx.Deadline(); !ok || time.Until(at) != want {
				t.Errorf("%s: %s, want %s", took, time.Until(at), want)
			}
		})
	}
}
