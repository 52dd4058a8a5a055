package report

import (
	"fmt"
	"time"

	"hookwatch/suites"
)

// A ResultsInput is the input of RESULTS.md for one run.
type ResultsInput struct {
	RunID     string
	Project   string
	Started   time.Time
	Duration  time.Duration // wall time of the run
	HookTime  time.Duration // sum over the hooks' own processes
	Hookwatch string        // version
	Aborted   string        // why the run was stopped early, or ""
	StandIns  []string      // such as "jaq=gojq 0.12.19"
	Agents    []Agent       // in the order of their files
	Env       suites.Environment
}

// An Agent is one file of records.
type Agent struct {
	Name     string
	File     string // base name
	Hook     string // "" for several or none
	Expected int    // number of records that it should have; 0 if unknown
	Records  []suites.Record
}

// expected returns the numbers for CheckCounts, or nil if they are unknown.
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

// caseName returns a short name of a case. A record of another tool only has its test's
// name.
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
