package catalog

import (
	"bytes"
	"runtime"
	"sync"

	"go.yaml.in/yaml/v4"
)

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
