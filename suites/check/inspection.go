package check

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/client/clients"
	"hookwatch/suites/discover"
)

// A Probe runs a hook for one firing, or for several in the same environment, one after the other.
type Probe struct {
	Case *suites.Case
	// Trace, unless it is nil, observes the firing, whose results must not be judged then.
	Trace func(dir string, env []string) suites.Tracing
	// observed asks for the paths that the firing uses.
	observed bool
	sent     []firing             // of each step
	seen     func(suites.Outcome) // handles the outcome of an observed firing
	part     string               // of the inspection
}

// around changes the environment that the probe needs.
func (p Probe) around(set func(*suites.CaseEnv)) {
	s := p.Case.WantedEnv()
	set(&s)
	p.Case.CaseEnv = &s
}

func (p Probe) request(h discover.Hook) suites.Request {
	return suites.Request{Case: p.Case, Name: h.ID, Trace: p.Trace, Observed: p.observed}
}

// and adds a firing to a probe; an empty probe becomes that firing.
func (p *Probe) and(next Probe) {
	if p.Case == nil {
		*p = next
		return
	}
	p.Case.Steps = append(p.Case.Steps, next.Case.Steps...)
	p.sent = append(p.sent, next.sent...)
}

// A fired is a firing with the hook's result.
type fired struct {
	firing
	suites.Result
	after int          // the number of other firings before it in the same environment
	c     *suites.Case // with this step alone
}

// A part of an inspection fires a hook for one purpose, and judges the results.
type part struct {
	name  string
	needs func(*results) bool    // nil for every hook
	plan  func(*results) []Probe // the probes, from the results so far
	// judge adds what one firing shows to a judgement, and conclude what all show.
	judge    func(*results, *judgement, fired)
	conclude func(*results, *judgement)

	repeats  bool // plan is called again after its probes were fired, until it returns none
	also     bool // it runs at the same time as the part before it
	foreign  bool // it is for the hooks of other clients, too
	measured bool // of these, only if the client was measured
	unusual  bool // no client makes such a call, so reactions are not compared
}

// parts are all parts in order.
var parts = []part{
	{name: "paced", needs: sleeps, plan: planPaced, judge: judgePaced},
	{name: "typical", plan: func(r *results) []Probe { return r.probes(typical(r.hook, r.tree)) }, judge: judgeTypical, foreign: true},
	{name: "equipped", plan: planEquipped, conclude: judgeEquipped, foreign: true},
	{name: "ruled", needs: (*results).rewrites, plan: planRuled, judge: judgeRuled},
	{name: "absent", needs: fires, plan: planAbsent, foreign: true},
	{name: "again", plan: planAgain, judge: judgeAgain, also: true},
	{name: "varied", needs: fires, plan: planVaried, judge: judgeVaried, also: true},
	{name: "named", plan: planNamed, judge: judgeNamed, also: true},
	{name: "explored", needs: fires, plan: planExplored, repeats: true},
	{name: "harmless", needs: (*results).deniesHarmless, plan: planHarmless, judge: judgeHarmless, foreign: true, measured: true},
	{name: "search", needs: func(r *results) bool { return !r.deniesHarmless() }, plan: planSearch, judge: judgeSearch, repeats: true, foreign: true, measured: true},
	{name: "changed", needs: misreads, plan: planChanged, conclude: judgeChanged, repeats: true},
	{name: "repeated", plan: planRepeated},
	{name: "poorer", needs: guards, plan: planPoorer, judge: judgeOpen, conclude: judgeOwnProgram},
	{name: "cut", needs: guards, plan: planCut, judge: judgeCut, also: true, unusual: true},
	{name: "other tools", needs: guards, plan: planOtherTools, judge: judgeOtherTools, also: true},
	{name: "mention", needs: guards, plan: planMention, judge: judgeMention, also: true},
	{name: "ordinary", needs: guards, plan: planOrdinary, judge: judgeOrdinary, also: true},
	{name: "alike", needs: guards, plan: planAlike, judge: judgeAlike, also: true},
	{name: "disguised", needs: stopsRemark, plan: planDisguised, judge: judgeOpen},
	{name: "decisions", conclude: judgeDecisions, foreign: true, measured: true},
}

// results are those of all firings of a hook so far.
type results struct {
	subject
	by          map[string][]fired // by part
	hidden      []string           // files that it looked for and that the sandbox hides, with ~ for HOME
	exploration *exploration       // nil if its scripts cannot be observed
	changed     []*exploration     // with an alternative each
}

// fires reports whether the client fires the hook for any input that is known.
func fires(r *results) bool { return len(typical(r.hook, r.tree)) > 0 }

func (r *results) all() []fired { return slices.Concat(slices.Collect(maps.Values(r.by))...) }

// usual returns the results for harmless inputs, one of each shape.
func (r *results) usual() []fired { return r.by["typical"] }

// first returns the result of the first harmless input.
func (r *results) first() (f fired) {
	if usual := r.usual(); len(usual) > 0 {
		f = usual[0]
	}
	return f
}

// denied returns the first input that was stopped, one that needs no state and no calls before it if there is one; nil
// if none was.
func (r *results) denied() *fired {
	if r.deniesHarmless() && r.hook.If != "" { // an entry that stops everything its condition accepts may intend that
		return &r.usual()[0]
	}
	var first *fired
	for _, name := range []string{"named", "search"} {
		for i := range r.by[name] {
			f := &r.by[name][i]
			switch alone := f.state == nil && f.earlier == nil; {
			case !stopped(f.Result):
			case alone:
				return f
			case first == nil:
				first = f
			}
		}
	}
	return first
}

// deniesHarmless reports whether the hook stops a harmless call.
func (r *results) deniesHarmless() bool {
	return r.first().Effect == suites.Denied && r.about().Guards == client.Calls && len(r.harmful()) > 0
}

// missing returns a program that the hook looks up and that this machine lacks; "" if none is known.
func (r *results) missing() string {
	for _, f := range r.by["absent"] {
		return calledOf(r.absentOf(frail), f.Result)
	}
	return ""
}

// rewrites reports whether the hook replaced an input, or its text says that it does.
func (r *results) rewrites() bool {
	return strings.Contains(r.text, "updatedInput") || slices.ContainsFunc(r.all(), func(f fired) bool { return len(updated(f.Result)) > 0 })
}

// like returns the hook's result for the harmless input of the same shape as a firing, or nil.
func (r *results) like(f firing) *suites.Result {
	usual := r.usual()
	if i := slices.IndexFunc(usual, func(u fired) bool { return u.tool == f.tool }); i >= 0 {
		return &usual[i].Result
	}
	return nil
}

// An Inspection examines one hook by a sequence of firings. It runs nothing itself: the caller passes
// the probes of Next back to Take with their results.
type Inspection struct {
	results
	judgement
	parts []part // that are left
	round int    // of the first of these, and of those beside it
	ran   int
}

// Inspect begins an inspection. A hook that cannot be run gets no probes.
func Inspect(t Tree, h discover.Hook) *Inspection {
	s := subjectOf(t, h)
	q := &Inspection{results: results{subject: s, by: map[string][]fired{}}, judgement: judgement{of: s}}
	if s.uv != "" {
		f := q.about("absent-program", "uv is not on this machine: python3 stood in for it", suites.Info)
		f.Effect = "the hook was judged with the stand-in, which needs no package either"
		q.findings = append(q.findings, f)
	}
	of, other := clients.ByName(h.Client)
	switch name := s.packageToFetch(); {
	case h.WhyNotRun() != "":
		q.judgePowerShell()
	case name != "":
		q.lacks("its package " + name + " is not installed")
	default:
		q.parts = slices.DeleteFunc(slices.Clone(parts), func(p part) bool {
			unknown := p.measured && of.Measured == ""
			return other && (unknown || !p.foreign)
		})
	}
	return q
}

// beside returns the parts that run at the same time now.
func (q *Inspection) beside() []part {
	n := min(1, len(q.parts))
	for n < len(q.parts) && q.parts[n].also {
		n++
	}
	return q.parts[:n]
}

// Next returns the probes to run now; none if the inspection is complete.
func (q *Inspection) Next() (next []Probe) {
	for len(q.parts) > 0 && !q.ends {
		for _, p := range q.beside() {
			switch {
			case p.plan == nil, q.round > 0 && !p.repeats, p.needs != nil && !p.needs(&q.results):
				continue
			}
			for _, probe := range p.plan(&q.results) {
				probe.part = p.name
				next = append(next, q.prepare(probe))
			}
		}
		if len(next) > 0 {
			q.round++
			return next
		}
		q.conclude()
	}
	return nil
}

// conclude judges the results of the present parts, and goes on to the next ones.
func (q *Inspection) conclude() {
	now := q.beside()
	q.parts, q.round = q.parts[len(now):], 0
	for _, p := range now {
		ended := q.ends
		for _, f := range q.by[p.name] {
			q.on = &f
			if p.judge != nil && !ended {
				q.judgeStreams(f.Result)
				p.judge(&q.results, &q.judgement, f)
			}
			if !p.unusual {
				q.compare(f)
			}
		}
		if q.on = nil; p.conclude != nil && !ended {
			p.conclude(&q.results, &q.judgement)
		}
	}
}

// Take records the outcome of a probe.
func (q *Inspection) Take(p Probe, o suites.Outcome) {
	q.ran += max(1, len(o.Results))
	for _, name := range o.Withheld {
		q.hidden = append(q.hidden, name)
		q.found("hidden-file", name+" is hidden from hooks here")
	}
	switch {
	case p.seen != nil:
		if o.NotRun == nil && len(o.Results) > 0 { // in place nothing is observed
			p.seen(o)
		}
	case o.NotRun != nil || len(o.Results) == 0:
		q.ends = true
	default:
		for i, r := range o.Results {
			if p.Case.Steps[i].Registered != "" {
				continue // what another hook did before
			}
			c := *p.Case
			c.Steps = c.Steps[i : i+1 : i+1]
			q.by[p.part] = append(q.by[p.part], fired{p.sent[i], r, i, &c})
		}
	}
}

// A Report is the result of an inspection.
type Report struct {
	Hook     discover.Hook
	Findings []Finding
	Firings  int
	Effect   suites.Effect // the effect of a typical call
	Denies   string        // a stopped input; "" if none was found or tried
	Stopped  Input         // the same, in full
	Absent   string        // the reason why it was not judged

	decisions []fired // by which it came to each effect
}

// Report returns the result so far. The parts that have been fired and not judged yet are left out.
func (q *Inspection) Report() Report {
	r := Report{Hook: q.results.hook, Findings: q.findings, Firings: q.ran, Effect: cmp.Or(q.first().Effect, q.unstarted), Absent: q.absent, decisions: q.results.decisions()}
	if f := q.denied(); f != nil {
		r.Denies = f.input()
		if f.description == "" && f.state == nil && f.earlier == nil {
			r.Stopped = f.asInput()
		}
	}
	return r
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
	// Alone is set if the case has an environment of its own, or other calls before this one.
	Alone bool
}

// Tries returns the calls for a hook: those for which the client would most likely fire it, then,
// if it may deny, inputs that guards usually stop. It returns none for a hook that cannot be run.
func Tries(t Tree, h discover.Hook) (tries []Try) {
	s := subjectOf(t, h)
	usual := typical(h, t)
	if len(usual) == 0 || !s.runs() {
		return nil
	}
	if s.about().Stop {
		usual = append(usual, firing{event: h.Event, stopActive: true})
	}
	for i, f := range slices.Concat(usual, s.harmful()) {
		if c := f.asCase(h); c.Steps[0].PayloadRaw != nil {
			c.Timeout = 0 // so that the registered timeout applies
			tries = append(tries, Try{Case: c, Input: f.input(), Harmful: i >= len(usual)})
		}
	}
	return tries
}

// runs reports whether a hook can be run here.
func (s subject) runs() bool { return s.hook.WhyNotRun() == "" && s.packageToFetch() == "" }

// An Input is what a hook decides about: the call of a tool with a command or a file, or a prompt.
type Input struct {
	Tool    string `json:"tool,omitempty"`
	Command string `json:"command,omitempty"`
	File    string `json:"file,omitempty"` // from the session's directory, unless absolute
	Prompt  string `json:"prompt,omitempty"`
}

// asInput returns the input of a firing: a command without the file that other tools would get.
func (f firing) asInput() Input {
	if f.command != "" {
		return Input{Tool: f.tool, Command: f.command}
	}
	return Input{Tool: f.tool, File: f.file, Prompt: f.prompt}
}

// Text returns the part of the input that varies.
func (i Input) Text() string { return cmp.Or(i.Command, i.File, i.Prompt) }

// Case returns the case that sends the input to a hook as the client does.
func (i Input) Case(h discover.Hook) *suites.Case {
	return firing{event: h.Event, tool: i.Tool, command: i.Command, file: i.File, prompt: i.Prompt}.asCase(h)
}

// CallCase returns the case that sends a call of a tool with this input, a template, to a hook as the client does.
func CallCase(h discover.Hook, tool string, input json.RawMessage) *suites.Case {
	return firing{event: h.Event, tool: tool, given: input}.asCase(h)
}

// Inputs returns the inputs that a hook may exist to stop: those that the configuration names, and those that
// guards usually stop. It returns none for a hook that can stop nothing.
func Inputs(t Tree, h discover.Hook) (all []Input) {
	s := subjectOf(t, h)
	if !s.runs() {
		return nil
	}
	var firings []firing
	for _, d := range t.Denies {
		if f, ok := sent(d, h); ok && h.Answers(d.Hook) {
			firings = append(firings, f)
		}
	}
	for _, f := range append(firings, s.harmful()...) {
		if in := f.asInput(); !slices.Contains(all, in) {
			all = append(all, in)
		}
	}
	return all
}

// Named returns a text as an input of a hook; false if its matcher takes no tool for it.
func Named(h discover.Hook, text string) (Input, bool) {
	for _, d := range []suites.Deny{{Prompt: text}, {Command: text}, {File: text}} {
		if f, ok := sent(d, h); ok {
			return f.asInput(), true
		}
	}
	return Input{File: text}, false
}

// Harmless returns the input of an ordinary call for which the client fires a hook.
func Harmless(t Tree, h discover.Hook) (all []Input) {
	for _, f := range typical(h, t) {
		all = append(all, f.asInput())
	}
	return all
}

// Stopped reports whether an effect keeps the client from its action.
func Stopped(e suites.Effect) bool { return clients.Stops(e) }

// Stops reports whether an effect keeps the client from its action, or reports an error to the
// model.
func Stops(e suites.Effect) bool {
	return clients.Stops(e) || e == suites.AnotherTurn || e == suites.ShownToModel
}

// Hook examines one hook until nothing is left to find out, or ctx ends, and returns what was found
// until then. fire makes the firings of a round, which may run at the same time, because no two share a
// sandbox.
func Hook(ctx context.Context, t Tree, h discover.Hook, fire func(context.Context, []suites.Request) ([]suites.Outcome, error)) (Report, error) {
	q := Inspect(t, h)
	for first := true; ctx.Err() == nil; first = false {
		probes := q.Next()
		if len(probes) == 0 {
			break
		}
		var requests []suites.Request
		for _, p := range probes {
			requests = append(requests, p.request(h))
		}
		requests[0].Observed = first // which files of HOME the hook looks for
		outcomes, err := fire(ctx, requests)
		if err != nil {
			return q.Report(), err
		}
		for i, p := range probes {
			q.Take(p, outcomes[i])
		}
	}
	return q.Report(), ctx.Err()
}
