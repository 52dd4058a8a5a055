package check

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/pattern"
)

// batch is the number of inputs sent before their results are examined. They share an environment
// because making one costs as much as running many hooks.
const batch = 4

// planExplored fires the hook observed, with inputs that pass its comparisons.
func planExplored(r *results) []Probe {
	if r.exploration == nil && !r.cannotStop() {
		r.exploration = newExploration(r.subject, nil)
	}
	return r.exploration.probes()
}

// cannotStop reports whether the hook can hardly do its work here, or its refusal has no effect.
func (r *results) cannotStop() bool {
	return r.missing() != "" || client.InBackground(r.first().Result)
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
	severity := suites.Info // a guard of branches or of files may intend it
	if slices.Contains(shells, f.tool) {
		severity = suites.Warning
	}
	switch {
	case f.after == 0:
	case lets(f.Result):
		found := j.about("blocks-everything", "it denies "+f.input()+" once, and lets the same call through after that", suites.Info)
		found.Effect = "the agent has to make its first call again"
		j.addOnce(found)
	default:
		j.found("blocks-everything", "it denies "+f.input(), severity)
	}
}

// planOrdinary sends calls that a session is full of.
func planOrdinary(r *results) []Probe {
	var all []firing
	for _, d := range []suites.Deny{{Command: "cat README.md"}, {Command: "git status"}, {Tool: "Read", File: "README.md"}, {Tool: "Edit", File: "README.md"}} {
		if f, ok := sent(d, r.hook); ok {
			all = append(all, f)
		}
	}
	return r.batches(all)
}

// judgeOrdinary judges the denial of an ordinary call. A guard may mean it, to have another tool used, unless it says
// that it protects secrets.
func judgeOrdinary(r *results, j *judgement, f fired) {
	if !stopped(f.Result) {
		return
	}
	severity := suites.Info
	if reason := strings.Join(f.ModelSees, " ") + string(f.Stdout); secrets().MatchString(strings.ReplaceAll(reason, f.command, "")) {
		severity = suites.Warning
	}
	j.found("false-alarm", "it stops "+f.input(), severity)
}

// secrets match what a reason calls them.
var secrets = pattern.Lazy(`(?i)\bsecrets?\b|credential|sensitive|\.env\b|password|private key`)

// planSearch tries inputs that a guard may exist to stop: a few that a user would type and those that came furthest in
// the exploration, each of which may be another rule with faults of its own. Of hooks that are not seen to compare
// anything it tries usual ones until one is stopped, a batch in a round.
func planSearch(r *results) []Probe {
	inputs, done := r.harmful(), len(r.by["search"])
	if r.cannotStop() {
		inputs = upTo(inputs, 2*batch)
	}
	x := r.exploration
	compares := x != nil && x.compared
	switch {
	case compares && done > 0, !compares && r.denied() != nil:
		return nil
	case compares:
		further := slices.Clone(x.further)
		slices.SortStableFunc(further, func(a, b firing) int { return x.anchorRank(a) - x.anchorRank(b) })
		return r.batches(slices.Concat(upTo(r.harmful(), batch), upTo(slices.Concat(x.deciding, further), mostAgain)))
	}
	return r.batches(upTo(inputs[min(len(inputs), done):], batch))
}

// upTo returns the first elements of a list, at most so many.
func upTo[T any](all []T, most int) []T { return all[:min(len(all), most)] }

// batches returns probes of several inputs each. One with a file or branch of its own would leave it to the next.
func (s subject) batches(all []firing) (probes []Probe) {
	apart := func(f firing) bool { return f.isArranged() || f.leavesState() }
	var alone []firing
	for _, f := range all {
		if apart(f) {
			alone = append(alone, f)
		}
	}
	all = slices.DeleteFunc(slices.Clone(all), apart)
	for some := range slices.Chunk(all, batch) {
		var p Probe
		for _, f := range some {
			p.and(s.probe(f))
		}
		probes = append(probes, p)
	}
	return append(probes, s.probes(alone)...)
}

func judgeSearch(r *results, j *judgement, f fired) {
	switch {
	case f.Effect == suites.ShownToModel && f.command != "" && refusal().Match(f.Stderr):
		late := j.about("late-refusal", "it says that it stops the call, which has run")
		late.Input, late.Printed = f.input(), printed(f.Result)
		j.addWorst(late)
	case !stopped(f.Result):
		j.judgeReaction(f.firing, r.like(f.firing), f.Result)
		j.judgeRewrite(f.firing, f.Result)
	case r.denied().c != f.c: // not the first
	case f.Exit == 2 && silent(f.Stderr) && len(f.Stdout) > 0:
		if !j.has(func(o Finding) bool { return o.Rule == "reason-on-stdout" }) { // of a usual call
			j.found("reason-on-stdout", "exit 2 with nothing on stderr, for "+f.input())
		}
	case isWordless(f.Result):
		j.found("no-reason", "it denies "+f.input()+" without a reason")
	}
}

// refusal matches messages that say that a call does not happen.
var refusal = pattern.Lazy(`(?i)\b(?:block|refus|den|forbid|prevent)(?:ed|ing|ied|den)\b`)

// isWordless reports whether the model is told nothing of a denial but that there was one.
func isWordless(r suites.Result) bool {
	ofClient := func(text string) bool { return strings.HasSuffix(text, client.NoReason) }
	return slices.ContainsFunc(r.ModelSees, ofClient) && !bytes.Contains(r.Stdout, []byte(client.NoReason))
}

// doesNothing reports whether the exploration came to no effect, and nothing was stopped.
func doesNothing(r *results) bool {
	return r.exploration.explored() && r.exploration.idle() && r.denied() == nil
}

// explored reports whether something was fired observed.
func (x *exploration) explored() bool { return x != nil && len(x.sent) > 0 }

// misreads reports whether a hook does nothing, or reads a field under another name.
func misreads(r *results) bool {
	guess := func(m misreading) bool { return !m.sure }
	return doesNothing(r) || r.exploration != nil && slices.ContainsFunc(r.exploration.misreadings(), guess)
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
	x, denied, background := r.exploration, r.denied() != nil || r.deniesHarmless(), client.InBackground(r.first().Result)
	guard := r.about().Guards != ""
	if x != nil {
		for _, e := range x.errors { // that it caught
			j.judgeStreams(suites.Result{Stderr: []byte(e.What), StdinUnread: r.first().StdinUnread})
		}
	}
	useless := guard && !denied && !background
	if !x.explored() {
		if useless && len(r.usual()) > 0 {
			j.judgeUnproven(r)
		}
		return
	}
	all := slices.Concat(x.findMisreadFields(nil, ""), x.findMisreadPatterns(denied), x.findConstant(), x.findInverted(), x.findMisnamedFiles(), x.findMisspelt())
	decides, faulty := len(x.decisions) > 0, j.faulty()
	mayDecide := decides || namesDecision(r.text)
	fails, idle := r.first().EffectRule == string(client.AnyFailure), guard && decides && doesNothing(r)
	loses := func(f Finding) bool { return client.Kind(f.Rule).Loses() }
	for _, more := range []struct {
		asked bool
		find  func() []Finding
	}{
		{len(all) == 0 && (fails || idle), x.findUnsent},
		{x.compared || !faulty, func() []Finding { return x.findUnreached(denied) }},
		{useless && mayDecide && !faulty, x.findHiddenError},
		{!background && !faulty && !j.has(loses), x.findIneffective},
	} {
		if more.asked {
			all = append(all, more.find()...)
		}
	}
	for _, f := range all {
		j.addOnce(f)
	}
}

// judgeDead judges a guard that failed silently on each input, harmful ones too, as if its interpreter were a stub.
func (j *judgement) judgeDead(r *results) {
	x, exit := r.exploration, r.first().Exit
	differs := func(f fired) bool { return f.Exit != exit || !failsSilently(f.Result) }
	switch {
	case x == nil, r.about().Guards == "", slices.ContainsFunc(r.all(), differs):
		return
	case len(x.decisions) == 0, r.needsAbsentProgram(r.first()):
		return
	}
	f := j.about(string(client.ExitCode), fmt.Sprintf("it stops nothing: it ends with %d and prints nothing, whatever the input", exit))
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
	switch tool := r.missing(); {
	case !namesDecision(r.text), j.faulty(), j.has(let): // nothing can show that it stops anything
	case tool != "":
		j.absent = tool + " is not on this machine"
		j.found("absent-program", j.absent)
	default:
		j.found("no-deny", "none of the inputs that guards stop was stopped")
	}
}

// judgeReaction judges a hook's behavior on an input that it did not stop.
func (j *judgement) judgeReaction(f firing, harmless *suites.Result, r suites.Result) {
	_, kind := client.MissingIn(r)
	switch {
	case r.NotStarted != "", r.TimedOut:
	case kind != client.MissingNothing: // it did not come to a decision
	case j.judgeFailure(f.input(), r, suites.Warning):
	default:
		j.judgeDropped(f, harmless, r)
	}
}
