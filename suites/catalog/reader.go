package catalog

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"hookwatch/suites"
	"hookwatch/suites/spelling"
)

// A reader turns the values of one file into Go values and collects what is
// wrong with them. Its methods give the zero value for what is wrong.
type reader struct {
	file     string
	problems []suites.Problem
	checked  map[string]string // patterns and filters -> what is wrong with them
}

// A field is one key of a mapping that becomes a T.
type field[T any] struct {
	name string
	set  func(r *reader, name string, n *yaml.Node, t *T)
}

// decode reads a mapping by the table of its keys.
func decode[T any](r *reader, what string, fields []field[T], n *yaml.Node, t *T) {
	if !r.mapping(what, n) {
		return
	}
	r.each(n, func(k, v *yaml.Node) {
		for i := range fields {
			if f := &fields[i]; f.name == k.Value {
				f.set(r, f.name, v, t)
				return
			}
		}
		names := make([]string, len(fields))
		for i, f := range fields {
			names[i] = f.name
		}
		hint := "known here: " + strings.Join(names, ", ")
		if near := spelling.Nearest(k.Value, names); near != "" {
			hint = "did you mean " + near + "?"
		}
		r.add(k, "unknown key "+k.Value, hint)
	})
}

// lift makes fields of a part into fields of the whole.
func lift[P, T any](fields []field[P], part func(*T) *P) []field[T] {
	lifted := make([]field[T], len(fields))
	for i, f := range fields {
		lifted[i] = field[T]{f.name, func(r *reader, name string, n *yaml.Node, t *T) { f.set(r, name, n, part(t)) }}
	}
	return lifted
}

func (r *reader) at(n *yaml.Node) suites.Position {
	return suites.Position{File: r.file, Line: n.Line, Column: n.Column}
}

// mostProblems is how many problems of one file are told: nobody mends more at once.
const mostProblems = 200

// full reports whether there are more problems already than are told.
func (r *reader) full() bool { return len(r.problems) >= mostProblems }

func (r *reader) add(n *yaml.Node, what, hint string) {
	if r.full() {
		return
	}
	r.problems = append(r.problems, suites.Problem{At: r.at(n), What: what, Hint: hint})
}

// wrong notes that a value is not what its key wants.
func (r *reader) wrong(n *yaml.Node, name, want, hint string) {
	got := fmt.Sprintf("%q", n.Value)
	switch {
	case n.Kind == yaml.SequenceNode:
		got = "a list"
	case n.Kind == yaml.MappingNode:
		got = "a mapping"
	case n.ShortTag() == "!!null":
		got = "nothing"
	case n.ShortTag() != "!!str":
		got = n.Value
	}
	r.add(n, fmt.Sprintf("%s: want %s, got %s", name, want, got), hint)
}

func (r *reader) mapping(name string, n *yaml.Node) bool {
	if n.Kind != yaml.MappingNode {
		r.wrong(n, name, "keys with values", "")
		return false
	}
	return true
}

// each calls do for every pair of a mapping and reports keys that repeat.
func (r *reader) each(n *yaml.Node, do func(k, v *yaml.Node)) {
	var seen map[string]*yaml.Node
	if len(n.Content) > 64 { // beyond this a map is faster than looking back
		seen = make(map[string]*yaml.Node, len(n.Content)/2)
	}
	for i := 0; i+1 < len(n.Content) && !r.full(); i += 2 {
		k := n.Content[i]
		if k.Kind != yaml.ScalarNode {
			r.add(k, "a key must be a plain word", "")
			continue
		}
		if first := earlier(n, i, seen); first != nil {
			r.add(k, "key "+k.Value+" stands twice", fmt.Sprintf("first at line %d", first.Line))
			continue
		}
		do(k, n.Content[i+1])
	}
}

// earlier gives the key before index i that equals the one there.
func earlier(n *yaml.Node, i int, seen map[string]*yaml.Node) *yaml.Node {
	k := n.Content[i]
	if seen != nil {
		first := seen[k.Value]
		if first == nil {
			seen[k.Value] = k
		}
		return first
	}
	for j := 0; j < i; j += 2 {
		if c := n.Content[j]; c.Value == k.Value && c.Kind == yaml.ScalarNode {
			return c
		}
	}
	return nil
}

// anyText takes text, the empty one too.
func (r *reader) anyText(name string, n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str" {
		return n.Value
	}
	hint := ""
	if n.Kind == yaml.ScalarNode && n.Value != "" {
		hint = fmt.Sprintf("quote it: %q", n.Value)
	}
	r.wrong(n, name, "text", hint)
	return ""
}

// text takes text that is not empty.
func (r *reader) text(name string, n *yaml.Node) string {
	before := len(r.problems)
	v := r.anyText(name, n)
	if v == "" && len(r.problems) == before {
		r.add(n, name+": must not be empty", "")
	}
	return v
}

// matching takes text of a certain form, which want describes.
func (r *reader) matching(name string, n *yaml.Node, form *regexp.Regexp, want string) string {
	v := r.text(name, n)
	if v != "" && !form.MatchString(v) {
		r.wrong(n, name, want, "")
		return ""
	}
	return v
}

// choice takes one of the given words.
func (r *reader) choice(name string, n *yaml.Node, words []string) string {
	if n.Kind == yaml.ScalarNode && slices.Contains(words, n.Value) {
		return n.Value
	}
	hint := ""
	if near := spelling.Nearest(n.Value, words); near != "" && n.Kind == yaml.ScalarNode {
		hint = "did you mean " + near + "?"
	}
	r.wrong(n, name, "one of "+strings.Join(words, ", "), hint)
	return ""
}

// list takes a list and calls item for each of its items.
func (r *reader) list(name string, n *yaml.Node, item func(*yaml.Node)) {
	if n.Kind != yaml.SequenceNode {
		hint := ""
		if n.Kind == yaml.ScalarNode && n.Value != "" {
			hint = fmt.Sprintf("put it in brackets: [%s]", n.Value)
		}
		r.wrong(n, name, "a list", hint)
		return
	}
	for _, c := range n.Content {
		if r.full() {
			return
		}
		item(c)
	}
}

// texts takes a list of texts that are not empty.
func (r *reader) texts(name string, n *yaml.Node) (v []string) {
	r.list(name, n, func(c *yaml.Node) { v = append(v, r.text(name, c)) })
	return v
}

// textOrTexts takes one text or a list of them.
func (r *reader) textOrTexts(name string, n *yaml.Node) []string {
	if n.Kind == yaml.ScalarNode {
		return []string{r.text(name, n)}
	}
	return r.texts(name, n)
}

// whole takes a whole number from low to high.
func (r *reader) whole(name string, n *yaml.Node, low, high int) int {
	v, err := strconv.Atoi(n.Value)
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!int" || err != nil || v < low || v > high {
		r.wrong(n, name, fmt.Sprintf("a whole number from %d to %d", low, high), "")
		return 0
	}
	return v
}

// truth takes true or false.
func (r *reader) truth(name string, n *yaml.Node) bool {
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!bool" {
		r.wrong(n, name, "true or false", "")
		return false
	}
	return strings.EqualFold(n.Value, "true")
}

// duration takes a length of time with its unit, at most ten minutes.
func (r *reader) duration(name string, n *yaml.Node, low time.Duration) time.Duration {
	d, err := time.ParseDuration(n.Value)
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str" || err != nil {
		r.wrong(n, name, "a duration such as 30s", "")
		return 0
	}
	if d < low || d > 10*time.Minute {
		r.wrong(n, name, fmt.Sprintf("a duration from %v to 10m", low), "")
		return 0
	}
	return d
}
