package session

import (
	"hookwatch/suites"
	"hookwatch/suites/record"
)

// A Filing passes the records of runs to suites/record: each record as it arrives, all records of
// a run at its end, and for a full run also a report and a comparison with the previous full run.
type Filing struct {
	store   *record.Store // if nil, nothing is recorded
	program string        // hookwatch's own version
	warn    func(text string)
	err     error
}

// NewFiling returns a Filing for a store.
func NewFiling(store *record.Store, program string, warn func(text string)) *Filing {
	return &Filing{store: store, program: program, warn: warn}
}

// Err returns why records could not be written, or nil.
func (f *Filing) Err() error { return f.err }

// failed remembers an error and warns of the first one. Verdicts continue without records.
func (f *Filing) failed(err error) {
	if err == nil {
		return
	}
	if f.err == nil {
		f.warn("records are not kept: " + err.Error())
	}
	f.err = err
}

// Begin stores the cases of the run before they start, so that a later process can detect that
// the run was killed.
func (f *Filing) Begin(r record.Run) {
	if f.store != nil {
		f.failed(f.store.Begin(r))
	}
}

// Append stores a record.
func (f *Filing) Append(r suites.Record) {
	if f.store != nil {
		f.failed(f.store.Append(r))
	}
}

// End files a finished run. After an earlier write error it tries again, because the disk may
// have space again, unless the session ends after this run (awaited).
func (f *Filing) End(done RunDone, p *Project, s *Knowledge, awaited bool) {
	if f.store == nil {
		return
	}
	if f.err == nil || !awaited {
		f.try(done, p, s)
	}
	for _, w := range f.store.Warnings() {
		f.warn(w)
	}
}

func (f *Filing) try(done RunDone, p *Project, s *Knowledge) {
	if err := f.file(done, p, s); err != nil {
		f.failed(err)
	} else if f.err != nil {
		f.err = nil
		f.warn("records are kept again")
	}
}

func (f *Filing) file(done RunDone, p *Project, s *Knowledge) error {
	inputs := make(map[string][]suites.Input)
	kept := make(map[string]bool)
	for _, r := range done.Records {
		digest := r.Digests.Inputs
		if _, known := inputs[digest]; !known {
			inputs[digest] = s.Inputs(digest)
			s.Contents.Keep(f.store, inputs[digest], kept)
		}
	}
	s.Save()
	f.store.PruneContents()
	if !done.Full {
		return f.store.EndSelected(done.Records, inputs, s.Environment)
	}
	a := archiving{f.store, f.program, p, s.Environment, done}
	return a.archive(inputs)
}
