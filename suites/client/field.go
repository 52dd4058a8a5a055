package client

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// A ValueKind is the kind of value that the client accepts for a known key.
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
	Values   []string // the accepted words, if they are limited
	Fields   []Field  // of an object whose keys are validated
	Since    Version  // first version that has the key; "" is all
	Required bool     // in its object
}

// topFields are the keys of the output itself; schema of 2.1.197. Unknown keys are accepted and
// silently dropped; observed.
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

// asyncFields are the keys of the other form of output, by which a hook continues in the
// background.
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

func markNewer(f Field) Field {
	f.Since = V329
	return f
}

// specificFields returns the keys of hookSpecificOutput that a client of version v accepts from a
// hook of the event.
func specificFields(v Version, event string) []Field {
	about, _ := EventByName(event)
	return slices.DeleteFunc(slices.Clone(about.Output), func(f Field) bool { return !v.Since(f.Since) })
}

// findField returns the field with the name, and whether there is one.
func findField(fields []Field, name string) (Field, bool) {
	return find(fields, func(f Field) bool { return f.Name == name })
}

// Holds reports whether a decoded JSON value is of kind k. null is only of kind Anything.
func (k ValueKind) Holds(value any) bool {
	if k == Anything {
		return true
	}
	switch value := value.(type) {
	case string:
		return k == AString
	case bool:
		return k == ABoolean
	case map[string]any:
		return k == AnObject
	case []any:
		return k == AnArray || k == SomeStrings && allStrings(value)
	}
	return false
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

// OutputSchema returns the JSON Schema of the stdout that a client of version v accepts from a hook
// of the event. It accepts unknown keys because the client does, although it drops them.
func OutputSchema(v Version, event Event) []byte {
	properties := fields(slices.Concat(topFields, asyncFields))
	properties["hookSpecificOutput"] = specificSchema(v, event)
	document := schema{
		"$schema":     "https://json-schema.org/draft/2020-12/schema",
		"title":       fmt.Sprintf("Output of a %s hook, client %s", event.Name, v.Profile()),
		"description": describeOutput(event),
		"type":        "object",
		"properties":  properties,
	}
	text, _ := json.MarshalIndent(document, "", "  ") // maps of text always encode
	return append(text, '\n')
}

func describeOutput(event Event) string {
	text := "One JSON object, all of stdout. A value that the schema refuses makes the client drop the whole output; " +
		"keys that it does not name are dropped without a warning."
	if event.PrintsPath {
		text += " A command's stdout is the path itself: JSON from it is none."
	}
	return text
}

// specificSchema returns the schema of hookSpecificOutput, or false if the event accepts none.
func specificSchema(v Version, event Event) any {
	accepted := specificFields(v, event.Name)
	if len(accepted) == 0 {
		return false
	}
	properties := fields(accepted)
	properties["hookEventName"] = schema{"const": event.Name}
	return schema{"type": "object", "properties": properties, "required": append([]string{"hookEventName"}, requiredNames(accepted)...)}
}

func fields(all []Field) schema {
	properties := schema{}
	for _, f := range all {
		property := schema{}
		maps.Copy(property, kinds[f.Kind])
		if f.Values != nil {
			property["enum"] = f.Values
		}
		if f.Fields != nil {
			property["properties"] = fields(f.Fields)
			property["required"] = requiredNames(f.Fields)
		}
		properties[f.Name] = property
	}
	return properties
}

func requiredNames(all []Field) []string {
	names := []string{}
	for _, f := range all {
		if f.Required {
			names = append(names, f.Name)
		}
	}
	return names
}
