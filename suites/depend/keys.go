package depend

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"hookwatch/suites/jsontree"
)

// A KeyPath is the list of keys that lead to a value and all values below it; it is empty for
// the whole document. Elements of an array share one path.
type KeyPath []string

// String formats the path as jq would: ".package_managers.python", or "." for
// the whole document.
func (p KeyPath) String() string {
	if len(p) == 0 {
		return "."
	}
	var b strings.Builder
	for _, key := range p {
		b.WriteByte('.')
		if isIdentifier(key) {
			b.WriteString(key)
			continue
		}
		quoted, _ := json.Marshal(key) // strings always encode
		b.Write(quoted)
	}
	return b.String()
}

// isIdentifier reports whether jq accepts a key after a dot without quotes.
func isIdentifier(key string) bool {
	for i, c := range key {
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return key != ""
}

// Touches reports whether a value at one path is part of the value at the other.
func (p KeyPath) Touches(q KeyPath) bool {
	for i := range min(len(p), len(q)) {
		if p[i] != q[i] {
			return false
		}
	}
	return true
}

// OverlappingKeys reports whether a read path touches a changed one, and returns the first such
// changed path.
func OverlappingKeys(read, changed []KeyPath) (KeyPath, bool) {
	for _, c := range changed {
		for _, r := range read {
			if r.Touches(c) {
				return c, true
			}
		}
	}
	return nil, false
}

// ChangedKeys returns the shortest paths whose values differ between two JSON documents: a key
// that only one has, a value of another kind, a scalar, an array. An object whose keys are in
// another order differs too, because filters can observe the order. Numbers differ if their text
// does. It returns an error if one of the contents is not a JSON document.
func ChangedKeys(old, new []byte) ([]KeyPath, error) {
	a, err := jsontree.Parse(old)
	if err != nil {
		return nil, fmt.Errorf("old content: %w", located(old, err))
	}
	b, err := jsontree.Parse(new)
	if err != nil {
		return nil, fmt.Errorf("new content: %w", located(new, err))
	}
	var d differ
	d.value(nil, a, b)
	return d.paths, nil
}

// located adds the line of a syntax error to an error of the parser.
func located(content []byte, err error) error {
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return err
	}
	before := content[:min(int(syntax.Offset), len(content))]
	return fmt.Errorf("line %d: %w", 1+bytes.Count(before, []byte("\n")), err)
}

type differ struct{ paths []KeyPath }

func (d *differ) value(at KeyPath, a, b jsontree.Value) {
	switch {
	case a.Kind != b.Kind, a.Scalar != b.Scalar:
		d.add(at)
	case a.Kind == '[':
		if !equal(a, b) {
			d.add(at)
		}
	case a.Kind == '{':
		d.object(at, a, b)
	}
}

func (d *differ) add(at KeyPath) { d.paths = append(d.paths, slices.Clone(at)) }

func (d *differ) object(at KeyPath, a, b jsontree.Value) {
	if !sameOrder(a, b) {
		d.add(at)
		return
	}
	seen := map[string]bool{}
	for _, m := range append(slices.Clone(a.Members), b.Members...) {
		if seen[m.Key] {
			continue
		}
		seen[m.Key] = true
		x, inA := a.Get(m.Key)
		y, inB := b.Get(m.Key)
		below := append(slices.Clip(at), m.Key)
		if inA && inB {
			d.value(below, x, y)
		} else {
			d.add(below)
		}
	}
}

// sameOrder reports whether the keys that both objects contain are in the same order, with the
// same duplicates.
func sameOrder(a, b jsontree.Value) bool {
	return slices.Equal(shared(a, b), shared(b, a))
}

func shared(of, with jsontree.Value) []string {
	var keys []string
	for _, m := range of.Members {
		if _, ok := with.Get(m.Key); ok {
			keys = append(keys, m.Key)
		}
	}
	return keys
}

func equal(a, b jsontree.Value) bool {
	return a.Kind == b.Kind && a.Scalar == b.Scalar && slices.EqualFunc(a.Members, b.Members, func(x, y jsontree.Member) bool {
		return x.Key == y.Key && equal(x.Value, y.Value)
	})
}
