package conform

import (
	"fmt"
	"slices"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/discover"
)

// denies judges what a person says that hooks must stop, before anything is fired.
func (t Tree) denies() (all []Finding) {
	for _, d := range t.Denies {
		meant, taken := 0, 0
		for _, h := range t.hooks() {
			if h.Answers(d.Hook) {
				meant++
				if _, ok := sent(d, h); ok {
					taken++
				}
			}
		}
		switch {
		case meant == 0:
			all = append(all, FindingOf("let-through", "", d.At, "no registered hook is meant by "+d.Hook))
			all[len(all)-1].Remedy = "hookwatch list --hooks shows what is registered: name an ID, or a part of a command"
		case taken == 0:
			all = append(all, FindingOf("let-through", "", d.At, fmt.Sprintf("%s does not run for %s", d.Hook, firing{tool: d.Tool, command: d.Command, file: d.File, prompt: d.Prompt, event: eventOf(d)}.input())))
			all[len(all)-1].Remedy = "register it where a call can be stopped, with a matcher that takes the tool"
		}
	}
	return all
}

// eventOf is the event in which an input can be stopped.
func eventOf(d suites.Deny) string {
	if d.Prompt != "" {
		return "UserPromptSubmit"
	}
	return "PreToolUse"
}

// sent is what a hook gets of an input that it must stop, if the client runs it then.
func sent(d suites.Deny, h discover.Hook) (firing, bool) {
	f := firing{event: h.Event, tool: d.Tool, command: d.Command, file: d.File, prompt: d.Prompt}
	if h.Event != eventOf(d) {
		return f, false
	}
	takes := func(tool string) bool { return client.Match(h.Event, h.Matcher, tool) }
	switch {
	case d.Prompt != "":
		return f, true
	case d.Command != "" && d.Tool == "":
		if i := slices.IndexFunc(shells, takes); i >= 0 {
			f.tool = shells[i]
		}
	case d.Command != "":
	case d.Tool == "":
		if i := slices.IndexFunc(guarded, takes); i >= 0 {
			f.tool = guarded[i]
		}
	}
	return f, f.tool != "" && takes(f.tool) && f.passes(h)
}

// named sends what a person says that the hook must stop, each in surroundings of its
// own: each is a verdict.
func (q *Inquiry) named() (probes []Probe) {
	q.rounds[0] = func() []Probe { return nil }
	for _, d := range q.tree.Denies {
		f, ok := sent(d, q.hook)
		if !ok || !q.hook.Answers(d.Hook) {
			continue
		}
		probes = append(probes, q.probe(f, func(r suites.Result) {
			switch tool := q.missing; {
			case stopped(r) && q.denied == nil:
				q.denied = &f
			case stopped(r):
			case tool != "":
				q.lacks(tool + " is not on this machine")
			default:
				all := FindingOf("let-through", q.hook.ID, d.At, "it lets "+f.input()+" through: "+short(r.EffectReason))
				q.findings = append(q.findings, all)
			}
		}))
	}
	return probes
}
