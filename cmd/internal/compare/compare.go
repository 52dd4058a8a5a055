// Package compare fires the hooks of two states of a project with the same calls, and finds what the
// client would do otherwise.
package compare

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
	"hookwatch/suites/bench"
	"hookwatch/suites/client"
	"hookwatch/suites/conform"
	"hookwatch/suites/depend"
	"hookwatch/suites/discover"
	"hookwatch/suites/run"
)

// A Comparison fires the hooks of states of a project, and compares two.
type Comparison struct {
	Sides []*Side // base and head, or one alone
	// Sent is called when a call is sent to hooks, and the returned function when they have ended.
	Sent func(call string) (ended func(firings int)) // may be nil
	// Compared is called when a hook was compared, with what differs.
	Compared func(hook string, changes []Change) // may be nil
	Firings  int

	ctx       context.Context
	bench     *bench.Bench
	mu        sync.Mutex                 // guards Firings and results
	lacking   map[string]suites.Position // what hooks lack on this machine, with their places
	recorded  []*Call                    // of real sessions
	differing map[string]bool            // files that differ between the sides, as slash paths
	listing   map[string]bool            // directories in which names differ, or may
}

// New opens the states of a project at revisions, or of its work tree without a name. r is a runner
// of the work tree, and jobs the number of cases that run at a time. The caller must close the
// comparison.
func New(ctx context.Context, p *session.Project, r *run.Runner, jobs int, names ...string) (*Comparison, error) {
	x := &Comparison{ctx: ctx, bench: bench.New(jobs), lacking: map[string]suites.Position{}}
	for _, name := range names {
		s, err := At(ctx, p, r, name)
		if err != nil {
			x.Close()
			return nil, err
		}
		s.Runner.KeepReady(jobs)
		x.Sides = append(x.Sides, s)
	}
	return x, nil
}

// Close closes the sides.
func (x *Comparison) Close() {
	for _, s := range x.Sides {
		s.Close()
	}
}

// Ask sends calls to all hooks of a side.
func (x *Comparison) Ask(s *Side, calls []*Call) ([]Seen, error) {
	return x.ask(s, every, calls, nil, 0, nil)
}

// Together sends calls to all hooks of both sides. Where the client does something else, its effect
// counts if it is the same twice; otherwise the effect of the base is that of the head.
func (x *Comparison) Together(calls []*Call) (base, head []Seen, err error) {
	did, changes, err := x.both(pair{every, every}, calls, func(a, b Seen) bool { return a.Effect == b.Effect })
	if err != nil {
		return nil, nil, err
	}
	base = slices.Clone(did[1])
	for _, c := range changes {
		if c.Runs[0].Effect == c.Runs[1].Effect && c.Runs[2].Effect == c.Runs[3].Effect {
			i := slices.Index(calls, c.Call)
			base[i] = did[0][i]
		}
	}
	return base, did[1], nil
}

// A Result is what differs between two sides.
type Result struct {
	Base          string                     `json:"base"`
	Head          string                     `json:"head"`
	Registrations []Registration             `json:"registrations"`
	Changes       []Change                   `json:"changes"`
	Allowed       int                        `json:"newly_allowed"` // calls that no other hook stops
	Hooks         int                        `json:"hooks"`         // that the change may affect
	Unaffected    int                        `json:"unaffected"`
	NotFired      []string                   `json:"not_compared,omitempty"`
	Lacking       map[string]suites.Position `json:"-"` // of these, what hooks lack on this machine
	Calls         int                        `json:"calls"`
	Firings       int                        `json:"firings"`
	Left          int                        `json:"files_left_out,omitempty"` // files that differ and are far from any hook, if there are many
}

// A Registration is a hook that one side alone registers, or both otherwise.
type Registration struct {
	Hook  string `json:"hook"`
	Event string `json:"event"`
	At    string `json:"at"`
	What  string `json:"what"` // added, removed, matcher, moved, changed
	Base  string `json:"base,omitempty"`
	Head  string `json:"head,omitempty"`

	Place suites.Position `json:"-"`
}

// A Change is a call that the sides of a hook treat otherwise.
type Change struct {
	Hook     string        `json:"hook"`
	Event    string        `json:"event"`
	At       string        `json:"at"`
	What     string        `json:"what"`
	Input    string        `json:"input"`
	Case     string        `json:"case,omitempty"`
	Base     Answer        `json:"base"`
	Head     Answer        `json:"head"`
	Together suites.Effect `json:"together,omitempty"` // of all hooks, if another one decides on both sides

	Call  *Call           `json:"-"`
	Runs  [4]Seen         `json:"-"` // two of the base and two of the head
	Place suites.Position `json:"-"` // of the script, or of the registration of a command without one
}

// An Answer is what a hook did, and the client's reaction.
type Answer struct {
	Effect  suites.Effect `json:"effect"`
	Because string        `json:"because"`
	Sees    string        `json:"model_sees,omitempty"`
	Rewrite string        `json:"rewrite,omitempty"`
	Output  string        `json:"output,omitempty"`
}

// decision is the part of the budget, in percent, for what all hooks of the calls do together.
const decision = 15

// bound ends what x fires at a time. The returned function restores the context.
func (x *Comparison) bound(at time.Time) (restore func()) {
	all := x.ctx
	ctx, cancel := context.WithDeadline(all, at)
	x.ctx = ctx
	return func() { cancel(); x.ctx = all }
}

// late reports whether an error is that of the budget.
func (x *Comparison) late(err error) bool {
	return err != nil && errors.Is(context.Cause(x.ctx), context.DeadlineExceeded)
}

// Compare fires the hooks that the change between two sides affects, also with recorded calls: those
// first whose own scripts differ. What the budget did not suffice for is listed in NotFired. If the
// context ends, the result is what is known, with its error.
func (x *Comparison) Compare(recorded []*Call, budget time.Duration) (Result, error) {
	end := time.Now().Add(budget)
	res := Result{Base: x.Sides[0].Name, Head: x.Sides[1].Name, Registrations: []Registration{}, Changes: []Change{}, Left: max(x.Sides[0].left, x.Sides[1].left)}
	x.recorded = recorded
	x.between()
	err := x.each(&res, x.affectedPairs(&res), end.Add(-budget*decision/100), budget)
	res.NotFired, res.Lacking = append(res.NotFired, slices.Sorted(maps.Keys(x.lacking))...), x.lacking
	if err == nil {
		restore := x.bound(end)
		if err = x.decided(res.Changes); x.late(err) {
			err = nil // which hooks decide together is unknown
		}
		restore()
	}
	res.Firings = x.Firings
	for _, c := range res.Changes {
		if c.What == NewlyAllowed && c.Together == "" {
			res.Allowed++
		}
	}
	return res, cmp.Or(err, x.ctx.Err())
}

// affectedPairs returns the hooks to fire, and adds registrations that differ, and hooks that need not or
// cannot be fired, to the result.
func (x *Comparison) affectedPairs(res *Result) (fire []pair) {
	pairs := x.pairs()
	slices.SortStableFunc(pairs, func(a, b pair) int { return a.distance(x.differing) - b.distance(x.differing) })
	for _, p := range pairs {
		if r, changed := registration(p); changed {
			res.Registrations = append(res.Registrations, r)
		} else if !x.affected(p) {
			res.Unaffected++
			continue
		}
		res.Hooks++
		if why := p.any().NotRun(); why != "" {
			res.NotFired = append(res.NotFired, p.any().ID+": "+why)
			continue
		}
		fire = append(fire, p)
	}
	return fire
}

// each compares hooks, each in an equal part of the time that is left until end. What others leave of
// their parts is for calls that were left out.
func (x *Comparison) each(res *Result, pairs []pair, end time.Time, budget time.Duration) error {
	all := make([]*comparing, len(pairs))
	for i, p := range pairs {
		all[i] = &comparing{pair: p}
	}
	defer func() {
		why := fmt.Sprintf("because its part of the budget of %s is used up", budget)
		if x.ctx.Err() != nil {
			why = "because of the interruption"
		}
		for _, c := range all {
			if c.left > 0 {
				res.NotFired = append(res.NotFired, fmt.Sprintf("%s: %d of %d calls are left out, %s", c.any().ID, c.left, c.left+c.done, why))
			}
		}
	}()
	rest := all
	for progress := true; progress && len(rest) > 0; {
		progress = false
		var late []*comparing
		for i, c := range rest {
			now := time.Now()
			restore := x.bound(now.Add(end.Sub(now) / time.Duration(len(rest)-i)))
			before := c.done
			changes, err := x.behaviour(c)
			over := x.late(err)
			restore()
			res.Calls += c.done - before
			res.Changes = append(res.Changes, changes...)
			progress = progress || c.done > before
			if over {
				late = append(late, c)
			} else if err != nil {
				return err
			}
			if x.Compared != nil && c.done > before {
				x.Compared(c.any().ID, changes)
			}
		}
		rest = late
	}
	return nil
}

// A comparing is a pair, and how far its comparison is.
type comparing struct {
	pair
	begun      bool
	calls      []*Call // of this round
	sent       int     // of calls
	did        [2][]Seen
	round      int
	done, left int // calls altogether, and those that an error left out
}

// A pair is one hook on both sides; one of them is nil if only the other registers it.
type pair [2]*discover.Hook

func (p pair) any() *discover.Hook { return cmp.Or(p[1], p[0]) }

// distance orders pairs by how close a change is: to the registration or the scripts of a hook, or
// elsewhere.
func (p pair) distance(differing map[string]bool) int {
	if p[0] == nil || p[1] == nil || registered(p[0]) != registered(p[1]) {
		return 0
	}
	if slices.ContainsFunc(slices.Concat(p[0].Scripts, p[1].Scripts), func(s string) bool { return differing[s] }) {
		return 0
	}
	return 1
}

// pairs matches the hooks of both sides by their IDs, then by event and command, script, name of
// the script, and position.
func (x *Comparison) pairs() (all []pair) {
	rest := [2][]discover.Hook{slices.Clone(x.Sides[0].hooks), slices.Clone(x.Sides[1].hooks)}
	script := func(i int, h discover.Hook) string {
		const most = 1 << 20
		of := x.Sides[i].Project
		text, err := of.Reader.ReadFile(of.Config.Abs(h.Scripts[0]), most)
		if err != nil || len(text) == 0 {
			return h.ID // equal to no other
		}
		return string(text)
	}
	sameCommand := func(a, b discover.Hook) bool { return a.Command == b.Command && slices.Equal(a.Args, b.Args) }
	for _, same := range []func(a, b discover.Hook) bool{
		func(a, b discover.Hook) bool { return a.ID == b.ID },
		func(a, b discover.Hook) bool { return sameCommand(a, b) && a.Matcher == b.Matcher },
		sameCommand,
		func(a, b discover.Hook) bool {
			return len(a.Scripts) > 0 && len(b.Scripts) > 0 && (path.Base(a.Scripts[0]) == path.Base(b.Scripts[0]) || script(0, a) == script(1, b))
		},
		func(a, b discover.Hook) bool {
			return a.Source == b.Source || a.Matcher == b.Matcher && stem(a) == stem(b)
		},
	} {
		rest[0] = slices.DeleteFunc(rest[0], func(base discover.Hook) bool {
			j := slices.IndexFunc(rest[1], func(h discover.Hook) bool { return h.Event == base.Event && h.Client == base.Client && same(base, h) })
			if j < 0 {
				return false
			}
			head := rest[1][j]
			all = append(all, pair{&base, &head})
			rest[1] = slices.Delete(rest[1], j, j+1)
			return true
		})
	}
	for i, hooks := range rest {
		for _, h := range hooks {
			var p pair
			p[i] = &h
			all = append(all, p)
		}
	}
	return all
}

// stem returns the name of a hook's script without its ending.
func stem(h discover.Hook) string {
	if len(h.Scripts) == 0 {
		return h.Command
	}
	base := path.Base(h.Scripts[0])
	return strings.TrimSuffix(base, path.Ext(base))
}

// registration reports how the registration of a hook differs between the sides.
func registration(p pair) (r Registration, changed bool) {
	base, head := p[0], p[1]
	r = Registration{Hook: p.any().ID, Event: p.any().Event, At: p.any().Source.String(), What: "changed", Place: p.any().Source}
	switch {
	case base == nil:
		r.What = "added"
	case head == nil:
		r.What = "removed"
	case base.Matcher != head.Matcher:
		r.What = "matcher"
	case !slices.Equal(base.Scripts, head.Scripts):
		r.What = "moved"
	}
	r.Base, r.Head = registered(base), registered(head)
	return r, r.Base != r.Head
}

// registered describes a registration in a line; "" if there is none.
func registered(h *discover.Hook) string {
	if h == nil {
		return ""
	}
	text := h.Event
	if h.Matcher != "" {
		text += " " + h.Matcher
	}
	text += ": " + strings.Join(append([]string{cmp.Or(h.Command, h.Type)}, h.Args...), " ")
	if h.If != "" {
		text += " if " + h.If
	}
	if h.Timeout != client.DefaultTimeout(h.Event, h.Type) {
		text += " timeout " + h.Timeout.String()
	}
	if h.Entry.Async {
		text += " async"
	}
	if h.Entry.OnFailure != "" {
		text += " onFailure " + h.Entry.OnFailure
	}
	if h.Dead {
		text += " (dropped by the client)"
	}
	if !h.Scope.Everywhere() {
		text += " (" + string(h.Scope) + ")"
	}
	return text
}

// affected reports whether anything that a hook depends on differs between the sides, apart from its
// registration.
func (x *Comparison) affected(p pair) bool {
	var inputs [2]string
	for i, h := range p {
		c := &suites.Case{Suite: "diff", ID: h.ID, Registered: h.ID, Steps: []suites.Step{{Event: h.Event}}}
		for _, s := range h.Scripts {
			c.Steps = append(c.Steps, suites.Step{Event: h.Event, Hook: s})
		}
		s := x.Sides[i]
		inputs[i] = s.inputs(c, func(in suites.Input) bool { return !slices.Contains(s.Project.Registered.Files, in.Path) })
	}
	return inputs[0] != inputs[1]
}

// inputs returns the inputs of a case that count, with their digests.
func (s *Side) inputs(c *suites.Case, counts func(suites.Input) bool) (text string) {
	c.Layer = suites.Direct
	for _, in := range s.Project.Graph.Inputs(c) {
		if counts(in) {
			text += in.Name() + "\x00" + in.Digest + "\n"
		}
	}
	return text
}

// Digest returns the digest of the registrations and of all files that the hooks run, source or name.
// Files that they may also read do not make them other hooks.
func (s *Side) Digest() string {
	all := ""
	for _, e := range client.Events() {
		c := &suites.Case{Suite: "replay", ID: e.Name, Chain: true, Steps: []suites.Step{{Event: e.Name}}}
		all += s.inputs(c, func(in suites.Input) bool { return in.Path != depend.Elsewhere })
	}
	return suites.Digest([]byte(all))
}

// leastAtOnce is the number of the first calls that are compared before the next ones, which are twice as
// many: what is known of them is not lost if the budget is used up meanwhile.
const leastAtOnce = 16

// behaviour compares what the hooks of a pair do with all calls that either may react to. After an error
// it continues where it ended.
func (x *Comparison) behaviour(c *comparing) (changes []Change, err error) {
	if !c.begun {
		if c.begun, err = x.beginPair(c); err != nil {
			return nil, err
		}
	}
	for ; len(c.calls) > 0 && c.round < 2; c.round++ {
		for size := leastAtOnce; c.sent < len(c.calls); size *= 2 {
			now := c.calls[c.sent:min(c.sent+size, len(c.calls))]
			did, some, err := x.both(c.pair, now, func(a, b Seen) bool { return a == b })
			if err != nil {
				c.left = len(c.calls) - c.sent
				return changes, err
			}
			c.sent, c.done = c.sent+len(now), c.done+len(now)
			for i, side := range did {
				if at := slices.IndexFunc(side, func(s Seen) bool { return s.missing != "" }); at >= 0 {
					x.lacking[c.any().ID+" lacks "+side[at].missing+", so it shows little"] = place(c.any())
				}
				c.did[i] = append(c.did[i], side...)
			}
			changes = append(changes, some...)
		}
		c.calls, c.did, c.sent = related(c.pair, c.calls, c.did), [2][]Seen{}, 0
	}
	c.left = 0
	return changes, nil
}

// beginPair determines the calls to send: none if few of them show that the change does not affect the
// hooks.
func (x *Comparison) beginPair(c *comparing) (begun bool, err error) {
	calls, own := x.calls(c.pair)
	p := c.pair
	if lacks := x.lacks(p); lacks != "" {
		x.lacking[p.any().ID+" calls "+lacks+", which this machine lacks"] = place(p.any())
	}
	if p[0] != nil && p[1] != nil && registered(p[0]) == registered(p[1]) && !slices.ContainsFunc(p[0].Scripts, func(s string) bool { return x.differing[s] }) {
		const few = 16 // calls that show whether a hook uses files other than its scripts
		first := calls[:min(len(calls), few)]
		if len(x.differing) == 0 {
			return true, nil
		}
		touched, err := x.touches(p, first)
		if err != nil {
			c.left = len(calls) + len(own)
			return false, err
		} else if !touched {
			c.done = len(first)
			return true, nil
		}
	}
	explored, err := x.explore(p)
	if err != nil {
		c.left = len(calls) + len(own)
		return false, err
	}
	const usual = 24 // calls beside those that were explored
	if len(explored) > 0 {
		calls = calls[:min(len(calls), usual)]
	}
	known := map[string]bool{}
	c.calls = slices.DeleteFunc(slices.Concat(explored, calls, own), func(c *Call) bool {
		defer func() { known[c.key] = true }()
		return known[c.key]
	})
	return true, nil
}

// explore returns the calls by which the hooks of a pair come furthest, each to its own decisions.
func (x *Comparison) explore(p pair) (all []*Call, err error) {
	var found [2][]conform.Try
	var group errgroup.Group
	for i, s := range x.Sides {
		group.Go(func() (err error) {
			found[i], err = s.explore(x.ctx, p[i])
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for _, t := range slices.Concat(found[0], found[1]) {
		c := &Call{Input: t.Input, c: t.Case}
		c.key = c.identity()
		all = append(all, c)
	}
	return all, nil
}

// both sends calls to the hooks of a pair. Where what they do is not the same, it sends them again,
// and returns what differs apart from what is not even equal between two runs of one side.
func (x *Comparison) both(p pair, calls []*Call, same func(a, b Seen) bool) (did [2][]Seen, changes []Change, err error) {
	for i, s := range x.Sides {
		if did[i], err = x.ask(s, p[i], calls, nil, 0, nil); err != nil {
			return did, nil, err
		}
	}
	var differ []int
	for i := range calls {
		if !same(did[0][i], did[1][i]) {
			differ = append(differ, i)
		}
	}
	h := p.any()
	const rounds = 3
	for round := 1; round <= rounds && len(differ) > 0; round++ {
		var again [2][]Seen
		for i, s := range x.Sides {
			if again[i], err = x.ask(s, p[i], calls, differ, round, nil); err != nil {
				return did, nil, err
			}
		}
		differ = slices.DeleteFunc(differ, func(i int) bool {
			c := Change{Hook: h.ID, Event: h.Event, At: h.Source.String(), Input: calls[i].Input, Case: calls[i].From, Call: calls[i], Place: place(h)}
			c.Runs = [4]Seen{did[0][i], again[0][i], did[1][i], again[1][i]}
			if c.What = what(c.Runs); c.What != "" && c.onlyNumbers() && round < rounds {
				return false // that of a process may be equal twice by chance
			} else if c.What != "" {
				c.Base, c.Head = calls[i].answer(c.Runs[0]), calls[i].answer(c.Runs[2])
				changes = append(changes, c)
			}
			return true
		})
	}
	return did, changes, nil
}

// place returns the position of the script of a hook, or of its registration.
func place(h *discover.Hook) suites.Position {
	if len(h.Scripts) > 0 {
		return suites.Position{File: h.Scripts[0], Line: 1}
	}
	return h.Source
}

// lacks lists the programs that a hook calls and this machine lacks.
func (x *Comparison) lacks(p pair) string {
	var names []string
	for i, h := range p {
		if h == nil {
			continue
		}
		s := x.Sides[i]
		called := depend.CalledBy(strings.Join(append([]string{h.Command}, h.Args...), " "))
		for _, script := range h.Scripts {
			for _, names := range s.Project.Graph.Called(script) {
				called = append(called, names...)
			}
		}
		for _, name := range called {
			if !s.tree.Installed(name) && s.Runner.StandIns[name] == "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// onlyNumbers reports whether only numbers differ.
func (c Change) onlyNumbers() bool {
	text := func(s Seen) string { return numbers.ReplaceAllString(fmt.Sprintf("%+v", s), "0") }
	return text(c.Runs[0]) == text(c.Runs[2])
}

var numbers = regexp.MustCompile(`\d+`)

// answer returns what a hook did with a call as it is reported.
func (c *Call) answer(s Seen) Answer {
	if show := c.Shown; show != nil {
		s.Because, s.Sees, s.Rewrite, s.Output = show(s.Because), show(s.Sees), show(s.Rewrite), show(s.Output)
	}
	return Answer{s.Effect, s.Because, s.Sees, s.Rewrite, s.Output}
}

// touches reports whether the hook of the base uses a file that differs between the sides, for one of
// the calls; or whether that is unknown.
func (x *Comparison) touches(p pair, calls []*Call) (touched bool, err error) {
	_, err = x.ask(x.Sides[0], p[0], calls, nil, 0, func(o suites.Outcome) {
		touched = touched || o.Unobserved != ""
		for _, a := range o.Accesses {
			rest, inside := strings.CutPrefix(a.Path, o.Project+"/")
			if a.Path == o.Project {
				rest, inside = ".", true
			}
			touched = touched || inside && a.Input() && (x.differing[rest] || a.Kind&suites.Listed != 0 && x.listing[rest])
		}
	})
	return touched, err
}

// between finds the files that differ between the sides, and the directories that list others.
func (x *Comparison) between() {
	const gone = "\x00"
	states := [2]map[string]string{{}, {}}
	for i, s := range x.Sides {
		for _, f := range s.Runner.Instead.Files {
			states[i][f.Path] = fmt.Sprint(f.Mode&0o100, f.Content)
		}
		for _, name := range s.Runner.Instead.Removed {
			states[i][name] = gone
		}
	}
	x.differing, x.listing = map[string]bool{}, map[string]bool{}
	for i := range states {
		for name, state := range states[i] {
			other, known := states[1-i][name]
			if x.differing[name] = state != other; x.differing[name] && (state == gone || other == gone || !known) {
				x.listing[path.Dir(name)] = true
			}
		}
	}
}

// What changed.
const (
	NewlyAllowed = "newly_allowed"
	NewlyBlocked = "newly_blocked"
	Rewrite      = "rewrite"
	Message      = "message"
	Effect       = "effect"
	Output       = "output" // that the client drops
)

// Whats are the kinds of changes, the most important first.
var Whats = []string{NewlyAllowed, NewlyBlocked, Rewrite, Message, Effect, Output}

// WhatOf compares two effects: it returns "" if they are the same.
func WhatOf(base, head suites.Effect) string {
	b, h := Seen{Effect: base}, Seen{Effect: head}
	return what([4]Seen{b, b, h, h})
}

// what compares two runs of the base with two of the head.
func what(runs [4]Seen) string {
	steady := func(of func(Seen) string) bool {
		b, h := of(runs[0]), of(runs[2])
		return b == of(runs[1]) && h == of(runs[3]) && b != h
	}
	text := func(of func(Seen) string) bool {
		return steady(of) || Different([4]string{of(runs[0]), of(runs[1]), of(runs[2]), of(runs[3])})
	}
	switch rank := func(s Seen) string { return fmt.Sprint(s.rank()) }; {
	case steady(rank) && runs[0].rank() > runs[2].rank():
		return NewlyAllowed
	case steady(rank) && runs[2].rank() > 1: // otherwise it is only no longer allowed without a prompt
		return NewlyBlocked
	case text(func(s Seen) string { return s.Rewrite }):
		return Rewrite
	case text(func(s Seen) string { return s.Sees }):
		return Message
	case steady(func(s Seen) string { return string(s.Effect) }):
		return Effect
	case text(func(s Seen) string { return s.Output }):
		return Output
	}
	return ""
}

var textParts = regexp.MustCompile(`\w+|\s+|.`)

// Different reports whether two runs of the base and two of the head differ in words that are equal
// in both runs of either. Runs of one side with different numbers of words cannot be compared.
func Different(texts [4]string) bool {
	var words [4][]string
	for i, t := range texts {
		words[i] = textParts.FindAllString(t, -1)
	}
	base, head := words[:2], words[2:]
	switch {
	case len(base[0]) != len(base[1]) || len(head[0]) != len(head[1]):
		return false
	case len(base[0]) != len(head[0]):
		return true
	}
	for i := range base[0] {
		if base[0][i] == base[1][i] && head[0][i] == head[1][i] && base[0][i] != head[0][i] {
			return true
		}
	}
	return false
}

// decided finds the effect of all hooks of an event where one of them lets through or stops something
// that it did not before. If that is the same on both sides, another hook decides.
func (x *Comparison) decided(changes []Change) error {
	var calls []*Call
	for _, c := range changes {
		if c.What == NewlyAllowed || c.What == NewlyBlocked {
			calls = append(calls, c.Call)
		}
	}
	var did [2][]Seen
	for i, s := range x.Sides {
		var err error
		if did[i], err = x.Ask(s, calls); err != nil {
			return err
		}
	}
	for i := range changes {
		n := slices.Index(calls, changes[i].Call)
		if n < 0 {
			continue
		}
		base, head := did[0][n].rank(), did[1][n].rank()
		if what := changes[i].What; what == NewlyAllowed && base <= head || what == NewlyBlocked && base >= head {
			changes[i].Together = did[1][n].Effect
		}
	}
	return nil
}
