package client

import (
	"encoding/json"
	"fmt"
	"slices"
)

// A ValueKind is what a known key's value must be for the client to accept it.
type ValueKind string

// The kinds of values.
const (
	AString     ValueKind = "a string"
	ABoolean    ValueKind = "true or false"
	AnObject    ValueKind = "an object"
	AnArray     ValueKind = "an array"
	SomeStrings ValueKind = "an array of strings"
	Anything    ValueKind = "anything"
	ADuration   ValueKind = "a number above zero"
	ACount      ValueKind = "a whole number from 1 on"
	AnAddress   ValueKind = "a URL"
)

// A Field is a key that the client accepts in a hook's output.
type Field struct {
	Name     string
	Kind     ValueKind
	Values   []string // one of these, where it is a word of a list
	Fields   []Field  // of an object whose keys are checked
	Since    Version  // first version that knows it; "" is all
	Required bool     // of the object that it is in
}

// topFields are the keys of the output itself; schema of 2.1.197. Unknown keys
// are accepted and dropped without a word; observed.
var topFields = []Field{
	{Name: "continue", Kind: ABoolean},
	{Name: "suppressOutput", Kind: ABoolean},
	{Name: "stopReason", Kind: AString},
	{Name: "decision", Kind: AString, Values: []string{"approve", "block"}},
	{Name: "reason", Kind: AString},
	{Name: "systemMessage", Kind: AString},
	{Name: "terminalSequence", Kind: AString},
	{Name: "hookSpecificOutput", Kind: AnObject},
}

// asyncFields are the keys of the other form of output, by which a hook goes on
// in the background.
var asyncFields = []Field{{Name: "async", Kind: ABoolean}, {Name: "asyncTimeout", Kind: Anything}}

var (
	context  = Field{Name: "additionalContext", Kind: AString}
	title    = Field{Name: "sessionTitle", Kind: AString}
	watched  = Field{Name: "watchPaths", Kind: SomeStrings}
	suppress = Field{Name: "suppressOriginalPrompt", Kind: ABoolean}
	because  = Field{Name: "permissionDecisionReason", Kind: AString}
	answers  = []Field{
		{Name: "action", Kind: AString, Values: []string{"accept", "decline", "cancel"}}, {Name: "content", Kind: AnObject},
	}
)

func permission(words ...string) Field {
	return Field{Name: "permissionDecision", Kind: AString, Values: words}
}

func newer(f Field) Field {
	f.Since = V329
	return f
}

// TopFields lists the keys of the output itself.
func TopFields() []Field { return slices.Clone(topFields) }

// AsyncFields lists those of an output by which a hook goes on in the background.
func AsyncFields() []Field { return slices.Clone(asyncFields) }

// SpecificFields lists the keys of hookSpecificOutput that a client of version v
// accepts from a hook of the event.
func SpecificFields(v Version, event string) []Field {
	about, _ := EventByName(event)
	return slices.DeleteFunc(slices.Clone(about.Output), func(f Field) bool { return !v.Since(f.Since) })
}

// fieldNamed finds a field by its name.
func fieldNamed(fields []Field, name string) (Field, bool) {
	at := slices.IndexFunc(fields, func(f Field) bool { return f.Name == name })
	if at < 0 {
		return Field{}, false
	}
	return fields[at], true
}

// Holds reports whether a decoded JSON value is of the kind. null is of no kind
// but anything.
func (k ValueKind) Holds(value any) bool {
	switch value := value.(type) {
	case string:
		return k == AString || k == Anything
	case bool:
		return k == ABoolean || k == Anything
	case map[string]any:
		return k == AnObject || k == Anything
	case []any:
		return k == Anything || k == AnArray || k == SomeStrings && allStrings(value)
	default:
		return k == Anything
	}
}

func allStrings(values []any) bool {
	return !slices.ContainsFunc(values, func(value any) bool {
		_, ok := value.(string)
		return !ok
	})
}

// A schema is a part of a JSON Schema document.
type schema map[string]any

// kinds are the schemas of the kinds of values.
var kinds = map[ValueKind]schema{
	AString:     {"type": "string"},
	ABoolean:    {"type": "boolean"},
	AnObject:    {"type": "object"},
	AnArray:     {"type": "array"},
	SomeStrings: {"type": "array", "items": schema{"type": "string"}},
	Anything:    {},
}

// OutputSchema is the schema of what a client of version v accepts on stdout, as JSON, from
// a hook of the event. Keys that it drops without a word are accepted, as it does.
func OutputSchema(v Version, event Event) []byte {
	properties := fields(append(TopFields(), AsyncFields()...))
	properties["hookSpecificOutput"] = specificSchema(v, event)
	document := schema{
		"$schema":     "https://json-schema.org/draft/2020-12/schema",
		"title":       fmt.Sprintf("Output of a %s hook, client %s", event.Name, v.Profile()),
		"description": described(event),
		"type":        "object",
		"properties":  properties,
	}
	text, _ := json.MarshalIndent(document, "", "  ") // maps of text always encode
	return append(text, '\n')
}

func described(event Event) string {
	text := "One JSON object, all of stdout. A value that the schema refuses makes the client drop the whole output; " +
		"keys that it does not name are dropped without a word."
	if event.PrintsPath {
		text += " A command's stdout is the path itself: JSON from it is none."
	}
	return text
}

// specificSchema is hookSpecificOutput, which not every event has.
func specificSchema(v Version, event Event) any {
	accepted := SpecificFields(v, event.Name)
	if len(accepted) == 0 {
		return false
	}
	properties := fields(accepted)
	properties["hookEventName"] = schema{"const": event.Name}
	return schema{"type": "object", "properties": properties, "required": append([]string{"hookEventName"}, required(accepted)...)}
}

func fields(all []Field) schema {
	properties := schema{}
	for _, f := range all {
		property := schema{}
		for key, value := range kinds[f.Kind] {
			property[key] = value
		}
		if f.Values != nil {
			property["enum"] = f.Values
		}
		if f.Fields != nil {
			property["properties"] = fields(f.Fields)
			property["required"] = required(f.Fields)
		}
		properties[f.Name] = property
	}
	return properties
}

func required(all []Field) []string {
	names := []string{}
	for _, f := range all {
		if f.Required {
			names = append(names, f.Name)
		}
	}
	return names
}
