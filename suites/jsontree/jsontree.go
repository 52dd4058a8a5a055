// Package jsontree parses JSON without loss: members in their order and with duplicates, numbers as
// text, and every value with its offsets.
package jsontree

import (
	"bytes"
	"encoding/json"
	"sort"
	"strconv"
	"unicode/utf8"
)

// A Value is one JSON value.
type Value struct {
	Kind       json.Delim // '{', '[', or 0 for a scalar
	Scalar     any        // string, json.Number, bool or nil
	Members    []Member   // of an object, or the elements of an array without keys
	Start, End int        // offsets of its bytes in the text
}

// A Member is a key of an object, or an element of an array, with its value.
type Member struct {
	Key   string
	At    int // offset of the key; of the value in an array
	Value Value
}

// Parse parses one JSON value, without text after it. The error is a *json.SyntaxError, including
// that for text nested more than ten thousand levels deep. A byte order mark is an error.
func Parse(text []byte) (Value, error) {
	var whole json.RawMessage
	if err := json.Unmarshal(text, &whole); err != nil {
		return Value{}, err
	}
	r := &reader{text: text, decoder: json.NewDecoder(bytes.NewReader(text))}
	r.decoder.UseNumber()
	return r.value(), nil
}

// Get returns the value of a key, the last one if the key is repeated, because JavaScript and jq
// use the last one.
func (v Value) Get(key string) (Value, bool) {
	for i := len(v.Members) - 1; i >= 0 && v.Kind == '{'; i-- {
		if v.Members[i].Key == key {
			return v.Members[i].Value, true
		}
	}
	return Value{}, false
}

// Canonical appends a text that is equal for values that differ only in white space and the order
// of keys.
func (v Value) Canonical(to []byte) []byte {
	if v.Kind == 0 {
		return v.appendScalar(to)
	}
	members := v.Members
	if v.Kind == '{' {
		members = append([]Member(nil), members...)
		sort.SliceStable(members, func(i, j int) bool { return members[i].Key < members[j].Key })
	}
	to = append(to, byte(v.Kind))
	for _, m := range members {
		if v.Kind == '{' {
			to = append(strconv.AppendQuote(to, m.Key), ':')
		}
		to = append(m.Value.Canonical(to), ',')
	}
	return append(to, byte(v.Kind)+2) // in ASCII, a closing bracket is its opening one plus 2
}

func (v Value) appendScalar(to []byte) []byte {
	switch scalar := v.Scalar.(type) {
	case string:
		return strconv.AppendQuote(to, scalar)
	case json.Number:
		return append(to, scalar...)
	case bool:
		return strconv.AppendBool(to, scalar)
	default:
		return append(to, "null"...)
	}
}

// A reader walks text that is known to be valid.
type reader struct {
	text    []byte
	decoder *json.Decoder
}

func (r *reader) next() (token json.Token, at int) {
	at = int(r.decoder.InputOffset())
	for at < len(r.text) && bytes.IndexByte([]byte(" \t\r\n,:"), r.text[at]) >= 0 {
		at++
	}
	token, _ = r.decoder.Token()
	return token, at
}

func (r *reader) value() Value {
	token, at := r.next()
	v := Value{Scalar: token, Start: at}
	if kind, composite := token.(json.Delim); composite {
		v.Kind, v.Scalar = kind, nil
		r.members(&v)
	}
	v.End = int(r.decoder.InputOffset())
	return v
}

func (r *reader) members(v *Value) {
	for r.decoder.More() {
		if v.Kind == '[' {
			value := r.value()
			v.Members = append(v.Members, Member{At: value.Start, Value: value})
			continue
		}
		key, at := r.next()
		name, _ := key.(string) // the only type in valid JSON
		v.Members = append(v.Members, Member{Key: name, At: at, Value: r.value()})
	}
	r.next() // the closing bracket
}

// Lines converts offsets in a text to lines and columns, in time that does not depend on the length
// of a line.
type Lines struct {
	text   []byte
	starts []int // of lines
	runes  []int // number of characters before every blockSize bytes
}

const blockSize = 1 << 10

// NewLines returns the Lines of a text.
func NewLines(text []byte) Lines {
	l := Lines{text: text, starts: []int{0}}
	count := 0
	for at, c := range text {
		if at%blockSize == 0 {
			l.runes = append(l.runes, count)
		}
		if utf8.RuneStart(c) {
			count++
		}
		if c == '\n' {
			l.starts = append(l.starts, at+1)
		}
	}
	l.runes = append(l.runes, count)
	return l
}

// At returns the line of an offset and its column in characters, both from 1. Offsets outside the
// text are clamped to it.
func (l Lines) At(offset int) (line, column int) {
	offset = min(max(offset, 0), len(l.text))
	line = sort.SearchInts(l.starts, offset+1)
	return line, l.before(offset) - l.before(l.starts[line-1]) + 1
}

// before returns the number of characters before an offset.
func (l Lines) before(offset int) int {
	block := offset / blockSize
	count := l.runes[block]
	for _, c := range l.text[block*blockSize : offset] {
		if utf8.RuneStart(c) {
			count++
		}
	}
	return count
}
