package settings

import (
	"bytes"
	"encoding/json"
	"errors"

	"hookwatch/suites"
	"hookwatch/suites/jsontree"
)

// A source is the text of a settings file, by which its values are placed.
type source struct {
	file  string
	data  []byte
	lines jsontree.Lines
}

// newSource takes a file's content, which may start with a byte order mark.
func newSource(file string, data []byte) source {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	return source{file, data, jsontree.NewLines(data)}
}

func (s source) position(offset int) suites.Position {
	line, column := s.lines.At(offset)
	return suites.Position{File: s.file, Line: line, Column: column}
}

// describe names a value's kind for a person.
func describe(v jsontree.Value) string {
	switch value := v.Scalar.(type) {
	case string:
		raw, _ := json.Marshal(value) // a string always encodes
		return "the text " + string(raw)
	case json.Number:
		return "the number " + value.String()
	case bool:
		if value {
			return "true"
		}
		return "false"
	}
	switch v.Kind {
	case '{':
		return "an object"
	case '[':
		return "an array"
	default:
		return "null"
	}
}

func textOf(v jsontree.Value) (string, bool) {
	text, ok := v.Scalar.(string)
	return text, ok
}

// syntaxProblem says where the text stops being JSON, and how to mend the two
// mistakes that people make.
func (s source) syntaxProblem(err error) suites.Problem {
	offset := len(s.data)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		offset = int(syntax.Offset) - 1
	}
	hint := "JSON must be one complete value; see that every bracket and quote is closed"
	if offset >= 0 && offset < len(s.data) {
		before := bytes.TrimRight(s.data[:offset], " \t\r\n")
		switch char := s.data[offset]; {
		case char == '/':
			hint = "remove the comment: the client reads strict JSON"
		case (char == '}' || char == ']') && bytes.HasSuffix(before, []byte(",")):
			offset = len(before) - 1
			hint = "remove the trailing comma: the client reads strict JSON"
		}
	}
	return suites.Problem{At: s.position(offset), What: "not valid JSON: " + err.Error(), Hint: hint}
}
