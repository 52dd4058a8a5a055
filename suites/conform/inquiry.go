package conform

import (
	"fmt"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/discover"
	"hookwatch/suites/shell"
)

// A Probe is a firing of a hook, to see what it does, or several in the same
// surroundings one after the other.
type Probe struct {
	Case *suites.Case
	take []func(suites.Result) // what the result of each step means
}

// around changes what the probe wants about it.
func (p Probe) around(set func(*suites.CaseEnv)) {
	s := p.Case.WantedEnv()
	set(&s)
	p.Case.CaseEnv = &s
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

// about is the event of the hook.
func (q *Inquiry) about() client.Event {
	event, _ := client.EventByName(q.hook.Event)
	return event
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
	if name := q.fetched(); name != "" {
		q.lacks("its package " + name + " is not installed")
		return q
	}
	q.rounds = []func() []Probe{q.paced, q.typical, q.sought, q.again, q.nesting, q.misnamed, q.varied, q.named, q.mentioned, q.search, q.hardened}
	return q
}

// typical fires the hook as the client would, for what its matcher lets through.
func (q *Inquiry) typical() (probes []Probe) {
	q.rounds[0] = func() []Probe { return nil }
	all := typical(q.hook, q.tree)
	for i, f := range all {
		probes = append(probes, q.probe(f, func(r suites.Result) {
			if i == 0 {
				q.effect, q.because, q.took = r.Effect, r.EffectReason, r
			}
			q.usual, q.did = append(q.usual, f), append(q.did, r)
			q.observe(f, r)
		}))
	}
	if len(all) > 0 {
		probes = append(probes, q.served(all[0])...)
	}
	return probes
}

// again fires a hook a second time that held up the end of the turn.
func (q *Inquiry) again() []Probe {
	q.rounds[0] = func() []Probe { return nil }
	if q.effect != suites.AnotherTurn || !q.about().Stop {
		return nil
	}
	f := firing{event: q.hook.Event, stopActive: true}
	return []Probe{q.probe(f, func(r suites.Result) {
		blocks := func(r suites.Result) bool {
			kind := client.Kind(r.EffectRule)
			return kind == client.Exit2 || kind == client.JSONNo
		}
		if r.Effect == suites.AnotherTurn && blocks(r) && blocks(q.took) {
			q.found("stop-loop", "it holds up the stop, and the next one with stop_hook_active too")
		}
	})}
}

// Together judges hooks side by side, as the client runs them.
func Together(reports []Report) (all []Finding) {
	byEvent := map[string][]Report{}
	for _, r := range reports {
		if r.Rewrites {
			key := r.Hook.Event + " " + r.Hook.Matcher
			byEvent[key] = append(byEvent[key], r)
		}
	}
	for key, both := range byEvent {
		if len(both) < 2 {
			continue
		}
		f := FindingOf("input-race", "", both[0].Hook.Source, key+": the input is rewritten by "+both[0].Hook.ID+" and "+both[1].Hook.ID)
		for _, r := range both {
			f.Hooks = append(f.Hooks, r.Hook.ID)
		}
		all = append(all, f)
	}
	return all
}

// A Try is a call by which it is found out what a hook stops.
type Try struct {
	Case  *suites.Case
	Input string // what is sent, in a few words
}

// Tries lists the calls for a hook: those that the client would most likely fire it
// for, then, of a hook that may deny, the inputs that it may be there to stop, the
// likeliest first. Guard reports whether there are any of the latter.
func Tries(t Tree, h discover.Hook) (tries []Try, guard bool) {
	q := Ask(t, h)
	harmful := q.harmful()
	for _, f := range slices.Concat(typical(h, t), harmful) {
		c := f.asCase(h)
		c.Timeout = 0 // that of the registration counts
		tries = append(tries, Try{c, f.input()})
	}
	return tries, len(harmful) > 0
}

// Stops reports whether an effect keeps the client from what it was about to do, or
// reports to the model that it was wrong.
func Stops(e suites.Effect) bool {
	return stopped(suites.Result{Effect: e}) || e == suites.AnotherTurn || e == suites.ShownToModel
}

// nested is the file in which calls of the client are recorded: one for a call by the hook, and
// "again" for one by the hook that such a session fires in its turn.
const nested = "{tmp}/nested"

// nestedClient stands in for the client. A session that runs hooks fires the same hook once
// more, with the environment that it was given; without an end that goes on and on.
func nestedClient(command string) string {
	return `case " $* " in *' --bare '*|*' --safe-mode '*|*' --setting-sources'*|*disableAllHooks*) exit 0;; esac
[ -n "$HOOKWATCH_NESTED" ] && { echo again >>'` + nested + `'; exit 0; }
echo once >>'` + nested + `'
HOOKWATCH_NESTED=1 sh -c ` + shell.Quote(command) + ` <'{tmp}/nested-input' >/dev/null 2>&1
exit 0
`
}

// nesting fires a hook that calls the client with one in its place, and asks whether the hook
// calls it again when that session fires it.
func (q *Inquiry) nesting() []Probe {
	q.rounds[0] = func() []Probe { return nil }
	usual := typical(q.hook, q.tree)
	if len(usual) == 0 || q.hook.Args != nil || !calls(q.text, "claude") {
		return nil
	}
	p := q.probe(usual[0], func(r suites.Result) {
		if strings.Contains(string(r.Files[nested]), "again") {
			q.found("starts-client", fmt.Sprintf("it runs claude, whose session fires it again for %s: that has no end", q.hook.Event), suites.Warning)
		}
	})
	p.around(func(s *suites.CaseEnv) {
		s.Programs = []suites.Program{{Name: "claude", Script: nestedClient(q.hook.Command)}}
	})
	step := &p.Case.Steps[0]
	step.Fixtures = append(step.Fixtures, suites.Fixture{Path: "{tmp}/nested-input", Content: string(step.PayloadRaw)})
	step.Expect.Files = []suites.FileExpectation{{Path: nested}}
	return []Probe{p}
}
