package client

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hookwatch/suites/pattern"
)

// lastSignal is the highest signal number of any system.
const lastSignal = 64

// signal reads the name or the number of a signal; 0 is none.
func (r *reader) signal() string {
	raw, given := r.fields["signal"]
	if !given {
		return ""
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
		text = string(raw)
	}
	signal, err := parseSignal(text)
	if err != nil {
		r.wrong("signal", "is "+err.Error())
	}
	return signal
}

// parseSignal parses the name of a signal, or its number, and returns its name, or "signal " and
// the number; "" if the text is empty or 0.
func parseSignal(text string) (string, error) {
	number, err := strconv.Atoi(text)
	switch {
	case text == "" || err == nil && number == 0:
		return "", nil
	case err == nil && (number < 0 || number > lastSignal):
		return "", fmt.Errorf("%d, which is no signal", number)
	case err == nil:
		return "signal " + text, nil
	case text[0] < 'A' || text[0] > 'Z':
		return "", fmt.Errorf("%s, neither a number nor a name such as SIGKILL", text)
	default:
		return text, nil
	}
}

// exit reads the exit code, which is not checked if the hook was ended.
func (r *reader) exit(out Output) int {
	code := 0
	ended := out.Signal != "" || out.TimedOut || out.Dropped != ""
	if !r.decode("exit", "a whole number", &code) || ended {
		return code
	}
	if err := parseExit(code, out.Entry.Type); err != nil {
		r.wrong("exit", "is "+err.Error())
	}
	return code
}

// parseExit returns an error if a number is not a valid exit code, or status of an http hook.
func parseExit(code int, hookType string) error {
	const most, mostStatus = 255, 599
	switch {
	case code < 0:
		return fmt.Errorf("%d: a hook that did not exit has a signal, or timed out", code)
	case hookType == "http" && code > mostStatus:
		return fmt.Errorf("%d, which is no status", code)
	case hookType != "http" && code > most:
		return fmt.Errorf("%d: exit codes end at %d", code, most)
	default:
		return nil
	}
}

// A Firing is one output of a hook, with its event.
type Firing struct {
	ID     json.RawMessage // as given; nil if there is none
	Event  string
	Output Output
}

// names are the known fields. Other fields are ignored, unless they look like misspellings of
// these.
var names = []string{
	"id", "event", "exit", "signal", "timed_out", "stdout", "stderr", "command", "entry", "payload",
}

// ParseFiring parses one firing. Missing fields are empty, which is 0 for the exit code; the event
// may be in the payload. others are events of other clients that it may have. The error names the
// field.
func ParseFiring(line []byte, others ...string) (Firing, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(line, &fields); err != nil || fields == nil {
		return Firing{}, notAnObject(line, err)
	}
	for name, raw := range fields {
		near := pattern.Nearest(strings.ToLower(name), names)
		if near != "" && !slices.Contains(names, name) {
			return Firing{}, &FieldError{name, "is no field that is read; did you mean " + near + "?"}
		}
		if string(raw) == "null" {
			delete(fields, name)
		}
	}
	r := reader{fields: fields, others: others}
	f := Firing{ID: fields["id"], Output: Output{
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

// payload reads an object, or a text that contains one.
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

// event reads the event from its field, or from the payload.
func (r *reader) event(payload []byte) string {
	name := r.text("event")
	if name == "" {
		var fields struct {
			Name string `json:"hook_event_name"`
		}
		_ = json.Unmarshal(payload, &fields) // payload has reported its errors
		name = fields.Name
	}
	if _, known := EventByName(name); known {
		return name
	}
	var all []string
	for _, event := range Events() {
		all = append(all, event.Name)
	}
	switch near := suggest(name, append(all, r.others...)); {
	case slices.Contains(r.others, name):
	case name == "":
		r.wrong("event", "is missing")
	case near != "":
		r.wrong("event", fmt.Sprintf("is %q, which the client does not have; did you mean %s?", name, near))
	default:
		r.wrong("event", fmt.Sprintf("is %q, which the client does not have", name))
	}
	return name
}

// suggest returns the name that differs only in case, or else the most similar one.
func suggest(name string, all []string) string {
	for _, one := range all {
		if strings.EqualFold(one, name) {
			return one
		}
	}
	return pattern.Nearest(name, all)
}

// entry reads the keys of the hook's entry. The default type is command, and the field command is
// its command. dropped is the reason why the client drops the entry, "" if it does not.
func (r *reader) entry(event string) (entry Entry, dropped string) {
	command := r.text("command")
	keys := map[string]json.RawMessage{}
	if !r.decode("entry", "an object", &keys) {
		return Entry{Command: command}, ""
	}
	if keys["type"] == nil {
		keys["type"] = json.RawMessage(`"command"`)
	}
	if string(keys["type"]) == `"command"` && keys["command"] == nil {
		keys["command"], _ = json.Marshal(command) // text always encodes
	}
	raw, _ := json.Marshal(keys) // decoded values always encode
	entry, problems := parseEntry(event, raw)
	for _, problem := range problems {
		return entry, problem.What + " (" + problem.Hint + ")"
	}
	return entry, ""
}

// A FieldError is a mistake in one field.
type FieldError struct {
	Field string
	Why   string
}

func (e *FieldError) Error() string { return e.Field + " " + e.Why }

// A reader reads fields and keeps the first mistake.
type reader struct {
	fields map[string]json.RawMessage
	others []string // events of other clients
	err    error
}

func (r *reader) wrong(field, why string) {
	if r.err == nil {
		r.err = &FieldError{field, why}
	}
}

// decode reads a field into a value. It reports whether the field is present and valid.
func (r *reader) decode(field, want string, value any) bool {
	raw, given := r.fields[field]
	if !given {
		return false
	}
	if json.Unmarshal(raw, value) != nil {
		r.wrong(field, "is "+shorten(raw)+", not "+want)
		return false
	}
	return true
}

// shorten returns a value as written, shortened for an error.
func shorten(raw []byte) string {
	const most = 40
	if len(raw) > most {
		return strings.ToValidUTF8(string(raw[:most]), "") + "..."
	}
	return string(raw)
}

func (r *reader) text(field string) string {
	var text string
	r.decode(field, "text", &text)
	return text
}

func (r *reader) flag(field string) bool {
	var flag bool
	r.decode(field, "true or false", &flag)
	return flag
}
