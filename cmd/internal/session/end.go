package session

import (
	"context"
	"runtime"
	"slices"

	"hookwatch/cmd/internal/notify"
	"hookwatch/suites"
)

// end closes the current run: its records become the present state, and a full
// run is archived and compared with the one before it.
func (s *Session) end(interrupted bool) Summary {
	cur := s.current
	s.current = nil
	records := s.ordered(cur.records)
	sum := Summary{RunID: cur.id, Aborted: cur.aborted, Missing: cur.missing, Interrupted: interrupted, State: s.tallyState()}
	for _, r := range records {
		sum.Tally.Add(r.Status())
	}
	at := s.o.Now()
	done := notify.RunDone{
		RunID: cur.id, Full: cur.full && !interrupted, Tally: sum.Tally, State: s.tallyState(), Total: len(s.p.Every()),
		Records: records, Duration: at.Sub(cur.started), HookTime: cur.hookTime, Aborted: cur.aborted,
		Project: s.p.Name(), Isolation: s.Isolation(), StandIns: s.standInNames(), At: at,
	}
	s.describeEnvironment(done.Full)
	s.tryToFile(done)
	if s.o.Store != nil {
		for _, w := range s.o.Store.Warnings() {
			s.o.View.Handle(notify.Warning{Text: w})
		}
	}
	sum.RecordError = s.recordError
	s.forget()
	if !cur.quiet {
		s.o.View.Handle(done)
	}
	return sum
}

// tryToFile has the run's records kept. While watching, what could not be written
// once may be written now: the disk has room again.
func (s *Session) tryToFile(done notify.RunDone) {
	if s.o.Store == nil || s.recordError != nil && s.awaited {
		return
	}
	if err := s.file(done); err != nil {
		s.recordFailed(err)
	} else if s.recordError != nil {
		s.recordError = nil
		s.o.View.Handle(notify.Warning{Text: "records are kept again"})
	}
}

// file hands the run's records to the store.
func (s *Session) file(done notify.RunDone) error {
	inputs := make(map[string][]suites.Input)
	kept := make(map[string]bool)
	for _, r := range done.Records {
		if _, known := inputs[r.Digests.Inputs]; !known {
			inputs[r.Digests.Inputs] = s.inputs[r.Digests.Inputs]
			s.contents.Keep(s.o.Store, s.inputs[r.Digests.Inputs], kept)
		}
	}
	s.save()
	s.o.Store.PruneContents()
	if !done.Full {
		return s.o.Store.EndSelected(done.Records, inputs, s.environment)
	}
	return s.archive(done, inputs)
}

// ordered lists records in the order of their cases.
func (s *Session) ordered(records map[suites.Key]suites.Record) []suites.Record {
	out := make([]suites.Record, 0, len(records))
	for _, r := range records {
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b suites.Record) int { return s.p.Order(a.Key()) - s.p.Order(b.Key()) })
	return out
}

// describeEnvironment looks the project's tools up; a full run asks for the
// versions that are not known yet.
func (s *Session) describeEnvironment(full bool) {
	for _, c := range s.p.Every() {
		s.toolsDigest(c)
	}
	s.environment.CaseTools = s.look.Sets()
	names := s.look.Names()
	for _, last := range s.present { // of cases too that did not run since their hook named others
		set := last.digests.Tools
		if _, known := s.environment.CaseTools[set]; !known && s.sets[set] != nil {
			s.environment.CaseTools[set] = s.sets.Names(set)
			names = append(names, s.environment.CaseTools[set]...)
		}
	}
	slices.Sort(names)
	s.environment.Tools = s.tools.Find(slices.Compact(names))
	if full {
		s.runner.Versions(context.Background(), s.tools, s.environment.Tools)
	} else {
		s.tools.KnownVersions(s.environment.Tools)
	}
	s.environment.Hookwatch = s.o.Program
	s.environment.OS = runtime.GOOS + "/" + runtime.GOARCH
	s.environment.Isolation = s.Isolation()
}

func (s *Session) standInNames() []string {
	var out []string
	for name, what := range s.standIn {
		out = append(out, name+"="+what)
	}
	slices.Sort(out)
	return out
}

// announce tells what got worse and what got better. Unless all is asked for,
// a failure waits until it was reproduced.
func (s *Session) announce(runID string, all bool) {
	regressions, resolved := s.news.Take(all)
	if len(regressions)+len(resolved) == 0 {
		return
	}
	s.o.View.Handle(notify.Transitions{
		RunID: runID, Project: s.p.Name(), Regressions: regressions, Resolved: resolved,
	})
}
