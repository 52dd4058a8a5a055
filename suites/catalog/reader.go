package catalog

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"hookwatch/suites/client"
	"hookwatch/suites/spelling"
	"hookwatch/suites/yamlform"
)

// mostProblems is how many problems of one file are told: nobody mends more at once.
const mostProblems = 200

// A reader makes the values of one file into what a suite is of.
type reader struct {
	yamlform.Reader
	checked map[string]string // patterns and filters -> what is wrong with them
}

func newReader(file string) *reader {
	return &reader{Reader: yamlform.Reader{File: file, Bounds: yamlform.Bounds{Problems: mostProblems}}}
}

// parse gives the root of the file's only document, free of aliases and merge
// keys, or nil when there is none to look at.
func (r *reader) parse(data []byte) *yaml.Node {
	docs, err := parseDocuments(data)
	if err != nil {
		r.Syntax(data, err)
		return nil
	}
	if len(docs) == 0 || len(docs[0].Content) == 0 {
		r.Add(&yaml.Node{Line: 1, Column: 1}, "the file holds no suite", "start with suite: NAME")
		return nil
	}
	if len(docs) > 1 {
		r.Add(&docs[1], "a second document", "write one suite a file")
	}
	if !r.Flatten(&docs[0], "repeat less, or write several suites") {
		return nil
	}
	return docs[0].Content[0]
}

// lookup gives the value of a key of a mapping, or nil.
func lookup(n *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
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
	r.Each(n, func(k, v *yaml.Node) {
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
		hint := cmp.Or(spelling.Hint(k.Value, names), "known here: "+strings.Join(names, ", "))
		r.Add(k, "unknown key "+k.Value, hint)
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

func (r *reader) mapping(name string, n *yaml.Node) bool {
	if n.Kind != yaml.MappingNode {
		r.Wrong(n, name, "keys with values", "")
		return false
	}
	return true
}

// text takes text that is not empty.
func (r *reader) text(name string, n *yaml.Node) string { return r.Text(name, n, "") }

// matching takes text of a certain form, which want describes.
func (r *reader) matching(name string, n *yaml.Node, form func() *regexp.Regexp, want string) string {
	v := r.text(name, n)
	if v != "" && !form().MatchString(v) {
		r.Wrong(n, name, want, "")
		return ""
	}
	return v
}

// name takes text of some form that files are named after.
func (r *reader) name(key string, n *yaml.Node, form func() *regexp.Regexp, want string) string {
	v := r.matching(key, n, form, want)
	if len(v) > nameLimit {
		r.Wrong(n, key, want, "")
		return ""
	}
	return v
}

// event takes the name of an event that the client has.
func (r *reader) event(name string, n *yaml.Node) string {
	v := r.text(name, n)
	if _, known := client.EventByName(v); v != "" && !known {
		var names []string
		for _, e := range client.Events() {
			names = append(names, e.Name)
		}
		r.Wrong(n, name, wantEvent, spelling.Hint(v, names))
		return ""
	}
	return v
}

// tool takes the name of a tool. MCP servers and other clients have more than are known
// here, so only one that is nearly a known name is taken for a slip.
func (r *reader) tool(name string, n *yaml.Node) string {
	v := r.matching(name, n, oneLine, wantLine)
	var known []string
	for _, t := range client.Tools() {
		known = append(append(known, t.Name), t.Also...)
	}
	if slices.Contains(known, v) || strings.HasPrefix(v, "mcp__") {
		return v
	}
	if hint := spelling.Hint(v, known); hint != "" {
		r.Wrong(n, name, "a tool that the client has", hint)
		return ""
	}
	return v
}

// texts takes a list of texts that are not empty.
func (r *reader) texts(name string, n *yaml.Node) (v []string) {
	r.List(name, n, func(c *yaml.Node) { v = append(v, r.text(name, c)) })
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
		r.Wrong(n, name, fmt.Sprintf("a whole number from %d to %d", low, high), "")
		return 0
	}
	return v
}

// duration takes a length of time with its unit, at most ten minutes.
func (r *reader) duration(name string, n *yaml.Node, low time.Duration) time.Duration {
	d, err := time.ParseDuration(n.Value)
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str" || err != nil {
		r.Wrong(n, name, "a duration such as 30s", "")
		return 0
	}
	if d < low || d > 10*time.Minute {
		r.Wrong(n, name, fmt.Sprintf("a duration from %v to 10m", low), "")
		return 0
	}
	return d
}
