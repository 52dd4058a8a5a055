// Package yamlform reads forms that people fill in as YAML: mappings of known
// keys to values of known kinds. It finds every mistake, each where it stands.
package yamlform

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"hookwatch/suites"
)

// Bounds keep a reader from files that are made to be a burden.
type Bounds struct {
	Problems int  // that are told
	Rest     bool // the last one told says that there are more
	Text     int  // bytes of a text; 0: any number
	Shown    int  // bytes of a text in a message, see Shown; 0: all, as they are
}

// A Reader turns the values of one file into Go values and collects what is
// wrong with them. Its methods give the zero value for what is wrong.
type Reader struct {
	File     string
	Bounds   Bounds
	Problems []suites.Problem
}

// Full reports whether no further problem is told.
func (r *Reader) Full() bool { return len(r.Problems) >= r.Bounds.Problems }

// At is where a value stands.
func (r *Reader) At(n *yaml.Node) suites.Position {
	return suites.Position{File: r.File, Line: n.Line, Column: n.Column}
}

// Add notes a problem.
func (r *Reader) Add(n *yaml.Node, what, hint string) {
	if r.Full() {
		return
	}
	if r.Bounds.Rest && len(r.Problems) == r.Bounds.Problems-1 {
		what, hint = "more problems like these", "mend the first ones"
	}
	r.Problems = append(r.Problems, suites.Problem{At: r.At(n), What: what, Hint: hint})
}

// Wrong notes that a value is not what its key wants.
func (r *Reader) Wrong(n *yaml.Node, name, want, hint string) {
	got := r.quote(n.Value)
	switch {
	case n.Kind == yaml.SequenceNode:
		got = "a list"
	case n.Kind == yaml.MappingNode:
		got = "a mapping"
	case r.long(n): // looking for its type takes time
	case n.ShortTag() == "!!null":
		got = "nothing"
	case n.ShortTag() != "!!str":
		got = r.show(n.Value)
	}
	r.Add(n, fmt.Sprintf("%s: want %s, got %s", name, want, got), hint)
}

// Syntax notes that a text is no YAML at all.
func (r *Reader) Syntax(data []byte, err error) {
	p := suites.Problem{At: suites.Position{File: r.File}, What: "not valid YAML: " + err.Error()}
	if le := (*yaml.LoadError)(nil); errors.As(err, &le) {
		p.At.Line, p.At.Column, p.What = le.Mark.Line, le.Mark.Column, "not valid YAML: "+le.Message
		lines := strings.Split(string(data), "\n")
		if i := le.Mark.Line - 1; i >= 0 && i < len(lines) && strings.HasPrefix(strings.TrimLeft(lines[i], " "), "\t") {
			p.Hint = "indent with spaces, not tabs"
		}
	}
	r.Problems = append(r.Problems, p)
}

// Sort puts the problems into the order of the file.
func (r *Reader) Sort() {
	slices.SortStableFunc(r.Problems, func(a, b suites.Problem) int {
		return cmp.Or(cmp.Compare(a.At.Line, b.At.Line), cmp.Compare(a.At.Column, b.At.Column))
	})
}

func (r *Reader) long(n *yaml.Node) bool { return r.Bounds.Text > 0 && len(n.Value) > r.Bounds.Text }

func (r *Reader) show(text string) string {
	if r.Bounds.Shown == 0 {
		return text
	}
	return Shown(text, r.Bounds.Shown)
}

func (r *Reader) quote(text string) string {
	if r.Bounds.Shown == 0 {
		return strconv.Quote(text)
	}
	return Quoted(text, r.Bounds.Shown)
}
