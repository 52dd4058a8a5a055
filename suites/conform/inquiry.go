package conform

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

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
	sent  []firing             // of each step
	seen  func(suites.Outcome) // handles the outcome of an observed firing
	part  string               // of the inquiry
}

// around changes the environment that the probe needs.
func (p Probe) around(set func(*suites.CaseEnv)) {
	s := p.Case.WantedEnv()
	set(&s)
	p.Case.CaseEnv = &s
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

// A part of an inquiry fires a hook for one purpose, and judges the results.
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
	{name: "typical", plan: planTypical, judge: judgeTypical, foreign: true},
	{name: "served", needs: asksServer, plan: planServed, judge: judgeServed, also: true, foreign: true, unusual: true},
	{name: "equipped", plan: planEquipped, conclude: judgeEquipped, foreign: true},
	{name: "ruled", needs: (*results).rewrites, plan: planRuled, judge: judgeRuled},
	{name: "absent", needs: fires, plan: planAbsent, foreign: true},
	{name: "again", plan: planAgain, judge: judgeAgain, also: true},
	{name: "nesting", needs: callsClient, plan: planNesting, judge: judgeNesting, also: true, unusual: true},
	{name: "varied", needs: fires, plan: planVaried, judge: judgeVaried, also: true},
	{name: "named", plan: planNamed, judge: judgeNamed, also: true},
	{name: "explored", needs: fires, plan: planExplored, repeats: true},
	{name: "harmless", needs: (*results).deniesHarmless, plan: planHarmless, judge: judgeHarmless, foreign: true, measured: true},
	{name: "search", needs: letsHarmless, plan: planSearch, judge: judgeSearch, repeats: true, foreign: true, measured: true},
	{name: "changed", needs: doesNothing, plan: planChanged, conclude: judgeChanged, repeats: true},
	{name: "repeated", plan: planRepeated},
	{name: "poorer", needs: guards, plan: planPoorer, judge: judgeOpen, conclude: judgeOwnProgram},
	{name: "uncommitted", needs: guards, plan: planUncommitted, judge: judgeOpen, also: true},
	{name: "elsewhere", needs: guards, plan: planElsewhere, conclude: judgeElsewhere, also: true, unusual: true},
	{name: "translated", needs: guards, plan: planTranslated, judge: judgeTranslated, also: true},
	{name: "other tools", needs: guards, plan: planOtherTools, judge: judgeOtherTools, also: true},
	{name: "mention", needs: guards, plan: planMention, judge: judgeMention, also: true},
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

// usual returns the results for harmless inputs, one of each shape.
func (r *results) usual() []fired { return r.by["typical"] }

// first returns the result of the first harmless input.
func (r *results) first() (f fired) {
	if usual := r.usual(); len(usual) > 0 {
		return usual[0]
	}
	return fired{}
}

// denied returns the first input that was stopped; nil if there is none.
func (r *results) denied() *fired {
	stops := func(f fired) bool { return stopped(f.Result) }
	if r.deniesHarmless() && r.hook.If != "" { // an entry that stops everything its condition accepts may intend that
		return &r.usual()[0]
	}
	for _, name := range []string{"named", "search"} {
		if i := slices.IndexFunc(r.by[name], stops); i >= 0 {
			return &r.by[name][i]
		}
	}
	return nil
}

// deniesHarmless reports whether the hook stops a harmless call.
func (r *results) deniesHarmless() bool {
	return r.first().Effect == suites.Denied && r.about().Guards == client.Calls && len(r.harmful()) > 0
}

// letsHarmless reports whether the hook lets harmless calls through.
func letsHarmless(r *results) bool { return !r.deniesHarmless() }

// missing returns a program that the hook looks up and that this machine lacks; "" if none is known.
func (r *results) missing() string {
	for _, f := range r.by["absent"] {
		return calledOf(r.absentOf(frail), f.Result)
	}
	return ""
}

// rewrites reports whether the hook replaced an input, or its text says that it does.
func (r *results) rewrites() bool {
	if strings.Contains(r.text, "updatedInput") {
		return true
	}
	for _, all := range r.by {
		if slices.ContainsFunc(all, func(f fired) bool { return len(updated(f.Result)) > 0 }) {
			return true
		}
	}
	return false
}

// like returns the hook's result for the harmless input of the same shape as a firing, or nil.
func (r *results) like(f firing) *suites.Result {
	usual := r.usual()
	if i := slices.IndexFunc(usual, func(u fired) bool { return u.tool == f.tool }); i >= 0 {
		return &usual[i].Result
	}
	return nil
}

// An Inquiry examines one hook by a sequence of firings. It runs nothing itself: the caller passes
// the probes of Next back to Take with their results.
type Inquiry struct {
	results
	judgement
	parts []part // that are left
	round int    // of the first of these, and of those beside it
	ran   int
}

// Ask begins an inquiry. A hook that cannot be run gets no probes.
func Ask(t Tree, h discover.Hook) *Inquiry {
	s := subjectOf(t, h)
	q := &Inquiry{results: results{subject: s, by: map[string][]fired{}}, judgement: judgement{of: s}}
	if h.NotRun() != "" {
		q.judgePowerShell()
		return q
	}
	if s.uv != "" {
		f := FindingOf("absent-program", h.ID, h.Source, "uv is not on this machine: python3 stood in for it", suites.Info)
		f.Effect = "the hook was judged with the stand-in, which needs no package either"
		q.findings = append(q.findings, f)
	}
	if name := s.packageToFetch(); name != "" {
		q.lacks("its package " + name + " is not installed")
		return q
	}
	if q.parts = slices.Clone(parts); h.Client != "" {
		of, _ := clients.Named(h.Client)
		q.parts = slices.DeleteFunc(q.parts, func(p part) bool { return !p.foreign || p.measured && of.Measured == "" })
	}
	return q
}

// beside returns the parts that run at the same time now.
func (q *Inquiry) beside() []part {
	n := min(1, len(q.parts))
	for n < len(q.parts) && q.parts[n].also {
		n++
	}
	return q.parts[:n]
}

// Next returns the probes to run now; none if the inquiry is complete.
func (q *Inquiry) Next() (next []Probe) {
	for len(q.parts) > 0 && !q.ends {
		for _, p := range q.beside() {
			if q.round > 0 && !p.repeats || p.needs != nil && !p.needs(&q.results) || p.plan == nil {
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
func (q *Inquiry) conclude() {
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
				q.compare(p.name, f)
			}
		}
		if q.on = nil; p.conclude != nil && !ended {
			p.conclude(&q.results, &q.judgement)
		}
	}
}

// Take records the outcome of a probe.
func (q *Inquiry) Take(p Probe, o suites.Outcome) {
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
			c := *p.Case
			c.Steps = c.Steps[i : i+1 : i+1]
			q.by[p.part] = append(q.by[p.part], fired{p.sent[i], r, i, &c})
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
	Absent   string        // the reason why it was not judged

	decisions []fired // by which it came to each effect
}

// Report returns the result so far. The parts that have been fired and not judged yet are left out.
func (q *Inquiry) Report() Report {
	r := Report{Hook: q.results.hook, Findings: q.findings, Firings: q.ran, Effect: cmp.Or(q.first().Effect, q.unstarted), Absent: q.absent, decisions: q.results.decisions()}
	if f := q.denied(); f != nil {
		r.Denies = f.input()
		if f.description == "" {
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
}

// Tries returns the calls for a hook: those for which the client would most likely fire it, then,
// if it may deny, inputs that guards usually stop. It returns none for a hook that cannot be run.
func Tries(t Tree, h discover.Hook) (tries []Try) {
	s := subjectOf(t, h)
	usual := typical(h, t)
	if h.NotRun() != "" || s.packageToFetch() != "" || len(usual) == 0 {
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
	if h.NotRun() != "" || s.packageToFetch() != "" {
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

// Check examines one hook until nothing is left to find out, or ctx ends, and returns what was found
// until then. fire runs a probe, and records the paths that it uses if observed. Probes of one round are
// fired at the same time, because no two firings share a sandbox.
func Check(ctx context.Context, t Tree, h discover.Hook, fire func(p Probe, observed bool) (suites.Outcome, error)) (Report, error) {
	q := Ask(t, h)
	for round := 0; ctx.Err() == nil; round++ {
		probes := q.Next()
		if len(probes) == 0 {
			break
		}
		outcomes := make([]suites.Outcome, len(probes))
		var group errgroup.Group
		for i, p := range probes {
			group.Go(func() (err error) {
				outcomes[i], err = fire(p, round+i == 0) // one shows which files of HOME it looks for
				return err
			})
		}
		if err := group.Wait(); err != nil {
			return q.Report(), err
		}
		for i, p := range probes {
			q.Take(p, outcomes[i])
		}
	}
	return q.Report(), ctx.Err()
}
