package conform

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/conform/finding"
	"hookwatch/suites/conform/intent"
	"hookwatch/suites/symptom"
)

// observe judges what a hook did with a typical input.
func (q *Inquiry) observe(f firing, r suites.Result) {
	switch name, kind := symptom.Absent(r); {
	case r.NotStarted != "":
		q.unstarted(r)
	case r.TimedOut:
		severity := suites.Info
		if q.hook.Event == "PreToolUse" && intent.MayDeny(q.text) {
			severity = suites.Warning // a hook that is cut off lets the call through
		}
		q.found("slow", fmt.Sprintf("it had not ended after %s", min(patience, q.hook.Timeout)), severity)
		if q.broken = !q.waits(); !q.broken {
			q.rounds = []func() []Probe{q.hurried}
		}
	case kind != symptom.Nothing && r.Exit != 0:
		q.gone(r, name, kind)
	case kind == symptom.Program && r.Effect == suites.Proceeds:
		q.found("absent-program", name+" is not on this machine")
	default:
		q.ended(f, r)
	}
}

// unstarted judges a command that could not be launched at all.
func (q *Inquiry) unstarted(r suites.Result) {
	q.broken = true
	if !slices.ContainsFunc(q.findings, func(f finding.Finding) bool { return f.Severity == suites.Error }) {
		q.found("absent-program", "it could not be started: "+r.NotStarted)
	}
}

// ended judges a hook that ran to its end.
func (q *Inquiry) ended(f firing, r suites.Result) {
	if q.failed(f.input(), r) {
		q.broken = true
		return
	}
	q.printed(f, r)
	if r.Duration > 2*time.Second && !q.hook.Entry.Async {
		q.found("slow", fmt.Sprintf("it took %.1f s", r.Duration.Seconds()))
	}
	if r.Exit == 2 && len(strings.TrimSpace(string(r.Stderr))) == 0 && r.Effect != suites.Ignored && !json.Valid(r.Stdout) {
		q.found("reason-on-stdout", "exit 2 with nothing on stderr")
	}
}

// failed judges a hook that failed by itself on an input, if it did. Of one that could
// not be started it is judged elsewhere what it did not find.
func (q *Inquiry) failed(input string, r suites.Result, crash ...suites.Severity) bool {
	switch fault, line := symptom.FaultOf(r); fault {
	case symptom.Unparsed:
		q.found("syntax-error", short(line))
	case symptom.Crashed:
		q.seen("crash", fmt.Sprintf("exit %d: %s", r.Exit, short(line)), input, crash...)
	default:
		return false
	}
	return true
}
