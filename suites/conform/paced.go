package conform

import (
	"embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/depend/trace"
	"hookwatch/suites/pattern"
)

// slept is the file in which a paced probe records the hook's sleeps.
const slept = "{tmp}/slept"

// A hook that sleeps is run once with a clock that does not wait: a sleep ends at once and its
// length is recorded, so that the load of the machine does not matter. This cannot work for a loop
// that something else ends, such as a clock or a program that the hook started, because it would
// sleep more often than with a real clock. Therefore these sleeps are real:
//
//   - less than half a second
//   - all but the first few of a process, or of a hook in a shell: see skippedAtMost
//   - while a child of the process runs, because the sleep only waits for it; recorded only if it takes
//     a second. A timer of Node that fires then is a time limit of the child.
//   - in the background and in other threads, because the hook does not wait for them; not recorded. A
//     shell gives background commands /dev/null as their standard input.
//   - in Python's own library, such as the time limit of subprocess.run; not recorded
//
// Timers of Node are real, and parallel timers count once.
//
//go:embed pace.bash pace.py pace.cjs
var pace embed.FS

// paced returns a program that replaces sleeps, at most so many.
func paced(name string, most int) string {
	text, _ := pace.ReadFile(name) // it is embedded
	return strings.ReplaceAll(string(text), "SKIPPED", strconv.Itoa(most))
}

// skippedAtMost returns the maximum number of sleeps of at least half a second that end at once. It
// replaces SKIPPED in the programs.
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
	most := r.skippedAtMost()
	p := r.probe(typical(r.hook, r.tree)[0])
	p.around(func(s *suites.CaseEnv) {
		s.Programs = []suites.Program{{Name: "sleep", Script: paced("pace.bash", most)}}
	})
	var own []string
	for name, value := range r.hook.Variables() {
		own = append(own, name+"="+value)
	}
	p.Case.Env = trace.Preload("{tmp}/pace", "pace.cjs", own)
	step := &p.Case.Steps[0]
	step.Fixtures = append(step.Fixtures,
		suites.Fixture{Path: "{tmp}/pace/sitecustomize.py", Content: paced("pace.py", most), Fill: true},
		suites.Fixture{Path: "{tmp}/pace/pace.cjs", Content: paced("pace.cjs", most), Fill: true})
	step.Expect.Files = []suites.FileExpectation{{Path: slept}}
	return []Probe{p}
}

func judgePaced(r *results, j *judgement, f fired) {
	most, s := r.skippedAtMost(), seconds(f.Files[slept])
	switch {
	case f.TimedOut: // with a real clock it takes longer
		j.addTimeout(fmt.Sprintf("it had not ended after %s", r.patience()))
	case most > 1 && strings.Count(string(f.Files[slept]), "skipped") >= most:
		// something else ends its loop: the run with a real clock shows whether it ends
	case s >= min(r.hook.Timeout, patience):
		j.addTimeout(fmt.Sprintf("it sleeps for %s", s))
		j.judgeDropped(firing{event: f.event, value: "the end of its waiting"}, nil, f.Result, suites.Warning)
	case s >= time.Second && !r.hook.Entry.Async:
		j.found("slow", fmt.Sprintf("it sleeps for %s", s), r.cost())
	}
}

// seconds returns the sum of the sleeps that a paced probe recorded.
func seconds(recorded []byte) (sum time.Duration) {
	for line := range strings.Lines(string(recorded)) {
		length, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		if s, err := strconv.ParseFloat(length, 64); err == nil && s > 0 && s < 1e6 {
			sum += time.Duration(s * float64(time.Second))
		}
	}
	return sum.Round(100 * time.Millisecond)
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
	f.Remedy = client.Cause{Kind: client.TimedOut, Event: j.of.hook.Event}.Remedy()
	if f.What += "; its timeout is " + j.of.hook.Timeout.String(); waits {
		f.Effect, f.Remedy = "the session waits, and if the hook does not end then, the client goes on without it", "make it faster; --timeout waits longer here"
	}
	j.addOnce(f)
}
