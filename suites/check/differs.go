package check

import (
	"fmt"
	"slices"
	"strings"
	"time"

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
	own := func(script string) bool { return slices.Contains(h.Scripts, script) }
	for _, c := range t.Clients {
		same := func(o discover.Hook) bool {
			return o.Client == c.Name && o.Event == h.Event && slices.ContainsFunc(o.Scripts, own)
		}
		if t.compares(c, h) || slices.ContainsFunc(t.Registered.Elsewhere, same) {
			all = append(all, c)
		}
	}
	return all
}

// compares reports whether a client reads the file of a hook, or was asked for.
func (t Tree) compares(c clients.Client, h discover.Hook) bool {
	return c.Reads(h.Source.File) || slices.Contains(t.AskedClients, c.Name)
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
func (t Tree) Elsewhere() []discover.Hook {
	return slices.DeleteFunc(slices.Clone(t.Registered.Elsewhere), func(h discover.Hook) bool {
		return h.Scope == discover.InTemplate || !slices.ContainsFunc(t.Clients, func(c clients.Client) bool { return c.Name == h.Client })
	})
}

// compare judges what other clients do with the result of a firing.
func (j *judgement) compare(f fired) {
	switch {
	case len(f.without) > 0: // a missing program has a finding of its own
	case j.of.hook.Client != "":
		j.compareWithClaude(f)
	default:
		j.compareWithOthers(f)
	}
}

// compareWithOthers compares what Claude Code and other clients do with a result, and records the first input
// on which they do different things.
func (j *judgement) compareWithOthers(f fired) {
	claude, _ := clients.ByName(clients.Claude)
	for _, c := range j.of.others {
		event, known := c.EventFor(j.of.hook.Event, j.of.hook.Source.File) // otherwise the registration has a finding
		theirs := c.Interpret(event, clients.OutputOf(f.Result, j.of.hook.Entry))
		if !known || !differ(f.Effect, theirs.Effect) {
			continue
		}
		finding := j.differenceOf(c, theirs.Effect, theirs.Because, f)
		finding.Effect = fmt.Sprintf("%s: %s; %s: %s", claude.Does(f.Effect), f.EffectReason, c.Title, theirs.Known)
		finding.Remedy = remedyFor(j.of.about(), f.Effect, theirs.Effect)
		switch {
		case clients.Stops(theirs.Effect):
		case f.Effect == suites.Rewritten:
			finding.Remedy, finding.Severity = remedyForRewrite(c, event, f.Result), suites.Info
		case !clients.Stops(f.Effect):
			finding.Severity = suites.Info
		}
		same := func(o Finding) bool {
			again := strings.HasPrefix(o.What, c.Title) && o.Severity == finding.Severity
			return o.Rule == finding.Rule && (again || o.What == finding.What)
		}
		if !j.has(same) {
			j.add(j.completeText(finding))
		}
	}
}

// differenceOf returns a finding about what a client does with the output of a firing.
func (j *judgement) differenceOf(c clients.Client, does suites.Effect, because string, f fired) Finding {
	finding := j.about("client-differs", c.Does(does)+": "+because)
	finding.Input, finding.Printed = f.input(), printed(f.Result)
	return finding
}

// compareWithClaude compares what the client of a hook does with a result with what Claude Code would do: a
// script that is written for Claude Code may be registered for a client that reads its output in
// another way.
func (j *judgement) compareWithClaude(f fired) {
	c, _ := clients.ByName(j.of.hook.Client)
	claude, _ := clients.ByName(clients.Claude)
	ours := claude.Interpret(j.of.hook.Event, clients.OutputOf(f.Result, j.of.hook.Entry))
	known := func(o Finding) bool { return o.Rule == "client-differs" }
	switch {
	case f.Effect == "", clients.Stops(f.Effect), !clients.Stops(ours.Effect), j.has(known):
		return
	}
	finding := j.differenceOf(c, f.Effect, f.EffectReason, f)
	finding.Effect, finding.Remedy = claude.Title+" would stop it: "+ours.Because, remedyFor(j.of.about(), ours.Effect, f.Effect)
	j.add(j.completeText(finding))
}

// differ reports whether two known effects differ in what happens to the action, or in whether the
// model is sent something.
func differ(a, b suites.Effect) bool {
	return a != "" && b != "" && course(a) != course(b)
}

// course returns one effect for all that stop the action, and one for all that let it happen.
func course(e suites.Effect) suites.Effect {
	switch {
	case clients.Stops(e):
		return suites.Denied
	case e == suites.Ignored, e == suites.Allowed:
		return suites.Proceeds
	}
	return e
}

// remedyFor returns what to do about two clients that treat an output of an event differently.
func remedyFor(event client.Event, ours, theirs suites.Effect) string {
	switch {
	case clients.Stops(theirs) && !clients.Stops(ours):
		return "let the hook exit with 0 unless it means to stop the action"
	case !clients.Stops(ours) && slices.Contains([]suites.Effect{ours, theirs}, suites.ContextAdded):
		return "give each client the text in the form that it reads (hookwatch help clients)"
	case event.Guards == client.Calls:
		return "write the reason to stderr and exit with 2: every measured client takes that for a refusal of a call"
	}
	return `print {"decision": "block", "reason": "..."} and exit with 0`
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

// judgeForeignFiles judges the entries of other clients' files that these refuse.
func judgeForeignFiles(s site) (all []Finding) {
	problems := slices.Clone(s.Registered.ElsewhereProblems)
	for _, c := range s.Clients {
		problems = append(problems, s.Registered.Of(c).ElsewhereProblems...)
	}
	for _, p := range problems {
		if slices.ContainsFunc(s.Clients, func(c clients.Client) bool { return c.Reads(p.At.File) }) {
			all = append(all, Finding{Where: p.At, What: p.What, Effect: p.Hint, Severity: p.Severity})
		}
	}
	return all
}

// foreignEntries returns the entries of other clients' files, and those of Claude Code's that other clients run.
func foreignEntries(t Tree) (all []site) {
	for _, h := range t.Elsewhere() {
		s := t.site(h)
		s.reader, _ = clients.ByName(h.Client)
		all = append(all, s)
	}
	for _, h := range t.Registered.Hooks {
		s := t.site(h)
		for _, s.reader = range t.others(h) {
			if t.compares(s.reader, h) {
				all = append(all, s)
			}
		}
	}
	return all
}

// shortest is a time limit in which hardly any hook ends.
const shortest = 500 * time.Millisecond

// judgeForeign judges an entry by what its client knows of it.
func judgeForeign(s site) (all []Finding) {
	h, c := s.hook, s.reader
	_, known := c.EventFor(h.Event, h.Source.File)
	brief := 0 < h.Entry.Timeout && h.Entry.Timeout < shortest
	all = append(s.judgeKeys(), s.judgeForeignVariables()...)
	switch {
	case h.Client != "" && brief && c.Entry.Timeout.Unit == "ms":
		return append(all, evidence("%s: a timeout of %s, because it is in milliseconds", c.Title, h.Entry.Timeout)...)
	case h.Client == "" && !known && c.Reads(h.Source.File):
		return one(Finding{What: c.Title + " has no event " + h.Event, Severity: suites.Info})
	}
	return all
}

// keys returns the keys of an entry that change when or how it runs.
func keys(h discover.Hook) (all []string) {
	if h.Client != "" {
		return h.Inert
	}
	for key, set := range map[string]bool{"if": h.If != "", "args": h.Args != nil, "onFailure": h.Entry.OnFailure == "block"} {
		if set {
			all = append(all, key)
		}
	}
	slices.Sort(all)
	return all
}

// withoutKey describes what a client does that ignores a key.
var withoutKey = map[string]string{
	"if": "the hook runs for every call that the matcher accepts", "args": "the command runs without its arguments", "onFailure": "a failure of the hook blocks nothing",
}

func (s site) judgeKeys() (all []Finding) {
	for _, key := range keys(s.hook) {
		if effect := withoutKey[key]; effect != "" && s.reader.Ignores(key) {
			all = append(all, Finding{What: s.reader.Title + " ignores " + key, Effect: effect})
		}
	}
	return all
}

func (s site) judgeForeignVariables() (all []Finding) {
	var severity suites.Severity // that of the rule
	if s.hook.Client != "" {
		severity = suites.Error
	}
	for _, variable := range clients.Variables() {
		ofPlugin := s.hook.PluginRoot != "" && strings.HasSuffix(variable, "_PLUGIN_ROOT")
		switch {
		case ofPlugin, s.reader.Sets(variable), !namesVariable(s.hook.Command, variable), strings.Contains(s.hook.Command, variable+"="):
			continue
		}
		all = append(all, Finding{
			What: s.reader.Title + " does not set " + variable, Effect: "a path that begins with it begins at /, and is not found",
			Remedy: "write ${" + variable + ":-.}, or a path from the project's root", Severity: severity,
		})
	}
	return all
}
