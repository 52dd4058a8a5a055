package keys

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Diff lists the paths whose values differ between two JSON documents, the
// shortest that say it: a key that is in one only, a value of another kind, a
// scalar, an array. An object whose keys come in another order differs too, for
// filters can see that. Numbers differ when their text does. An error means
// that one of the contents is no JSON document.
func Diff(old, new []byte) ([]Path, error) {
	a, err := decode(old)
	if err != nil {
		return nil, fmt.Errorf("old content: %w", err)
	}
	b, err := decode(new)
	if err != nil {
		return nil, fmt.Errorf("new content: %w", err)
	}
	var d differ
	d.value(nil, a, b)
	return d.paths, nil
}

// A value is a scalar's text, an array's elements or an object's members.
type value struct {
	kind    byte // '[', '{', or 's' for a scalar
	scalar  string
	members []member // of an array without keys
}

type member struct {
	key   string
	value value
}

func (v value) get(key string) (value, bool) {
	for i := len(v.members) - 1; i >= 0; i-- { // the last of a key counts
		if v.members[i].key == key {
			return v.members[i].value, true
		}
	}
	return value{}, false
}

// maxDepth bounds nesting, as the parsers of the filters do.
const maxDepth = 10000

func decode(text []byte) (value, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	v, err := read(dec, 0)
	if err != nil {
		return value{}, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return value{}, errors.New("more than one document")
	}
	return v, nil
}

func read(dec *json.Decoder, depth int) (value, error) {
	if depth > maxDepth {
		return value{}, errors.New("nested too deep")
	}
	token, err := dec.Token()
	if err != nil {
		return value{}, err
	}
	delim, ok := token.(json.Delim)
	if !ok {
		return value{kind: 's', scalar: fmt.Sprintf("%T %v", token, token)}, nil
	}
	v := value{kind: byte(delim)}
	for dec.More() {
		var m member
		if delim == '{' {
			key, err := dec.Token()
			if err != nil {
				return value{}, err
			}
			m.key, _ = key.(string) // the decoder gives nothing else here
		}
		if m.value, err = read(dec, depth+1); err != nil {
			return value{}, err
		}
		v.members = append(v.members, m)
	}
	_, err = dec.Token() // the closing one
	return v, err
}

type differ struct{ paths []Path }

func (d *differ) value(at Path, a, b value) {
	switch {
	case a.kind != b.kind, a.scalar != b.scalar:
		d.add(at)
	case a.kind == '[':
		if !equal(a, b) {
			d.add(at)
		}
	case a.kind == '{':
		d.object(at, a, b)
	}
}

func (d *differ) add(at Path) { d.paths = append(d.paths, slices.Clone(at)) }

func (d *differ) object(at Path, a, b value) {
	if !sameOrder(a, b) {
		d.add(at)
		return
	}
	seen := map[string]bool{}
	for _, m := range append(slices.Clone(a.members), b.members...) {
		if seen[m.key] {
			continue
		}
		seen[m.key] = true
		x, inA := a.get(m.key)
		y, inB := b.get(m.key)
		below := append(slices.Clip(at), m.key)
		if inA && inB {
			d.value(below, x, y)
		} else {
			d.add(below)
		}
	}
}

// sameOrder reports whether the keys that both have come in the same order, and
// none twice, where the order would not say much.
func sameOrder(a, b value) bool {
	return slices.Equal(shared(a, b), shared(b, a))
}

func shared(of, with value) []string {
	var keys []string
	for _, m := range of.members {
		if _, ok := with.get(m.key); ok {
			keys = append(keys, m.key)
		}
	}
	return keys
}

func equal(a, b value) bool {
	return a.kind == b.kind && a.scalar == b.scalar && slices.EqualFunc(a.members, b.members, func(x, y member) bool {
		return x.key == y.key && equal(x.value, y.value)
	})
}
