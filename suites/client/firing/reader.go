package firing

import (
	"encoding/json"
	"strings"
)

// A FieldError is a mistake in one field.
type FieldError struct {
	Field string
	Why   string
}

func (e *FieldError) Error() string { return e.Field + " " + e.Why }

// A reader reads fields and keeps the first mistake.
type reader struct {
	fields map[string]json.RawMessage
	err    error
}

func (r *reader) wrong(field, why string) {
	if r.err == nil {
		r.err = &FieldError{field, why}
	}
}

// decode reads a field into a value, if it is given.
func (r *reader) decode(field, want string, value any) bool {
	raw, given := r.fields[field]
	if !given {
		return false
	}
	if json.Unmarshal(raw, value) != nil {
		r.wrong(field, "is "+shortened(raw)+", not "+want)
		return false
	}
	return true
}

// shortened is a value as it stands, as far as an error needs it.
func shortened(raw []byte) string {
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
