// Package filing hands the records of runs to suites/record: each as it comes, all of a
// run at its end, and a full run with its report and a comparison with the one before.
package session

import (
	"hookwatch/cmd/internal/notify"
	"hookwatch/cmd/internal/project"
	"hookwatch/suites"
	"hookwatch/suites/record"
)

// A Filing keeps records, or says why it cannot.
type Filing struct {
	store   *record.Store // nil: nothing is recorded
	program string        // hookwatch's own version
	warn    func(text string)
	err     error
}

// New makes a filing over a store.
func NewFiling(store *record.Store, program string, warn func(text string)) *Filing {
	return &Filing{store: store, program: program, warn: warn}
}

// Err is why records could not be kept, nil when they are.
func (f *Filing) Err() error { return f.err }

// failed tells the first failure to keep a record at once; the verdicts go on.
func (f *Filing) failed(err error) {
	if err == nil {
		return
	}
	if f.err == nil {
		f.warn("records are not kept: " + err.Error())
	}
	f.err = err
}

// Begin tells the store which cases are under way, so that a kill can be told.
func (f *Filing) Begin(r record.Run) {
	if f.store != nil {
		f.failed(f.store.Begin(r))
	}
}

// Append keeps a record.
func (f *Filing) Append(r suites.Record) {
	if f.store != nil {
		f.failed(f.store.Append(r))
	}
}

// End files a run that is done. What could not be written once may be written now:
// the disk has room again. Where the end of the run is awaited there is no such hope.
func (f *Filing) End(done notify.RunDone, p *project.Project, s *Knowledge, awaited bool) {
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

func (f *Filing) try(done notify.RunDone, p *project.Project, s *Knowledge) {
	if err := f.file(done, p, s); err != nil {
		f.failed(err)
	} else if f.err != nil {
		f.err = nil
		f.warn("records are kept again")
	}
}

func (f *Filing) file(done notify.RunDone, p *project.Project, s *Knowledge) error {
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
