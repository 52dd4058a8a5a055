package markers

import (
	"sort"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"

	"hookwatch/suites/pattern"
)

// A block is a stretch of running text (paragraph, list item, heading, table
// cell) as it stands in the source, without the marks of what encloses it.
type block struct {
	node   ast.Node
	text   string
	joints []joint // ascending in text
	code   []bool  // by byte of text: inside a code span
	found  []claim
	blank  string     // see prose
	spans  []textSpan // see sentences; nil until asked for
}

// A joint says where in the source a line of the block starts.
type joint struct{ text, src int }

func newBlock(n ast.Node, src []byte) *block {
	b := &block{node: n}
	var buf []byte
	lines := n.Lines()
	for i := range lines.Len() {
		seg := lines.At(i)
		b.joints = append(b.joints, joint{len(buf), seg.Start})
		buf = append(buf, src[seg.Start:seg.Stop]...)
	}
	b.text = string(buf)
	b.code = make([]bool, len(buf))
	b.markCode(n)
	b.found = b.scan()
	b.blank = b.blanked()
	return b
}

// markCode notes which bytes lie in code spans, backticks included.
func (b *block) markCode(n ast.Node) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if c.Kind() != ast.KindCodeSpan {
			b.markCode(c)
			continue
		}
		first, last := -1, -1
		for t := c.FirstChild(); t != nil; t = t.NextSibling() {
			if t, ok := t.(*ast.Text); ok {
				if first < 0 {
					first = t.Segment.Start
				}
				last = t.Segment.Stop
			}
		}
		if first >= 0 {
			b.markRange(b.index(first)-1, b.index(last)+1)
		}
	}
}

func (b *block) markRange(from, to int) {
	for i := max(from, 0); i < min(to, len(b.code)); i++ {
		b.code[i] = true
	}
}

// offset maps an index in the block's text to one in the source.
func (b *block) offset(i int) int {
	j := b.joint(func(next joint) bool { return next.text > i })
	return j.src + i - j.text
}

// joint is the last one before the first of those that are beyond a place.
func (b *block) joint(beyond func(joint) bool) joint {
	rest := b.joints[1:]
	return b.joints[sort.Search(len(rest), func(i int) bool { return beyond(rest[i]) })]
}

// index maps an offset in the source to one in the block's text.
func (b *block) index(offset int) int {
	j := b.joint(func(next joint) bool { return next.src > offset })
	return j.text + offset - j.src
}

// A claim is a marker in a block: the whole of it, and what is between
// "[verify:" and "]".
type claim struct{ open, start, end, close int }

var keyword = pattern.Lazy(`(?i)\[verify\s*:`)

// claims lists the block's markers.
func (b *block) claims() []claim { return b.found }

// markerLength bounds a marker, in bytes: nobody writes a longer one.
const markerLength = 10_000

func (b *block) scan() []claim {
	var found []claim
	ends := b.brackets()
	for from := 0; ; {
		m := keyword().FindStringIndex(b.text[from:])
		if m == nil {
			return found
		}
		open, start := from+m[0], from+m[1]
		from = start
		if b.code[open] || open > 0 && b.text[open-1] == '\\' {
			continue
		}
		if end, ok := ends[open]; ok && end-start <= markerLength {
			found = append(found, claim{open, start, end, end + 1})
			from = end + 1
		}
	}
}

// brackets tells where each opening bracket is closed; those in code spans do not
// count.
func (b *block) brackets() map[int]int {
	if !keyword().MatchString(b.text) {
		return nil
	}
	ends := map[int]int{}
	var open []int
	for i := range len(b.text) {
		switch last := len(open) - 1; {
		case b.code[i]:
		case b.text[i] == '[':
			open = append(open, i)
		case b.text[i] == ']' && last >= 0:
			ends[open[last]] = i
			open = open[:last]
		}
	}
	return ends
}

// prose is the block's text with every marker blanked, at equal length.
func (b *block) prose() string { return b.blank }

func (b *block) blanked() string {
	if len(b.found) == 0 {
		return b.text
	}
	buf := []byte(b.text)
	for _, c := range b.found {
		for i := c.open; i < c.close; i++ {
			buf[i] = ' '
		}
	}
	return string(buf)
}

type textSpan struct{ start, end int }

func isLeaf(n ast.Node) bool {
	switch n.Kind() {
	case ast.KindParagraph, ast.KindTextBlock, ast.KindHeading, east.KindTableCell:
		return n.Lines() != nil && n.Lines().Len() > 0
	}
	return false
}

func isHeading(n ast.Node) bool { return n.Kind() == ast.KindHeading }

// reader leaves out link definitions: "[verify: a.sh]:" in front of a list would
// be one.
var reader = sync.OnceValue(func() parser.Parser {
	return goldmark.New(
		goldmark.WithParser(parser.NewParser(
			parser.WithBlockParsers(parser.DefaultBlockParsers()...),
			parser.WithInlineParsers(parser.DefaultInlineParsers()...),
		)),
		goldmark.WithExtensions(extension.Table),
	).Parser()
})
