package check

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/discover"
	"hookwatch/suites/explore"
)

// wrongNames are names by which hooks read fields, with those that the client sends. The same name may be right
// for values of other programs, so what is read under it is proved: the hook does more if the field is sent.
var wrongNames = []struct {
	meant explore.Field
	sure  []string // needs no proof
	other []string
}{
	{"tool_response", []string{"tool_result", "tool_output"}, []string{"toolResult", "output", "result"}},
	{"prompt", []string{"user_prompt"}, []string{"user_message", "userPrompt", "user_input", "message", "text", "content", "input", "query"}},
	{"tool_name", []string{"toolName"}, []string{"tool", "name"}},
	{"tool_input", []string{"toolInput"}, []string{"tool_args", "parameters", "params", "input", "args", "arguments"}},
	{"hook_event_name", []string{"hookEventName"}, []string{"hook_event", "event_name", "hook_name"}},
	{"session_id", []string{"sessionId"}, nil},
	{"cwd", nil, []string{"working_directory"}},
	{"transcript_path", nil, []string{"transcriptPath"}},
	{"agent_type", []string{"agent_name", "subagent_name"}, []string{"subagent_type"}},
	{"tool_input.command", nil, []string{"cmd", "command_line", "script", "bash_command", "commands"}},
	{"tool_input.new_string", nil, []string{"new_str", "newString", "new_text"}},
	{"tool_input.content", nil, []string{"file_text", "contents", "file_content"}},
	{"last_assistant_message", nil, []string{"last_message", "assistant_message", "lastAssistantMessage"}},
	{"stop_hook_active", nil, []string{"stopHookActive", "stop_hook_is_active"}},
	{"tool_input.file_path", nil, []string{"path", "filePath", "filepath", "file", "filename", "file_name", "target_file"}},
}

// A misreading is a read of a field that the client sends under another name.
type misreading struct {
	explore.FieldRead
	meant explore.Field
	sure  bool
}

// misreadings returns the fields that were read under wrong names and never under the client's, of those that
// the payload does not have. The first read of each counts.
func misreadings(reads []explore.FieldRead, sent map[explore.Field]bool) (out []misreading) {
	read := map[explore.Field]bool{}
	for _, r := range reads {
		read[r.Field] = true
	}
	for _, r := range reads {
		for _, w := range wrongNames {
			within := w.meant[:strings.LastIndexByte(string(w.meant), '.')+1]
			name, inside := strings.CutPrefix(string(r.Field), string(within))
			known := slices.ContainsFunc(out, func(o misreading) bool { return o.meant == w.meant })
			switch sure := slices.Contains(w.sure, name); {
			case !inside, known, sent[r.Field], read[w.meant]: // it is right
			case sure, sent[w.meant] && slices.Contains(w.other, name):
				out = append(out, misreading{r, w.meant, sure})
			}
		}
	}
	return out
}

// othersFields are the fields that events send in addition to those that all have, with the events.
var othersFields = sync.OnceValue(func() map[explore.Field][]string {
	all := map[explore.Field][]string{}
	for _, e := range client.Events() {
		var sent map[explore.Field]json.RawMessage
		payload, err := client.Payload(client.PayloadInput{Event: e.Name})
		if err == nil && json.Unmarshal(payload, &sent) == nil {
			for field := range sent {
				all[field] = append(all[field], e.Name)
			}
		}
	}
	return all
})

// unsent returns the first field that was read and that the event does not send, while another does. A line that
// reads a field of the event, too, is for both events.
func unsent(reads []explore.FieldRead, sent map[explore.Field]bool) (first explore.FieldRead, events []string) {
	for _, r := range reads {
		top, _, _ := strings.Cut(string(r.Field), ".")
		events := othersFields()[explore.Field(top)]
		both := slices.ContainsFunc(reads, func(o explore.FieldRead) bool { return o.File == r.File && o.Line == r.Line && sent[o.Field] })
		if !sent[explore.Field(top)] && !both && len(events) > 0 {
			return r, events
		}
	}
	return first, nil
}

// findUnsent returns the finding about such a field of a hook that always fails, or of a guard that comes to no decision.
func (x *exploration) findUnsent() []Finding {
	read, events := unsent(x.reads, x.payload(x.sent...))
	script := x.scriptOf(read.File)
	if script == "" || len(events) == 0 {
		return nil
	}
	slices.Sort(events)
	what := fmt.Sprintf("%s reads %s, which %s does not send; %s does", script, read.Field, x.hook.Event, events[0])
	f := FindingOf("unknown-field", x.hook.ID, suites.Position{File: script, Line: read.Line}, what)
	var own []string
	for field := range x.payload(x.sent...) {
		_, varies := client.Varying[string(field)]
		if name := string(field); !varies && !strings.Contains(name, ".") {
			own = append(own, name)
		}
	}
	own = slices.DeleteFunc(slices.Sorted(slices.Values(own)), func(name string) bool { return slices.Contains(fixed, name) })
	f.Remedy = "read what the event sends: " + strings.Join(own, ", ")
	return []Finding{f}
}

// finding returns the finding about a misreading of a script. more is what the hook does if the field is sent.
func (m misreading) finding(h discover.Hook, script, more string, sent map[explore.Field]bool) Finding {
	meant := m.meant
	failed := sent["error"] && sent["tool_name"] && !sent["tool_response"]
	if failed && meant == "tool_response" {
		meant = "error" // because a failed call has no response
	}
	what, remedy := fmt.Sprintf("%s reads %s; the client sends %s", script, m.Field, meant), "read "+string(meant)
	if !sent[meant] {
		what, remedy = fmt.Sprintf("%s reads %s, which %s does not send", script, m.Field, h.Event), "register the script for an event that sends "+string(m.meant)+", and read that"
	}
	f := FindingOf("unknown-field", h.ID, suites.Position{File: script, Line: m.Line}, what+more)
	f.Remedy = remedy
	return f
}

// An alternative is another input than the client sends: a field under another name, or a variable of the
// environment that is set.
type alternative struct {
	name, meant explore.Field
	variable    string
}

// with returns a payload with the alternative next to the client's field.
func (a alternative) with(payload json.RawMessage) json.RawMessage {
	return edited(payload, func(sent map[string]any) {
		in, meant := placeOf(a.meant, sent)
		if value, known := in[meant]; known {
			name := string(a.name)
			in[name[strings.LastIndexByte(name, '.')+1:]] = value
		}
	})
}

// env returns the variable with the value that its name suggests: the whole input of the tool, or a part of the
// payload; nil if the alternative is a field.
func (a alternative) env(payload json.RawMessage) map[string]string {
	var sent struct {
		Tool   string         `json:"tool_name"`
		Input  map[string]any `json:"tool_input"`
		Prompt string         `json:"prompt"`
	}
	if a.variable == "" || json.Unmarshal(payload, &sent) != nil {
		return nil
	}
	input, _ := json.Marshal(sent.Input) // it was JSON
	value := string(input)
	text := func(key string) string { s, _ := sent.Input[key].(string); return s }
	switch {
	case strings.HasSuffix(a.variable, "NAME"):
		value = sent.Tool
	case strings.Contains(a.variable, "PROMPT"):
		value = sent.Prompt
	case strings.Contains(a.variable, "FILE"):
		value = text("file_path")
	case strings.HasSuffix(a.variable, "COMMAND"):
		value = text("command")
	}
	return map[string]string{a.variable: value}
}

// edited returns a payload after a change of its fields; one that is not an object remains as it is.
func edited(payload json.RawMessage, change func(sent map[string]any)) json.RawMessage {
	var sent map[string]any
	if json.Unmarshal(payload, &sent) != nil || sent == nil {
		return payload
	}
	change(sent)
	text, err := json.Marshal(sent)
	if err != nil {
		return payload
	}
	return text
}
