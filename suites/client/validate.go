package client

import (
	"encoding/json"
	"slices"
	"strings"
)

// invalid says why the client's validation refuses the output; ok tells that it
// does not. One bad value drops the whole output; observed.
func (c call) invalid() (cause Cause, ok bool) {
	if cause, ok = c.validate("", topFields, c.output); !ok {
		return cause, false
	}
	if c.nested == nil {
		return Cause{}, true
	}
	return c.invalidSpecific()
}

// invalidSpecific holds hookSpecificOutput against the event that it names. That
// it names another one is noticed after that; observed by what exit code 2 does.
func (c call) invalidSpecific() (cause Cause, ok bool) {
	name, given := c.nested["hookEventName"]
	if !given {
		return c.cause(NoEventName), false
	}
	named, _ := name.(string)
	fields := SpecificFields(c.version, named)
	switch {
	case len(fields) == 0 && named == c.event.Name:
		return c.cause(NotAccepted), false
	case len(fields) == 0:
		return Cause{Kind: UnknownName, Event: c.event.Name, Value: written(name)}, false
	}
	if cause, ok = c.validate("hookSpecificOutput.", fields, c.nested); !ok {
		return cause, false
	}
	if named != c.event.Name {
		return Cause{Kind: OtherName, Event: c.event.Name, Value: named}, false
	}
	return Cause{}, true
}

// validate names the first key, in the order of the table, whose value is refused.
func (c call) validate(prefix string, fields []Field, output map[string]any) (cause Cause, ok bool) {
	for _, field := range fields {
		value, given := output[field.Name]
		if !given && !field.Required {
			continue
		}
		cause = Cause{Kind: WrongType, Event: c.event.Name, Key: prefix + field.Name, Value: written(value), Want: string(field.Kind)}
		if !field.Kind.Holds(value) {
			return cause, false
		}
		if word, isText := value.(string); isText && field.Values != nil && !slices.Contains(field.Values, word) {
			cause.Kind, cause.Want = UnknownValue, strings.Join(field.Values, ", ")
			return cause, false
		}
		if inner, isObject := value.(map[string]any); isObject && field.Fields != nil {
			if cause, ok = c.validate(prefix+field.Name+".", field.Fields, inner); !ok {
				return cause, false
			}
		}
	}
	return Cause{}, true
}

// written is a value as it stands in the output.
func written(value any) string {
	raw, _ := json.Marshal(value) // decoded JSON always encodes
	return string(raw)
}

// unknownKeys names the keys that the client drops without a word.
func (c call) unknownKeys() []string {
	var unknown []string
	for name := range c.output {
		if _, known := fieldNamed(topFields, name); !known {
			unknown = append(unknown, name)
		}
	}
	fields := SpecificFields(c.version, c.event.Name)
	for name := range c.nested {
		if _, known := fieldNamed(fields, name); !known && name != "hookEventName" {
			unknown = append(unknown, "hookSpecificOutput."+name)
		}
	}
	slices.Sort(unknown)
	return unknown
}
