package notify

import (
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"

	"hookwatch/suites"
	"hookwatch/suites/process/processtest"
)

// TestMain runs the tests, or, as a child of one of them, a sender of one
// desktop notification.
func TestMain(m *testing.M) {
	if events := os.Getenv(senderEvents); events != "" {
		processtest.Exit(sender(events))
	}
	goleak.VerifyTestMain(m)
}

// at is a time of day in a place that is not UTC.
func at(hour, minute, second int) time.Time {
	zone := time.FixedZone("test", 2*60*60)
	return time.Date(2026, 8, 12, hour, minute, second, 0, zone)
}

// rec makes a record as a run leaves it.
func rec(suite, id, name string, pass bool, note string) suites.Record {
	exit := 0
	return suites.Record{
		Hook: "guard.sh", TestName: name, Category: "block", InputSummary: "pip install <x> & y",
		ExpectedDecision: "block", ExpectedExit: &exit, ActualDecision: "block", ActualExit: &exit,
		Pass: pass, Note: note, Timestamp: "2026-08-12T12:02:11Z", DurationMS: 12,
		ID: id, Suite: suite, Layer: suites.Direct, RunID: "r1",
		Digests: suites.Digests{Case: "c", Inputs: "i", Tools: "t"}, Isolation: "namespaces",
	}
}

// done makes the event of a finished case from its record.
func done(r suites.Record, n, of int, mismatches ...suites.Mismatch) CaseDone {
	e := CaseDone{RunID: "r1", Record: r, Done: n, Of: of,
		Verdict: suites.Verdict{Status: r.Status(), Note: r.Note, Mismatches: mismatches}}
	if e.Verdict.Status == suites.Fail {
		e.Rerun = "hookwatch run " + r.ID
	}
	return e
}

// finish closes a run of these records.
func finish(total int, state suites.Tally, records ...suites.Record) RunDone {
	e := RunDone{RunID: "r1", State: suites.State{Tally: state, NotRun: total - state.Total()}, Records: records,
		Duration: 740 * time.Millisecond, HookTime: 600 * time.Millisecond,
		Project: "plankton", Isolation: "namespaces", At: at(14, 2, 12)}
	for _, r := range records {
		e.Tally.Add(r.Status())
	}
	e.Full = e.Tally.Total() == total
	return e
}
