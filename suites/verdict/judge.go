// Package verdict is the VERDICT station: it judges outcomes against what cases
// expect, compares runs, and answers queries over records. It does no I/O.
package verdict

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"hookwatch/suites"
	"hookwatch/suites/cause"
)

// Judge says what an outcome means. timeout is the time-out that held for a
// step, for the note of one that hit it.
func Judge(c *suites.Case, o suites.Outcome, timeout time.Duration) suites.Verdict {
	if n := o.NotRun; n != nil {
		v := suites.Verdict{Status: n.Status, Note: n.Note}
		if n.Status == suites.Fail {
			v.Mismatches = []suites.Mismatch{{Field: "gate", Got: n.Note, Want: "the tool"}}
		}
		return v
	}
	if o.Finding != nil && len(c.Faults) == 0 {
		return judgeFinding(c.Check, *o.Finding)
	}
	if absent := notHere(c, o); absent != "" && len(c.Faults) == 0 {
		return suites.Verdict{Status: suites.Skip, Note: absent}
	}
	var found []suites.Mismatch
	for _, fault := range c.Faults {
		found = append(found, suites.Mismatch{Field: "registered", Got: fault})
	}
	w := wordingOf(o)
	for i, r := range o.Results {
		found = append(found, judgeStep(&c.Steps[i].Expect, i, r, timeout, w)...)
	}
	if o.Finding == nil && len(o.Results) < len(c.Steps) {
		found = append(found, suites.Mismatch{Step: len(o.Results), Field: "step", Got: "not reached", Want: "run"})
	}
	if len(found) > 0 && len(o.Unseen) > 0 {
		return suites.Verdict{Status: suites.Skip, Note: "absent: " + strings.Join(o.Unseen, ", ") +
			" in the sandbox: it is there outside, and what it leads to is hidden (see hookwatch help isolation)"}
	}
	if len(found) > 0 {
		return suites.Verdict{Status: suites.Fail, Note: failNote(c, found, o), Mismatches: found, Cause: causeOf(c, found, o)}
	}
	return suites.Verdict{Status: suites.Pass, Note: strings.Join(remarks(o), "; ")}
}

// Prove settles the verdict of a case that names a control: its pass proves
// something only beside a control that was caught.
func Prove(v suites.Verdict, control suites.Key, cv suites.Verdict) suites.Verdict {
	if v.Status != suites.Pass {
		return v
	}
	switch cv.Status {
	case suites.Pass:
		return v
	case suites.Skip, suites.Aborted:
		return suites.Verdict{Status: suites.Skip, Note: cv.Note}
	default:
		reason := cv.Note
		if len(cv.Mismatches) > 0 {
			reason = cv.Mismatches[0].String() // the first says it; the control's own record has all
		}
		if cv.Cause != "" {
			reason += ", " + cv.Cause
		}
		note := fmt.Sprintf("%scontrol %s %s", suites.NoteUnproven, control.ID, reason)
		if v.Note != "" {
			note += "; " + v.Note
		}
		return suites.Verdict{Status: suites.Unproven, Note: note}
	}
}

// failNote is the first reasons, and what explains them.
func failNote(c *suites.Case, found []suites.Mismatch, o suites.Outcome) string {
	if f := found[0].Field; f == "timeout" || f == "memory" {
		return strings.Join(append([]string{found[0].Got}, remarks(o)...), "; ")
	}
	var reasons []string
	for _, m := range found {
		text := m.String()
		switch {
		case m.Field == "start", m.Field == "gate":
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
	if cause := causeOf(c, found, o); cause != "" {
		reasons = append(reasons, cause)
	}
	return strings.Join(append(reasons, remarks(o)...), "; ")
}

// causeOf is the cause of the first mismatch: the shell's own word, else what a tool
// was seen to do, else what the hook warns of.
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

// Unexplained gives the base name of the script of a failing case that ended with an
// exit code that the case does not want, and that code. It gives "" where the hook
// itself says a line of the script, or where something other than a command ended it.
func Unexplained(c *suites.Case, o suites.Outcome) (script string, exit int) {
	if c.Layer == suites.Live || o.NotRun != nil || o.Finding != nil {
		return "", 0
	}
	for i := range o.Results {
		r := &o.Results[i]
		if r.NotStarted != "" || r.TimedOut || r.Memory > 0 || r.Exit < 0 {
			return "", 0
		}
		expect := &c.Steps[i].Expect
		if r.Exit == 0 || len(judgeStep(expect, i, *r, time.Second, wordingOf(o))) == 0 {
			continue
		}
		script := path.Base(cmp.Or(c.Steps[i].Hook, c.Steps[i].Registered, c.Hook, c.Registered))
		if script == "." || cause.Line(script, string(r.Stderr)) > 0 {
			return "", 0
		}
		return script, r.Exit
	}
	return "", 0
}

// shellsWord is what the shell says of a program that it could not start, where the
// hook ended by that: the exit code says nothing by itself.
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

// warning is the hook's own word about a tool: one that rejects its configuration,
// or whose output cannot be read, finds nothing, just as one that is absent.
func warning(c *suites.Case, r suites.Result) string {
	for line := range strings.Lines(string(r.Stderr)) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, hookWarning) && concerns(c, line) {
			return line
		}
	}
	return ""
}

// concerns reports whether a warning is about a tool of the case. A case that is
// about none takes any.
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

// hookWarning begins what hooks of this field say about themselves.
const hookWarning = "[hook:warning] "

// remarks are facts worth a word even where nothing failed.
func remarks(o suites.Outcome) []string {
	var out []string
	for _, s := range o.StandIns {
		out = append(out, "stand-in: "+s)
	}
	for _, r := range o.Results {
		if len(r.LeftBehind) > 0 {
			out = append(out, "left a process behind: "+strings.Join(r.LeftBehind, ", ")+" (ended)")
		}
		if r.Truncated() {
			out = append(out, fmt.Sprintf("output cut: %d bytes on stdout, %d on stderr", r.StdoutBytes, r.StderrBytes))
		} else if !utf8.Valid(r.Stdout) || !utf8.Valid(r.Stderr) {
			out = append(out, "output is not UTF-8")
		}
	}
	return append(out, o.Stopped...)
}
