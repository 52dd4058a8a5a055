package decide

import "hookwatch/suites"

// A Verdict is what is kept of a case's record: enough to tell what is stale, and
// what a new verdict changes.
type Verdict struct {
	Status   suites.Status
	Layer    suites.Layer
	Digests  suites.Digests
	Run      string // its ID
	At       string // as the record has it
	Duration int64  // milliseconds
	Printed  Printed
}

// Of is the verdict that a record tells of.
func Of(r *suites.Record) *Verdict {
	return &Verdict{
		r.Status(), r.Layer, r.Digests, r.RunID, r.Timestamp, r.DurationMS, printedOf(r.ActualExit, r.ActualOutput, r.ActualStderr),
	}
}

// Says reports whether anything can be told from a verdict: of a case that was
// aborted, or of none, nothing.
func (v *Verdict) Says() bool { return v != nil && v.Status != suites.Aborted }

// Traceable reports whether a trace may belong to it: something of the case ran.
func (v *Verdict) Traceable(c *suites.Case) bool {
	return v.Says() && v.Status != suites.Skip && c.Layer != suites.Live && c.Check == nil
}
