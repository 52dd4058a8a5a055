//go:build unix

package session

import (
	"context"
	"slices"
	"strings"
	"time"

	"hookwatch/config"
	"hookwatch/suites"
	"hookwatch/watcher"
)

// A watching is a session that follows a scene with a real watcher.
type watching struct {
	*scene
	session  *Session
	events   chan Event
	commands chan Command
	ended    chan Summary
	cancel   context.CancelFunc // like a signal
	loading  func()             // called when the project is loaded again; may be nil
	loaded   func()             // called after it was loaded again
}

// channel is a view that sends events to a channel.
type channel chan Event

// Handle sends all events except those about progress, because no test waits for these.
func (c channel) Handle(e Event) {
	switch e.(type) {
	case Saved, Tracing:
	default:
		c <- e
	}
}

func (c channel) Close() error { return nil }

func (s *scene) watch(changes ...func(*WatchOptions)) *watching {
	s.T.Helper()
	// Room for all events of a test, because the session must never wait for the test.
	w := &watching{scene: s, events: make(chan Event, 10000), commands: make(chan Command), ended: make(chan Summary, 1)}
	files, err := watcher.New(watcher.Options{Interest: FirstInterest(s.Config())})
	if err != nil {
		s.T.Fatal(err)
	}
	p := s.Load(Filter{})
	if err := Follow(s.T.Context(), p, files); err != nil {
		s.T.Fatal(err)
	}
	w.session = s.open(p, channel(w.events), nil)
	w.session.patience = ceiling // on a busy machine as well
	ctx, cancel := context.WithCancel(context.Background())
	w.cancel = cancel
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		o := WatchOptions{Watcher: files, Commands: w.commands, Reload: w.reload}
		for _, change := range changes {
			change(&o)
		}
		w.ended <- w.session.Watch(ctx, o)
	}()
	s.T.Cleanup(func() {
		cancel()
		<-finished
		if err := files.Close(); err != nil {
			s.T.Error(err)
		}
	})
	return w
}

// reload runs on the session's goroutine.
func (w *watching) reload() (*Project, []suites.Problem) {
	if w.loading != nil {
		w.loading()
	}
	if w.loaded != nil {
		defer w.loaded()
	}
	cfg, err := config.Load(config.LoadOptions{Dir: w.Root, Env: func(string) (string, bool) { return "", false }, State: w.Path("../state")})
	if err != nil {
		return nil, []suites.Problem{{What: err.Error()}}
	}
	return Load(cfg, Filter{}, nil)
}

// until waits for an event and returns all events up to it.
func (w *watching) until(what string, is func(Event) bool) []Event {
	w.T.Helper()
	var seen []Event
	limit := time.NewTimer(ceiling)
	defer limit.Stop()
	for {
		select {
		case e := <-w.events:
			seen = append(seen, e)
			if is(e) {
				return seen
			}
		case <-limit.C:
			w.T.Fatalf("no %s after %s; seen %+v", what, ceiling, seen)
		}
	}
}

// runDone waits for the end of a run.
func (w *watching) runDone() RunDone {
	w.T.Helper()
	seen := w.until("end of a run", func(e Event) bool { _, ok := e.(RunDone); return ok })
	return seen[len(seen)-1].(RunDone)
}

// next returns the next event, which must be of this kind. Those that only tell how long something takes are left out.
func next[E Event](w *watching) E {
	w.T.Helper()
	seen := w.until("event", func(e Event) bool {
		_, running := e.(Running)
		return !running && e != Rested{}
	})
	last := seen[len(seen)-1]
	e, ok := last.(E)
	if !ok {
		w.T.Fatalf("next is %T %+v, want %T", last, last, e)
	}
	return e
}

func (w *watching) quit() Summary {
	w.T.Helper()
	w.commands <- Quit
	select {
	case sum := <-w.ended:
		return sum
	case <-time.After(ceiling):
		w.T.Fatal("the session does not end")
		return Summary{}
	}
}

func keys(selected []suites.Selection) string {
	var out []string
	for _, s := range selected {
		out = append(out, s.Key.ID)
	}
	return strings.Join(out, " ")
}

// recordIDs returns sorted IDs, because cases that finish together may be reported in any order.
func recordIDs(records []suites.Record) string {
	var out []string
	for _, r := range records {
		out = append(out, r.ID)
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}
