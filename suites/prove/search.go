package prove

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/bench"
	"hookwatch/suites/check"
	"hookwatch/suites/discover"
	"hookwatch/suites/shell"
)

// A Machine runs cases for a search. It is safe for concurrent use.
type Machine struct {
	*bench.Bench              // fires hooks
	Executor     *bench.Bench // runs cases of Execution

	known sync.Map // effects by seed and text: several guards stop the same inputs
}

// Options limit a search.
type Options struct {
	Budget   time.Duration
	Seed     int64         // of the order in which rewrites are combined
	Inputs   []check.Input // to start from, before those of the hook; cases of suites name them
	Only     bool          // start from no others
	Goals    []Goal        // that the user states; none for those of the inputs that the guard stops
	Ways     int           // the first ways of each kind that are tried; 0 for all
	Allows   []string      // kinds of ways that pass on purpose, as AIM/KIND
	Allowed  []check.Input // that the suites let through: no remedy may stop them
	Most     Kind          // the last kind of rewrites
	Brief    bool          // try only the first rewrites of each kind until one passes, and fields that a hook may execute
	Progress func(Guard)   // called after each step, if not nil
}

// A Guard is the result of a search.
type Guard struct {
	Hook       discover.Hook
	Stopped    []check.Input // inputs that it stops, from which the search started
	Tried      int           // rewrites that were executed
	Equivalent int           // those that do the same
	Passed     int           // those that the hook lets through
	Fired      int           // inputs that were sent to the hook
	Findings   []Finding     // the most serious first
	Held       []Finding     // as bypasses: what it stops, and the rewrites that do the same and that it stops
	Ways       []Ways        // to the goals of what it stops
	Elsewhere  int           // inputs that pass it and that other hooks of their call, or permission rules, stop
	StoppedBy  []string      // those hooks, by ID, and rules
	Unproved   string        // the reason why nothing was searched; "" if the search was made
	Complete   bool          // the search came to its end within the budget
	Took       time.Duration
}

// Everything reports whether every rewrite was tried, and every way to a goal. Without ways only spellings were tried,
// of which no search is complete.
func (g Guard) Everything() bool {
	return g.Complete && len(g.Ways) > 0 && !slices.ContainsFunc(g.Ways, func(w Ways) bool { return !w.Complete })
}

// HasOpenWays reports whether a way passes of a kind that the configuration does not allow.
func (g Guard) HasOpenWays() bool {
	return slices.ContainsFunc(g.Ways, func(w Ways) bool { return len(w.Open()) > 0 })
}

// What is the kind of a finding.
type What string

// The kinds of findings.
const (
	Bypass     What = "bypass"
	FalseBlock What = "false_block"
	Injection  What = "injection"
	Choke      What = "choke" // a stopped input passes if another field is unusual
)

// Rules are the IDs of the rules of findings.
var Rules = map[What]string{Bypass: "bypass", FalseBlock: "false-block", Injection: "executes-input", Choke: "unusual-field"}

// A Finding is an input that a guard treats otherwise than it should.
type Finding struct {
	What    What
	Kind    Kind          // of the rewrite
	Rule    string        // of the rewrite
	Input   check.Input   // that passes, or is stopped
	From    check.Input   // the input that the guard stops
	Does    string        // what the execution of the input showed
	Effect  suites.Effect // of the hook's answer
	Because string
	Of      suites.Effect // of the hook's answer to From
	Others  int           // findings of the same kind from the same input, which are larger
	Field   []string      // of the payload that is executed
	Value   string        // of that field, with %s for a file that it creates
}

// seed is a stopped input with what it does.
type seed struct {
	check.Input
	effect  suites.Effect
	does    Effect
	passing []Finding

	queue    []candidate // rewrites to try
	contexts []string    // that mention it, to try
	combined bool
	rounds   int         // that it had
	repeated atomic.Bool // the hook was sent the input again after others
}

func (sd *seed) done() bool { return len(sd.queue)+len(sd.contexts) == 0 && sd.combined }

// A search is the search for one guard.
type search struct {
	*Machine
	o        Options
	hook     discover.Hook
	tree     check.Tree
	deadline time.Time
	tried    context.Context // ends when a part of the ways or rewrites was tried
	setTried func()
	fired    atomic.Int64 // inputs that were sent to the hook
	alone    atomic.Bool  // the hook's answer depends on earlier calls, so each input needs its own environment
	ordinary sync.Map     // whether contexts of mentions pass with an ordinary text
	mu       sync.Mutex   // guards what follows
	guard    Guard
	seeds    []*seed
	blocks   []Finding
	err      error
}

// Search searches one hook for findings until the budget is used up, ctx ends, or nothing is left
// to try. The order of the search depends only on the hook and the seed. It returns what was found
// so far, and an error if hookwatch itself failed.
func Search(ctx context.Context, t check.Tree, h discover.Hook, m *Machine, o Options) (Guard, error) {
	begun := Begin(ctx, t, h, m, o)
	return begun.Complete(ctx, o.Budget-begun.took)
}

// A Begun is a search that knows which inputs its hook stops.
type Begun struct {
	s    *search
	took time.Duration
}

// newSearch returns a search of a hook that has no time limit.
func newSearch(m *Machine, h discover.Hook, o Options) *search {
	s := &search{Machine: m, o: o, hook: h, guard: Guard{Hook: h}}
	s.tried, s.setTried = context.WithCancel(context.Background())
	return s
}

// Begin begins a search, and takes at most a quarter of its budget.
func Begin(ctx context.Context, t check.Tree, h discover.Hook, m *Machine, o Options) *Begun {
	began := time.Now()
	s := newSearch(m, h, o)
	s.tree = t
	s.deadline = began.Add(o.Budget / 4)
	s.start(ctx, t)
	for _, sd := range s.seeds {
		s.guard.Held = append(s.guard.Held, Finding{What: Bypass, Input: sd.Input, From: sd.Input, Does: sd.does.String(), Of: sd.effect})
	}
	return &Begun{s, time.Since(began)}
}

// Stops reports whether there is something to search: the hook stops an input, or the user states a goal.
func (b *Begun) Stops() bool { return b.s.guard.Unproved == "" }

// Complete searches until the budget is used up and something was tried, and returns what was found.
func (b *Begun) Complete(ctx context.Context, budget time.Duration) (Guard, error) {
	s, began := b.s, time.Now()
	ctx, end := context.WithCancel(ctx)
	defer end()
	limited, stop := context.WithTimeout(ctx, budget)
	defer stop()
	if budget > 0 { // else the least is tried
		context.AfterFunc(limited, func() { context.AfterFunc(s.tried, end) })
	}
	if b.Stops() {
		s.deadline = began.Add(budget * 2 / 3) // a part that has begun is usually completed
		s.work(ctx)
		s.deadline = began.Add(budget * 93 / 100)
		s.confirm(ctx)
	}
	s.guard.Fired, s.guard.Took = int(s.fired.Load()), b.took+time.Since(began)
	return s.guard, s.err
}

// over reports whether the search must end.
func (s *search) over(ctx context.Context) bool {
	return ctx.Err() != nil || s.failed() || !time.Now().Before(s.deadline)
}

func (s *search) failed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err != nil
}

// start finds the inputs that the hook stops, and what they do.
func (s *search) start(ctx context.Context, t check.Tree) {
	inputs := slices.Clone(s.o.Inputs)
	if !s.o.Only {
		for _, in := range slices.Concat(s.explored(ctx, t), check.Inputs(t, s.hook)) {
			if !slices.Contains(inputs, in) {
				inputs = append(inputs, in)
			}
		}
	}
	if why := s.hook.WhyNotRun(); why != "" || len(inputs) == 0 {
		s.guard.Unproved = cmp.Or(why, "it can stop nothing at "+s.hook.Event)
		return
	}
	harmless := check.Harmless(t, s.hook)
	answers := unsent(len(inputs))
	s.parallel(ctx, chunks(len(inputs), 4), 2, func(from, to int) {
		copy(answers[from:to], s.fire(ctx, inputs[from:to]))
	})
	quiet := s.fire(ctx, harmless)
	sent := 0
	for i, in := range inputs {
		if answers[i].NotStarted == "" {
			sent++
		}
		stops := slices.ContainsFunc(harmless, func(h check.Input) bool { return h.Tool == in.Tool })
		for j, h := range harmless {
			stops = stops && (h.Tool != in.Tool || !check.Stopped(quiet[j].Effect))
		}
		if check.Stopped(answers[i].Effect) && (stops || in.Prompt != "") {
			s.guard.Stopped = append(s.guard.Stopped, in)
			s.seeds = append(s.seeds, &seed{Input: in, effect: answers[i].Effect})
		}
	}
	s.shown(ctx)
	switch {
	case len(s.seeds) > 0 || len(s.o.Goals) > 0:
	case len(s.guard.Stopped) > 0:
		s.guard.Unproved = "no execution shows what the inputs that it stops do"
	default:
		s.guard.Unproved = fmt.Sprintf("it stops none of %d inputs, or harmless ones as well", sent)
	}
}

// explored returns the inputs by which the hook comes to its decisions.
func (s *search) explored(ctx context.Context, t check.Tree) (all []check.Input) {
	tries, err := check.Explore(t, s.hook, func(q suites.Request) (suites.Outcome, error) {
		if s.over(ctx) {
			return suites.Outcome{}, context.DeadlineExceeded
		}
		s.fired.Add(1)
		return s.Fire(ctx, q)
	})
	if err != nil && !s.over(ctx) {
		s.fail(ctx, err)
	}
	for _, try := range tries {
		if try.Sent.Text() != "" {
			all = append(all, try.Sent)
		}
	}
	return all
}

// shown executes the seeds, and keeps those whose execution shows an effect, one of each kind.
func (s *search) shown(ctx context.Context) {
	const fileSeeds = 6 // the ways around a guard of files are the same for all of them
	var kept []*seed
	seen, files := map[string]int{}, 0
	var texts []string
	for _, sd := range s.seeds {
		if text := asCommand(sd.Input); sd.Prompt == "" && executable(text, names(text)) == "" {
			texts = append(texts, text)
		}
	}
	effects := s.execute(ctx, texts, texts)
	for _, sd := range s.seeds {
		sd.does = effects[asCommand(sd.Input)]
		idle := slices.ContainsFunc(sd.does.Calls, func(c Call) bool { p := splitCall(c.Args); return p.paths && len(p.operands) == 0 })
		if sd.Prompt == "" && (sd.does.None() || idle) { // rm without a file does nothing
			continue
		}
		if sd.File != "" {
			if files++; files > fileSeeds {
				continue
			}
		}
		key := subject(sd)
		if at, known := seen[key]; !known {
			seen[key] = len(kept)
			kept = append(kept, sd)
		} else if len(sd.does.String()) > len(kept[at].does.String()) && len(kept[at].Text()) < len(sd.Text()) && !slices.Contains(s.o.Inputs, kept[at].Input) && len(sd.Text()) < 60 {
			kept[at] = sd // the one with operands is more specific
		}
	}
	s.seeds = kept
}

// subject returns a text that is equal for seeds which a guard stops for the same reason: the same
// programs with the same options.
func subject(sd *seed) string {
	if sd.Command == "" {
		return sd.Tool + "\x00" + sd.Text()
	}
	var all []string
	for _, c := range sd.does.Calls {
		p := splitCall(c.Args)
		all = append(all, p.program)
		for _, o := range p.options {
			all = append(all, o.name)
		}
		if !p.known && len(p.operands) > 0 {
			all = append(all, p.operands[0])
		}
	}
	if len(all) == 0 {
		all = []string{sd.does.String(), strings.Join(names(sd.Command), " ")}
	}
	return strings.Join(all, "\x00")
}

// asCommand returns a command that does what the input does: for a file, that is a change of it.
func asCommand(in check.Input) string {
	if in.File != "" {
		return "mkdir -p \"$(dirname -- " + shell.Quote(in.File) + ")\" && echo changed > " + shell.Quote(in.File)
	}
	return in.Command
}

// execute returns what the texts do, in the environment of seeds.
func (s *search) execute(ctx context.Context, seeds []string, texts []string) map[string]Effect {
	out, from := map[string]Effect{}, strings.Join(seeds, "\x00")
	var left []string
	for _, t := range texts {
		if e, ok := s.known.Load(from + "\x00" + t); ok {
			out[t] = e.(Effect)
		} else {
			left = append(left, t)
		}
	}
	if len(left) == 0 {
		return out
	}
	o, err := s.Executor.Fire(ctx, suites.Request{Case: Execution(seeds, left)})
	if err != nil {
		s.fail(ctx, err)
		return out
	}
	for i, e := range effects(o) {
		out[left[i]] = e
		s.known.Store(from+"\x00"+left[i], e)
	}
	return out
}

func (s *search) fail(ctx context.Context, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil && ctx.Err() == nil {
		s.err = err
	}
}

// fire sends inputs to the hook, in one environment unless its answers depend on earlier ones. The
// result has an entry for each input.
func (s *search) fire(ctx context.Context, inputs []check.Input, change ...func(*suites.Step)) (out []suites.Result) {
	return s.send(ctx, s.cases(inputs, change...))
}

// send sends cases of one step to the hook as fire does.
func (s *search) send(ctx context.Context, cases []*suites.Case) (out []suites.Result) {
	if !s.alone.Load() {
		return s.sendTogether(ctx, cases)
	}
	for _, c := range cases {
		out = append(out, s.sendTogether(ctx, []*suites.Case{c})...)
	}
	return out
}

// cases returns the cases that send inputs to the hook.
func (s *search) cases(inputs []check.Input, change ...func(*suites.Step)) (all []*suites.Case) {
	for _, in := range inputs {
		c := in.Case(s.hook)
		for _, f := range change {
			f(&c.Steps[0])
		}
		all = append(all, c)
	}
	return all
}

// unsent returns the results of n inputs that are not sent.
func unsent(n int) []suites.Result {
	return slices.Repeat([]suites.Result{{NotStarted: "it was not run"}}, n)
}

// sendTogether sends cases of one step to the hook in one environment.
func (s *search) sendTogether(ctx context.Context, cases []*suites.Case) []suites.Result {
	out := unsent(len(cases))
	if len(cases) == 0 {
		return out
	}
	all := *cases[0]
	for _, c := range cases[1:] {
		all.Steps = slices.Concat(all.Steps, c.Steps)
	}
	o, err := s.Fire(ctx, suites.Request{Case: &all, Name: s.hook.ID})
	if err != nil {
		s.fail(ctx, err)
		return out
	}
	s.fired.Add(int64(len(cases)))
	copy(out, o.Results)
	return out
}

// passes reports whether the client goes on with an unchanged input.
func passes(r suites.Result) bool {
	return !check.Stopped(r.Effect) && r.Effect != suites.Rewritten && r.NotStarted == "" && !r.TimedOut
}
