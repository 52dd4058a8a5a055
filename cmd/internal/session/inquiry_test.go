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
	"time"

	"hookwatch/cmd/internal/project"
	"hookwatch/suites"
	"hookwatch/suites/plan"
)

// An inquired scene has a case that fails at once, and hangs when it is run again
// for the sake of its tools; by then it has said so.
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

// session runs cases apart from the project: in place nothing runs again.
func (s *inquired) session(view *spy, now func() time.Time) *Session {
	s.T.Helper()
	p := s.Load(project.Filter{})
	p.Config.Run.Isolation = "copy"
	return s.open(p, view, func(o *Options) { o.Now = now })
}

// underInquiry waits until the case runs again.
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

// TestCutInquiry: a case that failed has failed, however the run ends while its
// tools are looked at, and since it ended.
func TestCutInquiry(t *testing.T) {
	t.Parallel()
	for name, cut := range map[string]func(s *Session, cancel context.CancelFunc) Summary{
		"aborted": func(s *Session, _ context.CancelFunc) Summary {
			s.abort("the time is over")
			return s.end(false)
		},
		"quit": func(s *Session, _ context.CancelFunc) Summary { return (&watch{Session: s}).stop() },
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
			session.begin(ctx, plan.All(session.project.Cases, "asked for"), false)
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

// TestStaleInquiry: what a save made stale is not concluded for its being whole.
func TestStaleInquiry(t *testing.T) {
	t.Parallel()
	s, view := newInquired(t), &spy{}
	session := s.session(view, nil)
	session.begin(t.Context(), plan.All(session.project.Cases, "asked for"), false)
	s.underInquiry()
	s.Write("hooks/guard.sh", "#!/bin/bash\n")
	session.abort("the time is over")
	session.end(false)
	if view.order() != "start, A1 aborted, end" {
		t.Error(view.order())
	}
}

// TestInquiryBounded: a look at tools that does not end is given up, and says nothing.
func TestInquiryBounded(t *testing.T) {
	t.Parallel()
	s, view := newInquired(t), &spy{}
	session := s.session(view, nil)
	begin := time.Now()
	session.begin(t.Context(), plan.All(session.project.Cases, "asked for"), false)
	s.underInquiry()
	e := <-session.results
	if took := time.Since(begin); took < leastInquiry || took > 2*mostInquiry || len(e.outcome.Calls) > 0 {
		t.Errorf("after %s: %+v", took, e.outcome.Calls)
	}
	delete(session.running, e.c.Key())
	session.finish(t.Context(), e)
	session.end(false)
	if view.order() != "start, A1 fail, end" {
		t.Error(view.order())
	}
}
