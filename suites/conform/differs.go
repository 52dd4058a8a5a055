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

// compare judges what other clients do with the result of a firing.
func (j *judgement) compare(part string, f fired) {
	switch {
	case len(f.without) > 0 || part == "translated": // a missing program has a finding of its own
	case j.of.hook.Client != "":
		j.compareWithClaude(f)
	default:
		j.compareWithOthers(f)
	}
}

// compareWithOthers compares what Claude Code and other clients do with a result, and records the first input
// on which they do different things.
func (j *judgement) compareWithOthers(f fired) {
	for _, c := range j.of.others {
		event, known := c.EventFor(j.of.hook.Event, j.of.hook.Source.File)
		if !known {
			continue // the registration has a finding
		}
		theirs := c.Interpret(event, clients.OutputOf(f.Result, j.of.hook.Entry))
		if !differ(f.Effect, theirs.Effect) {
			continue
		}
		claude, _ := clients.Named(clients.Claude)
		finding := j.differenceOf(c, theirs.Effect, theirs.Because, f)
		finding.Effect = fmt.Sprintf("%s: %s; %s: %s", claude.Does(f.Effect), f.EffectReason, c.Title, theirs.Known)
		if finding.Remedy = remedyFor(j.of.about(), f.Effect, theirs.Effect); f.Effect == suites.Rewritten && !clients.Stops(theirs.Effect) {
			finding.Remedy = remedyForRewrite(c, event, f.Result)
		}
		if !clients.Stops(f.Effect) && !clients.Stops(theirs.Effect) {
			finding.Severity = suites.Info
		}
		same := func(o Finding) bool {
			return o.Rule == finding.Rule && (o.What == finding.What || strings.HasPrefix(o.What, c.Title) && o.Severity == finding.Severity)
		}
		if !j.has(same) {
			j.add(j.completeText(finding))
		}
	}
}

// differenceOf returns a finding about what a client does with the output of a firing.
func (j *judgement) differenceOf(c clients.Client, does suites.Effect, because string, f fired) Finding {
	finding := FindingOf("client-differs", j.of.hook.ID, j.of.hook.Source, c.Does(does)+": "+because)
	finding.Input, finding.Printed = f.input(), printed(f.Result)
	return finding
}

// planTranslated sends a guard the stopped input as the other clients that run it send it: their tools
// have other fields.
func planTranslated(r *results) (probes []Probe) {
	for _, c := range r.others {
		event, known := c.EventFor(r.hook.Event, r.hook.Source.File)
		if !known || c.Measured == "" {
			continue
		}
		f := r.stops().firing
		f.note = c.Name
		p := r.probe(f)
		step := &p.Case.Steps[0]
		step.PayloadRaw, step.MatchedAs = c.Payload(event, step.PayloadRaw), f.tool
		probes = append(probes, p)
	}
	return probes
}

func judgeTranslated(r *results, j *judgement, f fired) {
	c, _ := clients.Named(f.note)
	event, _ := c.EventFor(r.hook.Event, r.hook.Source.File) // it was sent
	theirs := c.Interpret(event, clients.OutputOf(f.Result, j.of.hook.Entry))
	known := func(o Finding) bool { return o.Rule == "client-differs" && strings.HasPrefix(o.What, c.Title) }
	if clients.Stops(theirs.Effect) || theirs.Effect == "" || j.has(known) {
		return
	}
	finding := FindingOf("client-differs", r.hook.ID, r.hook.Source, c.Does(theirs.Effect)+" as it sends it: "+theirs.Because)
	finding.Effect = fmt.Sprintf("Claude Code stops it; with the payload of %s (%s) the guard does not", c.Title, theirs.Known)
	finding.Input, finding.Remedy = f.input(), "read the fields of both payloads (hookwatch help clients)"
	j.add(j.completeText(finding))
}

// compareWithClaude compares what the client of a hook does with a result with what Claude Code would do: a
// script that is written for Claude Code may be registered for a client that reads its output in
// another way.
func (j *judgement) compareWithClaude(f fired) {
	c, _ := clients.Named(j.of.hook.Client)
	claude, _ := clients.Named(clients.Claude)
	ours := claude.Interpret(j.of.hook.Event, clients.OutputOf(f.Result, j.of.hook.Entry))
	known := func(o Finding) bool { return o.Rule == "client-differs" }
	if clients.Stops(f.Effect) || !clients.Stops(ours.Effect) || f.Effect == "" || j.has(known) {
		return
	}
	finding := j.differenceOf(c, f.Effect, f.EffectReason, f)
	finding.Effect = claude.Title + " would stop it: " + ours.Because
	finding.Remedy = remedyFor(j.of.about(), ours.Effect, f.Effect)
	j.add(j.completeText(finding))
}

// differ reports whether two known effects differ in what happens to the action, or in whether the
// model is sent something.
func differ(a, b suites.Effect) bool {
	course := func(e suites.Effect) string {
		switch {
		case clients.Stops(e):
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

// remedyForRewrite returns what to do about a client that does not take the input by which a hook replaces that of a
// call: to allow the call too, if the client takes it then.
func remedyForRewrite(c clients.Client, event string, r suites.Result) string {
	r.Stdout = edited(r.Stdout, func(output map[string]any) {
		if specific, ok := output["hookSpecificOutput"].(map[string]any); ok {
			specific["permissionDecision"] = "allow"
		}
	})
	if c.Interpret(event, clients.OutputOf(r, client.Entry{})).Effect == suites.Rewritten {
		return `print "permissionDecision": "allow" next to updatedInput`
	}
	return "give " + c.Title + " a hook of its own: it replaces the input in another way, or not at all"
}

// elsewhere judges the entries of other clients' files, without running anything.
func (t Tree) elsewhere() (all []Finding) {
	problems := slices.Clone(t.Registered.ElsewhereProblems)
	for _, c := range t.Clients {
		problems = append(problems, t.Registered.Of(c).ElsewhereProblems...)
	}
	for _, p := range problems {
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
		all = append(all, judgeForeign(c, h, h.Inert)...)
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
				all = append(all, judgeForeign(c, h, keysOf(h))...)
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

// judgeForeign judges keys and variables of an entry that a client does not know.
func judgeForeign(c clients.Client, h discover.Hook, keys []string) (all []Finding) {
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
