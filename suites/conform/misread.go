package conform

import (
	"encoding/json"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/client"
)

// misread returns the fields of a payload that scripts of a hook read under wrong names.
func (q *Inquiry) misread(payload json.RawMessage) (out []misreading) {
	for _, s := range q.hook.Scripts {
		code := withoutComments(q.tree.read(s))
		for _, u := range Sent(code, payload) {
			out = append(out, misreading{s, code, u})
		}
	}
	return out
}

// misnamed runs a hook that reads fields under wrong names with the client's payload, and with each
// of these fields added to it. If the hook then does more, it meant that field.
func (q *Inquiry) misnamed() []Probe {
	q.rounds[0] = func() []Probe { return nil }
	all := q.subjects()
	if len(all) == 0 || q.effect != suites.Proceeds {
		return nil // its current form has an effect
	}
	found := q.misread(q.probe(all[0], nil).Case.Steps[0].PayloadRaw)
	if len(found) == 0 {
		return nil
	}
	sent := make([]suites.Result, len(all))
	probes := []Probe{q.each(all, nil, func(i int, r suites.Result) { sent[i] = r })}
	for _, m := range found {
		probes = append(probes, q.each(all, []Use{m.use}, func(i int, r suites.Result) { q.compare(all[i], m, sent[i], r) }))
	}
	return probes
}

// each runs a hook for several subjects in the same environment.
func (q *Inquiry) each(all []firing, with []Use, take func(int, suites.Result)) (p Probe) {
	for i, f := range all {
		one := q.probe(f, func(r suites.Result) { take(i, r) })
		step := &one.Case.Steps[0]
		step.PayloadRaw, step.Env = WithUses(step.PayloadRaw, with), TraceScripts
		if i == 0 {
			p = one
		} else {
			p.and(one)
		}
	}
	return p
}

// compare judges a hook by its results with and without a field.
func (q *Inquiry) compare(f firing, m misreading, sent, with suites.Result) {
	said := func(r suites.Result) bool { return strings.TrimSpace(string(r.Stdout)) != "" || r.Exit == 2 }
	more := ""
	switch next := BeyondTrace(string(with.Stderr), string(sent.Stderr)); {
	case sent.Exit != 0 || said(sent) || sent.TimedOut:
		return // its current form has an effect
	case said(with):
		more = "says " + strings.TrimSpace(string(with.Stdout))
	case next != "":
		more = "goes on to " + next
	default:
		return
	}
	all := misread(q.hook.ID, m)
	all.Input, all.Printed = f.input(), Short("nothing; with "+m.use.Name+" in its input it "+more)
	if !slices.ContainsFunc(q.findings, func(o Finding) bool { return o.Where.File == m.script && o.Remedy == all.Remedy }) {
		q.findings = append(q.findings, all)
	}
}

// subjects returns typical firings, and for events of agents also one for each agent that the tree
// defines.
func (q *Inquiry) subjects() []firing {
	if about, _ := client.EventByName(q.hook.Event); about.MatchedOn != "agent_type" {
		return typical(q.hook, q.tree)
	}
	var out []firing
	for _, name := range q.tree.agents(q.hook.PluginRoot) {
		if client.Match(q.hook.Event, q.hook.Matcher, name) && len(out) < batch*2 {
			out = append(out, firing{event: q.hook.Event, value: name, agent: name})
		}
	}
	return append(typical(q.hook, q.tree), out...)
}
