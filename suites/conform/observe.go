package conform

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"hookwatch/suites"
)

// What streams say of a script that is at fault itself.
var (
	noParse = regexp.MustCompile(`(?m)^.*(?:syntax error|unexpected EOF|unexpected end of file|Unterminated quoted|SyntaxError:|IndentationError:).*$`)
	crashes = regexp.MustCompile(`(?m)^.*(?:\b(?:KeyError|TypeError|AttributeError|NameError|IndexError|UnboundLocalError|JSONDecodeError|ReferenceError|RangeError|ZeroDivisionError)\b:?|unbound variable|parameter not set|bad substitution|jq: error|integer expression expected|Bad substitution|NoMethodError).*$`)
)

// observe judges what a hook did with a typical input.
func (q *Inquiry) observe(f firing, r suites.Result) {
	switch name, kind := absentThing(r); {
	case r.NotStarted != "":
		q.unstarted(r)
	case r.TimedOut:
		severity := Info
		if q.hook.Event == "PreToolUse" && denies.MatchString(q.text) {
			severity = Warning // a hook that is cut off lets the call through
		}
		q.found("slow", fmt.Sprintf("it had not ended after %s", min(patience, q.hook.Timeout)), severity)
		q.broken = true
	case kind != "" && r.Exit != 0:
		q.gone(name, kind)
	case kind == "program" && r.Effect == suites.Proceeds:
		q.found("absent-program", name+" is not on this machine")
	default:
		q.ended(f, r)
	}
}

// unstarted judges a command that could not be launched at all.
func (q *Inquiry) unstarted(r suites.Result) {
	q.broken = true
	if !slices.ContainsFunc(q.findings, func(f Finding) bool { return f.Severity == Error }) {
		q.found("absent-program", "it could not be started: "+r.NotStarted)
	}
}

// ended judges a hook that ran to its end.
func (q *Inquiry) ended(f firing, r suites.Result) {
	stderr := string(r.Stderr)
	if r.Exit != 0 {
		if line := noParse.FindString(stderr); line != "" {
			q.found("syntax-error", short(line))
			q.broken = true
			return
		}
		if line := crashes.FindString(stderr); line != "" && r.Exit != 2 {
			q.seen("crash", fmt.Sprintf("exit %d: %s", r.Exit, short(line)), f.input())
			q.broken = true
			return
		}
	}
	q.printed(f, r)
	if r.Duration > 2*time.Second && !q.hook.Async {
		q.found("slow", fmt.Sprintf("it took %.1f s", r.Duration.Seconds()))
	}
	if r.Exit == 2 && len(strings.TrimSpace(stderr)) == 0 && r.Effect != suites.Ignored && !json.Valid(r.Stdout) {
		q.found("reason-on-stdout", "exit 2 with nothing on stderr")
	}
}

// printed judges what the client makes of the output.
func (q *Inquiry) printed(f firing, r suites.Result) {
	q.dropped(f, r, Error)
	if n := len([]rune(string(r.Stdout))); n > 10_000 && len(r.ModelSees) > 0 {
		q.found("long-output", fmt.Sprintf("%d characters for the model", n))
	}
	if len(r.LeftBehind) > 0 {
		q.found("left-behind", "it leaves "+strings.Join(r.LeftBehind, ", ")+" running")
	}
	q.rewritten(f, r)
}

// dropped judges output that the client does not heed.
func (q *Inquiry) dropped(f firing, r suites.Result, severity Severity) {
	switch {
	case !dropped(r) || q.hook.Async || strings.Contains(r.EffectReason, "in the background"):
	case echoes(f.asCase(q.hook).Steps[0].Payload, r.Stdout):
		q.seen("echoes-input", "it prints its input", f.input())
	default:
		q.seen("output-ignored", short(r.EffectReason), f.input(), severity)
	}
}

// echoes reports whether a hook prints what it was sent, as filters do.
func echoes(sent, printed []byte) bool {
	var in, out map[string]json.RawMessage
	if json.Unmarshal(sent, &in) != nil || json.Unmarshal(printed, &out) != nil || len(out) < 3 {
		return false
	}
	for key := range out {
		if _, ok := in[key]; !ok {
			return false
		}
	}
	return true
}

// dropped reports whether a hook said something to the client that it does not
// heed. A word that asks for what happens anyway loses nothing.
func dropped(r suites.Result) bool {
	return r.Effect == suites.Ignored && document.Match(r.Stdout) && r.Decision != "approve" && r.Decision != "allow"
}

// document matches output that is meant to be read by a program.
var document = regexp.MustCompile(`(?m)(^\s*|.)\{\s*"`)

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
	if json.Unmarshal(f.asCase(q.hook).Steps[0].Payload, &sent) != nil {
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
