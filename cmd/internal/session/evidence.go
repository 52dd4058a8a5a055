package session

import (
	"encoding/json"
	"path"

	"hookwatch/suites"
	"hookwatch/suites/depend"
	"hookwatch/suites/depend/trace"
	"hookwatch/suites/disk"
	"hookwatch/suites/record"
	"hookwatch/suites/shell"
)

// caseEvidence is the stored data of a case. The zero value means that there is none.
type caseEvidence struct {
	record.Evidence
	Trace *trace.Trace // decoded; nil if there is none
}

// An evidenceMemory contains evidence that was read, and evidence that is not on disk yet.
type evidenceMemory struct {
	records  func() storedContents
	evidence map[suites.Key]*caseEvidence
	unsaved  map[suites.Key]bool
	compared map[suites.Key]compared
}

// compared are the values of the trace for a verdict, which are in memory alone.
type compared struct {
	of     suites.Digests
	now    string
	values trace.Compared
}

// of returns the evidence of a case in its current definition, even if it is for an earlier
// verdict. It is never nil.
func (m *evidenceMemory) of(k suites.Key) *caseEvidence {
	e, known := m.evidence[k]
	if !known {
		e = readEvidence(m.records(), k)
		if c := m.compared[k]; e.Trace != nil && c.of == e.Digests && c.now == e.Now {
			e.Trace.Recall(c.values)
		}
		m.evidence[k] = e
	}
	return e
}

func readEvidence(from storedContents, k suites.Key) *caseEvidence {
	kept := from.Evidence(k)
	if kept == nil || kept.Now != depend.InputsDigest(kept.Inputs) {
		return &caseEvidence{}
	}
	e := &caseEvidence{Evidence: *kept}
	if len(kept.Trace) > 0 {
		e.Trace = new(trace.Trace)
		if json.Unmarshal(kept.Trace, e.Trace) != nil || e.Trace.Form != trace.Form {
			e.Trace = nil
		}
	}
	e.Evidence.Trace = nil
	return e
}

func (m *evidenceMemory) put(k suites.Key, e *caseEvidence) {
	m.evidence[k], m.unsaved[k] = e, true
}

// forget drops the evidence of a case that is on disk, but for the values that are not.
func (m *evidenceMemory) forget(k suites.Key) {
	e := m.evidence[k]
	if e == nil || m.unsaved[k] {
		return
	}
	delete(m.compared, k)
	if values := e.Trace.Compared(); values != nil {
		m.compared[k] = compared{e.Digests, e.Now, values}
	}
	delete(m.evidence, k)
}

// forgetAll drops the evidence of all cases that is on disk.
func (m *evidenceMemory) forgetAll() {
	for k := range m.evidence {
		m.forget(k)
	}
}

// save writes evidence that is not on disk yet, after the contents of its inputs. If writing
// fails, the evidence stays in memory for the next call, because a case that was widened must
// remain so after a disk was full for a while.
func (m *evidenceMemory) save(to contentKeeper, from *contents) {
	kept := make(map[string]bool)
	for k := range m.unsaved {
		e := m.evidence[k]
		from.Keep(to, e.Inputs, kept)
		if writeEvidence(to, k, e) != nil {
			return
		}
		delete(m.unsaved, k)
	}
}

func writeEvidence(to contentKeeper, k suites.Key, e *caseEvidence) error {
	kept := e.Evidence
	if e.Trace != nil {
		b, err := json.Marshal(e.Trace)
		if err != nil {
			return err
		}
		kept.Trace = b
	}
	return to.KeepEvidence(k, &kept)
}

// contents returns files by the digest of an input, from the current files or from stored
// contents.
type contents struct {
	Reader  disk.Reader
	Abs     func(path string) string // of a slash path from the project's root
	Records func() storedContents

	graph *depend.Graph // has the content of depend.Elsewhere
}

// keepsContent reports whether the content of a file is stored for comparison with a later one:
// that of JSON, and of files that may be scripts by their name.
func keepsContent(file string) bool {
	ext := path.Ext(file)
	return ext == "" || ext == ".json" || shell.ByExtension(file) != ""
}

// keptSize is the maximum size in bytes of a file whose content is read.
const keptSize = 1 << 20

// Keep stores the contents of inputs that are not stored yet.
func (c *contents) Keep(to contentKeeper, inputs []suites.Input, kept map[string]bool) {
	for _, in := range inputs {
		if in.Section != "" || in.Digest == "" || kept[in.Digest] || in.Path != depend.Elsewhere && !keepsContent(in.Path) {
			continue
		}
		kept[in.Digest] = true
		if to.KeepContent(in.Digest, func() []byte { return c.current(in.Path, in.Digest) }) != nil {
			return
		}
	}
}

// of returns a file's content for the digest of an input, from the current file or from stored
// contents. If digest is "", it returns the current content.
func (c *contents) of(file, digest string) []byte {
	if b := c.current(file, digest); b != nil {
		return b
	}
	if b := c.Records().Content(digest); b != nil && suites.Digest(b) == digest {
		return b
	}
	return nil
}

// Script returns the current text of a file.
func (c *contents) Script(file string) ([]byte, error) {
	return c.Reader.Anywhere().ReadFile(c.Abs(file), keptSize)
}

// current returns the current content of a file in the form that its digest covers, and nil if the
// file has another digest.
func (c *contents) current(file, digest string) []byte {
	if file == depend.Elsewhere {
		return c.graph.OtherFiles(digest)
	}
	f, err := c.Reader.Anywhere().Open(c.Abs(file), keptSize)
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
		runnable = depend.Runnable
	}
	b = append([]byte{runnable}, b...)
	if digest != "" && suites.Digest(b) != digest {
		return nil
	}
	return b
}

// storedContents reads the data that is stored with verdicts.
type storedContents interface {
	Evidence(k suites.Key) *record.Evidence
	ReadObserved() record.Observed
	Content(digest string) []byte
}

// A contentKeeper stores the data of storedContents.
type contentKeeper interface {
	KeepEvidence(k suites.Key, e *record.Evidence) error
	KeepObserved(o record.Observed) error
	KeepContent(digest string, content func() []byte) error
}
