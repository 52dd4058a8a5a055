package markers

import (
	"slices"
	"sort"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/util"

	"hookwatch/suites/pattern"
)

// A block is a piece of running text (paragraph, list item, heading, table cell) as in the
// source, without the syntax of the enclosing nodes.
type block struct {
	node   ast.Node
	text   string
	joints []joint // ascending in text
	code   []bool  // by byte of text: inside a code span
	found  []claim
	blank  string     // see prose
	spans  []textSpan // see sentences; nil until it is needed
}

// A joint maps the start of a line in the block's text to its offset in the source.
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
	b.blank = b.blankMarkers()
	return b
}

// markCode marks the bytes in code spans, including backticks.
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

// joint returns the last joint before the first one that is beyond a place.
func (b *block) joint(beyond func(joint) bool) joint {
	rest := b.joints[1:]
	return b.joints[sort.Search(len(rest), func(i int) bool { return beyond(rest[i]) })]
}

// index maps an offset in the source to one in the block's text.
func (b *block) index(offset int) int {
	j := b.joint(func(next joint) bool { return next.src > offset })
	return j.text + offset - j.src
}

// A claim is the position of a marker in a block: the whole marker, and the text between
// "[verify:" and "]".
type claim struct{ open, start, end, close int }

var keyword = pattern.Lazy(`(?i)\[verify\s*:`)

func (b *block) claims() []claim { return b.found }

// markerLength is the maximum length of a marker in bytes, far above those in use.
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

// brackets maps each opening bracket to its closing one. Brackets in code spans do not
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

// prose returns the block's text with every marker blanked, at equal length.
func (b *block) prose() string { return b.blank }

func (b *block) blankMarkers() string {
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

// reader does not parse link definitions, because "[verify: a.sh]:" in front of a list
// would be one.
var reader = sync.OnceValue(func() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(parser.DefaultInlineParsers()...),
		parser.WithParagraphTransformers(util.Prioritized(tables{}, 200)),
		parser.WithASTTransformers(util.Prioritized(escapedPipes{}, 0)),
	)
})

// sentenceOf finds the sentence of the block's prose that a marker belongs to. A marker
// after a full stop belongs to the sentence that just ended.
func sentenceOf(b *block, c claim) textSpan {
	spans := b.sentences()
	i := max(0, sort.Search(len(spans), func(i int) bool { return spans[i].start > c.open })-1)
	if i > 0 && strings.TrimSpace(b.prose()[spans[i].start:c.open]) == "" {
		i--
	}
	return spans[i]
}

// continues reports whether text continues a sentence. A new sentence may begin with the
// name of a suite, as in "pm/P01".
func continues(text string) bool {
	text = strings.TrimLeft(text, spaces)
	if m := idToken().FindStringIndex(text[:min(len(text), 80)]); m != nil && m[0] == 0 {
		return false
	}
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.IsLower(r)
}

// abbreviation matches a stop that does not end a sentence, at the end of the last
// abbreviated characters.
var abbreviation = pattern.Lazy(`(?i)\b(e\.g|i\.e|cf|vs|incl|resp|approx|etc|no|fig|sec)\.$`)

const abbreviated = 10

// sentences returns the sentences of the block's prose; there is at least one.
func (b *block) sentences() []textSpan {
	if b.spans == nil {
		b.spans = b.cut(b.prose())
	}
	return b.spans
}

// cut splits text after each full stop, question or exclamation mark outside code that is
// followed by white space, but not by a lower-case letter.
func (b *block) cut(text string) []textSpan {
	var spans []textSpan
	start := 0
	for i := 0; i < len(text); i++ {
		if b.code[i] || !strings.ContainsRune(".?!", rune(text[i])) {
			continue
		}
		end := i + 1
		for end < len(text) && strings.IndexByte(")\"'*`", text[end]) >= 0 {
			end++
		}
		within := end < len(text) && (!strings.ContainsRune(spaces, rune(text[end])) || continues(text[end:]))
		if within || abbreviation().MatchString(text[max(start, i-abbreviated):i+1]) {
			continue
		}
		spans = append(spans, textSpan{start, end})
		start, i = end, end-1
	}
	if strings.TrimSpace(text[start:]) != "" || len(spans) == 0 {
		spans = append(spans, textSpan{start, len(text)})
	}
	return spans
}

var (
	// kindForm matches a sentence about kinds of cases: "Block/approve cases verify".
	kindForm  = pattern.Lazy(`^\W*([A-Za-z][\w-]*(?:(?:\s*[/,]\s*|,?\s+and\s+)[A-Za-z][\w-]*)*)(?:\s+[a-z]+)?\s+(?:cases|tests|checks)\b`)
	kindStop  = pattern.Lazy(`\s*[/,]\s*|,?\s+and\s+`)
	snakeCase = pattern.Lazy(`^[a-z0-9]+(_[a-z0-9]+)+$`)
	// kindLabel matches the bold label in front of such cases: "**Block cases**".
	kindLabel = pattern.Lazy(`(?i)\b(?:cases|tests|checks)\b`)
)

// idsOfKind returns the cases of the kinds that a sentence begins with: those that a bold
// label of the document introduces, and rows with the same ID letters that have the kind
// in their name. Without a label it returns the rows in which a cell begins with the kind,
// such as "Allowlisted subcommand". If one kind has no cases, it returns none.
func (a *attacher) idsOfKind(sentence string) []string {
	m := kindForm().FindStringSubmatch(sentence)
	if m == nil {
		return nil
	}
	var all idList
	for _, kind := range kindStop().Split(m[1], -1) {
		ids := a.idsOfKindLabel(kind)
		if ids == nil {
			return nil
		}
		all.add(ids...)
	}
	return all.ids
}

// idsOfKindLabel returns the cases of a kind. Of the tables and lists after its label only the
// first with IDs counts.
func (a *attacher) idsOfKindLabel(kind string) []string {
	return remember(a.kinds, strings.ToLower(kind), func() []string {
		var all idList
		all.add(a.idsBelow(kind)...)
		all.add(a.idsOfRows(kind, all.ids)...)
		return all.ids
	})
}

// idsOfRows returns the rows of all tables whose cells name the kind. labelled are the cases
// that a label introduces.
func (a *attacher) idsOfRows(kind string, labelled []string) []string {
	letters := map[string]bool{}
	for _, id := range labelled {
		letters[strings.TrimRight(id, "0123456789abcdefghijklmnopqrstuvwxyz")] = true
	}
	var all idList
	for _, b := range a.blocks {
		row := b.node.Parent()
		if row == nil || row.Kind() != east.KindTableRow || row.FirstChild() != b.node {
			continue
		}
		cells := a.cells(row)
		for i, cell := range cells {
			if i == 0 || !isLabelled(cell, kind, labelled != nil) {
				continue
			}
			for _, id := range a.leadingIDs(cells) {
				if labelled == nil || letters[strings.TrimRight(id, "0123456789abcdefghijklmnopqrstuvwxyz")] {
					all.add(id)
				}
			}
		}
	}
	return all.ids
}

// isLabelled reports whether a cell is a name with a word of the kind, as in
// semicolon_compound, or, if name is false, begins with the kind.
func isLabelled(cell, kind string, name bool) bool {
	cell, kind = strings.ToLower(cell), strings.ToLower(kind)
	if !name {
		return strings.HasPrefix(cell, kind) && strings.Contains(cell, " ")
	}
	return snakeCase().MatchString(cell) && slices.ContainsFunc(strings.Split(cell, "_"), func(word string) bool { return strings.HasPrefix(word, kind) })
}

func (a *attacher) kindLabels() []label {
	if a.labels != nil {
		return a.labels
	}
	a.labels = []label{}
	for _, b := range a.blocks {
		if text, ok := boldLabel(b.node, a.src); ok && kindLabel().MatchString(text) {
			a.labels = append(a.labels, label{firstWord(text), b.node})
		}
	}
	return a.labels
}

func (a *attacher) idsBelow(kind string) []string {
	for _, l := range a.kindLabels() {
		if !strings.EqualFold(l.kind, kind) {
			continue
		}
		for n := l.node.NextSibling(); n != nil && !a.endsKind(n); n = n.NextSibling() {
			if ids := a.casesOf(n); ids != nil {
				return ids
			}
		}
	}
	return nil
}

// endsKind reports whether n is a heading or introduces another kind.
func (a *attacher) endsKind(n ast.Node) bool {
	if isHeading(n) || !isLeaf(n) {
		return isHeading(n)
	}
	label, ok := boldLabel(n, a.src)
	return ok && kindLabel().MatchString(label)
}
