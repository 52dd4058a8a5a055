package session

import (
	"slices"

	"hookwatch/cmd/internal/notify"
	"hookwatch/suites"
	"hookwatch/suites/record"
	"hookwatch/suites/record/foreign"
	"hookwatch/suites/report"
	"hookwatch/suites/verdict"
)

// archive files a full run with its report, and compares it with the one before.
func (s *Session) archive(done notify.RunDone, inputs map[string][]suites.Input) error {
	before, err := s.latestRun()
	if err != nil {
		return err
	}
	results := report.Results(report.ResultsInput{
		RunID: done.RunID, Project: done.Project, Started: done.At.Add(-done.Duration), Duration: done.Duration,
		HookTime: done.HookTime, Hookwatch: s.o.Program, Aborted: done.Aborted, StandIns: done.StandIns,
		Agents: s.byAgent(done), Env: s.environment,
	})
	if err := s.o.Store.EndFull(done.Records, inputs, s.environment, results, done.At); err != nil {
		return err
	}
	if before == nil {
		return nil
	}
	incomplete := Incomplete(before, before) // before its records are copied
	before.Records, _ = foreign.Identify(before.Records, s.p.Every())
	c := verdict.Compare(RunOf(before), s.runOf(done))
	c.Warn("the earlier run is not whole: ", incomplete)
	return s.o.Store.WriteComparison(report.Comparison(c))
}

// lookedBack is how many archived runs are looked at for one that was not aborted.
const lookedBack = 20

// latestRun reads the run that is archived last and was not aborted, nil when
// there is none. Filing another one may retire it.
func (s *Session) latestRun() (*record.Snapshot, error) {
	runs, err := s.o.Store.Runs()
	if err != nil {
		return nil, err
	}
	for _, r := range runs[:min(len(runs), lookedBack)] {
		run, err := s.o.Store.ReadRun(r)
		if err != nil {
			return nil, err
		}
		aborted := func(r suites.Record) bool { return r.Status() == suites.Aborted }
		if !slices.ContainsFunc(run.Records, aborted) {
			return run, nil
		}
	}
	return nil, nil
}

func (s *Session) runOf(done notify.RunDone) verdict.Run {
	return verdict.Run{ID: done.RunID, Time: done.At, Records: done.Records, Env: s.environment, Concerns: s.p.Concerns}
}

// byAgent groups the records of a full run as they are filed.
func (s *Session) byAgent(done notify.RunDone) []report.Agent {
	stamp := s.o.Store.Stamp(done.At)
	var out []report.Agent
	for _, suite := range s.p.Suites {
		a := report.Agent{Name: suite.Agent, File: record.FileName(suite.Agent, stamp), Expected: len(suite.Cases)}
		for _, r := range done.Records {
			if r.Suite == suite.Name {
				a.Hook = r.Hook
				a.Records = append(a.Records, r)
			}
		}
		out = append(out, a)
	}
	return out
}
