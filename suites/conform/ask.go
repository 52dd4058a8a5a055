package conform

import (
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/discover"
)

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
	if q.effect != suites.AnotherTurn || q.hook.Event != "Stop" && q.hook.Event != "SubagentStop" {
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
