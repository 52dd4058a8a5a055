package verdict

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"hookwatch/suites"
)

func judgeStep(e *suites.Expectation, step int, r suites.Result, timeout time.Duration, w wording) []suites.Mismatch {
	switch {
	case r.NotStarted != "":
		return []suites.Mismatch{{Step: step, Field: "start", Got: r.NotStarted}}
	case r.Memory > 0:
		return []suites.Mismatch{{Step: step, Field: "memory", Got: memoryNote(r.Memory)}}
	case r.TimedOut:
		return []suites.Mismatch{{Step: step, Field: "timeout", Got: timeoutNote(cmp.Or(r.Timeout, timeout))}}
	}
	var found []suites.Mismatch
	add := func(field, got, want string) {
		found = append(found, suites.Mismatch{Step: step, Field: field, Got: got, Want: want})
	}
	if want := e.HookFired == nil || *e.HookFired; r.Live != nil && r.Fired != want {
		add("hook_fired", firedText(r), strconv.FormatBool(want))
		if want {
			return found // all else is about a hook that was none
		}
	}
	if e.Exit != nil && (r.Exit != *e.Exit || r.Signal != "") {
		add("exit", gotExit(r), fmt.Sprint(*e.Exit))
	}
	if e.Decision != "" && e.Decision != r.Decision {
		add("decision", r.Decision, e.Decision)
	}
	if e.Effect != "" && e.Effect != r.Effect {
		add("effect", string(r.Effect), string(e.Effect))
	}
	judgeSound(add, e, r)
	judgeText(add, "stdout", e.Stdout, r.Stdout, w)
	judgeText(add, "stderr", e.Stderr, r.Stderr, w)
	judgeJQ(add, e.JQ, r.Stdout, w.outcome)
	for _, want := range e.ModelSees {
		if !strings.Contains(strings.Join(r.ModelSees, "\n"), w.text.Replace(want)) {
			add("model_sees", quote(w.everyRun.Replace(strings.Join(r.ModelSees, "\n"))), quote(want))
		}
	}
	judgeFiles(add, e.Files, r, w)
	return found
}

// firedText says which hooks the client fired for a step.
func firedText(r suites.Result) string {
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

// memoryNote formats the note of a case that used more memory than it may, such
// as MEMORY_2048MiB.
func memoryNote(bytes int64) string { return fmt.Sprintf("MEMORY_%dMiB", bytes>>20) }
