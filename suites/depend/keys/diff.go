package keys

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"hookwatch/suites/jsontree"
)

// Diff lists the paths whose values differ between two JSON documents, the
// shortest that say it: a key that is in one only, a value of another kind, a
// scalar, an array. An object whose keys come in another order differs too, for
// filters can see that. Numbers differ when their text does. An error means
// that one of the contents is no JSON document.
func Diff(old, new []byte) ([]Path, error) {
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

// located says in which line of a document it is no JSON.
func located(content []byte, err error) error {
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return err
	}
	before := content[:min(int(syntax.Offset), len(content))]
	return fmt.Errorf("line %d: %w", 1+bytes.Count(before, []byte("\n")), err)
}

type differ struct{ paths []Path }

func (d *differ) value(at Path, a, b jsontree.Value) {
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

func (d *differ) add(at Path) { d.paths = append(d.paths, slices.Clone(at)) }

func (d *differ) object(at Path, a, b jsontree.Value) {
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

// sameOrder reports whether the keys that both have come in the same order, and
// none twice, where the order would not say much.
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
