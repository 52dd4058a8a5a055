package session

import (
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hookwatch/suites"
	"hookwatch/suites/depend"
	"hookwatch/suites/depend/trace"
	"hookwatch/suites/disk"
	"hookwatch/suites/record"
)

// onDisk is a directory of records in which some suites cannot be written.
type onDisk struct {
	evidence map[suites.Key]*record.Evidence
	contents map[string][]byte
	observed record.Observed
	blocked  string
}

func newOnDisk() *onDisk {
	return &onDisk{evidence: make(map[suites.Key]*record.Evidence), contents: make(map[string][]byte)}
}

func (d *onDisk) Evidence(k suites.Key) *record.Evidence { return d.evidence[k] }
func (d *onDisk) Content(digest string) []byte           { return d.contents[digest] }

func (d *onDisk) Observed() record.Observed { return d.observed }

func (d *onDisk) KeepObserved(o record.Observed) error {
	d.observed = o
	return nil
}

func (d *onDisk) KeepEvidence(k suites.Key, e *record.Evidence) error {
	if k.Suite == d.blocked {
		return errors.New("the disk is full")
	}
	d.evidence[k] = e
	return nil
}

func (d *onDisk) KeepContent(digest string, content func() []byte) error {
	d.contents[digest] = content()
	return nil
}

// all removes no inputs.
func all(inputs []suites.Input) []suites.Input { return inputs }

func selectionKeys(names string) (out []suites.Key) {
	for name := range strings.FieldsSeq(names) {
		suite, id, _ := strings.Cut(name, "/")
		out = append(out, suites.Key{Suite: suite, ID: id})
	}
	return out
}

// TestSaveThatFails checks that evidence which could not be written is kept, and written as soon
// as possible.
func TestSaveThatFails(t *testing.T) {
	t.Parallel()
	d := newOnDisk()
	d.blocked = "blocked"
	s := newSelector(func() storedContents { return d })
	s.Use(depend.New(depend.Project{}), &contents{})
	all := selectionKeys("blocked/A blocked/B free/A free/B")
	for _, k := range all {
		s.Widen(k, suites.Digests{Case: "c"}, nil, "an audit")
	}
	for range 2 {
		s.Save(d)
		s.Forget()
		for _, k := range all {
			if held, written := s.memory.evidence[k] != nil, d.evidence[k] != nil; held == written {
				t.Errorf("%s: in memory %v, on disk %v", k, held, written)
			}
		}
	}
	d.blocked = ""
	if s.Save(d); s.Unsaved() > 0 || len(d.evidence) != len(all) {
		t.Errorf("saved: %d are left, on disk %v", s.Unsaved(), slices.Collect(maps.Keys(d.evidence)))
	}
}

// TestEvidence checks that a trace is available for its own verdict only, from memory and from
// disk, and that a widened case stays wide as long as its definition is the same.
func TestEvidence(t *testing.T) {
	t.Parallel()
	d := newOnDisk()
	s := newSelector(func() storedContents { return d })
	root := t.TempDir()
	s.Use(depend.New(depend.Project{}), &contents{Reader: disk.Reader{Root: root}, Abs: func(name string) string { return filepath.Join(root, name) }})
	k := suites.Key{Suite: "s", ID: "A"}
	inputs := []suites.Input{{Path: "h.sh", Digest: "1"}}
	verdict := suites.Digests{Case: "c", Inputs: depend.InputsDigest(inputs)}
	s.Widen(k, verdict, inputs, "an audit")
	s.Traced(&suites.Case{Suite: k.Suite, ID: k.ID}, verdict, inputs, &trace.Trace{Incomplete: "x"}, all)
	check := func(when string) {
		t.Helper()
		e := s.Evidence(k, verdict)
		if e == nil || e.Trace == nil || e.Trace.Incomplete != "x" || e.Wide != "an audit" || len(e.Inputs) != 1 {
			t.Errorf("%s: %+v", when, e)
		}
		if s.Evidence(k, suites.Digests{Case: "other"}) != nil {
			t.Errorf("%s: there is evidence for another verdict", when)
		}
	}
	check("in memory")
	if s.Release(k); s.memory.evidence[k] == nil {
		t.Error("given up before it was saved")
	}
	s.Save(d)
	if s.Release(k); s.memory.evidence[k] != nil {
		t.Error("kept although it is on disk")
	}
	check("on disk")
	other := suites.Digests{Case: "edited"}
	if s.Traced(&suites.Case{Suite: k.Suite, ID: k.ID}, other, nil, &trace.Trace{}, all); s.Evidence(k, other).Wide != "" {
		t.Error("wide in another definition")
	}
}
