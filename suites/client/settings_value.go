package client

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"net/url"
	"time"

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

// others are the settings beside hooks that the client was observed to check
// (2.1.330); env and disableAllHooks are taken to follow the same validation.
var others = []struct {
	name string
	kind ValueKind
}{
	{"permissions", AnObject},
	{"env", AnObject},
	{"model", AString},
	{"statusLine", AnObject},
	{"outputStyle", AString},
	{"cleanupPeriodDays", ACount},
	{"includeCoAuthoredBy", ABoolean},
	{"allowedHttpHookUrls", SomeStrings},
	{"disableAllHooks", ABoolean},
}

// hints tell how a value of each kind is written.
var hints = map[ValueKind]string{
	AString:     "put it in double quotes",
	ABoolean:    "write true or false, without quotes",
	AnObject:    "write {...}",
	SomeStrings: `write a list of text, as in ["first", "second"]`,
	ADuration:   "write seconds as a number, such as 5 or 0.5",
	AnAddress:   "write a whole URL, such as http://127.0.0.1:8080/hook",
}

const longest = time.Duration(math.MaxInt64)

// holds reports whether a value is of a kind.
func holds(kind ValueKind, value jsontree.Value) bool {
	n, isNumber := number(value)
	switch kind {
	case ADuration:
		return isNumber && n > 0
	case ACount:
		return isNumber && n >= 1 && n == math.Trunc(n)
	case AnAddress:
		return isAddress(value)
	default:
		return kind.Holds(decoded(value))
	}
}

// isAddress reports whether a value is an absolute URL.
func isAddress(value jsontree.Value) bool {
	text, _ := textOf(value)
	address, err := url.Parse(text)
	if err != nil || address.Scheme == "" {
		return false
	}
	return address.Host != "" || address.Scheme != "http" && address.Scheme != "https"
}

// number is a number's value; what is too large for one is infinite.
func number(value jsontree.Value) (float64, bool) {
	written, ok := value.Scalar.(json.Number)
	if !ok {
		return 0, false
	}
	n, _ := written.Float64() // a number that is out of range gives infinity
	return n, true
}

// decoded is a value as far as its kind goes.
func decoded(value jsontree.Value) any {
	switch value.Kind {
	case '{':
		return map[string]any{}
	case '[':
		all := []any{}
		for _, member := range value.Members {
			all = append(all, decoded(member.Value))
		}
		return all
	default:
		return value.Scalar
	}
}
