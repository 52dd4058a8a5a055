package record

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hookwatch/suites"
)

// elsewhere writes records on the machine of a clone's author, and returns the place as
// the user sees it.
func elsewhere(t *testing.T) Place {
	t.Helper()
	top := t.TempDir()
	p := Place{Base: filepath.Join(top, "clone"), Dir: filepath.Join(top, "clone", "results"), Marks: filepath.Join(top, "author")}
	s := open(t, Options{Place: p})
	r := rec("r1", "pm/P01", "theirs")
	begin(t, s, "r1", true, r)
	must(t, s.KeepEvidence(r.Key(), &Evidence{Digests: r.Digests}))
	must(t, s.KeepRegistrations([]Registration{{Hook: "theirs.sh"}}))
	must(t, s.EndFull([]suites.Record{r}, inputs("P01"), suites.Environment{OS: "theirs"}, nil, noon))
	must(t, s.Begin(Run{ID: "r2", Keys: keys([]suites.Record{r})})) // and killed
	must(t, s.Close())
	p.Marks = filepath.Join(top, "person")
	return p
}

// TestRecordsOfAClone checks that records of a clone are only history, and do not count as
// the last run.
func TestRecordsOfAClone(t *testing.T) {
	t.Parallel()
	p := elsewhere(t)
	r, err := OpenReader(p)
	must(t, err)
	defer r.Close()
	now, err := r.Present()
	must(t, err)
	if d := diffSnapshots(Snapshot{Warnings: now.Warnings[:1]}, now); d != "" {
		t.Errorf("before it is written (-want +got):\n%s", d)
	}
	if e := r.Evidence(suites.Key{Suite: "pm", ID: "P01"}); e != nil {
		t.Errorf("before it is written: evidence %+v", e)
	}
	for range 2 {
		s := open(t, Options{Place: p})
		snap := s.Snapshot()
		if d := diffSnapshots(Snapshot{Warnings: snap.Warnings, LastFull: noon}, snap); d != "" {
			t.Errorf("it counts (-want +got):\n%s", d)
		}
		if in, e := s.Interruption(), s.Evidence(suites.Key{Suite: "pm", ID: "P01"}); in != nil || e != nil {
			t.Errorf("it counts: interrupted %+v, evidence %+v", in, e)
		}
		if all := ReadRegistrations(p); len(all) > 0 {
			t.Errorf("they count: registrations %+v", all)
		}
		must(t, s.Close())
	}
	past, err := reader(t, p.Dir).Past()
	must(t, err)
	if len(past.Records) != 1 || past.Records[0].Note != "theirs" {
		t.Errorf("history: %+v", past.Records)
	}
	s := open(t, Options{Place: p})
	runSelected(t, s, "r3", rec("r3", "pm/P02", "ours"))
	must(t, s.KeepEvidence(suites.Key{Suite: "pm", ID: "P02"}, &Evidence{}))
	must(t, s.Close())
	again := open(t, Options{Place: p})
	if d := cmp.Diff([]string{"pm-agent-20260301T120000Z.jsonl: pm/P02=ours"}, describe(again.Snapshot())); d != "" {
		t.Errorf("own records (-want +got):\n%s", d)
	}
	if again.Evidence(suites.Key{Suite: "pm", ID: "P02"}) == nil {
		t.Error("own evidence is missing")
	}
}

// TestRecordsRestored checks that such records count once the user declares them as
// restored.
func TestRecordsRestored(t *testing.T) {
	t.Parallel()
	p := elsewhere(t)
	for _, restored := range []bool{true, false} {
		p.Restored = restored
		s := open(t, Options{Place: p})
		if d := cmp.Diff([]string{"pm-agent-20260301T120000Z.jsonl: pm/P01=theirs"}, describe(s.Snapshot())); d != "" {
			t.Errorf("restored %v (-want +got):\n%s", restored, d)
		}
		if s.Evidence(suites.Key{Suite: "pm", ID: "P01"}) == nil {
			t.Errorf("restored %v: evidence is missing", restored)
		}
		must(t, s.Close())
	}
}

// TestAnotherDirectoryInItsPlace checks that a directory which was deleted and cloned
// again is not the user's, whatever its .origin contains.
func TestAnotherDirectoryInItsPlace(t *testing.T) {
	t.Parallel()
	p := elsewhere(t)
	mine := p
	mine.Base, mine.Dir = filepath.Join(filepath.Dir(p.Base), "mine"), filepath.Join(filepath.Dir(p.Base), "mine", "results")
	s := open(t, Options{Place: mine})
	runSelected(t, s, "r1", rec("r1", "pm/P01", "ours"))
	must(t, s.Close())
	must(t, os.RemoveAll(mine.Base))
	must(t, os.Rename(p.Base, mine.Base))
	if snap := open(t, Options{Place: mine}).Snapshot(); len(snap.Records) != 0 {
		t.Errorf("it counts: %q", describe(snap))
	}
}

// TestNewerLayout checks that a newer layout is reported and nothing is changed.
func TestNewerLayout(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "results")
	s := open(t, Options{Place: at(dir)})
	runFull(t, s, "r1", noon, rec("r1", "pm/P01", "1"))
	must(t, s.Close())
	later := newOrigin()
	later.Version++
	text, err := json.Marshal(later)
	must(t, err)
	write(t, filepath.Join(dir, Name), string(text))
	before := list(t, dir)
	_, err = Open(Options{Place: at(dir)})
	var failed *WriteError
	var newer *NewerError
	if !errors.As(err, &failed) || !errors.As(err, &newer) {
		t.Fatalf("opening: %v", err)
	}
	if d := cmp.Diff(&NewerError{Dir: dir, Version: later.Version}, newer); d != "" {
		t.Errorf("opening (-want +got):\n%s", d)
	}
	if _, err := OpenReader(at(dir)); err == nil {
		t.Error("reading")
	}
	if after := list(t, dir); strings.Join(before, " ") != strings.Join(after, " ") {
		t.Errorf("it holds %v, before %v", after, before)
	}
}
