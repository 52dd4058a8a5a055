package payload

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// A field is one key of an object; an object keeps the order of its fields.
type (
	field struct {
		key   string
		value any
	}
	object []field
	list   []any
)

// MarshalJSON writes the object as the client does: in order, without escaping
// characters for HTML.
func (o object) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	out.WriteByte('{')
	for i, f := range o {
		if i > 0 {
			out.WriteByte(',')
		}
		if err := encoder.Encode(f.key); err != nil {
			return nil, err
		}
		out.WriteByte(':')
		if err := encoder.Encode(f.value); err != nil {
			return nil, fmt.Errorf("field %s: %w", f.key, err)
		}
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// under lays a JSON object over this one: its fields replace those of the same name,
// others come after them, and null leaves one out.
func (o object) under(over json.RawMessage) (object, error) {
	if len(bytes.TrimSpace(over)) == 0 {
		return o, nil
	}
	in := json.NewDecoder(bytes.NewReader(over))
	if open, err := in.Token(); err != nil || open != json.Delim('{') {
		return nil, errors.New("what is laid over it must be a JSON object")
	}
	for in.More() {
		key, err := in.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := in.Decode(&value); err != nil {
			return nil, err
		}
		o = o.with(key.(string), value) // the decoder lets no other key through
	}
	_, err := in.Token()
	return o, err
}

func (o object) with(key string, value json.RawMessage) object {
	at := slices.IndexFunc(o, func(f field) bool { return f.key == key })
	switch absent := string(value) == "null"; {
	case absent && at >= 0:
		return slices.Delete(o, at, at+1)
	case absent:
		return o
	case at >= 0:
		o[at].value = value
		return o
	default:
		return append(o, field{key, value})
	}
}
