package markers

import (
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
)

// An attacher finds the cases that a claim is about. The nearest place that
// names any decides: table row, sentence, enclosing list items, the label in
// front, the kind of cases, the items below, the table or list that the claim stands beside. A
// claim of several sentences is about what its earlier ones name.
type attacher struct {
	src    []byte
	blocks []*block // of the document
	ids    *idReader
}

// An attachment is the text of a claim and the cases it is about.
type attachment struct {
	ids       []string
	claim     string
	suiteWide bool
}

// allCases matches statements about every case of a section: those that start
// with it, and those that say that all of them verify something.
var allCases = regexp.MustCompile(`(?i)^\W*(all|every|each)\b[^.]*\b(rows?|cases?|tests?)\b|` +
	`\b(all|every|each)\s+(of\s+)?(the\s+|these\s+)?(\S+\s+)?(rows?|cases?|tests?)\b[^.]*\bverif`)

// blanked finds the gap that a marker leaves before punctuation.
var blanked = regexp.MustCompile(`\s{9,}([.,:;])`)

const claimLength = 200 // characters

func (a *attacher) attach(b *block, c claim) attachment {
	if b.node.Kind() == east.KindTableCell {
		return a.inRow(b.node.Parent())
	}
	text := b.prose()
	start, end := sentenceOf(b, text, c)
	sentence := oneLine(blanked.ReplaceAllString(text[start:end], "$1"))
	found := attachment{claim: shorten(strings.TrimLeft(sentence, " .,:;"), claimLength)}
	if found.ids = a.ids.in(sentence); found.ids != nil {
		return found
	}
	if allCases.MatchString(sentence) {
		found.suiteWide = true
		found.ids = a.casesOfSection(b.node)
		return found
	}
	if found.ids = a.ofKind(sentence); found.ids != nil {
		return found
	}
	for _, look := range []func(*block) []string{func(b *block) []string { return a.before(b, text, c) }, a.inListItems, a.inLabel, a.inItemsBelow, a.beside} {
		if found.ids = look(b); found.ids != nil {
			break
		}
	}
	return found
}

// before takes the IDs of the nearest sentence in front that has any, back to
// the marker before: what that ended is another claim.
func (a *attacher) before(b *block, text string, c claim) []string {
	spans := sentences(b, text)
	from := 0
	for _, other := range b.claims() {
		if other.open < c.open {
			from = other.close
		}
	}
	for i := len(spans) - 1; i >= 0; i-- {
		if spans[i].start < from || spans[i].end > c.open {
			continue
		}
		if ids := a.ids.in(text[spans[i].start:spans[i].end]); ids != nil {
			return ids
		}
	}
	return nil
}

// inRow takes the IDs of the row's first cell, or of the whole row; for the row
// of headers those of the table.
func (a *attacher) inRow(row ast.Node) attachment {
	cells := a.cells(row)
	line := strings.Join(cells, " | ")
	found := attachment{claim: shorten(line, claimLength)}
	if row.Kind() == east.KindTableHeader {
		found.ids = a.casesOf(row.Parent())
		return found
	}
	if found.ids = a.leading(cells); found.ids == nil {
		found.ids = a.ids.in(line)
	}
	return found
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

// leading takes the IDs of a row's first cell, and of those after it that are
// nothing but IDs: "| M01 | M02 | unused variable |".
func (a *attacher) leading(cells []string) []string {
	var all idList
	for i, cell := range cells {
		if i > 0 && (len(all.ids) == 0 || strings.Trim(idToken.ReplaceAllString(cell, ""), spaces+",–-") != "") {
			break
		}
		all.add(a.ids.in(cell)...)
	}
	return all.ids
}

// inListItems takes the IDs of the innermost enclosing list item that has any.
func (a *attacher) inListItems(b *block) []string {
	for n := b.node.Parent(); n != nil; n = n.Parent() {
		if n.Kind() != ast.KindListItem {
			continue
		}
		if ids := a.ids.in(a.textOf(n)); ids != nil {
			return ids
		}
	}
	return nil
}

// textOf is the text of a list item itself, without the lists inside it.
func (a *attacher) textOf(item ast.Node) string {
	var text strings.Builder
	for c := item.FirstChild(); c != nil; c = c.NextSibling() {
		if isLeaf(c) {
			text.WriteString(newBlock(c, a.src).prose() + "\n")
		}
	}
	return text.String()
}

// inLabel takes the IDs of a bold label in front: "**Live test (P28)**: ...".
func (a *attacher) inLabel(b *block) []string {
	label, ok := boldLabel(b.node, a.src)
	if !ok {
		return nil
	}
	return a.ids.in(label)
}

// inItemsBelow takes the IDs of the lists inside a claim's own list item.
func (a *attacher) inItemsBelow(b *block) []string {
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

// beside takes the IDs of the table right above a paragraph that is nothing but
// markers, or of the table or list right below one that ends with a colon.
func (a *attacher) beside(b *block) []string {
	text := strings.Trim(b.prose(), spaces+".")
	if prev := b.node.PreviousSibling(); text == "" && prev != nil && prev.Kind() == east.KindTable {
		return a.casesOf(prev)
	}
	if next := b.node.NextSibling(); strings.HasSuffix(text, ":") && next != nil {
		return a.casesOf(next)
	}
	return nil
}

// casesOfSection takes the IDs of all tables and lists under the heading of a
// block.
func (a *attacher) casesOfSection(n ast.Node) []string {
	for n.Parent() != nil && n.Parent().Kind() != ast.KindDocument {
		n = n.Parent()
	}
	first, level := n, 0
	for ; n != nil && level == 0; n = n.PreviousSibling() {
		first = n
		if h, ok := n.(*ast.Heading); ok {
			level = h.Level
		}
	}
	var all idList
	for n = first; n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok && h.Level <= level && n != first {
			break
		}
		all.add(a.casesOf(n)...)
	}
	return all.ids
}

// casesOf lists the IDs in front of the rows of a table, or at the start of a
// list's items; nil for anything else.
func (a *attacher) casesOf(n ast.Node) []string {
	var all idList
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		first := c.FirstChild()
		switch {
		case c.Kind() == east.KindTableRow:
			all.add(a.leading(a.cells(c))...)
		case c.Kind() == ast.KindListItem && first != nil && isLeaf(first):
			b := newBlock(first, a.src)
			text := b.prose()
			opening, _, _ := strings.Cut(text[:sentences(b, text)[0].end], ":")
			all.add(a.ids.in(opening)...)
		}
	}
	return all.ids
}
