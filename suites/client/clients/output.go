package clients

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/client"
)

// A Rule is what a client does with the outputs that meet its conditions. The first rule that
// applies decides.
type Rule struct {
	At     []string // events, by the client's names; empty for all
	When   When
	Effect suites.Effect
	Sees   string // what the model is sent: stdout, stderr, paths of keys of stdout
	Why    string // {exit} and {key} are replaced
	// Documented reports that the rule was not seen, for a client of which others were.
	Documented bool
}

// When are the conditions of a rule; those that are empty are met.
type When struct {
	Ended  string // exit, signal, timeout or unstarted
	Exit   any    // a code, a list of codes, or failure for any but 0
	Stdout string // a form
	Stderr string // text or empty
	Async  bool   // the entry has async
	// JSON are conditions on values of stdout by their dotted paths: a value, or text, given (text,
	// even if only white space), string (even if empty), blank (no text), present or absent.
	JSON map[string]any `yaml:"json"`
}

// The forms of stdout.
const (
	empty   = "empty"
	plain   = "plain"   // neither of the following
	broken  = "broken"  // it starts like JSON and is not one document
	object  = "object"  // one JSON object that the client accepts
	refused = "refused" // an object with keys or values that the client does not accept
	list    = "list"    // a JSON array, or another value of a client that reads scalars
)

// Accepts are the keys that a client accepts in JSON on stdout.
type Accepts struct {
	// Strict reports that the client drops an output with another key or a wrong value.
	Strict bool
	BOM    bool // it skips a byte order mark before JSON
	// Stderr reports that it reads stderr as if it were stdout if nothing is on stdout.
	Stderr bool
	// Scalars reports that a number, true, false or null is JSON, too, and not text.
	Scalars bool
	// Keys are the accepted keys by event, the client's name; those of Common are of all events. A
	// key with a ! is required. A value is boolean, string, object or any, a list of words, or keys.
	Keys map[string]map[string]any
}

// Common is the name of the keys that all events have.
const Common = "common"

// A Reading is what a client does with an output.
type Reading struct {
	// Effect is empty if it is not known.
	Effect    suites.Effect
	Because   string
	ModelSees []string
	Context   []string // the part of ModelSees that is sent whatever other hooks decide
	Alone     bool     // texts of other hooks are not sent
	Known     string   // the source: a measured version, or that it is only documented
}

// Interpret returns what the client does with a hook's output at an event, by Claude Code's name or
// by its own. It depends only on its arguments.
func (c Client) Interpret(event string, in client.Output) Reading {
	if c.Name == Claude {
		r := client.Interpret(client.Default, event, in)
		return Reading{Effect: r.Effect, Because: r.Because(), ModelSees: r.ModelSees, Context: r.Context, Known: c.Known()}
	}
	name := event
	if _, own := c.Events[name]; !own {
		name, own = c.EventFor(event, "")
		if !own {
			return Reading{Effect: suites.Ignored, Because: c.Title + " has no event " + event, Known: c.Known()}
		}
	}
	o := c.classify(name, in)
	for _, rule := range c.Outputs {
		if len(rule.At) > 0 && !slices.Contains(rule.At, name) || !rule.When.meets(o) {
			continue
		}
		why := strings.NewReplacer("{exit}", fmt.Sprint(in.Exit), "{key}", o.refusal).Replace(rule.Why)
		alone := slices.ContainsFunc(c.Events[name].Alone, func(w When) bool { return w.meets(o) })
		reading := Reading{Effect: rule.Effect, Because: why, Alone: alone, Known: c.Known()}
		if rule.Documented {
			reading.Known = documented
		}
		for of := range strings.SplitSeq(rule.Sees, ", ") {
			if text := o.text(of); text != "" {
				reading.ModelSees = append(reading.ModelSees, text)
				if rule.Effect == suites.ContextAdded || strings.HasSuffix(of, "additionalContext") {
					reading.Context = append(reading.Context, text)
				}
			}
		}
		return reading
	}
	return Reading{Because: "not known: the documentation of " + c.Title + " does not state it", Known: c.Known()}
}

// OutputOf returns the output in a result of running the hook of an entry, which is the zero value for a
// script that is not registered.
func OutputOf(r suites.Result, e client.Entry) client.Output {
	return client.Output{Entry: e, Exit: r.Exit, Signal: r.Signal, TimedOut: r.TimedOut, NotStarted: r.NotStarted, Stdout: r.Stdout, Stderr: r.Stderr}
}

// Reading returns the reading in the form of Claude Code's, with a cause that only has a sentence.
func (r Reading) Reading() client.Reading {
	return client.Reading{
		Effect: r.Effect, ModelSees: r.ModelSees, Context: r.Context, Alone: r.Alone, Decision: "none", Cause: client.Cause{Kind: client.OtherClient, Value: r.Because + " (" + r.Known + ")"},
	}
}

// Stops reports whether an effect keeps the client from its action, and Decides whether it has any
// influence on the session's course.
func Stops(effect suites.Effect) bool {
	return slices.Contains([]suites.Effect{suites.Denied, suites.Asked, suites.PromptBlocked, suites.SessionEnds}, effect)
}

// Does describes what the client does with an action because of an effect: "stops it".
func (c Client) Does(effect suites.Effect) string {
	switch {
	case Stops(effect):
		return c.Title + " stops it"
	case effect == suites.AnotherTurn:
		return c.Title + " makes the model continue"
	case effect == suites.ShownToModel:
		return c.Title + " shows it to the model"
	default:
		return c.Title + " lets it run"
	}
}

// An outputForm is an output with its stdout classified.
type outputForm struct {
	client.Output
	form    string
	json    map[string]any
	refusal string // the reason why an object is refused
}

func (c Client) classify(event string, in client.Output) outputForm {
	if c.Accepts.Stderr && len(bytes.TrimSpace(in.Stdout)) == 0 {
		in.Stdout = in.Stderr
	}
	o := outputForm{Output: in, form: plain}
	text := bytes.TrimSpace(in.Stdout)
	if c.Accepts.BOM {
		text = bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\ufeff")))
	}
	var value any
	switch {
	case len(text) == 0:
		o.form = empty
	case c.Accepts.Scalars && bytes.IndexByte([]byte(`{["`), text[0]) < 0 && one(text, &value):
		o.form = list
	case text[0] != '{' && text[0] != '[':
	case !one(text, &value):
		o.form = broken
	default:
		var isObject bool
		if o.json, isObject = value.(map[string]any); !isObject {
			o.form = list
			break
		}
		if o.form = object; c.Accepts.Strict {
			if o.refusal = c.Accepts.refuses(event, o.json); o.refusal != "" {
				o.form = refused
			}
		}
	}
	return o
}

// one reports whether a text is exactly one JSON value.
func one(text []byte, into *any) bool {
	decoder := json.NewDecoder(bytes.NewReader(text))
	if decoder.Decode(into) != nil {
		return false
	}
	_, err := decoder.Token()
	return err == io.EOF
}

// refuses returns the reason why an object is not accepted at an event, "" if it is.
func (a Accepts) refuses(event string, output map[string]any) string {
	keys := maps.Clone(a.Keys[Common])
	maps.Copy(keys, a.Keys[event])
	return unfit(keys, output, "")
}

// unfit returns the first key of an object that does not fit, with the reason.
func unfit(keys map[string]any, output map[string]any, at string) string {
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if name, required := strings.CutSuffix(key, "!"); required && output[name] == nil {
			return at + name + " is missing"
		}
	}
	for _, key := range slices.Sorted(maps.Keys(output)) {
		want, known := keys[key]
		if !known {
			want, known = keys[key+"!"]
		}
		switch value := output[key]; {
		case !known:
			return "the key " + at + key + " is unknown"
		case value == nil: // null counts as missing
		default:
			if why := misfit(want, value, at+key); why != "" {
				return why
			}
		}
	}
	return ""
}

// misfit returns the reason why a value is not of a kind, "" if it is.
func misfit(want, value any, at string) string {
	switch want := want.(type) {
	case map[string]any:
		if inner, ok := value.(map[string]any); ok {
			return unfit(want, inner, at+".")
		}
		return at + " is no object"
	case []any:
		if !slices.Contains(want, value) {
			return fmt.Sprintf("%s is %v", at, value)
		}
	case string:
		ok := want == "any"
		switch value.(type) {
		case bool:
			ok = ok || want == "boolean"
		case string:
			ok = ok || want == "string"
		case map[string]any:
			ok = ok || want == "object"
		}
		if !ok {
			return at + " is no " + want
		}
	}
	return ""
}

func (w When) meets(o outputForm) bool {
	ended := "exit"
	switch {
	case o.NotStarted != "":
		ended = "unstarted"
	case o.TimedOut:
		ended = "timeout"
	case o.Signal != "":
		ended = "signal"
	}
	stderr := "text"
	if len(bytes.TrimSpace(o.Stderr)) == 0 {
		stderr = empty
	}
	switch {
	case w.Async && !o.Entry.Async:
		return false
	case w.Exit != nil && (ended != "exit" || !isExit(w.Exit, o.Exit)), w.JSON != nil && o.form != object:
		return false
	case differs(w.Ended, ended), differs(w.Stdout, o.form), differs(w.Stderr, stderr):
		return false
	}
	for path, want := range w.JSON {
		if !fits(want, o.at(path)) {
			return false
		}
	}
	return true
}

// differs reports whether a condition that a word states is not met.
func differs(want, got string) bool { return want != "" && want != got }

// isExit reports whether an exit code is one of those of a condition.
func isExit(want any, code int) bool {
	switch want := want.(type) {
	case int:
		return want == code
	case []any:
		return slices.Contains(want, any(code))
	default:
		return code != 0
	}
}

// fits reports whether a value of JSON is as a condition requires.
func fits(want, value any) bool {
	text, isText := value.(string)
	written := isText && strings.TrimSpace(text) != ""
	switch want {
	case "text":
		return written
	case "given":
		return text != ""
	case "string":
		return isText
	case "blank":
		return value == nil || isText && !written
	case "present":
		return value != nil
	case "absent":
		return value == nil
	default:
		return want == value
	}
}

// at returns the value of a dotted path in stdout, nil if there is none.
func (o outputForm) at(path string) any {
	var value any = o.json
	for key := range strings.SplitSeq(path, ".") {
		inner, _ := value.(map[string]any)
		value = inner[key]
	}
	return value
}

func (o outputForm) text(of string) string {
	switch of {
	case "":
		return ""
	case "stdout":
		return strings.TrimSpace(string(o.Stdout))
	case "stderr":
		return strings.TrimSpace(string(o.Stderr))
	default:
		text, _ := o.at(of).(string)
		return text
	}
}

// OutputSchema returns the JSON Schema of what the client accepts on stdout at an event, by its own
// name; false if that is not known.
func (c Client) OutputSchema(event string) ([]byte, bool) {
	own, ok := c.Accepts.Keys[event]
	if !ok {
		return nil, false
	}
	keys := maps.Clone(c.Accepts.Keys[Common])
	maps.Copy(keys, own)
	schema := schemaOf(keys, c.Accepts.Strict)
	schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	schema["title"] = "Output of " + event + " hooks, " + c.Title
	schema["description"] = c.Title + ": " + c.Known() + "."
	text, _ := json.MarshalIndent(schema, "", "  ") // plain values always encode
	return append(text, '\n'), true
}

func schemaOf(keys map[string]any, strict bool) map[string]any {
	properties, required := map[string]any{}, []string{}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		name, needed := strings.CutSuffix(key, "!")
		if needed {
			required = append(required, name)
		}
		switch want := keys[key].(type) {
		case map[string]any:
			properties[name] = schemaOf(want, strict)
		case []any:
			properties[name] = map[string]any{"enum": want}
		case string:
			properties[name] = map[string]any{}
			if want != "any" {
				properties[name] = map[string]any{"type": want}
			}
		}
	}
	schema := map[string]any{"type": "object", "properties": properties}
	if len(required) > 0 {
		schema["required"] = required
	}
	if strict {
		schema["additionalProperties"] = false
	}
	return schema
}
