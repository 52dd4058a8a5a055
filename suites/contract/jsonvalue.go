package contract

import (
	"bytes"
	"encoding/json"
	"errors"
	"unicode/utf8"

	"hookwatch/suites"
)

// A jsonValue is a decoded JSON value that knows where it stands.
type jsonValue struct {
	at      suites.Position
	scalar  any // string, json.Number, bool or nil, unless it is one of the below
	members []jsonMember
	items   []jsonValue
	is      json.Delim // '{', '[' or 0
}

// A jsonMember is one key of an object. Keys may repeat; the last one counts.
type jsonMember struct {
	key   string
	at    suites.Position
	value jsonValue
}

// get finds a key's value; the last one where it repeats, as JavaScript does.
func (v jsonValue) get(key string) (jsonValue, bool) {
	for i := len(v.members) - 1; i >= 0; i-- {
		if v.members[i].key == key {
			return v.members[i].value, true
		}
	}
	return jsonValue{}, false
}

func (v jsonValue) text() (string, bool) {
	text, ok := v.scalar.(string)
	return text, ok
}

// describe names the value's kind for a person.
func (v jsonValue) describe() string {
	switch value := v.scalar.(type) {
	case string:
		return "the text " + quoted(value)
	case json.Number:
		return "the number " + value.String()
	case bool:
		if value {
			return "true"
		}
		return "false"
	}
	switch v.is {
	case '{':
		return "an object"
	case '[':
		return "an array"
	default:
		return "null"
	}
}

func quoted(text string) string {
	raw, _ := json.Marshal(text) // a string always encodes
	return string(raw)
}

// A jsonReader walks valid JSON and keeps positions.
type jsonReader struct {
	decoder *json.Decoder
	data    []byte
	file    string
	seen    int // bytes that line and column account for
	line    int
	column  int
}

// parseJSON decodes data, which may start with a byte order mark. Line and
// column count characters from 1. The problem, if any, is where JSON ends to be JSON.
func parseJSON(file string, data []byte) (jsonValue, *suites.Problem) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	r := &jsonReader{data: data, file: file, line: 1, column: 1}
	var whole json.RawMessage
	if err := json.Unmarshal(data, &whole); err != nil {
		return jsonValue{}, r.syntaxProblem(err)
	}
	r.decoder = json.NewDecoder(bytes.NewReader(data))
	r.decoder.UseNumber()
	return r.value(), nil
}

// position of a byte offset. Offsets must not decrease between calls.
func (r *jsonReader) position(offset int) suites.Position {
	for r.seen < min(offset, len(r.data)) {
		char, size := utf8.DecodeRune(r.data[r.seen:])
		r.seen += size
		r.column++
		if char == '\n' {
			r.line, r.column = r.line+1, 1
		}
	}
	return suites.Position{File: r.file, Line: r.line, Column: r.column}
}

// next is the next token and where it starts.
func (r *jsonReader) next() (json.Token, suites.Position) {
	offset := int(r.decoder.InputOffset())
	for offset < len(r.data) && bytes.IndexByte([]byte(" \t\r\n,:"), r.data[offset]) >= 0 {
		offset++
	}
	at := r.position(offset)
	token, _ := r.decoder.Token() // the text was found valid before
	return token, at
}

func (r *jsonReader) value() jsonValue {
	token, at := r.next()
	delim, composite := token.(json.Delim)
	if !composite {
		return jsonValue{at: at, scalar: token}
	}
	v := jsonValue{at: at, is: delim}
	for r.decoder.More() {
		if delim == '[' {
			v.items = append(v.items, r.value())
			continue
		}
		key, keyAt := r.next()
		v.members = append(v.members, jsonMember{key: key.(string), at: keyAt, value: r.value()})
	}
	r.next()
	return v
}

// syntaxProblem says where the text stops being JSON, and how to mend the two
// mistakes that people make.
func (r *jsonReader) syntaxProblem(err error) *suites.Problem {
	offset := len(r.data)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		offset = int(syntax.Offset) - 1
	}
	hint := "JSON must be one complete value; see that every bracket and quote is closed"
	if offset >= 0 && offset < len(r.data) {
		before := bytes.TrimRight(r.data[:offset], " \t\r\n")
		switch char := r.data[offset]; {
		case char == '/':
			hint = "remove the comment: the client reads strict JSON"
		case (char == '}' || char == ']') && bytes.HasSuffix(before, []byte(",")):
			offset = len(before) - 1
			hint = "remove the trailing comma: the client reads strict JSON"
		}
	}
	return &suites.Problem{At: r.position(offset), What: "not valid JSON: " + err.Error(), Hint: hint}
}
