package payload

import (
	"bytes"
	"encoding/json"
	"fmt"
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
