package conform

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/symptom"
)

// executed is the name of a file that is there once a hook has run a part of its input as a
// command, and runs are the places where it may be.
const executed = "hookwatch-executed"

var executedAt = []string{"{override}/" + executed, "{project}/" + executed, "{tmp}/" + executed}

// odd is a text with what scripts stumble over.
const odd = "$(touch " + executed + ") `touch " + executed + "` it's \"quoted\" \\n $(x) é 漢 🎉\n\tsecond line"

// word is a long one. An expression that can take it apart in many ways does not come to an
// end if it fails at the mark behind it.
const word = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

// long is a text of 200 KB.
func long() string { return word + " !\n" + strings.Repeat(word+"\n", 5000) }

// A variant is a usual firing with another input.
type variant struct {
	firing
	name  string
	empty string // a text of the tool's input that is sent empty
}

// variants are those that a session sends sooner or later; command is a harmless one that they
// begin with.
func variants(f firing, command string) []variant {
	with := func(text string) firing {
		v := f
		v.text, v.prompt = text, text
		if f.command != "" {
			v.command = command + " " + strings.ReplaceAll(text, "\n", "\n# ")
		}
		if f.command != "" && text == odd {
			v.command = command + " $(touch " + executed + ") # it's \"quoted\" \\n é 漢 🎉"
		}
		return v
	}
	quotes, large := with(odd), with(long())
	if event, _ := client.EventByName(f.event); event.Tool {
		quotes.agent = "general-purpose"
	}
	all := []variant{{quotes, "a text with quotes and other letters, of a subagent", ""}, {large, "a text of 200 KB", ""}}
	if key := map[string]string{"Write": "content", "Edit": "new_string"}[f.tool]; key != "" {
		all = append(all, variant{f, "an empty " + key, key})
	}
	if slices.Contains(fileTools, f.tool) {
		named := f
		named.file = "src/$(touch " + executed + ").py"
		all = append(all, variant{named, "a file whose name is a command", ""})
	}
	return all
}

// varied sends other inputs to a hook that copes with a usual one, in surroundings that
// they share.
func (q *Inquiry) varied() []Probe {
	q.rounds[0] = func() []Probe { return nil }
	usual := typical(q.hook, q.tree)
	if len(usual) == 0 || symptom.Background(q.took) || q.absent != "" {
		return nil
	}
	command := "true"
	if q.hook.If != "" {
		command = usual[0].command
	}
	var all Probe
	for _, v := range variants(usual[0], command) {
		if !v.passes(q.hook) {
			continue
		}
		one := q.probe(v.firing, func(r suites.Result) { q.coped(v, r) })
		step := &one.Case.Steps[0]
		for _, place := range executedAt {
			step.Expect.Files = append(step.Expect.Files, suites.FileExpectation{Path: place})
		}
		if v.empty != "" {
			step.PayloadRaw = emptied(step.PayloadRaw, v.empty)
		}
		if all.Case == nil {
			all = one
		} else {
			all.and(one)
		}
	}
	if all.Case == nil {
		return nil
	}
	return []Probe{all}
}

// coped judges what a hook makes of an input that is another.
func (q *Inquiry) coped(v variant, r suites.Result) {
	for _, place := range executedAt {
		if _, ran := r.Files[place]; ran {
			f := FindingOf("executes-input", q.hook.ID, q.hook.Source, "it runs a part of its input as a command")
			f.Input = v.name
			q.worst(f)
			return
		}
	}
	switch {
	case q.failed(v.name, r, suites.Warning):
	case r.TimedOut:
		q.seen(string(client.TimedOut), fmt.Sprintf("it had not ended after %s", q.patience()), v.name, suites.Warning)
	case client.Kind(r.EffectRule) == client.StderrDropped: // no input that a hook is there to stop
	default:
		q.dropped(firing{event: v.event, value: v.name}, &q.took, r, suites.Warning)
	}
}

// emptied empties a text of a tool's input.
func emptied(payload json.RawMessage, key string) json.RawMessage {
	var all map[string]any
	if json.Unmarshal(payload, &all) != nil {
		return payload
	}
	if input, ok := all["tool_input"].(map[string]any); ok {
		input[key] = ""
	}
	text, err := json.Marshal(all)
	if err != nil {
		return payload
	}
	return text
}
