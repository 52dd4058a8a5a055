package markers

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// markdownEntries are the headings of a document, each to the next of the same
// or a higher level, and the bold labels that start a paragraph, each to the
// next heading.
func markdownEntries(src []byte) []entry {
	if intricate(src) {
		return nil // it is searched as text
	}
	root := reader().Parse(text.NewReader(src))
	var entries []entry
	var open []int // headings that have not ended, outermost first
	levels := map[int]int{}
	labels := 0 // first label that has not ended
	closeFrom := func(level, at int) {
		for len(open) > 0 && levels[open[len(open)-1]] >= level {
			entries[open[len(open)-1]].end = at
			open = open[:len(open)-1]
		}
		for ; labels < len(entries); labels++ {
			if entries[labels].rule == ByLabel {
				entries[labels].end = at
			}
		}
	}
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering || !isLeaf(n) {
			return ast.WalkContinue, nil
		}
		at := lineStart(src, n.Lines().At(0).Start)
		if h, ok := n.(*ast.Heading); ok {
			closeFrom(h.Level, at)
			levels[len(entries)] = h.Level
			open = append(open, len(entries))
			entries = append(entries, entry{rule: ByHeading, name: plainText(n, src), start: at})
		} else if label, ok := boldLabel(n, src); ok {
			entries = append(entries, entry{rule: ByLabel, name: label, start: at})
		}
		return ast.WalkContinue, nil
	})
	closeFrom(0, len(src))
	for i := range entries {
		part := src[entries[i].start:entries[i].end]
		entries[i].content = func() []byte { return tidyLines(part) }
	}
	return entries
}

func lineStart(src []byte, at int) int { return bytes.LastIndexByte(src[:at], '\n') + 1 }

// boldLabel is the bold text that a paragraph or list item starts with.
func boldLabel(n ast.Node, src []byte) (string, bool) {
	e, ok := n.FirstChild().(*ast.Emphasis)
	if !ok || e.Level != 2 || n.Kind() == ast.KindHeading {
		return "", false
	}
	label := oneLine(plainText(e, src))
	return label, label != ""
}

// plainText is the text of a node without its inline marks.
func plainText(n ast.Node, src []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(c ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch c := c.(type) {
		case *ast.Text:
			b.Write(c.Segment.Value(src))
			if c.SoftLineBreak() || c.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(c.Value)
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// tidyLines drops what no reader sees: white space at line ends and blank
// lines at both ends.
func tidyLines(part []byte) []byte {
	lines := bytes.Split(part, []byte("\n"))
	for i, l := range lines {
		lines[i] = bytes.TrimRight(l, spaces)
	}
	return bytes.Trim(bytes.Join(lines, []byte("\n")), "\n")
}
