package conform

import (
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/discover"
)

// A Probe is one firing of a hook, to see what it does.
type Probe struct {
	Case *suites.Case
	take func(suites.Result) // what its result means
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
	absent   string // a program without which the hook was not judged
	broken   bool   // it does not run as it stands: asking on tells nothing
	denied   *firing
	effect   suites.Effect // of the first firing
	because  string
	took     suites.Result
	rewrites bool
}

// Ask begins an inquiry. A hook that is not run has no probes.
func Ask(t Tree, h discover.Hook) *Inquiry {
	q := &Inquiry{hook: h, tree: t}
	if h.NotRun() != "" {
		return q
	}
	q.text = h.Command + " " + strings.Join(h.Args, " ")
	for _, s := range h.Scripts {
		q.text += "\n" + t.read(s)
	}
	q.rounds = []func() []Probe{q.typical, q.again, q.search, q.hardened}
	return q
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
	return next
}

// Take takes what came of a probe.
func (q *Inquiry) Take(p Probe, o suites.Outcome) {
	q.ran++
	if o.NotRun != nil || len(o.Results) == 0 {
		q.broken = true
		return
	}
	p.take(o.Last())
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

func (q *Inquiry) found(rule, what string, severity ...Severity) {
	q.seen(rule, what, "", severity...)
}

// seen notes what was seen on an input, once for each cause.
func (q *Inquiry) seen(rule, what, input string, severity ...Severity) {
	f := found(rule, q.hook.ID, q.hook.Source, what, severity...)
	f.Input = input
	if q.hook.Scope == discover.InGuess && f.Severity == Error {
		f.Severity = Warning // its event is only guessed
	}
	if !slices.ContainsFunc(q.findings, func(o Finding) bool { return o.Rule == f.Rule && o.What == f.What }) {
		q.findings = append(q.findings, f)
	}
}

// probe makes one of a firing.
func (q *Inquiry) probe(f firing, take func(suites.Result)) Probe {
	return Probe{Case: f.asCase(q.hook), take: take}
}

// typical fires the hook as the client would, for what its matcher lets through.
func (q *Inquiry) typical() (probes []Probe) {
	q.rounds[0] = func() []Probe { return nil }
	for i, f := range typical(q.hook, q.tree) {
		probes = append(probes, q.probe(f, func(r suites.Result) {
			if i == 0 {
				q.effect, q.because, q.took = r.Effect, r.EffectReason, r
			}
			q.observe(f, r)
		}))
	}
	return probes
}

// again fires a hook a second time that held up the end of the turn.
func (q *Inquiry) again() []Probe {
	q.rounds[0] = func() []Probe { return nil }
	if q.effect != suites.AnotherTurn || q.hook.Event != "Stop" && q.hook.Event != "SubagentStop" {
		return nil
	}
	f := firing{event: q.hook.Event, stopActive: true}
	return []Probe{q.probe(f, func(r suites.Result) {
		if r.Effect == suites.AnotherTurn {
			q.found("stop-loop", "it holds up the stop, and the next one with stop_hook_active too")
		}
	})}
}
