package yamlform

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"hookwatch/suites/pattern"
)

// Each calls do for every pair of a mapping and reports duplicate keys.
func (r *Reader) Each(n *yaml.Node, do func(k, v *yaml.Node)) {
	var seen map[string]*yaml.Node
	if len(n.Content) > 64 { // because a map is faster than searching above this
		seen = make(map[string]*yaml.Node, len(n.Content)/2)
	}
	for i := 0; i+1 < len(n.Content) && !r.Full(); i += 2 {
		k := resolve(n.Content[i])
		if k.Kind != yaml.ScalarNode {
			r.Add(k, "a key must be a plain word", "")
			continue
		}
		if first := earlier(n, i, seen); first != nil {
			r.Add(k, "key "+r.show(k.Value)+" stands twice", fmt.Sprintf("first at line %d", first.Line))
			continue
		}
		do(k, resolve(n.Content[i+1]))
	}
}

// earlier returns the key before index i that equals the one at i, or nil.
func earlier(n *yaml.Node, i int, seen map[string]*yaml.Node) *yaml.Node {
	k := resolve(n.Content[i])
	if seen != nil {
		first := seen[k.Value]
		if first == nil {
			seen[k.Value] = k
		}
		return first
	}
	for j := 0; j < i; j += 2 {
		if c := resolve(n.Content[j]); c.Value == k.Value && c.Kind == yaml.ScalarNode {
			return c
		}
	}
	return nil
}

// resolve follows an alias to its target.
func resolve(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode && n.Alias != nil {
		n = n.Alias
	}
	return n
}

// List reads a list and calls item for each of its items.
func (r *Reader) List(name string, n *yaml.Node, item func(*yaml.Node)) {
	if n.Kind != yaml.SequenceNode {
		hint := ""
		if n.Kind == yaml.ScalarNode && n.Value != "" && n.ShortTag() != "!!null" {
			hint = "put it in brackets: [" + r.show(n.Value) + "]"
		}
		r.Wrong(n, name, "a list", hint)
		return
	}
	for _, c := range n.Content {
		if r.Full() {
			return
		}
		item(resolve(c))
	}
}

// AnyText reads text, which may be empty.
func (r *Reader) AnyText(name string, n *yaml.Node) string {
	if r.long(n) {
		r.Add(n, fmt.Sprintf("%s: %d bytes of text, more than %d", name, len(n.Value), r.Bounds.Text), "")
		return ""
	}
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str" {
		return n.Value
	}
	hint := ""
	if n.Kind == yaml.ScalarNode && n.Value != "" {
		hint = "quote it: " + r.quote(n.Value)
	}
	r.Wrong(n, name, "text", hint)
	return ""
}

// Text reads text that is not empty; the hint is added to the problem if it is.
func (r *Reader) Text(name string, n *yaml.Node, hint string) string {
	before := len(r.Problems)
	v := r.AnyText(name, n)
	if v == "" && len(r.Problems) == before {
		r.Add(n, name+": must not be empty", hint)
	}
	return v
}

// Choice reads one of the given words.
func (r *Reader) Choice(name string, n *yaml.Node, words []string) string {
	if n.Kind == yaml.ScalarNode && slices.Contains(words, n.Value) {
		return n.Value
	}
	r.Wrong(n, name, "one of "+strings.Join(words, ", "), pattern.NearestHint(n.Value, words))
	return ""
}

// Truth reads true or false.
func (r *Reader) Truth(name string, n *yaml.Node) bool {
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!bool" {
		r.Wrong(n, name, "true or false", "")
		return false
	}
	return strings.EqualFold(n.Value, "true")
}
