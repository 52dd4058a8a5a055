// Package firing reads what somebody wrote down of a hook that fired: a JSON
// object with event, exit code, streams, entry and payload.
package firing

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"hookwatch/suites/client"
	"hookwatch/suites/client/settings"
	"hookwatch/suites/spelling"
)

// A Firing is one output of a hook, and the event it was for.
type Firing struct {
	ID     json.RawMessage // as it was given; nil for none
	Event  string
	Output client.Output
}

// names are the fields that are read. Others are left alone, unless they look
// like one of these misspelt.
var names = []string{
	"id", "event", "exit", "signal", "timed_out", "stdout", "stderr", "command", "entry", "payload",
}

// Parse reads one firing. What is not given is empty, exit code 0 among it; the
// event may stand in the payload. The error names the field.
func Parse(line []byte) (Firing, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(line, &fields); err != nil || fields == nil {
		return Firing{}, notAnObject(line, err)
	}
	for name, raw := range fields {
		near := spelling.Nearest(strings.ToLower(name), names)
		if near != "" && !slices.Contains(names, name) {
			return Firing{}, &FieldError{name, "is no field that is read; did you mean " + near + "?"}
		}
		if string(raw) == "null" {
			delete(fields, name)
		}
	}
	r := reader{fields: fields}
	f := Firing{ID: fields["id"], Output: client.Output{
		Stdout: []byte(r.text("stdout")), Stderr: []byte(r.text("stderr")), TimedOut: r.flag("timed_out"),
		Payload: r.payload(),
	}}
	f.Event = r.event(f.Output.Payload)
	f.Output.Entry, f.Output.Dropped = r.entry(f.Event)
	f.Output.Signal = r.signal()
	f.Output.Exit = r.exit(f.Output)
	return f, r.err
}

func notAnObject(line []byte, err error) error {
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("not valid JSON at byte %d: %w", syntax.Offset, err)
	case len(bytes.TrimSpace(line)) == 0:
		return errors.New("nothing is given")
	default:
		return errors.New(`not a JSON object, as in {"event": "PreToolUse", "exit": 2, "stderr": "no"}`)
	}
}

// payload is an object, or a text that holds one.
func (r *reader) payload() []byte {
	raw := []byte(r.fields["payload"])
	var text string
	if len(raw) > 0 && json.Unmarshal(raw, &text) == nil {
		raw = []byte(text)
	}
	var object map[string]json.RawMessage
	if len(raw) > 0 && json.Unmarshal(raw, &object) != nil {
		r.wrong("payload", "is not a JSON object")
	}
	return raw
}

// event is that of the field, or of the payload.
func (r *reader) event(payload []byte) string {
	name := r.text("event")
	if name == "" {
		var says struct {
			Name string `json:"hook_event_name"`
		}
		_ = json.Unmarshal(payload, &says) // what is wrong with it was said
		name = says.Name
	}
	if _, known := client.EventByName(name); known {
		return name
	}
	var all []string
	for _, event := range client.Events() {
		all = append(all, event.Name)
	}
	switch near := nearest(name, all); {
	case name == "":
		r.wrong("event", "is missing")
	case near != "":
		r.wrong("event", fmt.Sprintf("is %q, which the client does not have; did you mean %s?", name, near))
	default:
		r.wrong("event", fmt.Sprintf("is %q, which the client does not have", name))
	}
	return name
}

// nearest is the name that differs in case alone, or the most likely one.
func nearest(name string, all []string) string {
	for _, one := range all {
		if strings.EqualFold(one, name) {
			return one
		}
	}
	return spelling.Nearest(name, all)
}

// entry reads the keys of the hook's entry. The default type is command, and the field
// command is its command. dropped says why the client drops the entry, "" where it does
// not.
func (r *reader) entry(event string) (entry client.Entry, dropped string) {
	command := r.text("command")
	keys := map[string]json.RawMessage{}
	if !r.decode("entry", "an object", &keys) {
		return client.Entry{Command: command}, ""
	}
	if keys["type"] == nil {
		keys["type"] = json.RawMessage(`"command"`)
	}
	if string(keys["type"]) == `"command"` && keys["command"] == nil {
		keys["command"], _ = json.Marshal(command) // text always encodes
	}
	raw, _ := json.Marshal(keys) // what was decoded encodes
	entry, problems := settings.ParseEntry(event, raw)
	for _, problem := range problems {
		return entry, problem.What + " (" + problem.Hint + ")"
	}
	return entry, ""
}
