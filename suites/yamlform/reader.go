// Package yamlform reads forms that users write in YAML: mappings of known keys to values of
// known kinds. It reports every mistake with its position.
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

// Bounds limit the work for malicious files.
type Bounds struct {
	Problems int  // maximum number of problems
	Rest     bool // the last problem states that there are more
	Text     int  // bytes of a text; 0: no limit
	Shown    int  // bytes of a text in a message, see Shown; 0: no limit and no quoting
}

// A Reader converts the values of one file to Go values and collects their problems. Its methods
// return the zero value for invalid values.
type Reader struct {
	File     string
	Bounds   Bounds
	Problems []suites.Problem
}

// Full reports whether further problems are dropped.
func (r *Reader) Full() bool { return len(r.Problems) >= r.Bounds.Problems }

// At returns the position of a value.
func (r *Reader) At(n *yaml.Node) suites.Position {
	return suites.Position{File: r.File, Line: n.Line, Column: n.Column}
}

// Add records a problem.
func (r *Reader) Add(n *yaml.Node, what, hint string) {
	if r.Full() {
		return
	}
	if r.Bounds.Rest && len(r.Problems) == r.Bounds.Problems-1 {
		what, hint = "more problems like these", "mend the first ones"
	}
	r.Problems = append(r.Problems, suites.Problem{At: r.At(n), What: what, Hint: hint})
}

// Wrong records that a value does not have the form that its key requires.
func (r *Reader) Wrong(n *yaml.Node, name, want, hint string) {
	got := r.quote(n.Value)
	switch {
	case n.Kind == yaml.SequenceNode:
		got = "a list"
	case n.Kind == yaml.MappingNode:
		got = "a mapping"
	case r.long(n): // determining its type takes time
	case n.ShortTag() == "!!null":
		got = "nothing"
	case n.ShortTag() != "!!str":
		got = r.show(n.Value)
	}
	r.Add(n, fmt.Sprintf("%s: want %s, got %s", name, want, got), hint)
}

// Syntax records that a text is not valid YAML.
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

// Sort sorts the problems by position.
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
