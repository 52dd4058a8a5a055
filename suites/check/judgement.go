package check

import (
	"slices"

	"hookwatch/suites"
	"hookwatch/suites/discover"
)

// A judgement is what the firings of a hook show.
type judgement struct {
	of        subject
	findings  []Finding
	absent    string        // the reason why the hook was not judged, such as a missing program
	ends      bool          // the hook does not run in its current form, so that more firings prove nothing
	on        *fired        // the firing that is judged now; nil for several
	unstarted suites.Effect // of a hook that the client does not start here either
}

// about returns a finding about the hook's registration.
func (j *judgement) about(rule, what string, severity ...suites.Severity) Finding {
	return FindingOf(rule, j.of.hook.ID, j.of.hook.Source, what, severity...)
}

func (j *judgement) found(rule, what string, severity ...suites.Severity) {
	j.seen(rule, what, "", severity...)
}

// seen records an observation on an input, once for each cause.
func (j *judgement) seen(rule, what, input string, severity ...suites.Severity) {
	f := j.about(rule, what, severity...)
	f.Input = input
	j.addOnce(f)
}

// addOnce records a finding unless one of the same cause is known.
func (j *judgement) addOnce(f Finding) {
	if !j.has(func(o Finding) bool { return o.Rule == f.Rule && o.What == f.What }) {
		j.add(j.completeText(f))
	}
}

// add adds a finding, with the firing on which it was seen.
func (j *judgement) add(f Finding) { j.findings = append(j.findings, j.attachFiring(f)) }

// addWorst keeps the first of the most severe findings of each rule.
func (j *judgement) addWorst(f Finding) {
	f = j.attachFiring(j.completeText(f))
	i := slices.IndexFunc(j.findings, func(o Finding) bool { return o.Rule == f.Rule })
	switch {
	case i < 0:
		j.findings = append(j.findings, f)
	case f.Severity != j.findings[i].Severity && LeastSeverity(f.Severity, j.findings[i].Severity) == j.findings[i].Severity:
		j.findings[i] = f
	}
}

func (j *judgement) has(is func(Finding) bool) bool { return slices.ContainsFunc(j.findings, is) }

// faulty reports whether a finding is an error.
func (j *judgement) faulty() bool {
	return j.has(func(f Finding) bool { return f.Severity == suites.Error })
}

// completeText returns a finding with the texts for the hook's event. If the event is only a guess, its severity is at
// most a warning.
func (j *judgement) completeText(f Finding) Finding {
	f = f.forEvent(j.of.hook.Event)
	if j.of.hook.Scope == discover.InGuess {
		f.What += " (registered nowhere: fired for " + j.of.hook.Event + " because of its name)"
		f.Severity = LeastSeverity(f.Severity, suites.Warning)
	}
	return f
}

// attachFiring returns a finding about a registration with the firing that is judged.
func (j *judgement) attachFiring(f Finding) Finding {
	if f.Where == j.of.hook.Source && j.on != nil {
		f.firing = &Firing{Case: j.on.c, Result: j.on.Result}
	}
	return f
}

// lacks records the reason why a hook was not judged.
func (j *judgement) lacks(what string) {
	j.absent, j.ends = what, true
	j.found("absent-program", what)
}
