// Package selection decides which cases a change affects. Markers widen, traces narrow: the
// trace of a case is stored with its verdict and compared with an edit.
package selection

import (
	"encoding/json"
	"maps"

	"hookwatch/suites"
	"hookwatch/suites/depend"
	"hookwatch/suites/depend/trace"
	"hookwatch/suites/record"
)

// Evidence is the stored data of a case. The zero value means that there is none.
type Evidence struct {
	record.Evidence
	Trace *trace.Trace // decoded; nil if there is none
}

// A memory contains evidence that was read, and evidence that is not on disk yet.
type memory struct {
	records  func() Records
	evidence map[suites.Key]*Evidence
	unsaved  map[suites.Key]bool
}

// of returns the evidence of a case in its current definition, even if it is for an earlier
// verdict. It is never nil.
func (m *memory) of(k suites.Key) *Evidence {
	e, known := m.evidence[k]
	if !known {
		e = read(m.records(), k)
		m.evidence[k] = e
	}
	return e
}

func read(from Records, k suites.Key) *Evidence {
	kept := from.Evidence(k)
	if kept == nil || kept.Now != depend.InputsDigest(kept.Inputs) {
		return &Evidence{}
	}
	e := &Evidence{Evidence: *kept}
	if len(kept.Trace) > 0 {
		e.Trace = new(trace.Trace)
		if json.Unmarshal(kept.Trace, e.Trace) != nil {
			e.Trace = nil
		}
	}
	e.Evidence.Trace = nil
	return e
}

func (m *memory) put(k suites.Key, e *Evidence) {
	m.evidence[k], m.unsaved[k] = e, true
}

// forget drops the evidence that is on disk.
func (m *memory) forget() {
	maps.DeleteFunc(m.evidence, func(k suites.Key, _ *Evidence) bool { return !m.unsaved[k] })
}

// save writes evidence that is not on disk yet, after the contents of its inputs. If writing
// fails, the evidence stays in memory for the next call, because a case that was widened must
// remain so after a disk was full for a while.
func (m *memory) save(to Keeper, contents *Contents) {
	kept := make(map[string]bool)
	for k := range m.unsaved {
		e := m.evidence[k]
		contents.Keep(to, e.Inputs, kept)
		if write(to, k, e) != nil {
			return
		}
		delete(m.unsaved, k)
	}
}

func write(to Keeper, k suites.Key, e *Evidence) error {
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
