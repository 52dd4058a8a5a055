package report

import (
	"fmt"
	"time"

	"hookwatch/suites"
)

// A ResultsInput is what RESULTS.md tells of one run.
type ResultsInput struct {
	RunID     string
	Project   string
	Started   time.Time
	Duration  time.Duration // wall time of the run
	HookTime  time.Duration // sum over the hooks' own processes
	Hookwatch string        // version
	Aborted   string        // why the run was stopped early; "" when it was not
	StandIns  []string      // such as "jaq=gojq 0.12.19"
	Agents    []Agent       // in the order of their files
	Env       suites.Environment
}

// An Agent is one file of records.
type Agent struct {
	Name     string
	File     string // base name
	Hook     string // "" for several or none
	Expected int    // records it should hold; 0 when that is not known
	Records  []suites.Record
}

// expected is what CheckCounts checks; nothing when it is not known.
func (a *Agent) expected() map[string]int {
	if a.Expected == 0 {
		return nil
	}
	return map[string]int{a.Name: a.Expected}
}

func withStatus(all []suites.Record, status suites.Status) []*suites.Record {
	var list []*suites.Record
	for i := range all {
		if all[i].Status() == status {
			list = append(list, &all[i])
		}
	}
	return list
}

func title(r *suites.Record) string {
	return fmt.Sprintf("%s %s", code(caseName(r)), name(r.TestName))
}

// caseName names a case in few letters; a record of another tool has only its
// test's name.
func caseName(r *suites.Record) string {
	switch {
	case r.ID == "":
		return r.TestName
	case r.Suite == "":
		return r.ID
	default:
		return r.Key().String()
	}
}
