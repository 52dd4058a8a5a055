package conform

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/conform/intent"
	"hookwatch/suites/pattern"
	"hookwatch/suites/symptom"
)

// observe judges what a hook did with a typical input.
func (q *Inquiry) observe(f firing, r suites.Result) {
	switch name, kind := symptom.Absent(r); {
	case r.NotStarted != "":
		q.unstarted(r)
	case r.TimedOut:
		severity := suites.Info
		if q.hook.Event == "PreToolUse" && intent.MayDeny(q.text) {
			severity = suites.Warning // a hook that is cut off lets the call through
		}
		q.found("slow", fmt.Sprintf("it had not ended after %s", min(patience, q.hook.Timeout)), severity)
		q.broken = true
	case kind != symptom.Nothing && r.Exit != 0:
		q.gone(name, kind)
	case kind == symptom.Program && r.Effect == suites.Proceeds:
		q.found("absent-program", name+" is not on this machine")
	default:
		q.ended(f, r)
	}
}

// unstarted judges a command that could not be launched at all.
func (q *Inquiry) unstarted(r suites.Result) {
	q.broken = true
	if !slices.ContainsFunc(q.findings, func(f Finding) bool { return f.Severity == suites.Error }) {
		q.found("absent-program", "it could not be started: "+r.NotStarted)
	}
}

// ended judges a hook that ran to its end.
func (q *Inquiry) ended(f firing, r suites.Result) {
	if q.failed(f.input(), r) {
		q.broken = true
		return
	}
	q.printed(f, r)
	if r.Duration > 2*time.Second && !q.hook.Entry.Async {
		q.found("slow", fmt.Sprintf("it took %.1f s", r.Duration.Seconds()))
	}
	if r.Exit == 2 && len(strings.TrimSpace(string(r.Stderr))) == 0 && r.Effect != suites.Ignored && !json.Valid(r.Stdout) {
		q.found("reason-on-stdout", "exit 2 with nothing on stderr")
	}
}

// failed judges a hook that failed by itself on an input, if it did. Of one that could
// not be started it is judged elsewhere what it did not find.
func (q *Inquiry) failed(input string, r suites.Result, crash ...suites.Severity) bool {
	switch fault, line := symptom.FaultOf(r); fault {
	case symptom.Unparsed:
		q.found("syntax-error", short(line))
	case symptom.Crashed:
		q.seen("crash", fmt.Sprintf("exit %d: %s", r.Exit, short(line)), input, crash...)
	default:
		return false
	}
	return true
}

// printed judges what the client makes of the output.
func (q *Inquiry) printed(f firing, r suites.Result) {
	q.dropped(f, r, suites.Error)
	if n := len([]rune(string(r.Stdout))); n > 10_000 && len(r.ModelSees) > 0 {
		q.found("long-output", fmt.Sprintf("%d characters for the model", n))
	}
	if len(r.LeftBehind) > 0 {
		q.found("left-behind", "it leaves "+strings.Join(r.LeftBehind, ", ")+" running")
	}
	q.rewritten(f, r)
}

// dropped judges output that the client does not heed.
func (q *Inquiry) dropped(f firing, r suites.Result, severity suites.Severity) {
	switch {
	case !symptom.Dropped(r) || q.hook.Entry.Async:
	case symptom.Echoes(r.Stdout):
		q.seen("echoes-input", "it prints its input", f.input())
	default:
		if strings.Contains(r.EffectReason, "does not know") && !decides().Match(r.Stdout) {
			severity = suites.Warning // nothing that the client would have acted on
		}
		q.seen("output-ignored", short(r.EffectReason), f.input(), severity)
		if last := &q.findings[len(q.findings)-1]; last.Rule == "output-ignored" {
			last.Remedy = "print what hookwatch schema output " + q.hook.Event + " shows, and nothing else"
		}
	}
}

// decides matches the words with which a hook tells the client to do something.
var decides = pattern.Lazy(`(?i)deny|denied|block|allow|approve|reject|refuse|decision|context|hookSpecific|updatedInput|continue|reason`)

// rewritten judges an input that the hook replaces.
func (q *Inquiry) rewritten(f firing, r suites.Result) {
	var said struct {
		Specific struct {
			Updated map[string]json.RawMessage `json:"updatedInput"`
		} `json:"hookSpecificOutput"`
	}
	if json.Unmarshal(r.Stdout, &said) != nil || len(said.Specific.Updated) == 0 {
		return
	}
	q.rewrites = true
	var sent struct {
		Input map[string]json.RawMessage `json:"tool_input"`
	}
	if json.Unmarshal(f.asCase(q.hook).Steps[0].PayloadRaw, &sent) != nil {
		return
	}
	var lost []string
	for key := range sent.Input {
		if _, kept := said.Specific.Updated[key]; !kept && key != "description" {
			lost = append(lost, key)
		}
	}
	if slices.Sort(lost); len(lost) > 0 {
		q.found("drops-input", "updatedInput leaves out "+strings.Join(lost, ", "))
	}
}

// short makes one line of a text, for people.
func short(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	const most = 160
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return text
}
