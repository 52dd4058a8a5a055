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
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"hookwatch/suites"
	"hookwatch/suites/pattern"
)

// Bounds limit the work for malicious files.
type Bounds struct {
	Problems int  // maximum number of problems
	Rest     bool // the last problem states that there are more
	Text     int  // bytes of a text; 0: no limit
	Shown    int  // bytes of a text in a message, see Show; 0: no limit and no quoting
}

// A Reader converts the values of one file to Go values and collects their problems. Its methods
// return the zero value for invalid values.
type Reader struct {
	File     string
	Bounds   Bounds
	Problems []suites.Problem
}

// IsFull reports whether further problems are dropped.
func (r *Reader) IsFull() bool { return len(r.Problems) >= r.Bounds.Problems }

// At returns the position of a value.
func (r *Reader) At(n *yaml.Node) suites.Position {
	return suites.Position{File: r.File, Line: n.Line, Column: n.Column}
}

// Add records a problem.
func (r *Reader) Add(n *yaml.Node, what, hint string) {
	if r.IsFull() {
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
		} else if strings.HasPrefix(le.Message, "mapping values are not allowed") {
			p.Hint = `quote a text that contains ": "`
		}
	}
	r.Problems = append(r.Problems, p)
}

// Sort sorts the problems by position.
func (r *Reader) Sort() {
	slices.SortStableFunc(r.Problems, func(a, b suites.Problem) int {
		return cmp.Or(cmp.Compare(a.At.Line, b.At.Line), cmp.Compare(a.At.Column, b.At.Column))
	})
	r.Problems = slices.Compact(r.Problems) // a value that several aliases stand for is read several times
}

func (r *Reader) long(n *yaml.Node) bool { return r.Bounds.Text > 0 && len(n.Value) > r.Bounds.Text }

// IsScalar reports whether a value is a scalar of a type, such as "!!str".
func IsScalar(n *yaml.Node, tag string) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == tag }

func (r *Reader) show(text string) string {
	if r.Bounds.Shown == 0 {
		return text
	}
	return Show(text, r.Bounds.Shown)
}

func (r *Reader) quote(text string) string {
	if r.Bounds.Shown == 0 {
		return strconv.Quote(text)
	}
	return Quote(text, r.Bounds.Shown)
}

// Limits for files that expand by aliases and merge keys. Text counts too, because a case with a
// megabyte that its suite contains once costs as much as one that repeats it.
const (
	maxValues    = 4_000_000
	maxMerged    = 1_000_000
	textPerValue = 16 // bytes of text that count as a value
)

// Flatten replaces a document's aliases and merge keys by their values. It reports whether the
// document can be read then; the hint is added to the problem of a document that gets too large.
func (r *Reader) Flatten(doc *yaml.Node, hint string) bool {
	f := flattener{r: r, sizes: map[*yaml.Node]int{}}
	if size := f.flatten(doc); f.merged >= maxMerged || size >= maxValues && len(f.sizes) > 0 {
		r.Add(doc.Content[0], "aliases make the file too large", hint)
		return false
	}
	return !f.endless
}

// A flattener processes one document.
type flattener struct {
	r       *Reader
	sizes   map[*yaml.Node]int // of anchored nodes; 0 during a visit
	merged  int                // number of pairs added by merge keys
	endless bool
}

// flatten returns the size of n in values, up to maxValues.
func (f *flattener) flatten(n *yaml.Node) int {
	if n.Anchor != "" {
		size, seen := f.sizes[n]
		if seen && size == 0 {
			f.endless = true
			f.r.Add(n, "&"+n.Anchor+" holds an alias of itself", "write its content out")
			return 1
		}
		if seen {
			return size
		}
		f.sizes[n] = 0
	}
	size := 1 + len(n.Value)/textPerValue
	for i, c := range n.Content {
		if c.Kind == yaml.AliasNode {
			c = c.Alias
			n.Content[i] = c
		}
		size = min(maxValues, size+f.flatten(c))
	}
	if n.Kind == yaml.MappingNode && !f.endless {
		f.merge(n)
	}
	if n.Anchor != "" {
		f.sizes[n] = size
	}
	return size
}

// merge replaces the << key of a mapping by the pairs of its value.
func (f *flattener) merge(n *yaml.Node) {
	at := slices.IndexFunc(n.Content, func(k *yaml.Node) bool { return IsScalar(k, "!!merge") })
	if at < 0 || at%2 == 1 {
		return
	}
	sources := []*yaml.Node{n.Content[at+1]}
	if sources[0].Kind == yaml.SequenceNode {
		sources = sources[0].Content
	}
	n.Content = slices.Delete(slices.Clone(n.Content), at, at+2)
	has := map[string]bool{}
	for pair := range slices.Chunk(n.Content, 2) {
		has[pair[0].Value] = true
	}
	for _, s := range sources {
		if s.Kind != yaml.MappingNode {
			f.r.Wrong(s, "<<", "an alias of keys with values", "")
			continue
		}
		for i := 0; i+1 < len(s.Content) && f.merged < maxMerged; i += 2 {
			if key := s.Content[i].Value; !has[key] {
				has[key] = true
				f.merged++
				n.Content = append(n.Content, s.Content[i], s.Content[i+1])
			}
		}
	}
}

// Each calls do for every pair of a mapping and reports duplicate keys.
func (r *Reader) Each(n *yaml.Node, do func(k, v *yaml.Node)) {
	var seen map[string]*yaml.Node
	if len(n.Content) > 64 { // because a map is faster than searching above this
		seen = make(map[string]*yaml.Node, len(n.Content)/2)
	}
	for i := 0; i+1 < len(n.Content) && !r.IsFull(); i += 2 {
		k := resolve(n.Content[i])
		if k.Kind != yaml.ScalarNode {
			r.Add(k, "a key must be a plain word", "")
			continue
		}
		if first := findEarlier(n, i, seen); first != nil {
			r.Add(k, "key "+r.show(k.Value)+" is duplicated", fmt.Sprintf("first at line %d", first.Line))
			continue
		}
		do(k, resolve(n.Content[i+1]))
	}
}

// findEarlier returns the key before index i that equals the one at i, or nil.
func findEarlier(n *yaml.Node, i int, seen map[string]*yaml.Node) *yaml.Node {
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
		if r.IsFull() {
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
	if IsScalar(n, "!!str") {
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
	if !IsScalar(n, "!!bool") {
		r.Wrong(n, name, "true or false", "")
		return false
	}
	return strings.EqualFold(n.Value, "true")
}

// Show returns text for a message, cut off after most bytes. It is quoted if it contains
// characters that are invisible or control a terminal.
func Show(text string, most int) string {
	cut := shorten(text, most)
	if !utf8.ValidString(cut) || strings.ContainsFunc(cut, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(cut)
	}
	return cut
}

// Quote returns text in quotes for a message, cut off after most bytes before quoting.
func Quote(text string, most int) string { return strconv.Quote(shorten(text, most)) }

func shorten(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "..."
}
