package markers

import (
	"slices"
	"sort"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"

	"hookwatch/suites/pattern"
)

func newAttacher(src []byte, blocks []*block, known *IDs) *attacher {
	return &attacher{
		src: src, blocks: blocks, ids: &idReader{known, sectionNames(blocks, src)},
		said: map[sentence]attachment{}, around: map[*block][]string{}, rows: map[ast.Node]attachment{},
		listed: map[ast.Node][]string{}, items: map[ast.Node][]string{}, sections: map[ast.Node][]string{},
		kinds: map[string][]string{},
	}
}

// allCases matches statements about every case of a section: sentences that start with it,
// and those that claim that all of them verify something.
var allCases = pattern.Lazy(`(?i)^\W*(all|every|each)\b[^.]*\b(rows?|cases?|tests?)\b|` +
	`\b(all|every|each)\s+(of\s+)?(the\s+|these\s+)?(\S+\s+)?(rows?|cases?|tests?)\b[^.]*\bverif`)

// wholly matches the beginning of a sentence that claims to test everything of a kind:
// "ml-agent tests all file types".
var wholly = pattern.Lazy(`(?i)\b(tests?|covers?|checks?|verif(?:y|ies))\s+(all|every|each)\b`)

// blanked matches the gap that a blanked marker leaves before punctuation.
var blanked = pattern.Lazy(`\s{9,}([.,:;])`)

const claimLength = 200 // characters

func (a *attacher) attach(b *block, c claim) attachment {
	if b.node.Kind() == east.KindTableCell {
		return remember(a.rows, b.node.Parent(), func() attachment { return a.attachRow(b.node.Parent()) })
	}
	at := sentenceOf(b, c)
	if ids := a.idsOfFirstClause(b, at, c); ids != nil {
		return attachment{ids: ids, claim: claimOf(b, at), suiteWide: true}
	}
	found := remember(a.said, sentence{b, at}, func() attachment { return a.inSentence(b, at) })
	if found.ids == nil && !found.suiteWide {
		if found.ids = a.findBefore(b, c); found.ids == nil {
			found.ids = remember(a.around, b, func() []string { return a.surroundings(b) })
		}
	}
	return found
}

// inSentence finds the cases that a sentence itself names.
func (a *attacher) inSentence(b *block, at textSpan) attachment {
	sentence := sentenceText(b, at)
	found := attachment{claim: claimOf(b, at)}
	if found.ids = a.ids.find(sentence); found.ids != nil {
		return found
	}
	if allCases().MatchString(sentence) {
		found.suiteWide = true
		found.ids = a.casesOfSection(b.node)
		return found
	}
	found.ids = a.idsOfKind(sentence)
	return found
}

// sentenceText returns a sentence on one line, without its markers.
func sentenceText(b *block, at textSpan) string {
	return oneLine(blanked().ReplaceAllString(b.prose()[at.start:at.end], "$1"))
}

func claimOf(b *block, at textSpan) string {
	return shorten(strings.TrimLeft(sentenceText(b, at), " .,:;"), claimLength)
}

// idsOfFirstClause returns the cases of the section for a marker that ends a clause about all
// of them. The rest of the sentence, after the comma, is another claim: "tests all file
// types [verify: A], plus scenarios (M24-M31)".
func (a *attacher) idsOfFirstClause(b *block, at textSpan, c claim) []string {
	if c.close >= at.end {
		return nil
	}
	clause, rest := b.prose()[at.start:c.open], strings.TrimLeft(b.prose()[c.close:at.end], spaces)
	endsClause := strings.IndexAny(rest, ",;") == 0
	if !endsClause || !wholly().MatchString(clause) || a.ids.find(clause) != nil {
		return nil
	}
	return a.casesOfSection(b.node)
}

// surroundings finds cases in the surroundings of a block, which apply to the whole block.
func (a *attacher) surroundings(b *block) []string {
	for _, look := range []func(*block) []string{a.inListItems, a.idsOfLabel, a.idsOfItems, a.idsOfAdjacent, a.idsOfNamedRows} {
		if ids := look(b); ids != nil {
			return ids
		}
	}
	return nil
}

// findBefore returns the IDs of the nearest previous sentence that has any. It stops at the
// previous marker, because that ends another claim.
func (a *attacher) findBefore(b *block, c claim) []string {
	spans, claims, from := b.sentences(), b.claims(), 0
	if i := sort.Search(len(claims), func(i int) bool { return claims[i].open >= c.open }); i > 0 {
		from = claims[i-1].close
	}
	for i := sort.Search(len(spans), func(i int) bool { return spans[i].end > c.open }) - 1; i >= 0 && spans[i].start >= from; i-- {
		if ids := a.ids.find(b.prose()[spans[i].start:spans[i].end]); ids != nil {
			return ids
		}
	}
	return nil
}

// attachRow returns the IDs of the row's first cell, or else of the whole row. For a header
// row it returns those of the table.
func (a *attacher) attachRow(row ast.Node) attachment {
	cells := a.cells(row)
	line := strings.Join(cells, " | ")
	found := attachment{claim: shorten(line, claimLength)}
	if row.Kind() == east.KindTableHeader {
		found.ids = a.casesOf(row.Parent())
		return found
	}
	if found.ids = a.leadingIDs(cells); found.ids == nil {
		found.ids = a.ids.find(line)
	}
	return found
}

// inListItems returns the IDs of the innermost enclosing list item that has any.
func (a *attacher) inListItems(b *block) []string {
	for n := b.node.Parent(); n != nil; n = n.Parent() {
		if n.Kind() != ast.KindListItem {
			continue
		}
		if ids := remember(a.items, n, func() []string { return a.ids.find(a.textOf(n)) }); ids != nil {
			return ids
		}
	}
	return nil
}

// textOf returns the text of a list item, without the lists inside it.
func (a *attacher) textOf(item ast.Node) string {
	var text strings.Builder
	for c := item.FirstChild(); c != nil; c = c.NextSibling() {
		if isLeaf(c) {
			text.WriteString(newBlock(c, a.src).prose() + "\n")
		}
	}
	return text.String()
}

// idsOfLabel returns the IDs of a bold label in front: "**Live test (P28)**: ...".
func (a *attacher) idsOfLabel(b *block) []string {
	label, ok := boldLabel(b.node, a.src)
	if !ok {
		return nil
	}
	return a.ids.find(label)
}

// idsOfItems returns the IDs of the lists in the claim's own list item.
func (a *attacher) idsOfItems(b *block) []string {
	if b.node.Parent().Kind() != ast.KindListItem {
		return nil
	}
	var all idList
	for n := b.node.NextSibling(); n != nil; n = n.NextSibling() {
		if n.Kind() == ast.KindList {
			all.add(a.casesOf(n)...)
		}
	}
	return all.ids
}

// idsOfAdjacent returns the IDs of the table right above a paragraph that has only markers, or of
// the table or list right below a paragraph that ends with a colon.
func (a *attacher) idsOfAdjacent(b *block) []string {
	text := strings.Trim(b.prose(), spaces+".")
	if prev := b.node.PreviousSibling(); text == "" && prev != nil && prev.Kind() == east.KindTable {
		return a.casesOf(prev)
	}
	if next := b.node.NextSibling(); strings.HasSuffix(text, ":") && next != nil {
		return a.casesOf(next)
	}
	return nil
}

// idsOfNamedRows returns the IDs of the section's rows with a cell for the code that a bold
// label names: "**`claude` discovery order**" and the cell "`claude`".
func (a *attacher) idsOfNamedRows(b *block) []string {
	label, ok := b.node.FirstChild().(*ast.Emphasis)
	if !ok || label.Level != 2 {
		return nil
	}
	for n := label.FirstChild(); n != nil; n = n.NextSibling() {
		if n.Kind() != ast.KindCodeSpan {
			continue
		}
		name := "`" + plainText(n, a.src) + "`"
		var all idList
		a.visitSection(b.node, func(n ast.Node) {
			if n.Kind() == east.KindTable {
				for row := n.FirstChild(); row != nil; row = row.NextSibling() {
					if cells := a.cells(row); slices.Contains(cells, name) {
						all.add(a.leadingIDs(cells)...)
					}
				}
			}
		})
		return all.ids
	}
	return nil
}

// casesOfSection returns the IDs of all tables and lists under the heading of a block.
func (a *attacher) casesOfSection(n ast.Node) []string {
	first := sectionStart(n)
	return remember(a.sections, first, func() []string {
		var all idList
		a.visitSection(first, func(n ast.Node) { all.add(a.casesOf(n)...) })
		return all.ids
	})
}

// sectionStart returns the heading that a node is under, or the document's first node.
func sectionStart(n ast.Node) ast.Node {
	for n.Parent() != nil && n.Parent().Kind() != ast.KindDocument {
		n = n.Parent()
	}
	for !isHeading(n) && n.PreviousSibling() != nil {
		n = n.PreviousSibling()
	}
	return n
}

// visitSection visits all nodes under the heading of a node, including lower headings.
func (a *attacher) visitSection(n ast.Node, visit func(ast.Node)) {
	first, level := sectionStart(n), 0
	if h, ok := first.(*ast.Heading); ok {
		level = h.Level
	}
	for n := first; n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok && h.Level <= level && n != first {
			break
		}
		visit(n)
	}
}

// An attacher finds the cases of a claim. The nearest place that names any decides: table
// row, sentence, kind of cases in the sentence, previous sentences, enclosing list items,
// label in front, items below, adjacent table or list, named rows.
type attacher struct {
	src    []byte
	blocks []*block // of the document
	ids    *idReader

	// Results are cached for all markers of a place, because a paragraph may have hundreds.
	said     map[sentence]attachment
	around   map[*block][]string // see surroundings
	rows     map[ast.Node]attachment
	listed   map[ast.Node][]string // see casesOf
	items    map[ast.Node][]string // see inListItems
	sections map[ast.Node][]string // see casesOfSection
	kinds    map[string][]string   // see labelled
	labels   []label               // nil until it is needed
}

// sentence identifies a sentence of a block.
type sentence struct {
	in *block
	at textSpan
}

// A label introduces the cases of a kind.
type label struct {
	kind string
	node ast.Node
}

// remember returns the known value of a key, or calls find and stores its result.
func remember[K comparable, V any](known map[K]V, key K, find func() V) V {
	if v, ok := known[key]; ok {
		return v
	}
	v := find()
	known[key] = v
	return v
}

// An attachment is the text of a claim and the cases it is about.
type attachment struct {
	ids       []string
	claim     string
	suiteWide bool
}

// casesOf returns the IDs at the beginning of the rows of a table or the items of a list,
// or nil for other nodes.
func (a *attacher) casesOf(n ast.Node) []string {
	return remember(a.listed, n, func() []string { return a.casesIn(n) })
}

func (a *attacher) casesIn(n ast.Node) []string {
	var all idList
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		first := c.FirstChild()
		switch {
		case c.Kind() == east.KindTableRow:
			all.add(a.idsOfRow(a.cells(c))...)
		case c.Kind() == ast.KindListItem && first != nil && isLeaf(first):
			b := newBlock(first, a.src)
			text := b.prose()
			opening, _, _ := strings.Cut(text[:b.sentences()[0].end], ":")
			all.add(a.ids.find(opening)...)
		}
	}
	return all.ids
}

func (a *attacher) cells(row ast.Node) []string {
	var cells []string
	for n := row.FirstChild(); n != nil; n = n.NextSibling() {
		text := ""
		if isLeaf(n) {
			text = oneLine(newBlock(n, a.src).prose())
		}
		cells = append(cells, text)
	}
	return cells
}

// idsOfRow returns the leading IDs of a row, or else those of the cells that have only IDs:
// "| Python | M01 | M02 | unused variable |".
func (a *attacher) idsOfRow(cells []string) []string {
	if ids := a.leadingIDs(cells); ids != nil {
		return ids
	}
	var all idList
	for _, cell := range cells {
		if hasOnlyIDs(cell) {
			all.add(a.ids.find(cell)...)
		}
	}
	return all.ids
}

func hasOnlyIDs(cell string) bool {
	return strings.Trim(idToken().ReplaceAllString(cell, ""), spaces+",–-") == ""
}

// leadingIDs returns the IDs of a row's first cell, and of the cells after it that have only
// IDs: "| M01 | M02 | unused variable |".
func (a *attacher) leadingIDs(cells []string) []string {
	var all idList
	for i, cell := range cells {
		if i > 0 && (len(all.ids) == 0 || !hasOnlyIDs(cell)) {
			break
		}
		all.add(a.ids.find(cell)...)
	}
	return all.ids
}
