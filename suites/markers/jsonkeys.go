package markers

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"sort"
	"strconv"
)

// maxDepth bounds the nesting that is followed.
const maxDepth = 500

// A jsonValue is a value as it was written: its members in order, duplicates
// kept, numbers as text.
type jsonValue struct {
	kind       byte // '{', '[', or 0 for a scalar
	scalar     []byte
	members    []jsonMember
	start, end int
}

type jsonMember struct {
	key   string // decimal index in an array
	at    int    // offset of the key
	value *jsonValue
}

// jsonEntries are the key paths of a document, such as "a.b" and "list.0".
func jsonEntries(src []byte) []entry {
	r := &jsonReader{src: src, dec: json.NewDecoder(bytes.NewReader(src))}
	r.dec.UseNumber()
	root, err := r.value(0)
	if err != nil {
		return nil
	}
	if _, err := r.dec.Token(); !errors.Is(err, io.EOF) {
		return nil
	}
	var entries []entry
	root.list("", &entries)
	return entries
}

func (v *jsonValue) list(prefix string, into *[]entry) {
	for _, m := range v.members {
		name := m.key
		if prefix != "" {
			name = prefix + "." + m.key
		}
		value := m.value
		*into = append(*into, entry{
			rule: ByKey, name: name, start: m.at, end: value.end,
			content: func() []byte { return value.canonical(nil) },
		})
		value.list(name, into)
	}
}

// canonical appends the value with its keys sorted and without white space.
func (v *jsonValue) canonical(b []byte) []byte {
	if v.kind == 0 {
		return append(b, v.scalar...)
	}
	members := v.members
	if v.kind == '{' {
		members = append([]jsonMember(nil), members...)
		sort.SliceStable(members, func(i, j int) bool { return members[i].key < members[j].key })
	}
	b = append(b, v.kind)
	for _, m := range members {
		if v.kind == '{' {
			b = strconv.AppendQuote(b, m.key)
			b = append(b, ':')
		}
		b = append(m.value.canonical(b), ',')
	}
	return append(b, v.kind+2) // "}" and "]" follow their partners at a distance of two
}

type jsonReader struct {
	src []byte
	dec *json.Decoder
}

// next skips what stands between tokens and tells where the next one starts.
func (r *jsonReader) next() int {
	at := int(r.dec.InputOffset())
	for at < len(r.src) && bytes.IndexByte([]byte(" \t\r\n,:"), r.src[at]) >= 0 {
		at++
	}
	return at
}

func (r *jsonReader) value(depth int) (*jsonValue, error) {
	if depth > maxDepth {
		return nil, errors.New("nested too deeply")
	}
	v := &jsonValue{start: r.next()}
	token, err := r.dec.Token()
	if err != nil {
		return nil, err
	}
	if delim, ok := token.(json.Delim); ok {
		v.kind = byte(delim)
		err = r.members(v, depth)
	} else {
		v.scalar = r.src[v.start:r.dec.InputOffset()]
	}
	v.end = int(r.dec.InputOffset())
	return v, err
}

func (r *jsonReader) members(v *jsonValue, depth int) error {
	for i := 0; r.dec.More(); i++ {
		m := jsonMember{key: strconv.Itoa(i), at: r.next()}
		if v.kind == '{' {
			token, err := r.dec.Token()
			if err != nil {
				return err
			}
			m.key, _ = token.(string)
		}
		var err error
		if m.value, err = r.value(depth + 1); err != nil {
			return err
		}
		v.members = append(v.members, m)
	}
	_, err := r.dec.Token() // the closing bracket
	return err
}
