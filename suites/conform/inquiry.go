package conform

import (
	"slices"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/discover"
)

// A Probe is a firing of a hook, to see what it does, or several in the same
// surroundings one after the other.
type Probe struct {
	Case *suites.Case
	take []func(suites.Result) // what the result of each step means
}

// around changes what the probe wants about it.
func (p Probe) around(set func(*suites.Surroundings)) {
	s := p.Case.Surroundings()
	set(&s)
	p.Case.Around = &s
}

// An Inquiry asks one hook, firing after firing, what it does. It runs nothing:
// whoever does gives Next's probes back with their results.
type Inquiry struct {
	hook     discover.Hook
	tree     Tree
	text     string // of the command and its scripts
	findings []Finding
	queue    []Probe
	rounds   []func() []Probe // what comes once the queue is empty
	ran      int
	missing  string // a program that it was seen to look for, and that this machine does not have
	absent   string // a program without which the hook was not judged
	broken   bool   // it does not run as it stands: asking on tells nothing
	denied   *firing
	after    int           // how many other inputs the same surroundings had seen before it
	effect   suites.Effect // of the first firing
	because  string
	took     suites.Result
	usual    []firing        // harmless inputs, one of each shape
	did      []suites.Result // what the hook did on each of them
	rewrites bool
}

// Next gives the probes to run now; none when all is known.
func (q *Inquiry) Next() []Probe {
	for len(q.queue) == 0 && len(q.rounds) > 0 && !q.broken {
		round := q.rounds[0]
		if q.queue = round(); len(q.queue) == 0 {
			q.rounds = q.rounds[1:]
		}
	}
	next := q.queue
	q.queue = nil
	if q.broken {
		return nil
	}
	for _, p := range next {
		p.hastened()
	}
	return next
}

// Take takes what came of a probe.
func (q *Inquiry) Take(p Probe, o suites.Outcome) {
	q.ran += max(1, len(o.Results))
	if o.NotRun != nil || len(o.Results) == 0 {
		q.broken = true
		return
	}
	for i, r := range o.Results {
		p.take[i](r)
	}
}

// A Report is what an inquiry found out.
type Report struct {
	Hook     discover.Hook
	Findings []Finding
	Firings  int
	Effect   suites.Effect // of a typical call
	Because  string
	Denies   string // an input that it stopped; "" when none was found or looked for
	Rewrites bool   // it replaces the input of a tool
	Absent   string // a program without which it was not judged
}

// Report sums up.
func (q *Inquiry) Report() Report {
	r := Report{Hook: q.hook, Findings: q.findings, Firings: q.ran, Effect: q.effect, Because: q.because, Absent: q.absent, Rewrites: q.rewrites}
	if q.denied != nil {
		r.Denies = q.denied.input()
	}
	return r
}

func (q *Inquiry) found(rule, what string, severity ...suites.Severity) {
	q.seen(rule, what, "", severity...)
}

// seen notes what was seen on an input, once for each cause.
func (q *Inquiry) seen(rule, what, input string, severity ...suites.Severity) {
	f := FindingOf(rule, q.hook.ID, q.hook.Source, what, severity...)
	f.Input = input
	if rule == string(client.TimedOut) {
		f.Remedy = client.Cause{Kind: client.TimedOut, Event: q.hook.Event}.Remedy()
	}
	if !slices.ContainsFunc(q.findings, func(o Finding) bool { return o.Rule == f.Rule && o.What == f.What }) {
		q.findings = append(q.findings, q.guessed(f))
	}
}

// worst keeps of the findings of one rule the first of those that weigh most.
func (q *Inquiry) worst(f Finding) {
	f = q.guessed(f)
	i := slices.IndexFunc(q.findings, func(o Finding) bool { return o.Rule == f.Rule })
	switch {
	case i < 0:
		q.findings = append(q.findings, f)
	case f.Severity != q.findings[i].Severity && LeastSeverity(f.Severity, q.findings[i].Severity) == q.findings[i].Severity:
		q.findings[i] = f
	}
}

// guessed is a finding with the texts for the hook's event; of an event that is only guessed it is
// a warning at most.
func (q *Inquiry) guessed(f Finding) Finding {
	f = f.forEvent(q.hook.Event)
	if q.hook.Scope == discover.InGuess {
		f.What += " (registered nowhere: fired for " + q.hook.Event + " because of its name)"
		f.Severity = LeastSeverity(f.Severity, suites.Warning)
	}
	return f
}

// probe makes one of a firing.
func (q *Inquiry) probe(f firing, take func(suites.Result)) Probe {
	c := f.asCase(q.hook)
	c.Timeout = q.patience()
	return Probe{Case: c, take: []func(suites.Result){take}}
}

// and adds a firing to a probe.
func (p *Probe) and(next Probe) {
	p.Case.Steps = append(p.Case.Steps, next.Case.Steps...)
	p.take = append(p.take, next.take...)
}
