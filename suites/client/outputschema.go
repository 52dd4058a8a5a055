package client

import (
	"encoding/json"
	"fmt"
)

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
	if event.Name == "WorktreeCreate" {
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
