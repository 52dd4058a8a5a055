package catalog

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"go.yaml.in/yaml/v4"

	"hookwatch/suites/yamlform"
)

// mostProblems limits the problems reported per file, because no user fixes more at once.
const mostProblems = 200

// A reader converts the values of one file to the parts of a suite.
type reader struct {
	yamlform.Reader
	checked map[string]string // patterns and filters -> the problem, "" if they are valid
	data    []byte            // the file
	lines   [][]byte          // of the file, once they are needed
}

// line returns a line of the file, counted from 1.
func (r *reader) line(n int) string {
	if r.lines == nil {
		r.lines = bytes.Split(r.data, []byte("\n"))
	}
	if n < 1 || n > len(r.lines) {
		return ""
	}
	return string(r.lines[n-1])
}

func newReader(file string) *reader {
	return &reader{Reader: yamlform.Reader{File: file, Bounds: yamlform.Bounds{Problems: mostProblems}}}
}

// parse returns the root of the file's only document, without aliases and merge keys, or nil
// after a problem.
func (r *reader) parse(data []byte) *yaml.Node {
	r.data = data
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
	root := docs[0].Content[0]
	if cases := lookup(root, "cases"); cases != nil {
		if each := textIn(root) - textIn(cases); each*len(cases.Content) > mostRepeated {
			r.Add(cases, fmt.Sprintf("cases: each of %d would get %d bytes of the suite", len(cases.Content), each), "write long texts in the cases that need them, or several suites")
			return nil
		}
	}
	return root
}

// mostRepeated limits the text of a suite that its cases repeat, because each of them has a digest.
const mostRepeated = 256 << 20

// textIn returns the bytes of text in a value.
func textIn(n *yaml.Node) int {
	size := len(n.Value)
	for _, c := range n.Content {
		size += textIn(c)
	}
	return size
}

// lookup returns the value of a key of a mapping, or nil.
func lookup(n *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

// splitFrom is the size in bytes from which parsing a file in pieces is worthwhile.
const splitFrom = 1 << 16

// A piece contains some items of a file's list of cases.
type piece struct {
	text []byte
	line int // of its first line, from 0
}

// parseDocuments returns the documents of a file. Because parsing is most of the work of
// loading, it parses a large file of the usual layout, with a block list of cases at its end, in
// parallel pieces.
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

// parsePieces returns the root of a file, or nil if the file has another layout or may differ
// from the sum of its pieces. A quoted text, flow collection or alias across a cut makes a piece
// invalid.
func parsePieces(data []byte, n int) *yaml.Node {
	head, items := split(data, n)
	if len(items) < 2 {
		return nil
	}
	roots := make([]*yaml.Node, len(items))
	var wg sync.WaitGroup
	for i, p := range items {
		wg.Go(func() {
			if roots[i] = parseOnly(p.text, yaml.SequenceNode); roots[i] != nil {
				shift(roots[i], p.line)
			}
		})
	}
	top := parseOnly(head, yaml.MappingNode)
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

// parseOnly parses a text that must be one document of the given kind, and returns nil if it is not.
func parseOnly(text []byte, kind yaml.Kind) *yaml.Node {
	var docs []yaml.Node
	if err := yaml.Load(text, &docs, yaml.WithAllDocuments()); err != nil || len(docs) != 1 || len(docs[0].Content) != 1 {
		return nil
	}
	if root := docs[0].Content[0]; root.Kind == kind {
		return root
	}
	return nil
}

// shift adds a number of lines to the positions of a tree. The target of an alias is in the tree
// and shifted there.
func shift(n *yaml.Node, lines int) {
	n.Line += lines
	for _, c := range n.Content {
		shift(c, lines)
	}
}

// split cuts a file after its line "cases:" and between the items below, into at most n pieces.
// It returns none if a top-level key follows the items, or if lines do not end in a line feed.
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
	var marker []byte // the start of an item: its indentation and "- "
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

// rows returns one case per row for a case with a table (each), and any other unchanged. A row
// overrides keys of the case. Its id and name are appended to those of the case, so that the
// order and number of rows do not matter.
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
		r.require(row, "a row of each", "id")
		if at := lookup(row, "each"); at != nil {
			r.Add(at, "each within each", "write one table")
			return
		}
		id := lookup(row, "id")
		switch {
		case id == nil:
			return
		case seen[id.Value]:
			r.Add(id, "id "+id.Value+" is duplicated in each", "a row's id is part of the case's")
			return
		}
		seen[id.Value] = true
		out = append(out, layOver(n, row))
	})
	r.some("each", table)
	return out
}

// eachClient returns one case per client of a list (clients), and a case without one unchanged. The
// name of the client is appended to the case's id and name.
func (r *reader) eachClient(n *yaml.Node) []*yaml.Node {
	list := lookup(n, "clients")
	if n.Kind != yaml.MappingNode || list == nil {
		return []*yaml.Node{n}
	}
	var out []*yaml.Node
	seen := map[string]bool{}
	r.List("clients", list, func(name *yaml.Node) {
		if seen[name.Value] {
			r.Add(name, "client "+name.Value+" is duplicated in clients", "")
			return
		}
		seen[name.Value] = true
		row := *n
		row.Content = nil
		for _, key := range []string{"id", "client"} {
			at := *name
			at.Value = key
			row.Content = append(row.Content, &at, name)
		}
		out = append(out, layOver(n, &row))
	})
	r.some("clients", list)
	return out
}

// layOver returns a case with the values of a row over its own.
func layOver(n, row *yaml.Node) *yaml.Node {
	out := *row
	out.Content = slices.Clone(row.Content)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		own := lookup(&out, key.Value)
		switch {
		case key.Value == "each", key.Value == "clients" && lookup(row, "client") != nil:
		case own == nil && key.Value == "name":
			out.Content = append(out.Content, key, join(value, "_", lookup(row, "id")))
		case own == nil:
			out.Content = append(out.Content, key, value)
		case key.Value == "id":
			set(&out, "id", join(value, "-", own))
		}
	}
	return &out
}

// join returns a text made of two, with the position of the second.
func join(a *yaml.Node, by string, b *yaml.Node) *yaml.Node {
	out := *b
	out.Value = a.Value + by + b.Value
	return &out
}

func set(n *yaml.Node, key string, value *yaml.Node) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			n.Content[i+1] = value
		}
	}
}

// require reports keys that are missing from a mapping.
func (r *reader) require(n *yaml.Node, what string, keys ...string) {
	for _, k := range keys {
		if n.Kind == yaml.MappingNode && lookup(n, k) == nil {
			r.Add(n, what+" needs "+k, "")
		}
	}
}
