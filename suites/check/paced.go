package check

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/check/pace"
	"hookwatch/suites/client"
	"hookwatch/suites/pattern"
)

// skippedAtMost returns the maximum number of sleeps that end at once.
func (s subject) skippedAtMost() int {
	if asksTime().MatchString(withoutComments(s.text)) {
		return 1 // because its loops may depend on the time
	}
	return 25
}

// asksTime matches code that reads a clock in a shell, in Python and in Node.
var asksTime = pattern.Lazy(`\bdate\b[^\n]*\+%s|\bSECONDS\b|\bEPOCHSECONDS\b|\btime\.time\b|\b(?:monotonic|perf_counter)\b|\bdatetime\.now\b|\b(?:Date|performance)\.now\b|\bnew Date\b`)

// sleeps reports whether a hook may wait for a fixed time.
func sleeps(r *results) bool { return fires(r) && waits().MatchString(withoutComments(r.text)) }

var waits = pattern.Lazy(`\bsleep\b|setTimeout|Atomics\.wait`)

// planPaced runs a hook that sleeps with a clock that does not wait. If it sleeps longer than the
// client waits, it is not run with a real clock.
func planPaced(r *results) []Probe {
	p := r.probe(typical(r.hook, r.tree)[0])
	var own []string
	for name, value := range r.hook.Variables() {
		own = append(own, name+"="+value)
	}
	pace.Set(p.Case, r.skippedAtMost(), own)
	return []Probe{p}
}

func judgePaced(r *results, j *judgement, f fired) {
	most, s := r.skippedAtMost(), pace.Sum(f.Files[pace.Slept])
	switch {
	case f.TimedOut: // with a real clock it takes longer
		j.addTimeout(fmt.Sprintf("it had not ended after %s", r.patience()))
	case most > 1 && strings.Count(string(f.Files[pace.Slept]), "skipped") >= most:
		// something else ends its loop: the run with a real clock shows whether it ends
	case s >= min(r.hook.Timeout, patience):
		j.addTimeout(fmt.Sprintf("it sleeps for %s", s))
		j.judgeDropped(firing{event: f.event, value: "the end of its waiting"}, nil, f.Result, suites.Warning)
	case s >= time.Second && !r.hook.Entry.Async:
		j.found("slow", fmt.Sprintf("it sleeps for %s", s), r.cost())
	}
}

// cost returns the severity of a second of waiting: a warning if it occurs at every call of a tool,
// or at every prompt.
func (s subject) cost() suites.Severity {
	if about := s.about(); about.Tool || about.Guards == client.Prompts {
		return suites.Warning
	}
	return suites.Info
}

// patience returns the time limit of a probe of the hook. It only stops hooks that do not end: it
// is far more than healthy hooks need on a busy machine, and independent of their own timeout.
func (s subject) patience() time.Duration {
	if s.tree.Timeout > 0 {
		return s.tree.Timeout
	}
	return patience
}

// addTimeout judges a hook that did not end in the time that a probe has: the client cancels it and goes on,
// or waits longer than the probe. This is an error if the client waits for it before something that a hook
// could stop; at an event that is rare it may take its time within its own timeout.
func (j *judgement) addTimeout(what string) {
	j.ends = true
	if j.of.hook.Entry.Async {
		return // the client does not wait
	}
	waits, severity := j.of.hook.Timeout > j.of.patience(), suites.Warning
	guards := slices.Contains([]suites.Effect{suites.Denied, suites.PromptBlocked, suites.AnotherTurn}, j.of.about().Exit2)
	if guards && (!waits || j.of.cost() == suites.Warning) {
		severity = suites.Error
	}
	f := FindingOf(string(client.TimedOut), j.of.hook.ID, j.of.hook.Source, what, severity)
	if f.What += "; its timeout is " + j.of.hook.Timeout.String(); waits {
		f.Effect, f.Remedy = "the session waits, and if the hook does not end then, the client goes on without it", "make it faster; --timeout waits longer here"
	}
	j.addOnce(f)
}
