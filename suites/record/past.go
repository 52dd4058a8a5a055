package record

import (
	"fmt"
	"slices"
	"strings"

	"hookwatch/suites"
)

// A Past is everything on record of a project, from the rolling log, the
// archive and the present state.
type Past struct {
	Records      []suites.Record      // by time; each verdict once
	Environments []suites.Environment // those of runs that were kept, latest first; then what else tools were
	Warnings     []string
}

// ReadPast reads a results directory. It takes no lock and writes nothing.
func ReadPast(dir string) (*Past, error) {
	p := &Past{}
	known := map[string]bool{}
	warned, err := History(dir, func(_ string, r suites.Record) bool {
		p.Records = append(p.Records, r)
		known[verdictOf(&r)] = true
		return true
	})
	p.Warnings = warned
	if err != nil {
		return nil, fmt.Errorf("read history: %w", err)
	}
	present, err := Read(dir)
	if err != nil {
		return nil, err
	}
	p.add(present, known)
	runs, err := Runs(dir)
	if err != nil {
		return nil, err
	}
	for _, run := range runs {
		s, err := ReadRun(run.Dir)
		if err != nil {
			return nil, err
		}
		p.add(s, known)
	}
	logged, err := Tools(dir)
	if err != nil {
		return nil, err
	}
	slices.Reverse(logged)
	p.Environments = append(p.Environments, logged...)
	slices.SortStableFunc(p.Records, func(a, b suites.Record) int { return strings.Compare(a.Timestamp, b.Timestamp) })
	return p, nil
}

// add takes over what the rolling log does not hold: it may have been rotated
// away, or another tool wrote the archive.
func (p *Past) add(s *Snapshot, known map[string]bool) {
	for i := range s.Records {
		if of := verdictOf(&s.Records[i]); !known[of] {
			known[of] = true
			p.Records = append(p.Records, s.Records[i])
		}
	}
	if len(s.Environment.Tools) > 0 {
		p.Environments = append(p.Environments, s.Environment)
	}
	p.Warnings = append(p.Warnings, s.Warnings...)
}

// verdictOf is equal for records of one verdict, in whichever file they are.
func verdictOf(r *suites.Record) string {
	return strings.Join([]string{r.Suite, r.ID, r.Hook, r.TestName, r.RunID, r.Timestamp}, "\x00")
}
