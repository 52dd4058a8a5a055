// Package selection decides which cases a change affects. Markers widen, traces
// narrow: what a case was seen to execute is kept beside its verdict, and compared
// with what an edit changed.
package selection

import (
	"encoding/json"
	"maps"

	"hookwatch/suites"
	"hookwatch/suites/depend"
	"hookwatch/suites/depend/trace"
	"hookwatch/suites/record"
)

// Evidence is what is kept of a case. The zero value says that nothing is.
type Evidence struct {
	record.Evidence
	Trace *trace.Trace // in place of its JSON; nil when there is none
}

// A memory holds evidence that was read, and what is not on disk yet.
type memory struct {
	records  func() Records
	evidence map[suites.Key]*Evidence
	unsaved  map[suites.Key]bool
}

// of is what is kept of a case in its present definition, be it of its verdict or
// not; never nil.
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

// forget gives up the evidence that is on disk.
func (m *memory) forget() {
	maps.DeleteFunc(m.evidence, func(k suites.Key, _ *Evidence) bool { return !m.unsaved[k] })
}

// save writes what is not on disk yet, behind the contents that it is about. What
// cannot be written stays for the next time: that every edit affects a case from now
// on must outlive a disk that is full for a while.
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
