package session

import (
	"encoding/json"
	"maps"
	"path"
	"slices"

	"hookwatch/cmd/internal/notify"
	"hookwatch/suites"
	"hookwatch/suites/depend"
	"hookwatch/suites/depend/narrow"
	"hookwatch/suites/depend/trace"
	"hookwatch/suites/record"
)

// A narrowing is what is known of which cases a change does not affect.
type narrowing struct {
	reader     *narrow.Reader // of the latest selection
	evidence   map[suites.Key]*evidence
	dirty      map[suites.Key]bool // evidence that is not on disk yet
	unaffected map[suites.Key]string
	before     map[suites.Key]*trace.Trace // traces as they were before the latest selection
}

// evidence is what is kept of a case, decoded. The zero value says that nothing is.
type evidence struct {
	record.Evidence
	trace *trace.Trace
}

func newNarrowing() narrowing {
	return narrowing{
		evidence: make(map[suites.Key]*evidence), dirty: make(map[suites.Key]bool),
		unaffected: make(map[suites.Key]string), before: make(map[suites.Key]*trace.Trace),
	}
}

// neverRuns is why a case is not affected that would be skipped anyway.
const neverRuns = "it is skipped whatever its inputs"

// beginSelection begins a selection: what it finds out is about the files as they are.
func (s *Session) beginSelection() {
	s.narrow.reader = narrow.NewReader(s.content)
	clear(s.narrow.unaffected)
	clear(s.narrow.before)
}

// evidenceOf is what is kept of a case that belongs to a record with these
// digests; nil when nothing does.
func (s *Session) evidenceOf(k suites.Key, d suites.Digests) *evidence {
	e, known := s.narrow.evidence[k]
	if !known {
		e = s.readEvidence(k)
		s.narrow.evidence[k] = e
	}
	if e.Digests != d {
		return nil
	}
	return e
}

func (s *Session) readEvidence(k suites.Key) *evidence {
	kept := s.memory().Evidence(k)
	if kept == nil || kept.Now != depend.InputsDigest(kept.Inputs) {
		return &evidence{}
	}
	e := &evidence{Evidence: *kept}
	if len(kept.Trace) > 0 {
		e.trace = new(trace.Trace)
		if json.Unmarshal(kept.Trace, e.trace) != nil {
			e.trace = nil
		}
	}
	e.Trace = nil
	return e
}

// unaffected asks whether a case whose inputs are others than those of its verdict
// can do without a run all the same. If it cannot, because says which inputs
// changed, and why that matters.
func (s *Session) unaffected(c *suites.Case, past suites.Digests) (unaffected bool, because []string, changed []suites.Input) {
	key := c.Key()
	e := s.evidenceOf(key, past)
	if v := s.present[key]; v != nil && v.layer == suites.Live && v.status == suites.Skip {
		s.narrow.unaffected[key] = neverRuns
		return true, nil, nil
	}
	before, known := s.inputs[past.Inputs]
	if e != nil {
		before, known = e.Inputs, true
	}
	if !known {
		return false, []string{"its inputs changed"}, nil
	}
	now := s.withoutOwn(s.p.Graph.Inputs(c))
	differences := depend.Changed(s.withoutOwn(before), now)
	for _, d := range differences {
		changed = append(changed, d.Input)
	}
	if len(differences) == 0 {
		s.narrow.unaffected[key] = "nothing that it depends on changed since"
		return true, nil, nil
	}
	a := s.ask(c, e, differences)
	if !a.Unaffected {
		return false, []string{a.Because}, changed
	}
	s.narrow.unaffected[key] = a.Because
	s.carry(key, past, e, a.Trace, now)
	return true, nil, nil
}

// wide says why a case of this definition is always affected, whatever its
// trace; "" when it may be.
func (s *Session) wide(k suites.Key, definition string) string {
	e := s.narrow.evidence[k]
	if e == nil {
		e = s.readEvidence(k)
	}
	if e.Digests.Case != definition {
		return ""
	}
	return e.Wide
}

func (s *Session) ask(c *suites.Case, e *evidence, differences []depend.Difference) narrow.Answer {
	q := narrow.Question{Changed: differences, Scripts: s.p.Graph.Scripts(c)}
	if e != nil {
		if e.Wide != "" {
			return narrow.Answer{Because: e.Wide}
		}
		q.Trace = e.trace
		s.narrow.before[c.Key()] = e.trace
	}
	return s.narrow.reader.Decide(q)
}

// NotAffected lists the cases that the latest change did not affect, and why.
func (s *Session) NotAffected() []notify.Selection {
	var out []notify.Selection
	if len(s.narrow.unaffected) == 0 {
		return nil
	}
	for _, c := range s.p.Every() {
		if because, ok := s.narrow.unaffected[c.Key()]; ok {
			out = append(out, notify.Selection{Key: c.Key(), Because: []string{because}})
		}
	}
	return out
}

// Uncovered names the places of the latest change that no case executes.
func (s *Session) Uncovered() []string {
	var out []string
	for _, u := range s.narrow.reader.Uncovered(s.tracesOf) {
		out = append(out, u.String())
	}
	return out
}

// tracesOf lists, of all cases that may run a script, the traces as they were
// before the latest change.
func (s *Session) tracesOf(script string) []*trace.Trace {
	var out []*trace.Trace
	for _, c := range s.p.Every() {
		if !s.p.Graph.Runs(c, script) {
			continue
		}
		if v := s.present[c.Key()]; v != nil && v.status == suites.Skip {
			continue // what it needs is absent: it runs nothing here
		}
		out = append(out, s.narrow.before[c.Key()])
	}
	return out
}

// carry notes that the verdict of a case is about its inputs as they are now.
func (s *Session) carry(k suites.Key, past suites.Digests, e *evidence, t *trace.Trace, now []suites.Input) {
	next := &evidence{trace: t}
	if e != nil {
		*next = *e
		next.trace = t
	}
	next.Digests, next.Now, next.Inputs = past, depend.InputsDigest(now), now
	s.narrow.evidence[k] = next
	s.narrow.dirty[k] = true
}

// flush writes evidence that is not on disk yet, and the contents that it is
// about. What cannot be written stays in memory for the next flush: that a case is
// always affected from now on must outlive a disk that is full for a while.
func (s *Session) flush() {
	if s.o.Store == nil {
		return
	}
	kept := make(map[string]bool)
	for k := range s.narrow.dirty {
		e := s.narrow.evidence[k]
		s.keepContents(e.Inputs, kept)
		if s.keepEvidence(k, e) != nil {
			return
		}
		delete(s.narrow.dirty, k)
	}
}

func (s *Session) keepEvidence(k suites.Key, e *evidence) error {
	kept := e.Evidence
	if e.trace != nil {
		b, err := json.Marshal(e.trace)
		if err != nil {
			return err
		}
		kept.Trace = b
	}
	return s.o.Store.KeepEvidence(k, &kept)
}

// rest gives up what can be read again.
func (n *narrowing) rest() {
	n.forget()
	n.reader = nil
	clear(n.before)
}

// forget gives up the evidence that is on disk.
func (n *narrowing) forget() {
	maps.DeleteFunc(n.evidence, func(k suites.Key, _ *evidence) bool { return !n.dirty[k] })
}

// keptExtensions are those of files that are worth keeping the content of, to
// compare a later one with. Scripts have others too, or none.
var keptExtensions = []string{".sh", ".bash", ".json", ""}

// keepContents keeps the contents of inputs, but for those that are kept already.
func (s *Session) keepContents(inputs []suites.Input, kept map[string]bool) {
	for _, in := range inputs {
		if in.Section != "" || in.Digest == "" || kept[in.Digest] || !slices.Contains(keptExtensions, path.Ext(in.Path)) {
			continue
		}
		kept[in.Digest] = true
		if s.o.Store.KeepContent(in.Digest, func() []byte { return s.contentNow(in.Path, in.Digest) }) != nil {
			return
		}
	}
}

// content gives a file's content by the digest of an input: the present one, or
// one that was kept. "" asks for the present one, whatever its digest.
func (s *Session) content(file, digest string) []byte {
	if b := s.contentNow(file, digest); b != nil {
		return b
	}
	if b := s.memory().Content(digest); b != nil && narrow.Digest(b) == digest {
		return b
	}
	return nil
}

// keptSize is how large a file may be whose content is looked into.
const keptSize = 1 << 20

// contentNow reads a file as it is, in the form that its digest is of; nil when it
// is not the one that was asked for.
func (s *Session) contentNow(rel, digest string) []byte {
	f, err := s.p.Reader.Anywhere().Open(s.p.Config.Abs(rel), keptSize)
	if err != nil {
		return nil
	}
	defer f.Close()
	b, err := f.ReadAll(keptSize)
	if err != nil {
		return nil
	}
	runnable := byte('-')
	if f.Info.Mode()&0o111 != 0 {
		runnable = 'x'
	}
	b = append([]byte{runnable}, b...)
	if digest != "" && narrow.Digest(b) != digest {
		return nil
	}
	return b
}
