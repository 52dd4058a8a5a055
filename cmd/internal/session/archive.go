package session

import (
	"slices"

	"hookwatch/suites"
	"hookwatch/suites/record"
	"hookwatch/suites/report"
	"hookwatch/suites/verdict"
)

// An archiving holds a full run while it is archived.
type archiving struct {
	store   *record.Store
	program string
	project *Project
	env     suites.Environment
	done    RunDone
}

// archive stores a full run with its report, and compares it with the previous one.
func (a *archiving) archive(inputs map[string][]suites.Input) error {
	done := a.done
	before, err := a.latestRun()
	if err != nil {
		return err
	}
	results := report.Results(report.ResultsInput{
		RunID: done.RunID, Project: done.Project, Started: done.At.Add(-done.Duration), Duration: done.Duration,
		HookTime: done.HookTime, Hookwatch: a.program, Aborted: done.Aborted, StandIns: done.StandIns,
		Agents: a.byAgent(), Env: a.env,
	})
	if err := a.store.EndFull(done.Records, inputs, a.env, results, done.At); err != nil {
		return err
	}
	if before == nil {
		return nil
	}
	incomplete := Incomplete(before, before) // before its records are copied
	before.Records, _ = record.Identify(before.Records, a.project.Every())
	c := verdict.Compare(RunOf(before), a.run())
	c.Warn("the earlier run is not whole: ", incomplete)
	return a.store.WriteComparison(report.Comparison(c))
}

// lookedBack is the number of archived runs searched for one that was not aborted.
const lookedBack = 20

// latestRun reads the latest archived run that was not aborted, or returns nil. Call it before
// archiving another run, which may delete this one.
func (a *archiving) latestRun() (*record.Snapshot, error) {
	runs, err := a.store.Runs()
	if err != nil {
		return nil, err
	}
	for _, r := range runs[:min(len(runs), lookedBack)] {
		run, err := a.store.ReadRun(r)
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

func (a *archiving) run() verdict.Run {
	return verdict.Run{ID: a.done.RunID, Time: a.done.At, Records: a.done.Records, Env: a.env, Concerns: a.project.Concerns}
}

// byAgent groups the records of a full run by agent, as they are stored.
func (a *archiving) byAgent() []report.Agent {
	stamp := a.store.Stamp(a.done.At)
	var out []report.Agent
	for _, suite := range a.project.Suites {
		agent := report.Agent{Name: suite.Agent, File: record.FileName(suite.Agent, stamp), Expected: len(suite.Cases)}
		for _, r := range a.done.Records {
			if r.Suite == suite.Name {
				agent.Hook = r.Hook
				agent.Records = append(agent.Records, r)
			}
		}
		out = append(out, agent)
	}
	return out
}
