package decide

import "hookwatch/suites"

// A Verdict is the part of a record that is kept in memory: enough to decide whether the case is
// stale and how a new verdict differs.
type Verdict struct {
	Status   suites.Status
	Layer    suites.Layer
	Digests  suites.Digests
	Run      string // its ID
	At       string // timestamp in the format of the record
	Duration int64  // milliseconds
	Printed  Printed
}

// Of returns the verdict of a record.
func Of(r *suites.Record) *Verdict {
	return &Verdict{
		r.Status(), r.Layer, r.Digests, r.RunID, r.Timestamp, r.DurationMS, printedOf(r.ActualExit, r.ActualOutput, r.ActualStderr),
	}
}

// Says reports whether there is a verdict with a result: v is neither nil nor aborted.
func (v *Verdict) Says() bool { return v != nil && v.Status != suites.Aborted }

// Traceable reports whether the case can have a trace: its hooks ran, and not in the real
// client.
func (v *Verdict) Traceable(c *suites.Case) bool {
	return v.Says() && v.Status != suites.Skip && c.Layer != suites.Live && c.Check == nil
}
