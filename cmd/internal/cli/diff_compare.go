package cli

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/conform"
	"hookwatch/suites/corpus"
	"hookwatch/suites/discover"
)

// A differ compares two sides.
type differ struct {
	ctx      context.Context
	sides    [2]askedSide // base and head
	jobs     int
	progress func(*discover.Hook)
	mu       sync.Mutex // guards fired
	fired    int

	lacking   map[string]bool // hooks that did not find something, with what
	recorded  []*sentCall     // of real sessions
	differing map[string]bool // files that differ between the sides, as slash paths
	listing   map[string]bool // directories in which names differ, or may
}

// An askedSide is a side with what its hooks did.
type askedSide struct {
	*side
	tree conform.Tree
	seen map[string]seen // by hook and call
}

// A hookPair is one hook on both sides; one of them is nil if only the other registers it.
type hookPair struct{ hooks [2]*discover.Hook }

func (p hookPair) any() *discover.Hook { return cmp.Or(p.hooks[1], p.hooks[0]) }

// A sentCall is one event that is sent to hooks.
type sentCall struct {
	key   string
	label string
	from  string // the case that sends it
	c     *suites.Case
	step  int
	text  func(string) string // of what is reported, without the secrets of a recorded call; may be nil
}

// addRecorded adds the newest calls of real sessions.
func (d *differ) addRecorded(c *corpus.Corpus) error {
	const most = 200
	all, err := c.Payloads()
	slices.SortStableFunc(all, func(a, b corpus.Payload) int { return b.Last.Compare(a.Last) })
	for _, p := range all[:min(len(all), most)] {
		d.recorded = append(d.recorded, &sentCall{label: "recorded: " + label(p), from: "recorded/" + p.ID, c: c.Restore(c.Case(p)), text: c.Text})
	}
	return err
}

// seen is what a hook did with a call.
type seen struct {
	fired    bool // the client fires it
	effect   suites.Effect
	because  string
	decision string
	sees     string // texts that reach the model
	rewrite  string // of the input or output, as JSON
	output   string // exit code and streams
	missing  string // what it needs and did not find
}

// rank orders what the client does with a call by how far it is kept from it.
func (s seen) rank() int {
	switch s.effect {
	case suites.Denied, suites.PromptBlocked, suites.SessionEnds, suites.AnotherTurn:
		return 3
	case suites.Asked, suites.ShownToModel:
		return 2
	case suites.Allowed:
		return 0
	case suites.Rewritten:
		if s.decision == "allow" || s.decision == "approve" {
			return 0
		}
	}
	return 1
}

// unfired is the behaviour of a hook that the client does not fire.
var unfired = seen{effect: suites.Proceeds, because: "the client does not fire it"}

// compare fires the hooks that the change affects.
func (d *differ) compare() (diffDocument, error) {
	doc := diffDocument{Version: 1, Base: d.sides[0].name, Head: d.sides[1].name, Registrations: []changedRegistration{}, Changes: []changedBehaviour{}, Left: max(d.sides[0].left, d.sides[1].left)}
	d.between()
	pairs := d.pairs()
	for _, p := range pairs {
		if r, changed := registration(p); changed {
			doc.Registrations = append(doc.Registrations, r)
		} else if !d.affected(p) {
			doc.Unaffected++
			continue
		}
		doc.Hooks++
		if why := p.any().NotRun(); why != "" {
			doc.NotFired = append(doc.NotFired, p.any().ID+": "+why)
			continue
		}
		changes, calls, err := d.behaviour(p)
		if err != nil {
			return doc, err
		}
		doc.Calls += calls
		doc.Changes = append(doc.Changes, changes...)
	}
	doc.NotFired = append(doc.NotFired, slices.Sorted(maps.Keys(d.lacking))...)
	err := d.together(doc.Changes)
	doc.Firings = d.fired
	for _, c := range doc.Changes {
		if c.What == newlyAllowed && c.Together == "" {
			doc.Allowed++
		}
	}
	return doc, cmp.Or(err, d.ctx.Err())
}

// pairs matches the hooks of both sides by their IDs, then by event and command, script, name of
// the script, and position.
func (d *differ) pairs() (all []hookPair) {
	rest := [2][]discover.Hook{slices.Clone(d.sides[0].hooks), slices.Clone(d.sides[1].hooks)}
	script := func(i int, h discover.Hook) string {
		const most = 1 << 20
		of := d.sides[i].project
		text, err := of.Reader.ReadFile(of.Config.Abs(h.Scripts[0]), most)
		if err != nil || len(text) == 0 {
			return h.ID // equal to no other
		}
		return string(text)
	}
	for _, same := range []func(a, b discover.Hook) bool{
		func(a, b discover.Hook) bool { return a.ID == b.ID },
		func(a, b discover.Hook) bool {
			return a.Command == b.Command && slices.Equal(a.Args, b.Args) && a.Matcher == b.Matcher
		},
		func(a, b discover.Hook) bool { return a.Command == b.Command && slices.Equal(a.Args, b.Args) },
		func(a, b discover.Hook) bool {
			return len(a.Scripts) > 0 && len(b.Scripts) > 0 && (path.Base(a.Scripts[0]) == path.Base(b.Scripts[0]) || script(0, a) == script(1, b))
		},
		func(a, b discover.Hook) bool {
			return a.Source == b.Source || a.Matcher == b.Matcher && stem(a) == stem(b)
		},
	} {
		for i := 0; i < len(rest[0]); i++ {
			base := rest[0][i]
			j := slices.IndexFunc(rest[1], func(h discover.Hook) bool { return h.Event == base.Event && h.Client == base.Client && same(base, h) })
			if j < 0 {
				continue
			}
			head := rest[1][j]
			all = append(all, hookPair{[2]*discover.Hook{&base, &head}})
			rest[0], rest[1] = slices.Delete(rest[0], i, i+1), slices.Delete(rest[1], j, j+1)
			i--
		}
	}
	for i, hooks := range rest {
		for _, h := range hooks {
			var p hookPair
			p.hooks[i] = &h
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

// affected reports whether anything that a hook depends on differs between the sides.
func (d *differ) affected(p hookPair) bool {
	var digests [2]string
	for i, h := range p.hooks {
		c := &suites.Case{Suite: "diff", ID: h.ID, Layer: suites.Direct, Registered: h.ID, Steps: []suites.Step{{Event: h.Event}}}
		for _, s := range h.Scripts {
			c.Steps = append(c.Steps, suites.Step{Event: h.Event, Hook: s})
		}
		for _, in := range d.sides[i].project.Graph.Inputs(c) {
			if !slices.Contains(d.sides[i].project.Registered.Files, in.Path) { // the registration itself is compared
				digests[i] += in.Path + "\x00" + in.Section + "\x00" + in.Digest + "\n"
			}
		}
	}
	return digests[0] != digests[1]
}

// behaviour compares what the hooks of a pair do with all calls that either may react to.
func (d *differ) behaviour(p hookPair) (changes []changedBehaviour, n int, err error) {
	calls, own := d.calls(p)
	if p.hooks[0] == nil || p.hooks[1] == nil || d.direct(p) {
		calls = append(calls, own...)
	} else if few := calls[:min(len(calls), fewCalls)]; len(d.differing) == 0 {
		return nil, 0, nil
	} else if touched, err := d.touches(p, few); err != nil || !touched {
		return nil, len(few), err
	} else {
		calls = append(calls, own...)
	}
	for round := 0; len(calls) > 0 && round < 2; round++ {
		n += len(calls)
		var did [2][]seen
		for i := range d.sides {
			if did[i], err = d.ask(i, p.hooks[i], calls, nil, nil); err != nil {
				return nil, n, err
			}
			if at := slices.IndexFunc(did[i], func(s seen) bool { return s.missing != "" }); at >= 0 {
				d.lacking[p.any().ID+": it lacks "+did[i][at].missing+", so it shows little"] = true
			}
		}
		var differ []int
		for i := range calls {
			if did[0][i] != did[1][i] {
				differ = append(differ, i)
			}
		}
		again, err := d.confirmed(p, calls, did, differ)
		if err != nil {
			return nil, n, err
		}
		changes = append(changes, again...)
		calls = d.related(p, calls, did)
	}
	return changes, n, nil
}

// fewCalls is the number of calls that show whether a hook uses files other than its scripts.
const fewCalls = 16

// direct reports whether the scripts or the registration of the hooks of a pair differ.
func (d *differ) direct(p hookPair) bool {
	return registrationText(*p.hooks[0]) != registrationText(*p.hooks[1]) || slices.ContainsFunc(p.hooks[0].Scripts, func(s string) bool { return d.differing[s] })
}

// touches reports whether the hook of the base uses a file that differs between the sides, for one of
// the calls; or whether that is unknown.
func (d *differ) touches(p hookPair, calls []*sentCall) (touched bool, err error) {
	_, err = d.ask(0, p.hooks[0], calls, nil, func(o suites.Outcome) {
		touched = touched || o.Unobserved != ""
		for _, a := range o.Accesses {
			rest, inside := strings.CutPrefix(a.Path, o.Project+"/")
			if a.Path == o.Project {
				rest, inside = ".", true
			}
			touched = touched || inside && a.Input() && (d.differing[rest] || a.Kind&suites.Listed != 0 && d.listing[rest])
		}
	})
	return touched, err
}

// between finds the files that differ between the sides, and the directories that list others.
func (d *differ) between() {
	const gone = "\x00"
	states := [2]map[string]string{{}, {}}
	for i := range d.sides {
		for _, f := range d.sides[i].files {
			states[i][strings.TrimPrefix(f.Path, "{project}/")] = fmt.Sprint(f.Mode&0o100, f.Content)
		}
		for _, name := range d.sides[i].removed {
			states[i][name] = gone
		}
	}
	d.differing, d.listing = map[string]bool{}, map[string]bool{}
	for i := range states {
		for name, state := range states[i] {
			other, known := states[1-i][name]
			if d.differing[name] = state != other; d.differing[name] && (state == gone || other == gone || !known) {
				d.listing[path.Dir(name)] = true
			}
		}
	}
}

// confirmed fires both sides again where they differ, and returns what differs apart from what is
// not even equal between two runs of the same.
func (d *differ) confirmed(p hookPair, calls []*sentCall, did [2][]seen, differ []int) (changes []changedBehaviour, err error) {
	if len(differ) == 0 {
		return nil, nil
	}
	var again [2][]seen
	for i := range d.sides {
		if again[i], err = d.ask(i, p.hooks[i], calls, differ, nil); err != nil {
			return nil, err
		}
	}
	for _, i := range differ {
		base, head := did[0][i], did[1][i]
		what := whatChanged([2]seen{base, again[0][i]}, [2]seen{head, again[1][i]})
		if what == "" {
			continue
		}
		of := func(s seen) answer {
			if shown := calls[i].text; shown != nil {
				s.because, s.sees, s.rewrite, s.output = shown(s.because), shown(s.sees), shown(s.rewrite), shown(s.output)
			}
			return answer{s.effect, s.because, s.sees, s.rewrite, s.output}
		}
		c := changedBehaviour{
			Hook: p.any().ID, Event: p.any().Event, At: p.any().Source.String(), What: what, Input: calls[i].label, Case: calls[i].from, call: calls[i], at: place(p.any()), runs: [4]seen{base, again[0][i], head, again[1][i]},
			Base: of(base), Head: of(head),
		}
		changes = append(changes, c)
	}
	return changes, nil
}

// What changed, the most important first.
const (
	newlyAllowed   = "newly_allowed"
	newlyBlocked   = "newly_blocked"
	changedRewrite = "rewrite"
	changedMessage = "message"
	changedEffect  = "effect"
	changedOutput  = "output" // that the client drops
)

var whats = []string{newlyAllowed, newlyBlocked, changedRewrite, changedMessage, changedEffect, changedOutput}

// whatChanged compares two runs of the base with two of the head.
func whatChanged(base, head [2]seen) string {
	steady := func(of func(seen) string) bool {
		b, h := [2]string{of(base[0]), of(base[1])}, [2]string{of(head[0]), of(head[1])}
		return b[0] == b[1] && h[0] == h[1] && b[0] != h[0]
	}
	text := func(of func(seen) string) bool {
		return steady(of) || different([4]string{of(base[0]), of(base[1]), of(head[0]), of(head[1])})
	}
	switch rank := func(s seen) string { return fmt.Sprint(s.rank()) }; {
	case steady(rank) && base[0].rank() > head[0].rank():
		return newlyAllowed
	case steady(rank):
		return newlyBlocked
	case text(func(s seen) string { return s.rewrite }):
		return changedRewrite
	case text(func(s seen) string { return s.sees }):
		return changedMessage
	case steady(func(s seen) string { return string(s.effect) }):
		return changedEffect
	case text(func(s seen) string { return s.output }):
		return changedOutput
	}
	return ""
}

var textParts = regexp.MustCompile(`\w+|\s+|.`)

// different reports whether two runs of the base and two of the head differ in words that are equal
// in both runs of either. Runs of one side with different numbers of words cannot be compared.
func different(texts [4]string) bool {
	var split [4][]string
	for i, t := range texts {
		split[i] = textParts.FindAllString(t, -1)
	}
	base, head := split[:2], split[2:]
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

// together finds the effect of all hooks of an event where one of them lets through or stops
// something that it did not before. If that is the same on both sides, another hook decides.
func (d *differ) together(changes []changedBehaviour) error {
	var calls []*sentCall
	for _, c := range changes {
		if c.What == newlyAllowed || c.What == newlyBlocked {
			calls = append(calls, c.call)
		}
	}
	if len(calls) == 0 {
		return nil
	}
	var effects [2]map[*sentCall]seen
	for i := range d.sides {
		effects[i] = map[*sentCall]seen{}
		readings := map[*sentCall][]client.Reading{}
		for _, h := range d.sides[i].hooks {
			if !h.Scope.Everywhere() || h.Client != "" {
				continue
			}
			did, err := d.ask(i, &h, calls, nil, nil)
			if err != nil {
				return err
			}
			for n, c := range calls {
				if did[n].fired {
					readings[c] = append(readings[c], client.Reading{Effect: did[n].effect, Decision: did[n].decision})
				}
			}
		}
		for _, c := range calls {
			all := client.Combine(readings[c])
			effects[i][c] = seen{effect: all.Effect, decision: all.Decision}
		}
	}
	for i, c := range changes {
		base, head := effects[0][c.call], effects[1][c.call]
		if c.call != nil && (c.What == newlyAllowed && base.rank() <= head.rank() || c.What == newlyBlocked && base.rank() >= head.rank()) {
			changes[i].Together = head.effect
		}
	}
	return nil
}
