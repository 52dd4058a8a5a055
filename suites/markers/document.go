package markers

import (
	"regexp"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// A Document is a spec document: its markers in order of appearance, and the
// names it gives to sources.
type Document struct {
	Path    string
	Markers []Marker
	Aliases map[string]string // name -> source
	Refused error             // why it is not read; nil if it is
}

// reader leaves out link definitions: "[verify: a.sh]:" in front of a list would
// be one.
var reader = goldmark.New(
	goldmark.WithParser(parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(parser.DefaultInlineParsers()...),
	)),
	goldmark.WithExtensions(extension.Table),
).Parser()

// Read finds the markers of a Markdown document. Code spans, fenced and
// indented code and HTML are mentions and make no claims. Without known IDs
// everything that looks like an ID is taken for one.
func Read(path string, src []byte, known *IDs) *Document {
	d := &Document{Path: path, Aliases: map[string]string{}}
	if intricate(src) {
		d.Refused = errIntricate
		return d
	}
	root := reader.Parse(text.NewReader(src))
	var blocks []*block
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering && isLeaf(n) {
			blocks = append(blocks, newBlock(n, src))
		}
		return ast.WalkContinue, nil
	})
	for _, b := range blocks {
		b.aliases(d.Aliases)
	}
	at := newAttacher(src, blocks, known)
	lines := newLineIndex(src)
	claims := 0
	for _, b := range blocks {
		for _, m := range b.claims() {
			claims += d.add(b, m, at, lines)
			if len(d.Markers) > mostMarkers || claims > mostClaims {
				return &Document{Path: path, Aliases: map[string]string{}, Refused: errMarkers}
			}
		}
	}
	return d
}

// add turns one bracketed marker into its references, and counts the cases that
// these are about.
func (d *Document) add(b *block, c claim, at *attacher, lines *lineIndex) (claims int) {
	content := b.text[c.start:c.end]
	where := at.attach(b, c)
	pieces := splitRefs(content, d.Aliases)
	if len(pieces) == 0 {
		pieces = []piece{{at: 0}}
	}
	for _, p := range pieces {
		m := Marker{
			Spec: d.Path, Ref: p.Ref,
			IDs: where.ids, Claim: where.claim, SuiteWide: where.suiteWide,
			Unresolved: strings.EqualFold(p.Source, unresolved),
		}
		m.Line, m.Column = lines.position(b.offset(c.start + p.at))
		d.Markers = append(d.Markers, m)
		claims += len(m.IDs)
	}
	return claims
}

func isLeaf(n ast.Node) bool {
	switch n.Kind() {
	case ast.KindParagraph, ast.KindTextBlock, ast.KindHeading, east.KindTableCell:
		return n.Lines() != nil && n.Lines().Len() > 0
	}
	return false
}

func isHeading(n ast.Node) bool { return n.Kind() == ast.KindHeading }

// aliasForm matches "NAME = `path`", in any of the usual quotes.
var aliasForm = regexp.MustCompile("(?m)(?:^|[\\s(`*])([A-Za-z][\\w-]*)[`*]*\\s+=\\s+`?([^\\s`=]+\\.[A-Za-z][A-Za-z0-9]*)`?(?:[\\s).,;]|$)")

func (b *block) aliases(into map[string]string) {
	for _, m := range aliasForm.FindAllStringSubmatch(b.text, -1) {
		if _, taken := into[m[1]]; !taken {
			into[m[1]] = m[2]
		}
	}
}

// A lineIndex maps byte offsets to lines and columns.
type lineIndex struct {
	src    []byte
	starts []int
	last   struct{ offset, line, column int } // that position told; the next is mostly further on
}

func newLineIndex(src []byte) *lineIndex {
	starts := []int{0}
	for i, c := range src {
		if c == '\n' {
			starts = append(starts, i+1)
		}
	}
	return &lineIndex{src: src, starts: starts}
}

// line is the 1-based line of a byte offset.
func (x *lineIndex) line(offset int) int {
	return sort.Search(len(x.starts), func(i int) bool { return x.starts[i] > offset })
}

// count is the number of lines. What follows the last line break is one only if
// there is something.
func (x *lineIndex) count() int {
	if n := len(x.starts); n == 1 || x.starts[n-1] < len(x.src) {
		return n
	}
	return len(x.starts) - 1
}

// position is the line and the column, in characters, of a byte offset.
func (x *lineIndex) position(offset int) (line, column int) {
	offset = min(max(offset, 0), len(x.src))
	line, column = x.line(offset), 1
	from := x.starts[line-1]
	if x.last.line == line && x.last.offset <= offset {
		from, column = x.last.offset, x.last.column
	}
	column += utf8.RuneCount(x.src[from:offset])
	x.last.offset, x.last.line, x.last.column = offset, line, column
	return line, column
}

// end is the offset just after a 1-based line, without its line break.
func (x *lineIndex) end(line int) int {
	if line >= len(x.starts) {
		return len(x.src)
	}
	return x.starts[line] - 1
}
