// Package verdict makes decisions about verdicts: it judges outcomes against the expectations of
// cases, selects the cases whose verdict is out of date and orders them, decides which changes to
// report, groups failures with the same cause, compares runs, and answers queries over records. It
// is pure: no files, no clock, no goroutines.
package verdict

import (
	"cmp"
	"fmt"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"

	"hookwatch/suites"
)

// Judge returns the verdict for an outcome. timeout is the time-out of a step, for the note of a
// step that reached it.
func Judge(c *suites.Case, o suites.Outcome, timeout time.Duration) suites.Verdict {
	if n := o.NotRun; n != nil {
		v := suites.NewVerdict(n.Status, n.Reason, n.Detail)
		if n.Status == suites.Fail {
			v.Mismatches = []suites.Mismatch{mismatch(suites.InGate, 0, v.Note, "the tool")}
		}
		return v
	}
	if o.Finding != nil && len(c.Faults) == 0 {
		return judgeFinding(c.Check, *o.Finding)
	}
	if absent := findAbsence(c, o); absent != "" && len(c.Faults) == 0 {
		return suites.NewVerdict(suites.Skip, suites.ToolAbsent, absent)
	}
	var found []suites.Mismatch
	for _, fault := range c.Faults {
		found = append(found, mismatch(suites.InRegistering, 0, fault, ""))
	}
	w := wordingOf(o)
	for i, r := range o.Results {
		found = append(found, judgeStep(&c.Steps[i].Expect, i, r, timeout, w)...)
		if c.Budget > 0 && r.Duration > c.Budget && !r.TimedOut {
			found = append(found, mismatch(suites.InBudget, i, r.Duration.Round(time.Millisecond).String(), "at most "+c.Budget.String()))
		}
	}
	if o.Finding == nil && len(o.Results) < len(c.Steps) {
		found = append(found, mismatch(suites.InStep, len(o.Results), "not reached", "run"))
	}
	if len(found) > 0 && len(o.Unseen) > 0 {
		return suites.NewVerdict(suites.Skip, suites.ToolAbsent, strings.Join(o.Unseen, ", ")+
			" in the sandbox: it is there outside, and what it leads to is hidden (see hookwatch help isolation)")
	}
	if len(found) > 0 {
		return failure(c, found, o)
	}
	if why := cmp.Or(unparsedHook(c, o), failedHook(c, o)); why != "" {
		return suites.NewVerdict(suites.Unproven, "", why)
	}
	return suites.Verdict{Status: suites.Pass, Note: join(standIns(o), remarks(o))}
}

// unparsedHook returns why a pass proves nothing: bash ends with exit code 2, which denies, if it
// cannot parse a script.
func unparsedHook(c *suites.Case, o suites.Outcome) string {
	for i, r := range o.Results {
		m := unparsedScript().FindStringSubmatch(string(r.Stderr))
		if script := cmp.Or(c.Steps[i].Hook, c.Hook, c.Registered); r.Exit == 2 && m != nil && base(m[1]) == base(script) {
			return base(m[1]) + " does not parse, so that bash denies whatever the input is: " + strings.TrimSpace(m[2])
		}
	}
	return ""
}

// failedHook returns why a pass proves nothing: the case expects only that the client proceeds, and it
// does because the hook failed.
func failedHook(c *suites.Case, o suites.Outcome) string {
	for i, r := range o.Results {
		e := c.Steps[i].Expect
		failed := r.Exit != 0 && r.Exit != 2 && r.Effect == suites.Proceeds
		if e.Effect, failed = "", failed && e.Effect == suites.Proceeds; failed && reflect.ValueOf(e).IsZero() {
			return fmt.Sprintf("the hook failed with exit code %d, so that the client proceeds whatever the input is: expect the exit code, too", r.Exit)
		}
	}
	return ""
}

// Prove returns the final verdict of a case that names a control. Its pass proves something only
// if the control passed, because the control must be caught.
func Prove(v suites.Verdict, control suites.Key, cv suites.Verdict) suites.Verdict {
	if v.Status != suites.Pass {
		return v
	}
	switch cv.Status {
	case suites.Pass:
		return v
	case suites.Skip, suites.Aborted:
		return suites.Verdict{Status: suites.Skip, Reason: cv.Reason, Note: cv.Note}
	default:
		reason := cv.Note
		if len(cv.Mismatches) > 0 {
			reason = cv.Mismatches[0].String() // the first is enough here; the control's own record has all
		}
		if cv.Cause != "" {
			reason += ", " + cv.Cause
		}
		detail := fmt.Sprintf("control %s %s", control.ID, reason)
		if v.Note != "" {
			detail += "; " + v.Note
		}
		return suites.NewVerdict(suites.Unproven, "", detail)
	}
}

// failure returns the verdict of a case with mismatches. Its note has the first of them and
// their explanation.
func failure(c *suites.Case, found []suites.Mismatch, o suites.Outcome) suites.Verdict {
	v := suites.Verdict{Status: suites.Fail, Mismatches: found, Cause: causeOf(c, found, o), Remarks: remarks(o)}
	if k := found[0].Kind; k == suites.InTime || k == suites.InMemory {
		v.Note = join([]string{found[0].Got}, standIns(o), v.Remarks)
		return v
	}
	var reasons []string
	for _, m := range found {
		text := m.String()
		switch {
		case m.Kind == suites.InStart, m.Kind == suites.InGate:
			text = m.Got
		case len(c.Steps) > 1:
			text = fmt.Sprintf("step %d: %s", m.Step+1, text)
		}
		reasons = append(reasons, text)
	}
	const most = 3
	if len(reasons) > most {
		reasons = append(reasons[:most], fmt.Sprintf("and %d more", len(reasons)-most))
	}
	var explained []string
	if v.Cause != "" {
		explained = []string{v.Cause}
	}
	v.Note = join(reasons, explained, standIns(o), v.Remarks)
	v.Remarks = append(explained, v.Remarks...)
	return v
}

func join(parts ...[]string) string { return strings.Join(slices.Concat(parts...), "; ") }

// causeOf returns the cause of the first mismatch: the shell's own message, otherwise the
// behaviour of a tool, otherwise a warning of the hook.
func causeOf(c *suites.Case, found []suites.Mismatch, o suites.Outcome) string {
	if len(o.Results) == 0 {
		return ""
	}
	first := o.Results[min(found[0].Step, len(o.Results)-1)]
	line := cmp.Or(shellsWord(first), toolCause(c, found, o.Calls), warning(c, first))
	if e := o.Ended; e != nil {
		at := fmt.Sprintf("%s ended at line %d, by set -e: %s", e.File, e.Line, firstLine(e.Command))
		line = strings.TrimSuffix(at+"; "+line, "; ")
	}
	return brief(wordingOf(o).everyRun.Replace(line))
}

// judgesHooks reports whether the results of hooks in a case of hookwatch's own decide its verdict.
func judgesHooks(c *suites.Case, o suites.Outcome) bool {
	return c.Layer != suites.Live && o.NotRun == nil && o.Finding == nil
}

// wasEnded reports whether a hook did not start, or did not end by itself.
func wasEnded(r *suites.Result) bool { return r.NotStarted != "" || r.TimedOut || r.Memory > 0 }

// FindUnexplained returns the base name of the script of a failing case that ended with an unwanted
// exit code, and that code. It returns "" if the hook itself prints a line of the script, or if
// something other than a command ended it.
func FindUnexplained(c *suites.Case, o suites.Outcome) (script string, exit int) {
	if !judgesHooks(c, o) {
		return "", 0
	}
	for i := range o.Results {
		r := &o.Results[i]
		if wasEnded(r) || r.Exit < 0 {
			return "", 0
		}
		expect := &c.Steps[i].Expect
		if r.Exit == 0 || len(judgeStep(expect, i, *r, time.Second, wordingOf(o))) == 0 {
			continue
		}
		script := path.Base(cmp.Or(c.Steps[i].Hook, c.Steps[i].Registered, c.Hook, c.Registered))
		if script == "." || LineIn(script, string(r.Stderr)) > 0 {
			return "", 0
		}
		return script, r.Exit
	}
	return "", 0
}

// shellsWord returns the shell's message about a program that it could not start if the hook
// ended with 126 or 127, because the exit code alone explains nothing.
func shellsWord(r suites.Result) string {
	if r.Exit != 126 && r.Exit != 127 {
		return ""
	}
	for line := range strings.Lines(string(r.Stderr)) {
		if strings.Contains(line, "not found") || strings.Contains(line, "ermission denied") {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// warning returns the hook's own warning about a tool. A tool that rejects its configuration, or
// whose output cannot be read, finds nothing, like a tool that is absent.
func warning(c *suites.Case, r suites.Result) string {
	for line := range strings.Lines(string(r.Stderr)) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, hookWarning) && concerns(c, line) {
			return line
		}
	}
	return ""
}

// concerns reports whether a warning is about a tool of the case. If the case is about no tool,
// every warning concerns it.
func concerns(c *suites.Case, line string) bool {
	words := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t'\"`:,;()", r) })
	about := false
	for _, g := range c.Gates {
		if suites.IsFilter(g.Tool) {
			continue
		}
		if about = true; slices.Contains(words, g.Tool) {
			return true
		}
	}
	return !about
}

// hookWarning is the prefix of warnings that such hooks print about themselves.
const hookWarning = "[hook:warning] "

func standIns(o suites.Outcome) []string {
	var out []string
	for _, s := range o.StandIns {
		out = append(out, "stand-in: "+s)
	}
	return out
}

// remarks returns facts that are worth reporting even if nothing failed.
func remarks(o suites.Outcome) []string {
	var out []string
	for _, r := range o.Results {
		if len(r.LeftBehind) > 0 {
			out = append(out, "left a process behind: "+strings.Join(r.LeftBehind, ", ")+" (ended)")
		}
		if r.IsTruncated() {
			out = append(out, fmt.Sprintf("output cut: %d bytes on stdout, %d on stderr", r.StdoutBytes, r.StderrBytes))
		} else if !utf8.Valid(r.Stdout) || !utf8.Valid(r.Stderr) {
			out = append(out, "output is not UTF-8")
		}
	}
	return append(out, o.Stopped...)
}

func judgeStep(e *suites.Expectation, step int, r suites.Result, timeout time.Duration, w wording) []suites.Mismatch {
	switch {
	case r.NotStarted != "":
		return []suites.Mismatch{mismatch(suites.InStart, step, r.NotStarted, "")}
	case r.Memory > 0:
		return []suites.Mismatch{mismatch(suites.InMemory, step, fmt.Sprintf("MEMORY_%dMiB", r.Memory>>20), "")}
	case r.TimedOut:
		note := timeoutNote(cmp.Or(r.Timeout, timeout))
		if r.TimeoutBy != "" {
			note += " (" + r.TimeoutBy + ")"
		}
		return []suites.Mismatch{mismatch(suites.InTime, step, note, "")}
	}
	var found []suites.Mismatch
	add := addFunc(func(kind suites.MismatchKind, got, want string) {
		found = append(found, mismatch(kind, step, got, want))
	})
	if want := e.HookFired == nil || *e.HookFired; r.Live != nil && r.Fired != want {
		add(suites.InHookFired, describeFired(r), strconv.FormatBool(want))
		if want {
			return found // the other results are of a hook that did not run
		}
	}
	if len(e.Exit) > 0 && (!slices.Contains(e.Exit, r.Exit) || r.Signal != "") {
		add(suites.InExit, gotExit(r), WantedExit(e.Exit))
	}
	if e.Decision != "" && e.Decision != r.Decision {
		add(suites.InDecision, r.Decision, e.Decision)
	}
	if e.Effect != "" && e.Effect != r.Effect {
		add(suites.InEffect, string(r.Effect), string(e.Effect))
	}
	judgeSound(add, e, r)
	judgeText(add.to(suites.InStdout), e.Stdout, r.Stdout, w)
	judgeText(add.to(suites.InStderr), e.Stderr, r.Stderr, w)
	judgeJQ(add, e.JQ, r.Stdout, w.outcome)
	for _, want := range e.ModelSees {
		if !strings.Contains(strings.Join(r.ModelSees, "\n"), w.text.Replace(want)) {
			add(suites.InModelSees, quote(w.everyRun.Replace(strings.Join(r.ModelSees, "\n"))), quote(want))
		}
	}
	for _, file := range e.Files {
		judgeFile(func(got, want string) {
			m := mismatch(suites.InFile, step, got, want)
			m.Field += " " + file.Path
			found = append(found, m)
		}, file, r, w)
	}
	return found
}

func describeFired(r suites.Result) string {
	if r.Fired {
		return "true"
	}
	if len(r.Live.Hooks) == 0 {
		return "false: the client fired no hook for it"
	}
	var others []string
	for _, h := range r.Live.Hooks {
		others = append(others, cmp.Or(h.Command, "one it does not name"))
	}
	return "false: the client fired only " + strings.Join(others, ", ")
}

// timeoutNote formats the note of a time-out, such as TIMEOUT_30s.
func timeoutNote(d time.Duration) string {
	if d%time.Second == 0 {
		return fmt.Sprintf("TIMEOUT_%ds", d/time.Second)
	}
	return "TIMEOUT_" + d.String()
}

// judgeChange compares the changes of files that match the path, which may be a pattern, with
// the expected change. One match is enough for a change; for none, all must be untouched.
func judgeChange(add func(got, want string), e suites.FileExpectation, changes []suites.Change) {
	var met []string
	for _, c := range changes {
		if !matchesPath(e.Path, c.Path) {
			continue
		}
		if c.Kind == e.Change {
			return
		}
		met = append(met, string(c.Kind)+" "+c.Path)
	}
	switch {
	case e.Change == suites.Untouched && len(met) == 0:
	case len(met) == 0:
		add("untouched", string(e.Change))
	case e.Change == suites.Untouched:
		add(limit(met, 3), "untouched")
	default:
		add(limit(met, 3), string(e.Change))
	}
}

// matchesPath matches a template with a changed path. Names of directories in braces are no
// alternatives.
func matchesPath(template, path string) bool {
	if !strings.HasPrefix(template, "{") && !strings.HasPrefix(template, "/") && !strings.HasPrefix(template, "~") {
		template = "{tmp}/" + template
	}
	pattern := strings.NewReplacer("{", `\{`, "}", `\}`).Replace(template)
	ok, err := doublestar.Match(pattern, strings.TrimSuffix(path, "/"))
	return err == nil && ok
}

func limit(items []string, n int) string {
	if len(items) > n {
		items = append(items[:n:n], "...")
	}
	return strings.Join(items, ", ")
}

type addFunc func(kind suites.MismatchKind, got, want string)

func (add addFunc) to(kind suites.MismatchKind) func(got, want string) {
	return func(got, want string) { add(kind, got, want) }
}

func mismatch(kind suites.MismatchKind, step int, got, want string) suites.Mismatch {
	return suites.Mismatch{Kind: kind, Step: step, Field: string(kind), Got: got, Want: want}
}

// judgeFinding returns the verdict for the finding of a check. A tool that exists but is too
// old, or prints nothing, does not count as absent.
func judgeFinding(c *suites.Check, f suites.Finding) suites.Verdict {
	v := suites.Verdict{Status: suites.Fail, Note: f.Detail}
	switch {
	case c.Need == suites.NeedAdvisory:
		return suites.Verdict{Status: suites.Pass, Note: "advisory: " + f.Detail}
	case f.Holds && f.StandIn != "":
		return suites.Verdict{Status: suites.Pass, Note: "stand-in: " + c.Tool + "=" + f.StandIn}
	case f.Holds:
		return suites.Verdict{Status: suites.Pass, Note: f.Remark}
	case f.Absent != "" && c.Need == suites.NeedOptional:
		return suites.NewVerdict(suites.Skip, suites.ToolAbsent, f.Absent+because(c, f))
	case f.Absent != "":
		v = suites.NewVerdict(suites.Fail, suites.ToolAbsent, f.Absent+because(c, f))
	}
	v.Mismatches = []suites.Mismatch{mismatch(suites.InCheck, 0, v.Note, "")}
	return v
}

// because returns the places where a tool was searched for, unless that was only PATH.
func because(c *suites.Check, f suites.Finding) string {
	if slices.Equal(c.Places, []string{c.Tool}) {
		return ""
	}
	return " (" + f.Detail + ")"
}

// A wording translates between the text of a case and the result of one run.
type wording struct {
	// everyRun replaces the directories of one run with names that are the same in each run,
	// because notes of equal failures must be equal.
	everyRun *strings.Replacer
	text     *strings.Replacer // replaces templates with their values
	outcome  *suites.Outcome   // evaluates expressions
}

func wordingOf(o suites.Outcome) wording {
	w := wording{everyRun: strings.NewReplacer(), text: strings.NewReplacer(o.Named...), outcome: &o}
	if o.Sandbox != "" {
		w.everyRun = strings.NewReplacer(o.Sandbox+"/tmp", "{tmp}", o.Sandbox, "{sandbox}")
	}
	return w
}
