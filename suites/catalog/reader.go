package catalog

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.yaml.in/yaml/v4"

	"hookwatch/suites/client"
	"hookwatch/suites/pattern"
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
		hint := cmp.Or(pattern.NearestHint(k.Value, names), "known here: "+strings.Join(names, ", "))
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
		r.Wrong(n, name, wantEvent, pattern.NearestHint(v, names))
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
	if hint := pattern.NearestHint(v, known); hint != "" {
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

// An object is a mapping in the making. What is empty is left out.
type object struct{ content []*yaml.Node }

func (o *object) node() *yaml.Node {
	return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: o.content}
}

func (o *object) add(key string, value *yaml.Node) { o.content = append(o.content, scalar(key), value) }

func (o *object) text(key, value string) {
	if value != "" {
		o.add(key, scalar(value))
	}
}

func (o *object) truth(key string, value bool) {
	if value {
		o.add(key, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: "true"})
	}
}

func (o *object) duration(key string, value time.Duration) {
	if value != 0 {
		o.text(key, value.String())
	}
}

func (o *object) texts(key string, values []string) {
	addList(o, key, values, func(v *string) *yaml.Node { return scalar(*v) })
}

// named adds texts by their names.
func (o *object) named(key string, values map[string]string) {
	if len(values) == 0 {
		return
	}
	var entries object
	for _, name := range slices.Sorted(maps.Keys(values)) {
		entries.add(name, scalar(values[name]))
	}
	o.add(key, entries.node())
}

func addList[T any](o *object, key string, values []T, node func(*T) *yaml.Node) {
	if len(values) == 0 {
		return
	}
	nodes := make([]*yaml.Node, len(values))
	for i := range values {
		nodes[i] = node(&values[i])
	}
	o.add(key, list(nodes))
}

func list(nodes []*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Content: nodes}
}

// scalar is a text, of several lines as such where its lines can be read so.
func scalar(text string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
	if strings.Contains(strings.TrimSuffix(text, "\n"), "\n") {
		n.Style = yaml.LiteralStyle
	}
	return n
}

func number(text string) *yaml.Node {
	tag := "!!int"
	if strings.ContainsAny(text, ".eE") {
		tag = "!!float"
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: text}
}

// jsonNode is a JSON document in YAML, its keys in order. What is no JSON is null:
// a case that was read has none.
func jsonNode(raw json.RawMessage) *yaml.Node {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}
	}
	return valueNode(v)
}

func valueNode(v any) *yaml.Node {
	switch v := v.(type) {
	case map[string]any:
		var o object
		for _, key := range slices.Sorted(maps.Keys(v)) {
			o.add(key, valueNode(v[key]))
		}
		return o.node()
	case []any:
		nodes := make([]*yaml.Node, len(v))
		for i := range v {
			nodes[i] = valueNode(v[i])
		}
		return list(nodes)
	case string:
		return scalar(v)
	case json.Number:
		return number(v.String())
	case bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: strconv.FormatBool(v)}
	default:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}
	}
}

// splitFrom is the size from which a file is worth being parsed in pieces.
const splitFrom = 1 << 16

// A piece is some items of a file's list of cases.
type piece struct {
	text []byte
	line int // of its first line, from 0
}

// parseDocuments gives the documents of a file. Parsing is most of the work of
// loading, so a large file of the usual layout, a block list of cases at its
// end, is parsed in pieces at a time.
func parseDocuments(data []byte) ([]yaml.Node, error) {
	if len(data) >= splitFrom {
		if root := parsePieces(data, 2*runtime.GOMAXPROCS(0)); root != nil {
			return []yaml.Node{{Kind: yaml.DocumentNode, Line: 1, Column: 1, Content: []*yaml.Node{root}}}, nil
		}
	}
	var docs []yaml.Node
	err := yaml.Load(data, &docs, yaml.WithAllDocuments())
	return docs, err
}

// parsePieces gives the root of a file, or nil when the file has another layout
// or is not clearly the sum of its pieces: text in quotes, a flow collection or
// an alias that reaches over a cut makes a piece invalid.
func parsePieces(data []byte, n int) *yaml.Node {
	head, items := split(data, n)
	if len(items) < 2 {
		return nil
	}
	roots := make([]*yaml.Node, len(items))
	var wg sync.WaitGroup
	for i, p := range items {
		wg.Go(func() {
			if roots[i] = only(p.text, yaml.SequenceNode); roots[i] != nil {
				shift(roots[i], p.line)
			}
		})
	}
	top := only(head, yaml.MappingNode)
	wg.Wait()
	if top == nil || len(top.Content) < 2 {
		return nil
	}
	last := len(top.Content) - 1
	if top.Content[last-1].Value != "cases" || top.Content[last].ShortTag() != "!!null" {
		return nil
	}
	cases := roots[0]
	for i, r := range roots {
		if r == nil || r.Column != cases.Column {
			return nil
		}
		if i > 0 {
			cases.Content = append(cases.Content, r.Content...)
		}
	}
	top.Content[last] = cases
	return top
}

// only parses a text that must be one document of the given kind.
func only(text []byte, kind yaml.Kind) *yaml.Node {
	var docs []yaml.Node
	if err := yaml.Load(text, &docs, yaml.WithAllDocuments()); err != nil || len(docs) != 1 || len(docs[0].Content) != 1 {
		return nil
	}
	if root := docs[0].Content[0]; root.Kind == kind {
		return root
	}
	return nil
}

// shift moves a tree down; an alias's target is in the tree and moved there.
func shift(n *yaml.Node, lines int) {
	n.Line += lines
	for _, c := range n.Content {
		shift(c, lines)
	}
}

// split cuts a file behind its line "cases:" and between the items below, into
// at most n pieces. It gives none when a top-level key follows the items, or
// when lines end in another way than by a line feed.
func split(data []byte, n int) (head []byte, pieces []piece) {
	start := bytes.Index(data, []byte("\ncases:\n"))
	if start < 0 {
		return nil, nil
	}
	for _, other := range []string{"\r", "\u0085", "\u2028", "\u2029"} {
		if bytes.Contains(data, []byte(other)) {
			return nil, nil
		}
	}
	start += len("\ncases:\n")
	line := bytes.Count(data[:start], []byte("\n"))
	from, fromLine, enough := start, line, (len(data)-start)/n+1
	var marker []byte // what an item begins with: its indentation and "- "
	for at := start; at < len(data); line++ {
		end := len(data)
		if i := bytes.IndexByte(data[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		text := data[at:end]
		bare := bytes.TrimLeft(text, " ")
		switch {
		case len(bytes.TrimSpace(bare)) == 0 || bare[0] == '#':
		case marker == nil && !bytes.HasPrefix(bare, []byte("- ")):
			return nil, nil
		case marker == nil:
			marker = text[:len(text)-len(bare)+2]
		case bytes.HasPrefix(text, marker):
			if at-from >= enough {
				pieces = append(pieces, piece{data[from:at], fromLine})
				from, fromLine = at, line
			}
		case len(text)-len(bare) < len(marker):
			return nil, nil
		}
		at = end
	}
	return data[:start], append(pieces, piece{data[from:], fromLine})
}

// rows gives a case that has a table (each) once for each row of it, and any other as
// it stands. A row says what it says differently, in the keys of a case; its id and name
// come after those of the case, so that neither order nor number of rows matters.
func (r *reader) rows(n *yaml.Node) []*yaml.Node {
	table := lookup(n, "each")
	if n.Kind != yaml.MappingNode || table == nil {
		return []*yaml.Node{n}
	}
	var out []*yaml.Node
	seen := map[string]bool{}
	r.List("each", table, func(row *yaml.Node) {
		if !r.mapping("a row of each", row) {
			return
		}
		r.required(row, "a row of each", "id")
		if at := lookup(row, "each"); at != nil {
			r.Add(at, "each within each", "write one table")
			return
		}
		id := lookup(row, "id")
		switch {
		case id == nil:
			return
		case seen[id.Value]:
			r.Add(id, "id "+id.Value+" stands twice in each", "a row's id is part of the case's")
			return
		}
		seen[id.Value] = true
		out = append(out, laidOver(n, row))
	})
	if table.Kind == yaml.SequenceNode && len(table.Content) == 0 {
		r.Add(table, "each: must not be empty", "")
	}
	return out
}

// laidOver is a case with what a row says in place of its own.
func laidOver(n, row *yaml.Node) *yaml.Node {
	out := *row
	out.Content = slices.Clone(row.Content)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		own := lookup(&out, key.Value)
		switch {
		case key.Value == "each":
		case own == nil && key.Value == "name":
			out.Content = append(out.Content, key, joined(value, "_", lookup(row, "id")))
		case own == nil:
			out.Content = append(out.Content, key, value)
		case key.Value == "id":
			set(&out, "id", joined(value, "-", own))
		}
	}
	return &out
}

// joined is text made of two, which stands where the second does.
func joined(a *yaml.Node, by string, b *yaml.Node) *yaml.Node {
	out := *b
	out.Value = a.Value + by + b.Value
	return &out
}

// set gives a key of a mapping another value.
func set(n *yaml.Node, key string, value *yaml.Node) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			n.Content[i+1] = value
		}
	}
}
