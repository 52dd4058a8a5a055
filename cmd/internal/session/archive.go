package session

import (
	"slices"
	"time"

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
	c := verdict.Compare(RunOf(before), verdict.Run{ID: a.done.RunID, Time: a.done.At, Records: a.done.Records, Env: a.env, Concerns: a.project.Concerning(UsedBy(a.store.ReadObserved()))})
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

// A Filing passes the records of runs to suites/record: each record as it arrives, all records of
// a run at its end, and for a full run also a report and a comparison with the previous full run.
type Filing struct {
	store   *record.Store // if nil, nothing is recorded
	program string        // hookwatch's own version
	warn    func(text string)
	err     error
}

// Err returns why records could not be written, or nil.
func (f *Filing) Err() error { return f.err }

// fail remembers an error and warns of the first one. Verdicts continue without records.
func (f *Filing) fail(err error) {
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
		f.fail(f.store.Begin(r))
	}
}

// Append stores a record.
func (f *Filing) Append(r suites.Record) {
	if f.store != nil {
		f.fail(f.store.Append(r))
	}
}

// End files a finished run. After an earlier write error it tries again, because the disk may
// have space again, unless the session ends after this run (awaited).
func (f *Filing) End(done RunDone, p *Project, s *Knowledge, awaited bool) {
	if f.store == nil {
		return
	}
	if f.err == nil || !awaited {
		if err := f.file(done, p, s); err != nil {
			f.fail(err)
		} else if f.err != nil {
			f.err = nil
			f.warn("records are kept again")
		}
	}
	for _, w := range f.store.Warnings() {
		f.warn(w)
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

// Took returns how long a case took when it last ran, in milliseconds and at least 1. For cases
// that never ran it is the mean of the others.
func (e *Session) Took() func(suites.Key) int64 {
	var sum, known int64
	for _, c := range e.project.Every() {
		if v := e.knowledge.Verdicts.Present(c.Key()); v != nil {
			sum, known = sum+max(v.Duration, 1), known+1
		}
	}
	mean := int64(1)
	if known > 0 {
		mean = max(sum/known, 1)
	}
	return func(k suites.Key) int64 {
		if v := e.knowledge.Verdicts.Present(k); v != nil {
			return max(v.Duration, 1)
		}
		return mean
	}
}

// Merge files the records of cases that ran elsewhere as one full run of this project, and shows it.
// took is the time from its start to its end, hooks the sum of the times of the hooks, aborted
// why a part of it ended early. Every record must be of a case of the project.
func (e *Session) Merge(records []suites.Record, took, hooks time.Duration, aborted string) Summary {
	e.open(true)
	e.run.Started, e.run.HookTime = e.run.Started.Add(-took), hooks
	for i := range records {
		e.run.Plan(records[i].Key())
	}
	e.announceRun()
	e.run.Aborted = aborted
	for i := range records {
		r := records[i]
		r.RunID = e.run.ID
		c := e.project.Find(r.Key())
		before, previous := e.knowledge.Verdicts.Baseline(r.Key(), r.Digests.Case), e.knowledge.Verdicts.Present(r.Key())
		transition := e.transition(before, previous.HasResult(), r)
		v := suites.Verdict{Status: r.Status(), Reason: r.Reason, Note: r.Note}
		e.run.Judge(r.Key(), v)
		e.keep(&execution{c: c, ended: e.opts.Now()}, r, transition)
		e.show(CaseDone{
			RunID: r.RunID, Record: r, Verdict: v, Transition: transition,
			At: c.At.String(), Defined: c.At, Script: c.Hook, Rerun: e.opts.Rerun(r.Key()), Done: e.run.Done(), Of: e.run.Of(), Order: e.project.Order(r.Key()),
		}, previous)
	}
	_, checks := e.project.Requirements()
	e.passes(e.run.Lack(checks, nil), false) // as before a full run here; the parts do not abort
	return e.end(false)
}

// inventory holds the built-in agents whose number of cases is fixed by the document they
// implement: a full run with fewer records is incomplete. The numbers are repeated here because
// reading the suites takes longer than the rest of a short run; a test compares them with the
// suites.
var inventory = map[string]int{"dep-agent": 29, "ml-agent": 42, "pm-agent": 32}

// Incomplete returns the agents of the inventory that have fewer records in run than they have
// cases. other is another run of the same project: an agent without a file in either run is not
// part of the project.
func Incomplete(run, other *record.Snapshot) []string {
	expected := map[string]int{}
	agents := map[*suites.Record]string{}
	for _, side := range []*record.Snapshot{run, other} {
		for f, records := range side.ByAgent() {
			if n := inventory[f.Agent]; n > 0 {
				expected[f.Agent] = n
			}
			for i := range records {
				agents[&records[i]] = f.Agent
			}
		}
	}
	return verdict.CheckCounts(run.Records, func(r *suites.Record) string { return agents[r] }, expected)
}

// RunOf converts a recorded run for a comparison.
func RunOf(s *record.Snapshot) verdict.Run {
	r := verdict.Run{ID: s.Environment.RunID, Records: s.Records, Env: s.Environment}
	r.Time, _ = time.Parse(suites.TimestampLayout, s.Environment.Time)
	if len(s.Records) > 0 && r.ID == "" {
		r.ID = s.Records[0].RunID
	}
	return r
}

// ChangesOf returns the changed files and sections because of which cases are selected.
func ChangesOf(selected []verdict.Selected) []Change {
	var out []Change
	for _, s := range selected {
		for _, in := range s.Changed {
			out = addChange(out, in.Path, in.Section)
		}
	}
	return out
}

func addChange(out []Change, path, section string) []Change {
	i := slices.IndexFunc(out, func(c Change) bool { return c.Path == path })
	if i < 0 {
		out = append(out, Change{Path: path})
		i = len(out) - 1
	}
	if section != "" && !slices.Contains(out[i].Sections, section) {
		out[i].Sections = append(out[i].Sections, section)
	}
	return out
}

// sectionsOf returns the changed sections of a file because of which cases are selected.
func sectionsOf(path string, selected []verdict.Selected) []string {
	for _, c := range ChangesOf(selected) {
		if c.Path == path {
			return c.Sections
		}
	}
	return nil
}
