//go:build unix

package session

import (
	"os"
	"testing"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/disk"
)

// TestStamp checks that every write of a file while a case runs changes its signature, even if
// the content is the same again and the modification time was restored.
func TestStamp(t *testing.T) {
	t.Parallel()
	s := newProjectFiles(t, map[string]string{"hooks/other.sh": guard})
	of := versions{project: s.Load(Filter{})}
	inputs := []suites.Input{{Path: "hooks/guard.sh", Section: "a"}, {Path: "hooks/guard.sh", Section: "b"}, {Path: "hooks/none.sh"}}
	long := time.Now().Add(-time.Hour)
	turnBack := func() {
		if err := os.Chtimes(s.Path("hooks/guard.sh"), long, long); err != nil {
			t.Fatal(err)
		}
	}
	stamp := func(inputs []suites.Input) (all [2]disk.Signature) {
		for i, path := range (CaseInputs{Inputs: inputs}).Files() {
			all[i] = of.signature(path)
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
		{"the same content, written again", func() { s.Write("hooks/guard.sh", guard) }},
		{"there and back", func() { s.Write("hooks/guard.sh", "x"); s.Write("hooks/guard.sh", guard) }},
		{"there and back, with the time of before", func() { s.Write("hooks/guard.sh", "x"); s.Write("hooks/guard.sh", guard); turnBack() }},
		{"another file of the same content in its place", func() {
			if err := os.Rename(s.Path("hooks/other.sh"), s.Path("hooks/guard.sh")); err != nil {
				t.Fatal(err)
			}
			turnBack()
		}},
		{"another mode", func() {
			if err := os.Chmod(s.Path("hooks/guard.sh"), 0o700); err != nil {
				t.Fatal(err)
			}
		}},
		{"gone", func() {
			if err := os.Remove(s.Path("hooks/guard.sh")); err != nil {
				t.Fatal(err)
			}
		}},
		{"one that was not there", func() { s.Write("hooks/none.sh", guard) }},
	} {
		nextTick(s, "hooks/guard.sh")
		tt.do()
		now := stamp(inputs)
		if now == last {
			t.Errorf("%s leaves no trace", tt.name)
		}
		last = now
	}
}

// nextTick waits until the file system's clock, which may be coarse, has advanced since the last
// change of the file.
func nextTick(s *projectFiles, name string) {
	s.T.Helper()
	fi, err := os.Stat(s.Path(name))
	if err != nil {
		return
	}
	was := disk.SignatureOf(fi).Changed
	for deadline := time.Now().Add(5 * time.Minute); time.Now().Before(deadline); {
		s.Write("clock", "")
		fi, err := os.Stat(s.Path("clock"))
		if err != nil {
			s.T.Fatal(err)
		}
		if disk.SignatureOf(fi).Changed != was {
			return
		}
	}
	s.T.Fatal("the clock stands still")
}

// TestNoticed checks that a change found at the end of a run is noted for the next selection, even
// if no batch reports it, and that the graph reads the file again.
func TestNoticed(t *testing.T) {
	t.Parallel()
	s := newProjectFiles(t, map[string]string{"suites/s.yaml": oneCase("A1", "expect: {exit: 0}")})
	p := s.Load(Filter{})
	of, c := versions{project: p}, p.Every()[0]
	all := func(in []suites.Input) []suites.Input { return in }
	seen := of.see(c, all)
	if changed := of.ChangedFiles(seen); changed != nil || of.noticed {
		t.Errorf("nothing changed: %v, noticed %v", changed, of.noticed)
	}
	nextTick(s, "hooks/guard.sh")
	s.Write("hooks/guard.sh", guard)
	if changed := of.ChangedFiles(seen); len(changed) != 1 || of.noticed {
		t.Errorf("the content is the same: %v, noticed %v", changed, of.noticed)
	}
	if changed := of.ChangedFiles(of.see(c, all)); changed != nil {
		t.Errorf("the file is seen again as it is now: %v", changed)
	}
	nextTick(s, "hooks/guard.sh")
	s.Write("hooks/guard.sh", guard+"# another\n")
	if changed := of.ChangedFiles(of.see(c, all)); len(changed) != 1 || !of.noticed {
		t.Errorf("other content: %v, noticed %v", changed, of.noticed)
	}
	if changed := of.ChangedFiles(of.see(c, all)); changed != nil {
		t.Errorf("the graph has read the other content: %v", changed)
	}
	of.noticed = false
	if err := os.Remove(s.Path("hooks/guard.sh")); err != nil {
		t.Fatal(err)
	}
	if of.ChangedFiles(of.see(c, all)); !of.noticed {
		t.Error("a missing file is not noticed")
	}
}

// TestUnseen checks that a file which was there for a moment leaves a trace, and that one which was
// missing all the time leaves none.
func TestUnseen(t *testing.T) {
	t.Parallel()
	s := newProjectFiles(t, map[string]string{"hooks/other.sh": guard})
	of := versions{project: s.Load(Filter{})}
	long := time.Now().Add(-time.Hour)
	if err := os.Chtimes(s.Path("hooks"), long, long); err != nil {
		t.Fatal(err)
	}
	const missing = "hooks/none.sh"
	see := func(at time.Time) CaseInputs {
		return CaseInputs{Inputs: []suites.Input{{Path: missing}}, signatures: []disk.Signature{of.signature(missing)}, at: at}
	}
	if of.unseen(see(time.Now().Add(time.Hour)), []string{missing}) {
		t.Error("nothing happened")
	}
	before := see(time.Now())
	s.Write(missing, guard)
	if err := os.Remove(s.Path(missing)); err != nil {
		t.Fatal(err)
	}
	if !of.unseen(before, []string{missing}) {
		t.Error("it was there for a moment")
	}
	if of.unseen(before, []string{"hooks/other.sh"}) {
		t.Error("another file was there")
	}
}
