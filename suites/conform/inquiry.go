package conform

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/client/clients"
	"hookwatch/suites/discover"
	"hookwatch/suites/shell"
)

// A Probe runs a hook for one firing, or for several in the same environment, one after the other.
type Probe struct {
	Case *suites.Case
	// Trace, unless it is nil, observes the firing, whose results must not be judged then.
	Trace func(dir string, env []string) suites.Tracing
	take  []func(suites.Result) // handles the result of each step
	seen  func(suites.Outcome)  // handles the outcome of an observed firing
}

// around changes the environment that the probe needs.
func (p Probe) around(set func(*suites.CaseEnv)) {
	s := p.Case.WantedEnv()
	set(&s)
	p.Case.CaseEnv = &s
}

// An Inquiry examines one hook by a sequence of firings. It runs nothing itself: the caller passes
// the probes of Next back to Take with their results.
type Inquiry struct {
	subject
	findings []Finding
	queue    []Probe
	rounds   []func() []Probe // produce more probes when the queue is empty
	ran      int
	missing  string   // a program that it looks up and that this machine lacks
	absent   string   // the reason why the hook was not judged, such as a missing program
	hidden   []string // files that it looked for and that the sandbox hides, with ~ for HOME
	broken   bool     // it does not run in its current form, so that more probes prove nothing
	denied   *firing
	after    int           // the number of other inputs before it in the same environment
	effect   suites.Effect // the effect of the first firing
	took     suites.Result
	usual    []firing        // harmless inputs, one of each shape
	did      []suites.Result // the hook's result for each of them
	rewrites bool

	exploration *exploration // nil if its scripts cannot be observed
}

// Next returns the probes to run now; none if the inquiry is complete.
func (q *Inquiry) Next() []Probe {
	for len(q.queue) == 0 && len(q.rounds) > 0 && !q.broken {
		round := q.rounds[0]
		q.rounds = q.rounds[1:]
		q.queue = round()
	}
	next := q.queue
	q.queue = nil
	if q.broken {
		return nil
	}
	for _, p := range next {
		q.prepared(p)
	}
	return next
}

// then makes a round the next one.
func (q *Inquiry) then(round func() []Probe) { q.rounds = slices.Insert(q.rounds, 0, round) }

// Take records the outcome of a probe.
func (q *Inquiry) Take(p Probe, o suites.Outcome) {
	q.ran += max(1, len(o.Results))
	for _, name := range o.Withheld {
		q.hidden = append(q.hidden, name)
		q.found("hidden-file", name+" is hidden from hooks here")
	}
	if p.seen != nil {
		if o.NotRun == nil && len(o.Results) > 0 { // in place nothing is observed
			p.seen(o)
		}
		return
	}
	if o.NotRun != nil || len(o.Results) == 0 {
		q.broken = true
		return
	}
	for i, r := range o.Results {
		known := len(q.findings)
		p.take[i](r)
		for j := known; j < len(q.findings); j++ {
			if f := &q.findings[j]; f.Where == q.hook.Source {
				c := *p.Case
				c.Steps = c.Steps[i : i+1 : i+1]
				f.firing = &Firing{Case: &c, Result: r}
			}
		}
	}
}

// A Report is the result of an inquiry.
type Report struct {
	Hook     discover.Hook
	Findings []Finding
	Firings  int
	Effect   suites.Effect // the effect of a typical call
	Denies   string        // a stopped input; "" if none was found or tried
	Stopped  Input         // the same, in full
	Rewrites bool          // it replaces the input of a tool
	Absent   string        // the reason why it was not judged
}

// Report returns the result so far.
func (q *Inquiry) Report() Report {
	r := Report{Hook: q.hook, Findings: q.findings, Firings: q.ran, Effect: q.effect, Absent: q.absent, Rewrites: q.rewrites}
	if q.denied != nil {
		r.Denies = q.denied.input()
		if q.denied.description == "" {
			r.Stopped = Input{Tool: q.denied.tool, Command: q.denied.command, File: q.denied.file, Prompt: q.denied.prompt}
		}
	}
	return r
}

func (q *Inquiry) found(rule, what string, severity ...suites.Severity) {
	q.seen(rule, what, "", severity...)
}

// seen records an observation on an input, once for each cause.
func (q *Inquiry) seen(rule, what, input string, severity ...suites.Severity) {
	f := FindingOf(rule, q.hook.ID, q.hook.Source, what, severity...)
	f.Input = input
	if rule == string(client.TimedOut) {
		f.Remedy = client.Cause{Kind: client.TimedOut, Event: q.hook.Event}.Remedy()
	}
	q.once(f)
}

// once records a finding unless one of the same cause is known.
func (q *Inquiry) once(f Finding) {
	if !slices.ContainsFunc(q.findings, func(o Finding) bool { return o.Rule == f.Rule && o.What == f.What }) {
		q.findings = append(q.findings, q.guessed(f))
	}
}

// worst keeps the first of the most severe findings of each rule.
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

// guessed returns a finding with the texts for the hook's event. If the event is only a guess, its
// severity is at most a warning.
func (q *Inquiry) guessed(f Finding) Finding {
	f = f.forEvent(q.hook.Event)
	if q.hook.Scope == discover.InGuess {
		f.What += " (registered nowhere: fired for " + q.hook.Event + " because of its name)"
		f.Severity = LeastSeverity(f.Severity, suites.Warning)
	}
	return f
}

// probe returns a probe of a firing.
func (q *Inquiry) probe(f firing, take func(suites.Result)) Probe {
	c := f.asCase(q.hook)
	c.Timeout = q.patience()
	compare := q.differs
	switch {
	case q.hook.Client != "":
		compare = q.meant
	case len(q.others) == 0:
		return Probe{Case: c, take: []func(suites.Result){take}}
	}
	return Probe{Case: c, take: []func(suites.Result){func(r suites.Result) {
		compare(f, r)
		take(r)
	}}}
}

// and adds a firing to a probe.
func (p *Probe) and(next Probe) {
	p.Case.Steps = append(p.Case.Steps, next.Case.Steps...)
	p.take = append(p.take, next.take...)
}

// Ask begins an inquiry. A hook that cannot be run gets no probes.
func Ask(t Tree, h discover.Hook) *Inquiry {
	q := &Inquiry{subject: subjectOf(t, h)}
	if h.NotRun() != "" {
		return q
	}
	if q.uv != "" {
		f := FindingOf("absent-program", h.ID, h.Source, "uv is not on this machine: python3 stood in for it", suites.Info)
		f.Effect = "the hook was judged with the stand-in, which needs no package either"
		q.findings = append(q.findings, f)
	}
	if name := q.fetched(); name != "" {
		q.lacks("its package " + name + " is not installed")
		return q
	}
	if h.Client != "" {
		q.rounds = []func() []Probe{q.typical, q.absentPrograms}
		if of, _ := clients.Named(h.Client); of.Measured != "" {
			q.rounds = append(q.rounds, q.search)
		}
		return q
	}
	q.rounds = []func() []Probe{q.paced, q.typical, q.deniedByRule, q.absentPrograms, q.again, q.nesting, q.varied, q.named, q.explored, q.search, q.changed, q.hardened, q.concluded}
	return q
}

// typical runs the hook as the client would, for inputs that its matcher accepts.
func (q *Inquiry) typical() (probes []Probe) {
	all := typical(q.hook, q.tree)
	for i, f := range all {
		probes = append(probes, q.probe(f, func(r suites.Result) {
			if i == 0 {
				q.effect, q.took = r.Effect, r
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

// again runs a hook that delayed the end of the turn a second time.
func (q *Inquiry) again() []Probe {
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

// Together judges hooks that the client runs in parallel.
func Together(reports []Report) (all []Finding) {
	type place struct{ client, event, matcher string }
	byEvent := map[place][]Report{}
	for _, r := range reports {
		if r.Rewrites {
			key := place{r.Hook.Client, r.Hook.Event, r.Hook.Matcher}
			byEvent[key] = append(byEvent[key], r)
		}
	}
	for key, both := range byEvent {
		if len(both) < 2 {
			continue
		}
		f := FindingOf("input-race", "", both[0].Hook.Source, key.event+" "+key.matcher+": the input is rewritten by "+both[0].Hook.ID+" and "+both[1].Hook.ID)
		for _, r := range both {
			f.Hooks = append(f.Hooks, r.Hook.ID)
		}
		all = append(all, f)
	}
	return all
}

// A Try is a call that tests whether a hook stops it.
type Try struct {
	Case  *suites.Case
	Input string // a short description of the input
	Sent  Input  // the same in full; nothing if an Input cannot express it
	// Decides reports whether an exploration reached a decision by it.
	Decides bool
	// Harmful reports whether guards usually stop the input.
	Harmful bool
}

// Tries returns the calls for a hook: those for which the client would most likely fire it, then,
// if it may deny, inputs that guards usually stop. guard reports whether there are any of the latter.
func Tries(t Tree, h discover.Hook) (tries []Try, guard bool) {
	harmful, usual := subjectOf(t, h).harmful(), typical(h, t)
	for i, f := range slices.Concat(usual, harmful) {
		c := f.asCase(h)
		c.Timeout = 0 // so that the registered timeout applies
		tries = append(tries, Try{Case: c, Input: f.input(), Harmful: i >= len(usual)})
	}
	return tries, len(harmful) > 0
}

// Calls returns the usual calls of a hook, and those that guards usually stop.
func Calls(t Tree, h discover.Hook) (all []Try) {
	s := subjectOf(t, h)
	usual := typical(h, t)
	if h.NotRun() != "" || s.fetched() != "" || len(usual) == 0 {
		return nil
	}
	if s.about().Stop {
		usual = append(usual, firing{event: h.Event, stopActive: true})
	}
	for _, f := range slices.Concat(usual, s.harmful()) {
		if c := f.asCase(h); c.Steps[0].PayloadRaw != nil {
			all = append(all, Try{Case: c, Input: f.input()})
		}
	}
	return all
}

// An Input is what a hook decides about: the call of a tool with a command or a file, or a prompt.
type Input struct {
	Tool    string `json:"tool,omitempty"`
	Command string `json:"command,omitempty"`
	File    string `json:"file,omitempty"` // from the session's directory, unless absolute
	Prompt  string `json:"prompt,omitempty"`
}

// Text returns the part of the input that varies.
func (i Input) Text() string { return cmp.Or(i.Command, i.File, i.Prompt) }

// Case returns the case that sends the input to a hook as the client does.
func (i Input) Case(h discover.Hook) *suites.Case {
	return firing{event: h.Event, tool: i.Tool, command: i.Command, file: i.File, prompt: i.Prompt}.asCase(h)
}

// Inputs returns the inputs that a hook may exist to stop: those that the configuration names, and those that
// guards usually stop. It returns none for a hook that can stop nothing.
func Inputs(t Tree, h discover.Hook) (all []Input) {
	s := subjectOf(t, h)
	if h.NotRun() != "" || s.fetched() != "" {
		return nil
	}
	var firings []firing
	for _, d := range t.Denies {
		if f, ok := sent(d, h); ok && h.Answers(d.Hook) {
			firings = append(firings, f)
		}
	}
	for _, f := range append(firings, s.harmful()...) {
		if in := (Input{Tool: f.tool, Command: f.command, File: f.file, Prompt: f.prompt}); !slices.Contains(all, in) {
			all = append(all, in)
		}
	}
	return all
}

// Named returns a text as an input of a hook; false if its matcher takes no tool for it.
func Named(h discover.Hook, text string) (Input, bool) {
	if about, _ := client.EventByName(h.Event); about.Guards == client.Prompts {
		return Input{Prompt: text}, true
	}
	d := suites.Deny{Command: text}
	if f, ok := sent(d, h); ok {
		return Input{Tool: f.tool, Command: text}, true
	}
	f, ok := sent(suites.Deny{File: text}, h)
	return Input{Tool: f.tool, File: text}, ok
}

// Harmless returns the input of an ordinary call for which the client fires a hook.
func Harmless(t Tree, h discover.Hook) (all []Input) {
	for _, f := range typical(h, t) {
		all = append(all, Input{Tool: f.tool, Command: f.command, File: f.file, Prompt: f.prompt})
	}
	return all
}

// Stopped reports whether an effect keeps the client from its action.
func Stopped(e suites.Effect) bool { return stopped(suites.Result{Effect: e}) }

// Stops reports whether an effect keeps the client from its action, or reports an error to the
// model.
func Stops(e suites.Effect) bool {
	return stopped(suites.Result{Effect: e}) || e == suites.AnotherTurn || e == suites.ShownToModel
}

// nested is the file in which calls of the client are recorded: "once" for a call by the hook, and
// "again" for a call by the hook that such a session fires in turn.
const nested = "{tmp}/nested"

// nestedClient returns a script that stands in for the client. A session that runs hooks would fire
// the same hook again, with the same environment. The script does so once, because a loop would not
// end.
func nestedClient(command string) string {
	return `case " $* " in *' --bare '*|*' --safe-mode '*|*' --setting-sources'*|*disableAllHooks*) exit 0;; esac
[ -n "$HOOKWATCH_NESTED" ] && { echo again >>'` + nested + `'; exit 0; }
echo once >>'` + nested + `'
HOOKWATCH_NESTED=1 sh -c ` + shell.Quote(command) + ` <'{tmp}/nested-input' >/dev/null 2>&1
exit 0
`
}

// nesting runs a hook that calls the client with a stand-in for it, and checks whether the hook
// calls it again when that session fires it.
func (q *Inquiry) nesting() []Probe {
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
