package check

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/discover"
	"hookwatch/suites/pattern"
)

// judgeEnd judges a hook that ran to its end.
func (j *judgement) judgeEnd(f fired) {
	r := f.Result
	if fault, line := client.FaultOf(r); fault == client.Unstarted {
		j.absent, j.ends = strings.TrimSuffix("it could not be started: "+Short(line), ": "), true
		return
	}
	if j.judgeFailure(f.input(), r) {
		return
	}
	if about := j.of.about(); r.EffectRule == string(client.AnyFailure) {
		found := FindingOf("blocks-everything", j.of.hook.ID, j.of.hook.Source, strings.TrimSuffix(fmt.Sprintf("%s: exit %d: %s", about.No(), r.Exit, Short(lastLine(r.Stderr))), ": "))
		found.Effect, found.Remedy = about.Name+" fails when its hook does not exit with 0", "correct what fails; exit with 0 unless it must not happen"
		if j.of.hook.Scope.IsForeign() {
			found.Severity, found.What = suites.Info, found.What+" (in an example, which has no remote repository)"
		}
		j.addOnce(found)
	}
	j.judgePrinted(f.firing, r)
	if wordless := r.Exit == 2 && silent(r.Stderr); wordless && r.Effect != suites.Ignored && !json.Valid(r.Stdout) {
		j.found("reason-on-stdout", "exit 2 with nothing on stderr")
	}
}

// unopened matches the message of a program that opens a stream of its own by a path.
var unopened = pattern.Lazy(`(?i)/dev/(stdin|stdout|stderr)\b.*No such device or address|No such device or address.*/dev/(stdin|stdout|stderr)\b`)

// judgeStreams judges a hook that opens a stream by a path, which the client's sockets do not allow.
func (j *judgement) judgeStreams(r suites.Result) {
	m := unopened().FindSubmatch(r.Stderr)
	if m == nil {
		return
	}
	stream := string(m[1]) + string(m[2])
	f := FindingOf("stream-path", j.of.hook.ID, j.of.hook.Source, "it opens /dev/"+stream+", which fails: the client's "+stream+" is a socket, which no path opens")
	switch {
	case stream != "stdin":
		f.Severity, f.Effect, f.Remedy = suites.Warning, "what it writes there is lost", "write to the descriptor: >&2, or >&1"
	case r.StdinUnread:
		f.Remedy = "read standard input itself, as cat, jq and readFileSync(0) do"
	default:
		return // it then reads its input otherwise
	}
	j.addOnce(f)
}

// judgeFailure judges a hook that failed by itself on an input, and reports whether it did. Missing
// programs and files are judged elsewhere.
func (j *judgement) judgeFailure(input string, r suites.Result, crash ...suites.Severity) bool {
	if path := client.FindReadOnly(r); path != "" {
		if _, inside := j.of.inTree(path); !inside { // it may write there on the user's machine
			j.absent, j.ends = "it writes "+path+", which is read-only here (--isolation copy lets it write there)", true
			return true
		}
	}
	fault, line := client.FaultOf(r)
	what, remedy := fmt.Sprintf("exit %d: %s", r.Exit, Short(line)), ""
	switch fault {
	case client.Unparsed:
		j.ends = true
		j.found("syntax-error", Short(line))
		return true
	case client.Overlong:
		what, remedy = "a long input is too long for an argument or the environment: "+what, "pass it on stdin"
	case client.Crashed:
	default:
		if line = client.FindProgramFailure(r); line == "" {
			return false
		}
		if r.Effect == suites.Ignored {
			crash = []suites.Severity{suites.Warning} // because nothing depends on it
		}
		what = "exit 2 of a program that failed: " + Short(line)
	}
	f := FindingOf("crash", j.of.hook.ID, j.of.hook.Source, what, crash...)
	f.Input, f.Remedy = input, cmp.Or(remedy, f.Remedy)
	if r.Exit == 2 && r.Effect != suites.Ignored { // it stops the action, so its effect is the result's own
		f.Effect = r.EffectReason
	}
	j.addOnce(f)
	return true
}

// judgePrinted judges the client's interpretation of a hook's result for a harmless input.
func (j *judgement) judgePrinted(f firing, r suites.Result) {
	j.judgeDropped(f, nil, r)
	if n := len([]rune(string(r.Stdout))); n > 10_000 && len(r.ModelSees) > 0 {
		j.found("long-output", fmt.Sprintf("%d characters for the model", n))
	}
	if len(r.LeftBehind) > 0 {
		what, severity := "it leaves a process running", suites.Info // the set of remaining processes depends on the load
		if r.HoldsOutput && !j.of.hook.Entry.Async {
			what, severity = what+", which keeps its output open: the client waits for that", suites.Warning
		}
		j.found("left-behind", what, severity)
	}
	j.judgeRewrite(f, r)
}

// judgeDropped judges output that the client drops, once for each rule, with the input on which most was lost.
// harmless is the result for a harmless input, nil if r is that itself.
func (j *judgement) judgeDropped(f firing, harmless *suites.Result, r suites.Result, most ...suites.Severity) {
	if j.of.hook.Entry.Async && client.Kind(r.EffectRule) != client.TooLate {
		return
	}
	if client.Echoes(r.Stdout) {
		j.seen("echoes-input", "it prints its input", f.input())
		return
	}
	loss, ok := LossOf(f.event, harmless, r)
	if !ok && !client.QuotesOutput(r) {
		return
	}
	severity := loss.Severity
	if about, _ := client.EventByName(f.event); ok && harmless != nil && stops(about) && !loss.Kind.Fails() && client.DecidesAgainst(harmless.Stdout, r.Stdout, f.toolInput(j.of.hook)) {
		severity = loss.Kind.Severity(client.LostDecision)
	}
	if !ok {
		loss.Kind, severity = client.Kind(r.EffectRule), suites.Warning // the model is shown the text
	}
	if len(most) > 0 {
		severity = LeastSeverity(severity, most[0])
	}
	all := FindingOf(string(loss.Kind), j.of.hook.ID, j.of.hook.Source, Short(r.EffectReason), severity)
	all.Input, all.Printed = f.input(), printed(r)
	all.Remedy = client.Cause{Kind: loss.Kind, Event: f.event}.Remedy()
	if harmless == nil && failsSilently(r) {
		all.Remedy = goOn
	}
	if client.QuotesOutput(r) {
		all.Effect = "The model reads the JSON as text; nothing in it has an effect."
	}
	j.addWorst(all)
}

// printed returns the output of a hook in a line: its stdout, or its stderr if there is none.
func printed(r suites.Result) string {
	if len(r.Stdout) == 0 {
		return Short(string(r.Stderr))
	}
	return Short(string(r.Stdout))
}

// failsSilently reports whether a hook failed and printed nothing. On a harmless input it did not mean to stop
// anything: a command of its own ended it.
func failsSilently(r suites.Result) bool {
	return client.Kind(r.EffectRule) == client.ExitCode && silent(r.Stdout) && silent(r.Stderr)
}

const goOn = "Exit 0 if there is nothing to report. Under set -e a command that finds nothing, such as grep, ends the script: append || true."

// judgeRewrite judges an input that the hook replaces.
func (j *judgement) judgeRewrite(f firing, r suites.Result) {
	now := updated(r)
	if len(now) == 0 {
		return
	}
	var lost []string
	for key := range f.toolInput(j.of.hook) {
		if _, kept := now[key]; !kept && key != "description" {
			lost = append(lost, key)
		}
	}
	if slices.Sort(lost); len(lost) > 0 {
		j.found("drops-input", "updatedInput leaves out "+strings.Join(lost, ", "))
	}
}

// updated returns the fields of updatedInput.
func updated(r suites.Result) map[string]json.RawMessage {
	var output struct {
		Specific struct {
			Updated map[string]json.RawMessage `json:"updatedInput"`
		} `json:"hookSpecificOutput"`
	}
	_ = json.Unmarshal(r.Stdout, &output) // other output has none
	return output.Specific.Updated
}

// toolInput returns the firing's tool input; nil if there is none.
func (f firing) toolInput(h discover.Hook) map[string]any {
	var sent struct {
		Input map[string]any `json:"tool_input"`
	}
	if json.Unmarshal(f.payload(h), &sent) != nil {
		return nil // the client does not have the event
	}
	return sent.Input
}

// sandboxes matches the directory of a sandbox, which has another name in every run.
var sandboxes = pattern.Lazy(`[^\s"'=:(]*/hookwatch-\d+-[0-9a-f]+/run-\d+-\d+/[^/\s"']+/`)

// Short makes a text into one line of limited length.
func Short(text string) string {
	text = sandboxes().ReplaceAllString(text, "")
	return clip(strings.Join(strings.Fields(text), " "))
}

// ShortCommand returns a command of limited length, with its tabs and line ends visible, because they
// may be what it differs in from another one.
func ShortCommand(command string) string { return clip(visible.Replace(strings.TrimSpace(command))) }

// quote returns code in quotes, in backquotes if it has quotes or backslashes, so that it can be looked for.
func quote(code string) string {
	if quoted := strconv.Quote(code); quoted == `"`+code+`"` || !strconv.CanBackquote(code) {
		return quoted
	}
	return "`" + code + "`"
}

func clip(text string) string {
	const most = 160
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return text
}

var visible = strings.NewReplacer("\t", `\t`, "\r", "", "\n", `\n`)

// A Loss is the output that the client drops of one reaction, with the client's rule that explains
// it.
type Loss struct {
	Kind     client.Kind
	Lost     client.Lost
	Severity suites.Severity
	Reacts   bool // the hook's result differs from that for a harmless input
}

// ReactionDiffers reports whether a hook's result differs from that for a harmless input: another
// exit code, output instead of none, or another number of lines.
func ReactionDiffers(harmless, r suites.Result) bool {
	return harmless.Exit != r.Exit || lines(harmless.Stdout) != lines(r.Stdout) || lines(harmless.Stderr) != lines(r.Stderr)
}

func lines(text []byte) int { return len(slices.Collect(bytes.Lines(bytes.TrimSpace(text)))) }

func silent(text []byte) bool { return len(bytes.TrimSpace(text)) == 0 }

func lastLine(text []byte) string {
	all := strings.TrimSpace(string(text))
	return all[strings.LastIndexByte(all, '\n')+1:]
}

// LossOf returns the output that the client drops of a hook's result for an input of an event; ok
// is false if it drops nothing. harmless is the result for a harmless input of the same shape, nil
// if r is that itself.
func LossOf(event string, harmless *suites.Result, r suites.Result) (l Loss, ok bool) {
	kind := client.Kind(r.EffectRule)
	if !kind.Loses() || r.NotStarted != "" {
		return Loss{}, false
	}
	l = Loss{Kind: kind, Reacts: harmless != nil && ReactionDiffers(*harmless, r)}
	about, _ := client.EventByName(event)
	switch {
	case kind.Fails():
		return l.failure(about, harmless, r), true
	case kind == client.TooLate:
		if l.Lost = client.LostOf(kind, r.Stdout); r.Exit == 2 {
			l.Lost = client.LostDecision
		}
		l.Severity = kind.Severity(l.Lost)
		return l, l.Lost == client.LostDecision
	case kind == client.NeverRuns || r.Effect == suites.Denied:
		l.Lost = client.LostDecision
	case kind == client.StderrDropped && client.LostOf(kind, r.Stderr) > client.LostText: // JSON for the client
		l.Lost = client.LostOf(kind, r.Stderr)
	case kind == client.StderrDropped:
		l.Lost, ok = client.LostText, l.Reacts && silent(harmless.Stderr)
		l.Severity = kind.Severity(l.Lost)
		return l, ok && decides(about)
	default:
		l.Lost = client.LostOf(kind, r.Stdout)
	}
	l.Severity = kind.Severity(l.Lost)
	if l.Lost == client.LostAllow && about.Allow == "" {
		l.Severity = suites.Info // the allowed action happens anyway
	}
	if l.Lost == client.LostText && kind == client.TextDropped && !l.Reacts && !reachesModel(about) {
		l.Severity = suites.Info // a log of the hook's own
	}
	return l, l.Lost != client.LostNothing
}

// failure returns the loss of a hook that the client treats as failed. If it fails only on this
// input and prints something, it intended a decision.
func (l Loss) failure(about client.Event, harmless *suites.Result, r suites.Result) Loss {
	l.Severity = suites.Warning
	prints := !silent(r.Stdout) || !silent(r.Stderr)
	if l.Lost = client.LostOf(l.Kind, r.Stdout); l.Lost == client.LostDecision {
		l.Severity = l.Kind.Severity(l.Lost)
	}
	fails := l.Reacts && (harmless.Exit != r.Exit || silent(harmless.Stdout) && silent(harmless.Stderr)) // "set -e" may fail on the harmless input too
	if fails && prints {
		l.Lost = client.LostDecision
		switch {
		case stops(about):
			l.Severity = l.Kind.Severity(l.Lost)
		case !decides(about):
			l.Severity = suites.Info // because no exit code has an effect there
		}
	}
	return l
}

// decides reports whether exit code 2 has an effect at an event.
func decides(about client.Event) bool { return about.Exit2 != suites.Ignored }

// stops reports whether exit code 2 prevents something at an event.
func stops(about client.Event) bool {
	return slices.Contains([]suites.Effect{suites.Denied, suites.PromptBlocked, suites.AnotherTurn, suites.SessionEnds}, about.Exit2)
}

// reachesModel reports whether an event can reach the model in another way than by text.
func reachesModel(about client.Event) bool { return about.Tool && !about.LosesContext }
