// Package jsontree reads JSON as it was written: members in their order, those
// that repeat too, numbers as text, and every value with its place.
package jsontree

import (
	"bytes"
	"encoding/json"
	"sort"
	"strconv"
)

// A Value is one JSON value.
type Value struct {
	Kind       json.Delim // '{', '[', or 0 for a scalar
	Scalar     any        // string, json.Number, bool or nil
	Members    []Member   // of an object, or the elements of an array without keys
	Start, End int        // offsets of its bytes in the text
}

// A Member is one key of an object with its value.
type Member struct {
	Key   string
	At    int // offset of the key; of the value where there is none
	Value Value
}

// Parse reads one JSON value with nothing behind it. The error is a
// *json.SyntaxError, for text that nests ten thousand deep too. A byte order
// mark is no part of JSON.
func Parse(text []byte) (Value, error) {
	var whole json.RawMessage
	if err := json.Unmarshal(text, &whole); err != nil {
		return Value{}, err
	}
	r := &reader{text: text, decoder: json.NewDecoder(bytes.NewReader(text))}
	r.decoder.UseNumber()
	return r.value(), nil
}

// Get finds a key's value: the last one where it repeats, as JavaScript and jq do.
func (v Value) Get(key string) (Value, bool) {
	for i := len(v.Members) - 1; i >= 0 && v.Kind == '{'; i-- {
		if v.Members[i].Key == key {
			return v.Members[i].Value, true
		}
	}
	return Value{}, false
}

// Canonical appends a text that is the same for values that differ only in white
// space and in the order of keys.
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
	return append(to, byte(v.Kind)+2) // each closing bracket stands two places behind its opening one
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

// A reader walks text that was found valid.
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
		name, _ := key.(string) // nothing else is valid
		v.Members = append(v.Members, Member{Key: name, At: at, Value: r.value()})
	}
	r.next() // the closing bracket
}
