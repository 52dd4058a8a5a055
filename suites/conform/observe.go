package conform

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/symptom"
)

// observe judges what a hook did with a typical input.
func (q *Inquiry) observe(f firing, r suites.Result) {
	switch name, kind := symptom.Absent(r); {
	case r.NotStarted != "":
		q.unstarted(r)
	case r.TimedOut:
		q.endless(fmt.Sprintf("it had not ended after %s", q.patience()))
	case kind != symptom.Nothing && r.Exit != 0:
		q.gone(r, name, kind)
	default:
		q.equipped(f, r)
	}
}

// unstarted judges a command that could not be launched at all.
func (q *Inquiry) unstarted(r suites.Result) {
	q.broken = true
	if !slices.ContainsFunc(q.findings, func(f Finding) bool { return f.Severity == suites.Error }) {
		q.found("absent-program", "it could not be started: "+r.NotStarted)
	}
}

// ended judges a hook that ran to its end.
func (q *Inquiry) ended(f firing, r suites.Result) {
	if fault, line := symptom.FaultOf(r); fault == symptom.Unstarted {
		q.absent, q.broken = strings.TrimSuffix("it could not be started: "+short(line), ": "), true
		return
	}
	if q.failed(f.input(), r) {
		return
	}
	q.printed(f, r)
	if r.Exit == 2 && len(strings.TrimSpace(string(r.Stderr))) == 0 && r.Effect != suites.Ignored && !json.Valid(r.Stdout) {
		q.found("reason-on-stdout", "exit 2 with nothing on stderr")
	}
}

// crashed notes a crash on an input. One that ends with 2 stops whatever the hook was asked about.
func (q *Inquiry) crashed(f Finding, input string, r suites.Result) {
	f.Input = input
	if r.Exit == 2 && r.Effect != suites.Ignored {
		f.Effect = r.EffectReason
	}
	if !slices.ContainsFunc(q.findings, func(o Finding) bool { return o.Rule == f.Rule && o.What == f.What }) {
		q.findings = append(q.findings, q.guessed(f))
	}
}

// failed judges a hook that failed by itself on an input, if it did. Of one that could
// not be started it is judged elsewhere what it did not find.
func (q *Inquiry) failed(input string, r suites.Result, crash ...suites.Severity) bool {
	fault, line := symptom.FaultOf(r)
	what := fmt.Sprintf("exit %d: %s", r.Exit, short(line))
	switch fault {
	case symptom.Unparsed:
		q.broken = true
		q.found("syntax-error", short(line))
	case symptom.Overlong:
		f := FindingOf("crash", q.hook.ID, q.hook.Source, "a long input is too long for an argument or the environment: "+what, crash...)
		f.Remedy = "pass it on stdin"
		q.crashed(f, input, r)
	case symptom.Crashed:
		q.crashed(FindingOf("crash", q.hook.ID, q.hook.Source, what, crash...), input, r)
	default:
		line := symptom.FailedProgram(r)
		if line == "" {
			return false
		}
		if r.Effect == suites.Ignored {
			crash = []suites.Severity{suites.Warning} // nothing depends on it
		}
		what = "exit 2 of a program that failed: " + short(line)
		q.crashed(FindingOf("crash", q.hook.ID, q.hook.Source, what, crash...), input, r)
	}
	return true
}
