package check

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/discover"
)

func judgeTypical(r *results, j *judgement, f fired) {
	switch name, kind := client.MissingIn(f.Result); {
	case f.NotStarted != "":
		if j.ends = true; !j.faulty() {
			j.found("absent-program", "it could not be started: "+f.NotStarted)
		}
	case f.TimedOut:
		j.addTimeout(fmt.Sprintf("it had not ended after %s", r.patience()))
	case kind != client.MissingNothing:
		j.judgeAbsent(r, f.Result, name, kind)
	case !r.needsAbsentProgram(f):
		j.judgeEnd(f)
	}
}

// planAgain runs a hook that delayed the end of the turn a second time.
func planAgain(r *results) []Probe {
	if r.first().Effect != suites.AnotherTurn || !r.about().Stop {
		return nil
	}
	return r.probes([]firing{{event: r.hook.Event, stopActive: true}})
}

func judgeAgain(r *results, j *judgement, f fired) {
	blocks := func(f fired) bool {
		return slices.Contains([]client.Kind{client.Exit2, client.JSONNo}, client.Kind(f.EffectRule))
	}
	if blocks(f) && blocks(r.first()) {
		j.found("stop-loop", "it holds up the stop, and the next one with stop_hook_active too")
	}
}

// planRuled sends a hook that rewrites commands those that a permission rule denies or asks about. The
// client applies the rules to the rewritten command; observed on client 2.1.332.
func planRuled(r *results) (probes []Probe) {
	if r.about().Guards != client.Calls {
		return nil
	}
	for _, rule := range r.tree.Registered.Rules {
		f := conditional(discover.Hook{Event: r.hook.Event, Matcher: r.hook.Matcher, If: rule.Text}, firing{})
		if f.note = rule.String(); f.command != "" {
			probes = append(probes, r.probe(f))
		}
	}
	return probes
}

func judgeRuled(r *results, j *judgement, f fired) {
	after := replaced(f.Result)
	if f.Effect != suites.Rewritten || after == "" {
		return
	}
	payload, _ := json.Marshal(map[string]any{"tool_name": f.tool, "tool_input": map[string]string{"command": after}}) // text always encodes
	_, text, _ := strings.Cut(f.note, " has ")
	if rule := (discover.Registered{Rules: []client.PermissionRule{{List: "deny", Text: text}}}); !rule.Rule("", payload).Applies() {
		j.seen("rewrite-hides-rule", fmt.Sprintf("%s, and the hook makes %s of it, which the rule does not match", f.note, Short(after)), f.input())
	}
}

// replaced returns the command in updatedInput.
func replaced(r suites.Result) (command string) {
	_ = json.Unmarshal(updated(r)["command"], &command) // without a command it stays empty
	return command
}
