// Package compare fires the hooks of two states of a project with the same calls, and finds what the
// client would do otherwise.
package compare

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"hookwatch/cmd/internal/session"
	"hookwatch/suites"
	"hookwatch/suites/bench"
	"hookwatch/suites/check"
	"hookwatch/suites/run"
)

// A Comparison fires the hooks of states of a project, and compares two.
type Comparison struct {
	Sides []*Side // base and head, or one alone
	// Compared is called when a hook was compared, with what differs.
	Compared func(hook string, changes []Change) // may be nil
	Firings  atomic.Int64

	ctx       context.Context
	lacking   map[string]suites.Position // what hooks lack on this machine, with their places
	recorded  []*Call                    // of real sessions
	differing map[string]bool            // files that differ between the sides, as slash paths
	listing   map[string]bool            // directories in which names differ, or may
}

// New opens the states of a project at revisions, or of its work tree without a name. r is a runner
// of the work tree, and b the bench at which all states are fired. The caller must close the comparison.
func New(ctx context.Context, p *session.Project, r *run.Runner, b *bench.Bench, names ...string) (*Comparison, error) {
	x := &Comparison{ctx: ctx, lacking: map[string]suites.Position{}}
	for _, name := range names {
		s, err := At(ctx, p, r, name)
		if err != nil {
			x.Close()
			return nil, err
		}
		s.Runner.KeepReady(b.Jobs())
		s.bench = b.With(s.Runner.Make)
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
	return x.ask(s, every, calls, nil, 0)
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

// decision is the part of the budget, in percent, for what all hooks of the calls do together.
const decision = 15

// until ends what do fires at a time, as bench.Until does.
func (x *Comparison) until(end time.Time, do func() error) (late bool, err error) {
	all := x.ctx
	defer func() { x.ctx = all }()
	return bench.Until(all, end, func(ctx context.Context) error { x.ctx = ctx; return do() })
}

// Compare fires the hooks that the change between two sides affects, also with recorded calls: those
// first whose own scripts differ. What the budget did not suffice for is listed in NotFired. If the
// context ends, the result is what is known, with its error.
func (x *Comparison) Compare(recorded []*Call, budget time.Duration) (Result, error) {
	end := time.Now().Add(budget)
	res := Result{Base: x.Sides[0].Name, Head: x.Sides[1].Name, Registrations: []Registration{}, Changes: []Change{}, Left: max(x.Sides[0].left, x.Sides[1].left)}
	x.recorded = recorded
	x.between()
	err := x.each(&res, x.candidates(&res), end, budget)
	res.NotFired, res.Lacking = append(res.NotFired, slices.Sorted(maps.Keys(x.lacking))...), x.lacking
	if err == nil {
		_, err = x.until(end, func() error { return x.decided(res.Changes) }) // if that is late, it is unknown
	}
	res.Firings = int(x.Firings.Load())
	for _, c := range res.Changes {
		if c.What == NewlyAllowed && c.Together == "" {
			res.Allowed++
		}
	}
	return res, cmp.Or(err, x.ctx.Err())
}

// candidates returns the hooks that a change may affect, and adds registrations that differ, and hooks that need not
// or cannot be fired, to the result.
func (x *Comparison) candidates(res *Result) (fire []pair) {
	pairs := x.pairs()
	notRun := map[string][]string{} // by reason
	slices.SortStableFunc(pairs, func(a, b pair) int { return a.distance(x.differing) - b.distance(x.differing) })
	for _, p := range pairs {
		if r, changed := registration(p); changed {
			res.Registrations = append(res.Registrations, r)
		}
		switch why := p.any().WhyNotRun(); {
		case p.distance(x.differing) > 0 && (len(x.differing) == 0 || why != ""):
			res.Unaffected++
		case why != "":
			res.Hooks++
			notRun[why] = append(notRun[why], p.any().ID)
		default:
			fire = append(fire, p)
		}
	}
	for _, why := range slices.Sorted(maps.Keys(notRun)) {
		who := session.Count(len(notRun[why]), "hook")
		if len(notRun[why]) == 1 {
			who = notRun[why][0]
		}
		res.NotFired = append(res.NotFired, who+": "+why)
	}
	return fire
}

// each compares hooks: first those whose scripts or registrations differ, then those that use what differs. What the
// time until last does not suffice for is listed. A part of it is left if another hook may decide as before.
func (x *Comparison) each(res *Result, pairs []pair, last time.Time, budget time.Duration) error {
	end := last.Add(-budget * decision / 100)
	var near, far []*comparing
	for _, p := range pairs {
		if c := x.comparing(p); p.distance(x.differing) == 0 {
			near = append(near, c)
		} else {
			far = append(far, c)
		}
	}
	unknown := 0 // hooks of which it is not known whether they use what differs
	defer func() {
		why := fmt.Sprintf("because its part of the budget of %s is used up", budget)
		if x.ctx.Err() != nil {
			why = "because of the interruption"
		}
		for _, c := range slices.Concat(near, far) {
			if c.left > 0 {
				res.NotFired = append(res.NotFired, fmt.Sprintf("%s: %d of %d calls are left out, %s", c.any().ID, c.left, c.left+c.done, why))
			}
		}
		if unknown > 0 {
			res.NotFired = append(res.NotFired, fmt.Sprintf("%s whose scripts are the same: whether they use what differs is not known, %s", session.Count(unknown, "hook"), why))
		}
	}()
	res.Hooks += len(near)
	part := func(percent time.Duration) time.Time { return time.Now().Add(time.Until(end) * percent / 100) }
	first := end
	if len(far) > 0 {
		first = part(80)
	}
	rest, err := x.rounds(res, near, first)
	if err != nil {
		return err
	}
	if _, err = x.until(part(40), func() error { return x.look(far) }); err != nil {
		return err
	}
	for _, c := range far {
		x.Firings.Add(int64(c.looked))
		switch res.Calls += c.done; c.uses {
		case usesDiffering:
			rest = append(rest, c)
		case usesOther:
			res.Unaffected++
			res.Hooks--
		default:
			unknown++
		}
		res.Hooks++
	}
	if rest, err = x.rounds(res, rest, end); err == nil && !slices.ContainsFunc(res.Changes, Change.decides) {
		_, err = x.rounds(res, rest, last)
	}
	return err
}

// rounds compares hooks, each in an equal part of the time that is left until end. What others leave of their parts is
// for calls that were left out. It returns the hooks that the time did not suffice for.
func (x *Comparison) rounds(res *Result, all []*comparing, end time.Time) (rest []*comparing, err error) {
	rest = all
	for progress := true; progress && len(rest) > 0; {
		progress = false
		var late []*comparing
		for i, c := range rest {
			now := time.Now()
			before := c.done
			var changes []Change
			over, err := x.until(now.Add(end.Sub(now)/time.Duration(len(rest)-i)), func() (err error) {
				changes, err = x.behaviour(c)
				return err
			})
			res.Calls += c.done - before
			res.Changes = append(res.Changes, changes...)
			progress = progress || c.done > before
			if err != nil {
				return nil, err
			} else if over || c.cut {
				late = append(late, c)
			}
			if x.Compared != nil && c.done > before {
				x.Compared(c.any().ID, changes)
			}
		}
		rest = late
	}
	return rest, nil
}

// A comparing is a pair, and how far its comparison is.
type comparing struct {
	pair
	calls, own []*Call         // of this round; own are those of cases and sessions
	known      map[string]bool // by the keys of calls; nil before the first round
	cut        bool            // the budget ended before the exploration
	sent       int             // of calls
	did        [2][]Seen
	round      int
	uses       uses
	looked     int // firings that show it
	done, left int // calls altogether, and those that an error left out
}

// A uses tells whether a hook uses a file that differs between the sides.
type uses int

const (
	notKnown uses = iota
	usesOther
	usesDiffering
)

// leastAtOnce is the number of the first calls that are compared before the next ones, which are twice as
// many: what is known of them is not lost if the budget is used up meanwhile.
const leastAtOnce = 4

// behaviour compares what the hooks of a pair do with all calls that either may react to. After an error
// it continues where it ended.
func (x *Comparison) behaviour(c *comparing) (changes []Change, err error) {
	if c.known == nil || c.cut && len(c.calls) == 0 {
		if err := x.begin(c); err != nil {
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
	c.left, c.calls = 0, nil
	return changes, nil
}

// begin adds the calls of an exploration before the others. If it is called again, only calls that are new are left.
func (x *Comparison) begin(c *comparing) error {
	if lacks := x.lacks(c.pair); lacks != "" {
		x.lacking[c.any().ID+" calls "+lacks+", which this machine lacks"] = place(c.any())
	}
	explored, err := x.explore(c)
	if err != nil {
		c.left = len(c.calls) + len(c.own)
		return err
	}
	const usual = 24 // calls beside those that were explored
	if calls := slices.Concat(explored, c.own); c.known != nil {
		c.calls = calls
	} else if c.known = map[string]bool{}; len(explored) > 0 {
		c.calls = slices.Concat(explored, c.calls[:min(len(c.calls), usual)], c.own)
	} else {
		c.calls = slices.Concat(c.calls, c.own)
	}
	c.calls = slices.DeleteFunc(c.calls, func(call *Call) bool {
		again := c.known[call.key]
		c.known[call.key] = true
		return again
	})
	c.sent, c.round = 0, 0
	return nil
}

// comparing returns the begin of the comparison of a pair.
func (x *Comparison) comparing(p pair) *comparing {
	c := &comparing{pair: p}
	c.calls, c.own = x.calls(p)
	return c
}

// look finds out by few calls which hooks of the base use a file that differs between the sides. What it does not come
// to is not known.
func (x *Comparison) look(all []*comparing) error {
	const few = 4
	base := x.Sides[0]
	return base.bench.Each(x.ctx, len(all), func(ctx context.Context, i int) error {
		c := all[i]
		first := c.calls[:min(len(c.calls), few)]
		var some []int
		for n, call := range first {
			if base.firing(c.pair[0], call) > 0 {
				some = append(some, n)
			}
		}
		c.done = len(first)
		if c.uses = usesOther; len(some) == 0 {
			return nil
		}
		o, err := base.bench.Fire(ctx, suites.Request{Case: asCase(c.pair[0], first, some), Name: c.pair[0].ID, Observed: true})
		switch c.looked = len(o.Results); {
		case err != nil:
			c.uses, c.done = notKnown, 0
		case o.Unobserved != "" || slices.ContainsFunc(o.Accesses, func(a suites.Access) bool { return x.differs(o.Project, a) }):
			c.uses, c.done = usesDiffering, 0
		}
		return err
	})
}

// differs reports whether a use of a path depends on what differs between the sides.
func (x *Comparison) differs(project string, a suites.Access) bool {
	rest, inside := strings.CutPrefix(a.Path, project+"/")
	if a.Path == project {
		rest, inside = ".", true
	}
	return inside && a.Input() && (x.differing[rest] || a.Kind&suites.Listed != 0 && x.listing[rest])
}

// explore returns the calls by which the hooks of a pair differ most likely, and those by which they come furthest,
// each to its own decisions. Half of the pair's part of the budget is for the calls themselves.
func (x *Comparison) explore(c *comparing) (all []*Call, err error) {
	var tries []check.Try
	half := time.Time{}
	if end, ok := x.ctx.Deadline(); ok {
		half = time.Now().Add(time.Until(end) / 2)
	}
	c.cut, err = x.until(half, func() (err error) {
		tries, err = check.ExploreBoth([2]check.Version{x.Sides[0].version(x.ctx, c.pair[0]), x.Sides[1].version(x.ctx, c.pair[1])})
		return err
	})
	if err != nil && x.ctx.Err() == nil { // what was found until the budget ended counts
		return nil, err
	}
	for _, t := range tries {
		call := &Call{Input: t.Input, c: t.Case, step: len(t.Case.Steps) - 1, alone: t.Alone}
		call.key = call.identity()
		all = append(all, call)
	}
	return all, nil
}

// both sends calls to the hooks of a pair. Where what they do is not the same, it sends them again,
// and returns what differs apart from what is not even equal between two runs of one side.
func (x *Comparison) both(p pair, calls []*Call, same func(a, b Seen) bool) (did [2][]Seen, changes []Change, err error) {
	if did, err = x.askBoth(p, calls, nil, 0); err != nil {
		return did, nil, err
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
		again, err := x.askBoth(p, calls, differ, round)
		if err != nil {
			return did, nil, err
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
	var confirmed []Change
	for _, c := range changes {
		if c.What == Files {
			if err := x.repeatAlone(p, &c); err != nil {
				return did, nil, err
			}
		}
		if c.What != "" {
			confirmed = append(confirmed, c)
		}
	}
	return did, confirmed, nil
}

// repeatAlone compares a call again, twice on each side in an environment of its own: in one that it shared, the hook
// may have written the same file before.
func (x *Comparison) repeatAlone(p pair, c *Change) error {
	for round := range 2 {
		did, err := x.askBoth(p, []*Call{c.Call}, []int{0}, round+1)
		if err != nil {
			return err
		}
		c.Runs[round], c.Runs[2+round] = did[0][0], did[1][0]
	}
	c.What = what(c.Runs)
	c.Base, c.Head = c.Call.answer(c.Runs[0]), c.Call.answer(c.Runs[2])
	return nil
}

// gone is the state of a file that a side does not have.
const gone = "\x00"

// between finds the files that differ between the sides, and the directories that list others.
func (x *Comparison) between() {
	states := [2]map[string]string{{}, {}}
	for i, s := range x.Sides {
		for _, f := range s.Runner.Instead.Files {
			states[i][f.Path] = fmt.Sprint(f.Mode&0o100, f.Content)
		}
		for _, name := range s.Runner.Instead.Removed {
			states[i][name] = gone
		}
	}
	x.differing, x.listing = differences(states, func(name string) bool {
		_, err := os.Lstat(filepath.Join(x.Sides[0].Project.Config.At(), filepath.FromSlash(name)))
		return err == nil
	})
}

// differences returns the files that differ between two states, each by their names, and the directories in which one
// has another file. Files that a state does not name are those of the work tree, if it has them.
func differences(states [2]map[string]string, inWorkTree func(name string) bool) (differing, listing map[string]bool) {
	differing, listing = map[string]bool{}, map[string]bool{}
	for i := range states {
		for name, state := range states[i] {
			other, known := states[1-i][name]
			if !known && !inWorkTree(name) {
				other = gone
			}
			if differing[name] = state != other; differing[name] && (state == gone) != (other == gone) {
				listing[path.Dir(name)] = true
			}
		}
	}
	return differing, listing
}

// decided finds the effect of all hooks of an event where one of them lets through or stops something
// that it did not before. If that is the same on both sides, another hook decides.
func (x *Comparison) decided(changes []Change) error {
	var calls []*Call
	for _, c := range changes {
		if c.decides() {
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
