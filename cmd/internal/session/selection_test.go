package session

import (
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
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

func (d *onDisk) ReadObserved() record.Observed { return d.observed }

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
	if s.Save(d); s.UnsavedCount() > 0 || len(d.evidence) != len(all) {
		t.Errorf("saved: %d are left, on disk %v", s.UnsavedCount(), slices.Collect(maps.Keys(d.evidence)))
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
	s.PutTrace(&suites.Case{Suite: k.Suite, ID: k.ID}, verdict, inputs, &trace.Trace{Form: trace.Form, Incomplete: "x"}, all)
	check := func(when string) {
		t.Helper()
		e := s.Evidence(k, verdict)
		if e == nil || e.Trace == nil {
			t.Fatalf("%s: %+v", when, e)
		}
		equal(t, when+": trace and reason", []string{"x", "an audit"}, []string{e.Trace.Incomplete, e.Wide})
		equal(t, when+": inputs", inputs, e.Inputs)
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
	earlier := *d.evidence[k]
	earlier.Trace = []byte(`{"incomplete":"x"}`)
	d.evidence[k] = &earlier
	if readEvidence(d, k).Trace != nil {
		t.Error("a trace of an earlier version is used")
	}
	other := suites.Digests{Case: "edited"}
	if s.PutTrace(&suites.Case{Suite: k.Suite, ID: k.ID}, other, nil, &trace.Trace{}, all); s.Evidence(k, other).Wide != "" {
		t.Error("wide in another definition")
	}
}

// TestComparedValues checks that the values which a trace compared are kept while its evidence is on disk, and that they are
// not there.
func TestComparedValues(t *testing.T) {
	t.Parallel()
	d := newOnDisk()
	s := newSelector(func() storedContents { return d })
	root := t.TempDir()
	s.Use(depend.New(depend.Project{}), &contents{Reader: disk.Reader{Root: root}, Abs: func(name string) string { return filepath.Join(root, name) }})
	before, after := "#!/bin/bash\n[[ $x == a ]]\n", "#!/bin/bash\n[[ $x == b ]]\n"
	if err := os.WriteFile(filepath.Join(root, "h.sh"), []byte(before), 0o755); err != nil {
		t.Fatal(err)
	}
	log := "B\x1f" + root + "\x1fh.sh\x00V\x1f\x1fh.sh\x1f" + root + "\x1f\x1f[[ $x == a ]]\x1fx=s3cret\x00E\x1f1\x1f2\x1f\x1fh.sh\x1f" + root + "\x1f[[ $x == a ]]\x00"
	outcome := suites.Outcome{Root: root, Results: []suites.Result{{}}, Trace: map[string][]byte{}}
	for _, name := range trace.Start(root, nil).Logs {
		outcome.Trace[name] = nil
	}
	outcome.Trace["bash/log"] = []byte(log)
	k := suites.Key{Suite: "s", ID: "A"}
	verdict := suites.Digests{Case: "c"}
	by := trace.NewScripts(func(path string) ([]byte, error) { return os.ReadFile(filepath.Join(root, path)) })
	s.PutTrace(&suites.Case{Suite: k.Suite, ID: k.ID}, verdict, nil, trace.DecodeOutcome(&outcome, []string{"h.sh"}, by), all)
	edits := trace.Compare("h.sh", []byte(before), []byte(after))
	check := func(when string, of *caseEvidence, want bool) {
		t.Helper()
		if affected, why := trace.Affected(edits, of.Trace); affected != want {
			t.Errorf("%s: affected %v: %s", when, affected, why)
		}
	}
	check("in memory", s.Evidence(k, verdict), false)
	s.Save(d)
	s.Release(k)
	if s.memory.evidence[k] != nil || strings.Contains(string(d.evidence[k].Trace), "s3cret") {
		t.Errorf("released: %v, on disk: %s", s.memory.evidence[k], d.evidence[k].Trace)
	}
	check("on disk", readEvidence(d, k), true)
	check("after a rest", s.Evidence(k, verdict), false)
	s.Rest()
	other := *d.evidence[k]
	other.Digests.Case = "edited"
	d.evidence[k] = &other
	check("of another verdict", s.Evidence(k, other.Digests), true)
	for name, c := range map[string]*suites.Case{
		"with programs of its own": {CaseEnv: &suites.CaseEnv{Programs: []suites.Program{{Name: "grep"}}}},
		"with a PATH of its own":   {Steps: []suites.Step{{Env: map[string]string{"PATH": "bin"}}}},
	} {
		c.Suite, c.ID = k.Suite, k.ID
		s.PutTrace(c, verdict, nil, trace.DecodeOutcome(&outcome, []string{"h.sh"}, by), all)
		check(name, s.Evidence(k, verdict), true)
	}
}

// TestObserved follows the observed inputs of a case over edits and runs: a file that no script
// names selects the case until there is a verdict on the new content, even if the process ends
// before, and a run on the same content keeps what was observed.
func TestObserved(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write := func(name, content string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(root, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("h.sh", "#!/bin/bash\n")
	write("data", "1")
	d, c := newOnDisk(), &suites.Case{Suite: "s", ID: "A", Hook: "h.sh", Digest: "c"}
	k := c.Key()
	begin := func() (*selector, *depend.Graph) {
		s, g := newSelector(func() storedContents { return d }), depend.New(depend.Project{Root: root, Reader: disk.Reader{Root: root}})
		s.Use(g, &contents{Reader: disk.Reader{Root: root}, Abs: func(name string) string { return filepath.Join(root, name) }, Records: func() storedContents { return d }})
		s.Begin()
		return s, g
	}
	s, g := begin()
	of := func() suites.Digests { return suites.Digests{Case: "c", Inputs: g.Digest(c)} }
	verdict := of()
	trace := &trace.Trace{Observed: &trace.Observed{Paths: []string{"data", "h.sh", "none"}}}
	stale := func(want bool, when string) {
		t.Helper()
		recorded := verdict
		if applied := s.AppliedDigest(k, verdict.Inputs); applied != g.Digest(c) {
			unaffected := s.CheckUnaffected(c, recordedVerdict{Digests: recorded}, all).Unaffected
			if unaffected == want {
				t.Errorf("%s: the verdict is unaffected: %v", when, unaffected)
			}
		} else if want {
			t.Errorf("%s: nothing seems to have changed", when)
		}
	}
	s.PutTrace(c, verdict, g.Inputs(c), trace, all)
	stale(false, "observed")
	write("data", "2")
	g.Refresh([]string{"data"})
	stale(true, "edited")
	s.Starting(c, of())
	stale(true, "started")
	if !depend.Places(g.Inputs(c), "data") {
		t.Error("a run on other content forgets what was observed before")
	}
	s.Save(d)
	s, g = begin()
	stale(true, "in another process, without a verdict")
	s.Starting(c, of())
	verdict = of()
	s.Conclude(k, verdict)
	stale(false, "run again")
	if s.Evidence(k, verdict) != nil {
		t.Error("the trace of other content counts")
	}
	s.PutTrace(c, verdict, g.Inputs(c), trace, all)
	s.Starting(c, of())
	verdict = of()
	s.Conclude(k, verdict)
	if stale(false, "run on the same content"); s.Evidence(k, verdict) == nil {
		t.Error("the trace of the same content is lost")
	}
	write("none", "")
	g.Refresh([]string{"none"})
	stale(true, "a missing file appeared")
}

// TestMend edits, selects, runs, traces and restarts at random, with few contents, so that files
// often return to an earlier one: if the last trace has shown what the case reads, each selection
// leaves the verdict of the present content. No analysis finds which of the two files that is.
func TestMend(t *testing.T) {
	t.Parallel()
	for seed := range uint64(25) {
		random := rand.New(rand.NewPCG(seed, 45))
		m := newMender(t)
		var done []string
		for range 40 {
			op := []string{"edit", "edit", "edit", "select", "select", "trace", "restart", "supersede"}[random.IntN(8)]
			if op == "edit" {
				op += " " + []string{"h.sh", "a", "b"}[random.IntN(3)]
				m.edit(op[5:], strconv.Itoa(1+random.IntN(2)))
			} else {
				m.do(op)
			}
			done = append(done, op)
			if op == "select" && m.traced == m.uses() && m.result != m.present() {
				t.Fatalf("seed %d: %s: the verdict is that of %s, the content %s", seed, strings.Join(done, ", "), m.result, m.present())
			}
		}
	}
}

// A mender is a case that reads file a or b, depending on its script, and its knowledge.
type mender struct {
	t        *testing.T
	root     string
	disk     *onDisk
	c        *suites.Case
	selector *selector
	graph    *depend.Graph
	verdict  suites.Digests
	inputs   []suites.Input
	result   string // what the case read in its last run
	traced   string // the file that it read in its last trace
}

func newMender(t *testing.T) *mender {
	m := &mender{t: t, root: t.TempDir(), disk: newOnDisk(), c: &suites.Case{Suite: "s", ID: "A", Hook: "h.sh", Digest: "c"}}
	for _, name := range []string{"h.sh", "a", "b"} {
		m.write(name, "1")
	}
	m.do("restart")
	return m
}

func (m *mender) write(name, content string) {
	m.t.Helper()
	if err := os.WriteFile(filepath.Join(m.root, name), []byte("#!/bin/bash\n: "+content+"\n"), 0o600); err != nil {
		m.t.Fatal(err)
	}
}

func (m *mender) read(name string) string {
	b, err := os.ReadFile(filepath.Join(m.root, name))
	if err != nil {
		m.t.Fatal(err)
	}
	return string(b[len(b)-2 : len(b)-1])
}

// uses returns the file that the script reads now.
func (m *mender) uses() string { return map[string]string{"1": "a", "2": "b"}[m.read("h.sh")] }

// present returns what a run would read.
func (m *mender) present() string { return m.uses() + m.read(m.uses()) }

// edit saves a file, which the graph learns only if some case depends on it.
func (m *mender) edit(name, content string) {
	m.write(name, content)
	if slices.Contains(m.graph.Files(), name) {
		m.graph.Refresh([]string{name})
	}
}

func (m *mender) digests() suites.Digests {
	return suites.Digests{Case: "c", Inputs: m.graph.Digest(m.c)}
}

func (m *mender) do(op string) {
	k := m.c.Key()
	switch op {
	case "restart":
		if m.selector != nil {
			m.selector.Save(m.disk)
		}
		r := disk.Reader{Root: m.root}
		m.selector, m.graph = newSelector(func() storedContents { return m.disk }), depend.New(depend.Project{Root: m.root, Reader: r})
		m.selector.Use(m.graph, &contents{Reader: r, Abs: func(name string) string { return filepath.Join(m.root, name) }, Records: func() storedContents { return m.disk }})
		m.graph.Inputs(m.c)
	case "supersede": // a run that gets no verdict
		m.selector.Starting(m.c, m.digests())
	case "select":
		m.selector.Begin()
		if m.verdict.Case != "" && m.selector.AppliedDigest(k, m.verdict.Inputs) == m.graph.Digest(m.c) {
			return
		}
		v := recordedVerdict{Digests: m.verdict, Inputs: m.inputs, Known: true}
		if m.verdict.Case != "" && m.selector.CheckUnaffected(m.c, v, all).Unaffected {
			return
		}
		m.selector.Starting(m.c, m.digests())
		m.verdict, m.inputs, m.result = m.digests(), m.graph.Inputs(m.c), m.present()
		m.selector.Conclude(k, m.verdict)
	case "trace":
		if m.result != m.present() || m.selector.AppliedDigest(k, m.verdict.Inputs) != m.graph.Digest(m.c) {
			return // nothing to trace yet, or its verdict is about other content
		}
		used := &trace.Trace{Form: trace.Form, Incomplete: "x", Observed: &trace.Observed{Paths: []string{m.uses(), "h.sh"}}}
		m.selector.PutTrace(m.c, m.verdict, m.graph.Inputs(m.c), used, all)
		m.traced = m.uses()
	}
}
