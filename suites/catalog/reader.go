package catalog

import (
	"bytes"
	"runtime"
	"slices"
	"sync"

	"go.yaml.in/yaml/v4"

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

// required reports keys that a mapping lacks.
func (r *reader) required(n *yaml.Node, what string, keys ...string) {
	for _, k := range keys {
		if n.Kind == yaml.MappingNode && lookup(n, k) == nil {
			r.Add(n, what+" needs "+k, "")
		}
	}
}
