//go:build unix

package session

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"hookwatch/suites"
	"hookwatch/suites/process"
	"hookwatch/suites/process/testdata/processtest"
	"hookwatch/suites/record"
	"hookwatch/suites/verdict"
)

func TestMain(m *testing.M) {
	if err := errors.Join(processtest.ResolveShims(), processtest.Overlap(), process.Adopt()); err != nil {
		panic(err)
	}
	// The rolling log's library keeps one goroutine per file forever. The clock of patterns ends
	// by itself some time after the last match.
	processtest.VerifyTestMain(m, nil, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2/v2.runClock"), goleak.IgnoreAnyFunction("gopkg.in/natefinch/lumberjack%2ev2.(*Logger).millRun"))
}

// ceiling is how long a test waits before it fails.
const ceiling = 4 * time.Minute

// A scene is a small project with records and sandboxes.
type scene struct {
	*projectFiles
	temp, keep string
	store      *record.Store
}

// pair is a case that is blocked, and the control of a second case, which is let through.
const pair = `suite: s
hook: hooks/guard.sh
event: PreToolUse
tool: Bash
cases:
  - {id: B1, name: blocked, category: block, command: bad thing, expect: {exit: 2, effect: denied}}
  - {id: A1, name: let_through, category: approve, command: fine, control: B1, expect: {exit: 0}}
`

func newScene(t *testing.T, files map[string]string) *scene {
	t.Helper()
	return &scene{projectFiles: newProjectFiles(t, files), temp: t.TempDir(), keep: t.TempDir()}
}

// open returns a session for the project as it is now. Its store is closed at the end of the
// test, or by the next open.
func (s *scene) open(p *Project, view View, change func(*Options)) *Session {
	s.T.Helper()
	s.closeStore()
	store, err := record.Open(record.Options{Place: RecordsPlace(p.Config, true)})
	if err != nil {
		s.T.Fatal(err)
	}
	s.store = store
	s.T.Cleanup(s.closeStore)
	o := Options{
		Project: p, Store: store, View: view, Temp: s.temp, Keep: s.keep, Jobs: 2, Now: time.Now,
		Env:     []string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.temp},
		Rerun:   func(k suites.Key) string { return "again " + k.String() },
		Program: "test",
	}
	if change != nil {
		change(&o)
	}
	session, err := New(o, store.Snapshot())
	if err != nil {
		s.T.Fatal(err)
	}
	return session
}

func (s *scene) closeStore() {
	if s.store != nil {
		_ = s.store.Close()
		s.store = nil
	}
}

// all runs every case of the project to the end.
func (s *scene) all(session *Session) Summary {
	s.T.Helper()
	ctx, cancel := context.WithTimeout(s.T.Context(), ceiling)
	defer cancel()
	sum := session.RunOnce(ctx, verdict.All(session.project.Cases, "asked for"), true)
	if ctx.Err() != nil {
		s.T.Errorf("the run did not end by itself within %s", ceiling)
	}
	return sum
}

// reader opens the records for reading.
func (s *scene) reader() *record.Reader {
	s.T.Helper()
	r, err := record.OpenReader(record.Place{Base: s.Root, Dir: s.Path("results")})
	if err != nil {
		s.T.Fatal(err)
	}
	s.T.Cleanup(r.Close)
	return r
}

// present returns the recorded verdicts by case ID.
func (s *scene) present() map[string]suites.Record {
	s.T.Helper()
	snap, err := s.reader().Read()
	if err != nil {
		s.T.Fatal(err)
	}
	out := make(map[string]suites.Record)
	for _, r := range snap.Records {
		out[r.ID] = r
	}
	return out
}

// history counts the records of a case in the rolling log.
func (s *scene) history(id string) (n int) {
	s.T.Helper()
	_, err := s.reader().History(func(_ string, r suites.Record) bool {
		if r.ID == id {
			n++
		}
		return true
	})
	if err != nil {
		s.T.Fatal(err)
	}
	return n
}

// empty reports the files left in a directory.
func (s *scene) empty(dir string) {
	s.T.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		s.T.Fatal(err)
	}
	for _, e := range entries {
		s.T.Errorf("left in %s: %s", dir, e.Name())
	}
}

// A spy keeps every event, and may call a function while one is shown.
type spy struct {
	events []Event
	on     func(Event)
}

func (v *spy) Handle(e Event) {
	v.events = append(v.events, e)
	if v.on != nil {
		v.on(e)
	}
}

func (v *spy) Close() error { return nil }

// done returns the finished cases, in the order in which they were shown.
func (v *spy) done() []CaseDone {
	var out []CaseDone
	for _, e := range v.events {
		if d, ok := e.(CaseDone); ok {
			out = append(out, d)
		}
	}
	return out
}

func (v *spy) find(id string) CaseDone {
	for _, d := range v.done() {
		if d.Record.ID == id {
			return d
		}
	}
	return CaseDone{}
}

// order summarizes the events: "start", "B1 pass", "end".
func (v *spy) order() string {
	var out []string
	for _, e := range v.events {
		switch e := e.(type) {
		case RunStarted:
			out = append(out, "start")
		case CaseDone:
			out = append(out, e.Record.ID+" "+string(e.Verdict.Status))
		case RunDone:
			out = append(out, "end")
		case Warning:
			out = append(out, "warning: "+e.Text)
		}
	}
	return strings.Join(out, ", ")
}
