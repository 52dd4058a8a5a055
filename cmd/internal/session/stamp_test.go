//go:build unix

package session

import (
	"os"
	"testing"
	"time"

	"hookwatch/cmd/internal/project"
	"hookwatch/suites"
	"hookwatch/suites/disk"
)

// TestStamp: whoever wrote a file while a case ran left a trace, even where the
// content is the same again and the clock was turned back.
func TestStamp(t *testing.T) {
	t.Parallel()
	s := newScene(t, map[string]string{"hooks/other.sh": guard})
	of := newStamps(s.load(project.Filter{}))
	inputs := []suites.Input{{Path: "hooks/guard.sh", Section: "a"}, {Path: "hooks/guard.sh", Section: "b"}, {Path: "hooks/none.sh"}}
	long := time.Now().Add(-time.Hour)
	turnBack := func() {
		if err := os.Chtimes(s.path("hooks/guard.sh"), long, long); err != nil {
			t.Fatal(err)
		}
	}
	stamp := func(inputs []suites.Input) (all [2]disk.Signature) {
		for i, path := range files(inputs) {
			all[i] = of.now(path)
		}
		return all
	}
	turnBack()
	last := stamp(inputs)
	if again := stamp(inputs); again != last {
		t.Errorf("nothing happened: %+v, then %+v", last, again)
	}
	for _, tt := range []struct {
		name string
		do   func()
	}{
		{"the same content, written anew", func() { s.write("hooks/guard.sh", guard) }},
		{"there and back", func() { s.write("hooks/guard.sh", "x"); s.write("hooks/guard.sh", guard) }},
		{"there and back, with the time of before", func() { s.write("hooks/guard.sh", "x"); s.write("hooks/guard.sh", guard); turnBack() }},
		{"another file of the same content in its place", func() {
			if err := os.Rename(s.path("hooks/other.sh"), s.path("hooks/guard.sh")); err != nil {
				t.Fatal(err)
			}
			turnBack()
		}},
		{"another mode", func() {
			if err := os.Chmod(s.path("hooks/guard.sh"), 0o700); err != nil {
				t.Fatal(err)
			}
		}},
		{"gone", func() {
			if err := os.Remove(s.path("hooks/guard.sh")); err != nil {
				t.Fatal(err)
			}
		}},
		{"one that was not there", func() { s.write("hooks/none.sh", guard) }},
	} {
		s.nextTick("hooks/guard.sh")
		tt.do()
		now := stamp(inputs)
		if now == last {
			t.Errorf("%s leaves no trace", tt.name)
		}
		last = now
	}
}

// nextTick waits until the file system's clock, which may be a coarse one, has
// moved on since the file changed last.
func (s *scene) nextTick(name string) {
	s.t.Helper()
	fi, err := os.Stat(s.path(name))
	if err != nil {
		return
	}
	was := disk.SignatureOf(fi).Changed
	for deadline := time.Now().Add(ceiling); time.Now().Before(deadline); {
		s.write("clock", "")
		fi, err := os.Stat(s.path("clock"))
		if err != nil {
			s.t.Fatal(err)
		}
		if disk.SignatureOf(fi).Changed != was {
			return
		}
	}
	s.t.Fatal("the clock stands still")
}

// TestNoticed: what a run finds to be other than it was read before is looked at by the
// next selection, whether or not anybody tells of it.
func TestNoticed(t *testing.T) {
	t.Parallel()
	s := newScene(t, map[string]string{"suites/s.yaml": oneCase("A1", "expect: {exit: 0}")})
	p := s.load(project.Filter{})
	of, c := newStamps(p), p.Every()[0]
	all := func(in []suites.Input) []suites.Input { return in }
	of.freshInputs(c, all)
	if of.noticed {
		t.Error("nothing changed, and something was noticed")
	}
	s.nextTick("hooks/guard.sh")
	s.write("hooks/guard.sh", guard)
	of.freshInputs(c, all)
	if of.noticed {
		t.Error("the content is the same, and something was noticed")
	}
	s.nextTick("hooks/guard.sh")
	s.write("hooks/guard.sh", guard+"# another\n")
	of.freshInputs(c, all)
	if !of.noticed {
		t.Error("another content was not noticed")
	}
	of.refresh([]string{"hooks/guard.sh"})
	of.noticed = false
	if err := os.Remove(s.path("hooks/guard.sh")); err != nil {
		t.Fatal(err)
	}
	if of.freshInputs(c, all); !of.noticed {
		t.Error("a file that is gone before it was looked at is not noticed")
	}
}
