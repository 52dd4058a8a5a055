package conform

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/client"
)

// batch is the number of inputs sent before their results are examined. They share an environment
// because making one costs as much as running many hooks.
const batch = 4

// planExplored fires the hook observed, with inputs that pass its comparisons.
func planExplored(r *results) []Probe {
	if r.exploration == nil && r.missing() == "" && !client.InBackground(r.first().Result) {
		r.exploration = newExploration(r.subject, nil)
	}
	return r.exploration.probes()
}

// planHarmless sends a guard that stops a plainly harmless call the same call again, in the same
// session. If it lets the second call through, as a gate that explains something once does, it
// blocks nothing.
func planHarmless(r *results) []Probe {
	if r.hook.If != "" {
		return nil
	}
	return r.batches([]firing{r.first().firing, r.first().firing})
}

func judgeHarmless(r *results, j *judgement, f fired) {
	switch {
	case f.after == 0:
	case lets(f.Result):
		found := FindingOf("blocks-everything", r.hook.ID, r.hook.Source, fmt.Sprintf("it denies %s once, and lets the same call through after that", f.input()), suites.Info)
		found.Effect = "the agent has to make its first call again"
		j.addOnce(found)
	case slices.Contains(shells, f.tool):
		j.found("blocks-everything", "it denies "+f.input(), suites.Warning)
	default:
		j.found("blocks-everything", "it denies "+f.input(), suites.Info) // a guard of branches or of files may intend it
	}
}

// planSearch tries inputs that a guard may exist to stop: a few that a user would type and those that came furthest in
// the exploration, each of which may be another rule with faults of its own. Of hooks that are not seen to compare
// anything it tries usual ones until one is stopped, a batch in a round.
func planSearch(r *results) []Probe {
	inputs, done := r.harmful(), len(r.by["search"])
	if x := r.exploration; x != nil && x.compared {
		if done > 0 {
			return nil
		}
		furthest := slices.Concat(x.deciding, x.further)
		return r.batches(slices.Concat(inputs[:min(len(inputs), batch)], furthest[:min(len(furthest), mostAgain)]))
	}
	if r.missing() != "" || client.InBackground(r.first().Result) { // it can hardly do its work, or its refusal has no effect
		inputs = inputs[:min(len(inputs), 2*batch)]
	}
	if inputs = inputs[min(len(inputs), done):]; r.denied() != nil {
		return nil
	}
	return r.batches(inputs[:min(len(inputs), batch)])
}

// batches returns probes of several inputs each.
func (s subject) batches(all []firing) (probes []Probe) {
	for some := range slices.Chunk(all, batch) {
		var p Probe
		for _, f := range some {
			p.and(s.probe(f))
		}
		probes = append(probes, p)
	}
	return probes
}

func judgeSearch(r *results, j *judgement, f fired) {
	switch {
	case !stopped(f.Result):
		j.judgeReaction(f.firing, r.like(f.firing), f.Result)
		j.judgeRewrite(f.firing, f.Result)
	case r.denied().c == f.c && f.Exit == 2 && silent(f.Stderr) && len(f.Stdout) > 0:
		j.found("reason-on-stdout", "exit 2 with nothing on stderr, for "+f.input())
	case r.denied().c == f.c && isWordless(f.Result):
		j.found("no-reason", "it denies "+f.input()+" without a reason")
	}
}

// isWordless reports whether the model is told nothing of a denial but that there was one.
func isWordless(r suites.Result) bool {
	ofClient := func(text string) bool { return strings.HasSuffix(text, client.NoReason) }
	return slices.ContainsFunc(r.ModelSees, ofClient) && !bytes.Contains(r.Stdout, []byte(client.NoReason))
}

// doesNothing reports whether the exploration came to no effect, and nothing was stopped.
func doesNothing(r *results) bool {
	x := r.exploration
	return x != nil && len(x.sent) > 0 && x.idle() && r.denied() == nil
}

// planChanged explores a hook that does nothing again with each field that it reads under another name than the
// client's, and with each variable that nothing sets.
func planChanged(r *results) (probes []Probe) {
	if r.changed == nil {
		for _, a := range r.exploration.alternatives() {
			r.changed = append(r.changed, newExploration(r.subject, &a))
		}
	}
	for _, other := range r.changed {
		probes = append(probes, other.probes()...)
	}
	return probes
}

// judgeChanged judges what the hook waits for, if it then does more.
func judgeChanged(r *results, j *judgement) {
	for _, other := range r.changed {
		more, a := other.beyond(r.exploration), other.change
		switch {
		case more == "":
		case a.variable != "":
			j.found("unset-variable", fmt.Sprintf("it reads $%s, which is never set; if it is set, it %s", a.variable, more))
		default:
			for _, f := range r.exploration.findMisreadFields(a, more) {
				j.addOnce(f)
			}
		}
	}
}

// judgeDecisions judges what the exploration shows, after all firings.
func judgeDecisions(r *results, j *judgement) {
	j.judgeDead(r)
	x, denied, background := r.exploration, r.denied() != nil, client.InBackground(r.first().Result)
	useless := r.about().Guards != "" && !denied && !background
	if x == nil || len(x.sent) == 0 {
		if useless && len(r.usual()) > 0 {
			j.judgeUnproven(r)
		}
		return
	}
	faulty := j.faulty()
	all := slices.Concat(x.findMisreadFields(nil, ""), x.findMisreadPatterns(denied))
	fails := r.first().EffectRule == string(client.AnyFailure)
	if idle := r.about().Guards != "" && doesNothing(r) && len(x.decisions) > 0; len(all) == 0 && (fails || idle) {
		all = x.findUnsent()
	}
	if x.compared || !faulty {
		all = append(all, x.findUnreached(denied)...)
	}
	if decides := len(x.decisions) > 0 || namesDecision(r.text); useless && decides && !faulty {
		all = append(all, x.findHiddenError()...)
	}
	for _, f := range all {
		j.addOnce(f)
	}
}

// judgeDead judges a guard that failed silently on each input, harmful ones too, as if its interpreter were a stub.
func (j *judgement) judgeDead(r *results) {
	x, exit := r.exploration, r.first().Exit
	if x == nil || len(x.decisions) == 0 || r.about().Guards == "" || r.needsAbsentProgram(r.first()) {
		return
	}
	for _, all := range r.by {
		if slices.ContainsFunc(all, func(f fired) bool { return !failsSilently(f.Result) || f.Exit != exit }) {
			return
		}
	}
	f := FindingOf(string(client.ExitCode), r.hook.ID, r.hook.Source, fmt.Sprintf("it stops nothing: it ends with %d and prints nothing, whatever the input", exit))
	switch file := x.decisions[0].File; {
	case !x.ran[file]:
		f.What += ", and no statement of " + file + " is seen to run"
		f.Remedy = "start the command by hand: its interpreter ends so, as the stub of the Store does on Windows, with 49; install it"
	case x.dependsOnState():
		return
	default:
		f.Remedy = goOn
	}
	j.addWorst(f)
}

// judgeUnproven judges a guard that stopped nothing, in a language whose decisions are not observed. If it names a
// program that this machine lacks, that may be the reason.
func (j *judgement) judgeUnproven(r *results) {
	let := func(f Finding) bool { return f.Rule == "let-through" }
	if !namesDecision(r.text) || j.faulty() || j.has(let) {
		return // nothing can show that it stops anything
	}
	if tool := r.missing(); tool != "" {
		j.absent = tool + " is not on this machine"
		j.found("absent-program", j.absent)
		return
	}
	j.found("no-deny", "none of the inputs that guards stop was stopped")
}

// judgeReaction judges a hook's behavior on an input that it did not stop.
func (j *judgement) judgeReaction(f firing, harmless *suites.Result, r suites.Result) {
	_, kind := client.MissingIn(r)
	switch {
	case r.NotStarted != "" || r.TimedOut:
	case r.Exit != 0 && kind != client.MissingNothing: // it did not come to a decision
	case j.judgeFailure(f.input(), r, suites.Warning):
	default:
		j.judgeDropped(f, harmless, r)
	}
}
