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
)

// others returns the clients other than Claude Code that run a hook of Claude Code's: those that
// the user named, those that read its file, and those whose own files register its script.
func (t Tree) others(h discover.Hook) (all []clients.Client) {
	if h.Client != "" {
		return nil
	}
	for _, c := range t.Clients {
		sameScript := func(o discover.Hook) bool {
			return o.Client == c.Name && o.Event == h.Event && slices.ContainsFunc(o.Scripts, func(s string) bool { return slices.Contains(h.Scripts, s) })
		}
		if slices.Contains(t.AskedClients, c.Name) || c.Reads(h.Source.File) || slices.ContainsFunc(t.Registered.Elsewhere, sameScript) {
			all = append(all, c)
		}
	}
	return all
}

// For sets the clients whose hooks are judged. If they were asked for, Claude Code's hooks are
// compared with what each of them would do, whether it reads their file or not; without Claude Code
// among them, all hooks that they read are fired as they do.
func (t *Tree) For(of []clients.Client, asked bool) {
	t.Clients = slices.DeleteFunc(slices.Clone(of), func(c clients.Client) bool { return c.Name == clients.Claude })
	if !asked {
		return
	}
	for _, c := range t.Clients {
		t.AskedClients = append(t.AskedClients, c.Name)
	}
	if len(t.Clients) < len(of) {
		return
	}
	var elsewhere []discover.Hook
	for _, c := range t.Clients {
		elsewhere = append(elsewhere, t.Registered.Of(c).Hooks...)
	}
	t.Registered.Hooks, t.Registered.Others, t.Registered.Elsewhere = nil, nil, elsewhere
}

// Elsewhere returns the hooks of the clients other than Claude Code that some session runs.
func (t Tree) Elsewhere() (all []discover.Hook) {
	for _, h := range t.Registered.Elsewhere {
		if h.Scope != discover.InTemplate && slices.ContainsFunc(t.Clients, func(c clients.Client) bool { return c.Name == h.Client }) {
			all = append(all, h)
		}
	}
	return all
}

// differs compares what Claude Code and other clients do with a result, and records the first input
// on which they do different things.
func (q *Inquiry) differs(f firing, r suites.Result) {
	if len(f.without) > 0 {
		return // a missing program has a finding of its own
	}
	for _, c := range q.others {
		event, known := c.EventFor(q.hook.Event, q.hook.Source.File)
		if !known {
			continue // the registration has a finding
		}
		theirs := c.Interpret(event, clients.OutputOf(r))
		if !differ(r.Effect, theirs.Effect) {
			continue
		}
		claude, _ := clients.Named(clients.Claude)
		finding := FindingOf("client-differs", q.hook.ID, q.hook.Source, c.Does(theirs.Effect)+": "+theirs.Because)
		finding.Effect = fmt.Sprintf("%s: %s; %s: %s", claude.Does(r.Effect), r.EffectReason, c.Title, theirs.Known)
		finding.Input, finding.Printed = f.input(), Short(string(r.Stdout))
		if len(r.Stdout) == 0 {
			finding.Printed = Short(string(r.Stderr))
		}
		finding.Remedy = remedyFor(q.about(), r.Effect, theirs.Effect)
		if !clients.Stops(r.Effect) && !clients.Stops(theirs.Effect) {
			finding.Severity = suites.Info
		}
		same := func(o Finding) bool {
			return o.Rule == finding.Rule && (o.What == finding.What || strings.HasPrefix(o.What, c.Title) && o.Severity == finding.Severity)
		}
		if !slices.ContainsFunc(q.findings, same) {
			q.findings = append(q.findings, q.guessed(finding))
		}
	}
}

// translated sends a guard the stopped input as the other clients that run it send it: their tools
// have other fields.
func (q *Inquiry) translated() (probes []Probe) {
	for _, c := range q.others {
		event, known := c.EventFor(q.hook.Event, q.hook.Source.File)
		if !known || c.Measured == "" {
			continue
		}
		p := q.probe(*q.denied, nil)
		step := &p.Case.Steps[0]
		step.PayloadRaw, step.MatchedAs = c.Payload(event, step.PayloadRaw), q.denied.tool
		p.take[0] = func(r suites.Result) {
			theirs := c.Interpret(event, clients.OutputOf(r))
			if clients.Stops(theirs.Effect) || theirs.Effect == "" || slices.ContainsFunc(q.findings, func(f Finding) bool {
				return f.Rule == "client-differs" && strings.HasPrefix(f.What, c.Title)
			}) {
				return
			}
			finding := FindingOf("client-differs", q.hook.ID, q.hook.Source, c.Does(theirs.Effect)+" as it sends it: "+theirs.Because)
			finding.Effect = fmt.Sprintf("Claude Code stops it; with the payload of %s (%s) the guard does not", c.Title, theirs.Known)
			finding.Input, finding.Remedy = q.denied.input(), "read the fields of both payloads (hookwatch help clients)"
			q.findings = append(q.findings, q.guessed(finding))
		}
		probes = append(probes, p)
	}
	return probes
}

// meant compares what the client of a hook does with a result with what Claude Code would do: a
// script that is written for Claude Code may be registered for a client that reads its output in
// another way.
func (q *Inquiry) meant(f firing, r suites.Result) {
	c, _ := clients.Named(q.hook.Client)
	claude, _ := clients.Named(clients.Claude)
	ours := claude.Interpret(q.hook.Event, clients.OutputOf(r))
	if len(f.without) > 0 || clients.Stops(r.Effect) || !clients.Stops(ours.Effect) || r.Effect == "" {
		return
	}
	finding := FindingOf("client-differs", q.hook.ID, q.hook.Source, c.Does(r.Effect)+": "+r.EffectReason)
	finding.Effect = claude.Title + " would stop it: " + ours.Because
	finding.Input, finding.Printed = f.input(), Short(string(r.Stdout))
	finding.Remedy = remedyFor(q.about(), ours.Effect, r.Effect)
	if !slices.ContainsFunc(q.findings, func(o Finding) bool { return o.Rule == finding.Rule }) {
		q.findings = append(q.findings, q.guessed(finding))
	}
}

// differ reports whether two known effects differ in what happens to the action, or in whether the
// model is sent something.
func differ(a, b suites.Effect) bool {
	course := func(e suites.Effect) string {
		switch {
		case e == suites.SessionEnds || clients.Stops(e):
			return "stops"
		case slices.Contains([]suites.Effect{suites.Proceeds, suites.Ignored, suites.Allowed}, e):
			return "runs"
		default:
			return string(e)
		}
	}
	return a != "" && b != "" && course(a) != course(b)
}

// remedyFor returns what to do about two clients that treat an output of an event differently.
func remedyFor(event client.Event, ours, theirs suites.Effect) string {
	switch {
	case clients.Stops(theirs) && !clients.Stops(ours):
		return "let the hook exit with 0 unless it means to stop the action"
	case event.Guards == client.Calls:
		return "write the reason to stderr and exit with 2: every measured client takes that for a refusal of a call"
	default:
		return `print {"decision": "block", "reason": "..."} and exit with 0`
	}
}

// elsewhere judges the entries of other clients' files, without running anything.
func (t Tree) elsewhere() (all []Finding) {
	for _, p := range t.Registered.ElsewhereProblems {
		if !slices.ContainsFunc(t.Clients, func(c clients.Client) bool { return c.Reads(p.At.File) }) {
			continue
		}
		f := FindingOf("client-entry", "", p.At, p.What)
		f.Effect, f.Severity = p.Hint, cmp.Or(p.Severity, f.Severity)
		all = append(all, f)
	}
	for _, h := range t.Elsewhere() {
		c, _ := clients.Named(h.Client)
		all = append(all, t.files(h)...)
		all = append(all, foreignTo(c, h, h.Inert)...)
		if c.Entry.Timeout.Unit == "ms" && h.Entry.Timeout > 0 && h.Entry.Timeout < shortest {
			all = append(all, FindingOf("client-entry", h.ID, h.Source, fmt.Sprintf("%s: a timeout of %s, because it is in milliseconds", c.Title, h.Entry.Timeout)))
		}
	}
	for _, h := range t.Registered.Hooks {
		for _, c := range t.others(h) {
			if _, known := c.EventFor(h.Event, h.Source.File); !known && c.Reads(h.Source.File) {
				all = append(all, FindingOf("client-entry", h.ID, h.Source, c.Title+" has no event "+h.Event, suites.Info))
				continue
			}
			if c.Reads(h.Source.File) || slices.Contains(t.AskedClients, c.Name) {
				all = append(all, foreignTo(c, h, keysOf(h))...)
			}
		}
	}
	return all
}

// shortest is a time limit in which hardly any hook ends.
const shortest = 500 * 1000 * 1000 // half a second

// keysOf returns the keys of an entry of Claude Code's that change when or how it runs.
func keysOf(h discover.Hook) (keys []string) {
	for key, set := range map[string]bool{"if": h.If != "", "args": h.Args != nil, "onFailure": h.Entry.OnFailure == "block"} {
		if set {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// foreignTo judges keys and variables of an entry that a client does not know.
func foreignTo(c clients.Client, h discover.Hook, keys []string) (all []Finding) {
	effects := map[string]string{
		"if": "the hook runs for every call that the matcher accepts", "args": "the command runs without its arguments", "onFailure": "a failure of the hook blocks nothing",
	}
	for _, key := range keys {
		if effects[key] == "" || !c.Ignores(key) {
			continue
		}
		f := FindingOf("client-entry", h.ID, h.Source, c.Title+" ignores "+key)
		f.Effect = effects[key]
		all = append(all, f)
	}
	for _, variable := range clients.Variables() {
		ofPlugin := h.PluginRoot != "" && strings.HasSuffix(variable, "_PLUGIN_ROOT")
		if ofPlugin || c.Sets(variable) || !namesVariable(h.Command, variable) || strings.Contains(h.Command, variable+"=") {
			continue
		}
		f := FindingOf("client-entry", h.ID, h.Source, c.Title+" does not set "+variable)
		f.Effect = "a path that begins with it begins at /, and is not found"
		f.Remedy = "write ${" + variable + ":-.}, or a path from the project's root"
		if h.Client != "" {
			f.Severity = suites.Error
		}
		all = append(all, f)
	}
	return all
}
