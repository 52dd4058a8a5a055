package conform

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/pattern"
	"hookwatch/suites/symptom"
)

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
	quoted := symptom.Quoted(r)
	switch {
	case !symptom.Dropped(r) && !quoted || q.hook.Entry.Async:
	case symptom.Echoes(r.Stdout):
		q.seen("echoes-input", "it prints its input", f.input())
	default:
		if quoted || client.Kind(r.EffectRule) == client.UnknownKeys && !decides().Match(r.Stdout) {
			severity = suites.Warning // the model reads it, or the client would not have acted on it
		}
		q.seen("output-ignored", short(r.EffectReason), f.input(), severity)
		if last := &q.findings[len(q.findings)-1]; last.Rule == "output-ignored" {
			last.Printed = short(string(r.Stdout))
			if quoted {
				last.Effect = "its keys mean nothing; the model is shown the text as it stands"
			}
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
