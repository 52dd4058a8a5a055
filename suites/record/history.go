package record

import (
	"fmt"
	"slices"
	"strings"

	"hookwatch/suites"
)

// rollingAgents lists the agents that have a log.
func (r *Reader) rollingAgents() ([]string, error) {
	if r.rolling == nil {
		return nil, nil
	}
	return Agents(r.rolling)
}

// rollingFiles lists the files of the log called name, newest first.
func (r *Reader) rollingFiles(name string) ([]LogFile, error) {
	if r.rolling == nil {
		return nil, nil
	}
	return Files(r.rolling, name)
}

// History yields every record of the rolling log, oldest first for each agent, until yield
// returns false. The warnings name lines and files that could not be read.
func (r *Reader) History(yield func(agent string, r suites.Record) bool) ([]string, error) {
	agents, err := r.rollingAgents()
	if err != nil {
		return nil, err
	}
	var warned []string
	b, more := NewBudget(), true
	for _, agent := range agents {
		files, err := r.rollingFiles(agent + Suffix)
		if err != nil {
			return warned, err
		}
		for _, f := range slices.Backward(files) {
			w, err := f.Read(b, func(r suites.Record) bool {
				more = yield(agent, r)
				return more
			})
			warned = append(warned, w...)
			if err != nil || !more || b.Spent() {
				return warned, err
			}
		}
	}
	return warned, nil
}

// A Past is everything on record for a project, from the rolling log, the archive and the
// present state, without the output of cases.
type Past struct {
	Records      []suites.Record      // by time; each verdict once
	Environments []suites.Environment // of the runs that were kept, latest first; then those of the log of tools
	Warnings     []string

	known  map[verdictID]bool
	budget *Budget
}

// Past reads everything on record. If that exceeds the budget, it keeps the latest.
func (r *Reader) Past() (*Past, error) {
	p := &Past{known: map[verdictID]bool{}, budget: NewBudget()}
	if err := p.addRolling(r); err != nil {
		return nil, fmt.Errorf("read history: %w", err)
	}
	present, err := r.Read()
	if err != nil {
		return nil, err
	}
	p.add(present)
	runs, err := r.Runs()
	if err != nil {
		return nil, err
	}
	for i, run := range runs {
		if p.budget.Spent() {
			p.Warnings = append(p.Warnings, fmt.Sprintf("%s and %d older runs: not read: %s", run.Dir, len(runs)-i-1, p.budget))
			break
		}
		s, err := r.readRun(run, p.budget)
		if err != nil {
			return nil, err
		}
		p.add(s)
	}
	logged, err := r.Tools()
	if err != nil {
		return nil, err
	}
	slices.Reverse(logged)
	p.Environments = append(p.Environments, logged...)
	slices.SortStableFunc(p.Records, func(a, b suites.Record) int { return strings.Compare(a.Timestamp, b.Timestamp) })
	return p, nil
}

// addRolling adds the records of the rolling log. It reads the latest files first, so that
// these fit the budget.
func (p *Past) addRolling(r *Reader) error {
	agents, err := r.rollingAgents()
	if err != nil {
		return err
	}
	for _, agent := range agents {
		files, err := r.rollingFiles(agent + Suffix)
		if err != nil {
			return err
		}
		var pieces [][]suites.Record
		for _, f := range files {
			from := len(p.Records)
			warned, err := f.Read(p.budget, func(r suites.Record) bool {
				p.keep(&r)
				return true
			})
			p.Warnings = append(p.Warnings, warned...)
			if err != nil {
				return err
			}
			pieces = append(pieces, slices.Clone(p.Records[from:]))
			p.Records = p.Records[:from]
			if p.budget.Spent() {
				break
			}
		}
		// Back in the order of writing, which matters for records of the same second.
		for _, piece := range slices.Backward(pieces) {
			p.Records = append(p.Records, piece...)
		}
	}
	return nil
}

func (p *Past) keep(r *suites.Record) {
	kept := *r
	kept.ActualOutput, kept.ActualStderr, kept.InputSummary, kept.Changes, kept.Stopped = "", "", "", nil, nil
	p.Records = append(p.Records, kept)
	p.known[verdictOf(r)] = true
}

// add adds records that are not in the rolling log, because their file was deleted by age
// or another tool wrote the archive.
func (p *Past) add(s *Snapshot) {
	for i := range s.Records {
		if !p.known[verdictOf(&s.Records[i])] {
			p.keep(&s.Records[i])
		}
	}
	if len(s.Environment.Tools) > 0 {
		p.Environments = append(p.Environments, s.Environment)
	}
	p.Warnings = append(p.Warnings, s.Warnings...)
}

// A verdictID is equal for records of the same verdict in different files.
type verdictID struct{ suite, id, hook, name, run, at string }

func verdictOf(r *suites.Record) verdictID {
	return verdictID{r.Suite, r.ID, r.Hook, r.TestName, r.RunID, r.Timestamp}
}
