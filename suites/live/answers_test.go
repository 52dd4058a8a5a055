package live

import (
	"fmt"
	"testing"

	"hookwatch/suites"
)

// TestOtherAnswers checks events whose hooks have an effect elsewhere than in a call's error.
func TestOtherAnswers(t *testing.T) {
	t.Parallel()
	const over = `{"type":"result","subtype":"success","terminal_reason":"completed","result":"done"}`
	const result = `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":%q,"is_error":%v}]}}`
	asks := func(models ...string) (out []Heard) {
		for i, m := range models {
			out = append(out, Heard{Origin: Main, Model: m, After: i > 0})
		}
		return out
	}
	for name, tt := range map[string]struct {
		event, text string
		failed      bool
		heard       []Heard
		want        suites.Effect
	}{
		"another model":           {"PreModelSwitch", "ok", false, asks("a", "b"), suites.Proceeds},
		"the same model":          {"PreModelSwitch", "ok", false, asks("a", "a"), suites.Denied},
		"a task":                  {"TaskCreated", "Task #1 created", false, asks("a", "a"), suites.Proceeds},
		"a task that fails":       {"TaskCreated", "no", true, asks("a", "a"), suites.Denied},
		"a task that is refused":  {"TaskCompleted", "TaskCompleted hook feedback: no", false, asks("a", "a"), suites.Denied},
		"a worktree that is kept": {"WorktreeRemove", "could not remove it", false, asks("a", "a"), suites.Denied},
		"a question declined":     {"Elicitation", wasAnswered + "decline", false, asks("a", "a"), suites.Denied},
		"a question answered":     {"ElicitationResult", wasAnswered + "accept", false, asks("a", "a"), suites.Rewritten},
		"a question left":         {"Elicitation", wasAnswered + "cancel", false, asks("a", "a"), suites.Proceeds},
		"settings kept out":       {"ConfigChange", "as before", false, asks("a", "a"), suites.Denied},
		"settings taken":          {"ConfigChange", "refused by them", true, asks("a", "a"), suites.Proceeds},
	} {
		s := Seen{
			Turn:   Turn{Event: tt.event, Prompts: []string{goOn}},
			Lines:  lines(t, append(hook(tt.event, "", "", 0), fmt.Sprintf(result, tt.text, tt.failed), over)...),
			Heard:  tt.heard,
			Tested: "t1",
		}
		if got, because := s.Effect(); got != tt.want {
			t.Errorf("%s: %s (%s), want %s", name, got, because, tt.want)
		}
	}
}
