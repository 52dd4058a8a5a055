package markers

import (
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
)

// An attacher finds the cases that a claim is about. The nearest place that
// names any decides: table row, sentence, enclosing list items, the label in
// front, the table that the claim stands beside.
type attacher struct {
	src   []byte
	known func(string) bool
}

// An attachment is the text of a claim and the cases it is about.
type attachment struct {
	ids       []string
	claim     string
	suiteWide bool
}

// allCases matches statements about every case of a section.
var allCases = regexp.MustCompile(`(?i)^\W*(all|every|each)\b[^.]*\b(rows?|cases?|tests?)\b`)

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
	found := attachment{claim: shorten(sentence, claimLength)}
	if found.ids = a.ids(sentence); found.ids != nil {
		return found
	}
	if allCases.MatchString(sentence) {
		found.suiteWide = true
		found.ids = a.tablesOfSection(b.node)
		return found
	}
	for _, look := range []func(*block) []string{a.inListItems, a.inLabel, a.inTableBeside} {
		if found.ids = look(b); found.ids != nil {
			break
		}
	}
	return found
}

func (a *attacher) ids(text string) []string { return idsIn(text, a.known) }

// inRow takes the IDs of the row's first cell, or of the whole row.
func (a *attacher) inRow(row ast.Node) attachment {
	var cells []string
	for n := row.FirstChild(); n != nil; n = n.NextSibling() {
		if isLeaf(n) {
			cells = append(cells, oneLine(newBlock(n, a.src).prose()))
		}
	}
	line := strings.Join(cells, " | ")
	found := attachment{claim: shorten(line, claimLength)}
	if len(cells) > 0 {
		found.ids = a.ids(cells[0])
	}
	if found.ids == nil {
		found.ids = a.ids(line)
	}
	return found
}

// inListItems takes the IDs of the innermost enclosing list item that has any.
func (a *attacher) inListItems(b *block) []string {
	for n := b.node.Parent(); n != nil; n = n.Parent() {
		if n.Kind() != ast.KindListItem {
			continue
		}
		var text strings.Builder
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			if isLeaf(c) {
				text.WriteString(newBlock(c, a.src).prose() + "\n")
			}
		}
		if ids := a.ids(text.String()); ids != nil {
			return ids
		}
	}
	return nil
}

// inLabel takes the IDs of a bold label in front: "**Live test (P28)**: ...".
func (a *attacher) inLabel(b *block) []string {
	label, ok := boldLabel(b.node, a.src)
	if !ok {
		return nil
	}
	return a.ids(label)
}

// inTableBeside takes the IDs of the table right above a paragraph that is
// nothing but markers, or right below one that ends with a colon.
func (a *attacher) inTableBeside(b *block) []string {
	text := strings.Trim(b.prose(), spaces+".")
	if prev := b.node.PreviousSibling(); text == "" && prev != nil && prev.Kind() == east.KindTable {
		return a.tableIDs(prev)
	}
	if next := b.node.NextSibling(); strings.HasSuffix(text, ":") && next != nil && next.Kind() == east.KindTable {
		return a.tableIDs(next)
	}
	return nil
}

// tablesOfSection takes the IDs of all tables under the heading of a block.
func (a *attacher) tablesOfSection(n ast.Node) []string {
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
		if n.Kind() == east.KindTable {
			for _, id := range a.tableIDs(n) {
				all.add(id)
			}
		}
	}
	return all.ids
}

// tableIDs lists the IDs in the first column of a table.
func (a *attacher) tableIDs(table ast.Node) []string {
	var all idList
	for row := table.FirstChild(); row != nil; row = row.NextSibling() {
		if cell := row.FirstChild(); row.Kind() == east.KindTableRow && cell != nil && isLeaf(cell) {
			for _, id := range a.ids(newBlock(cell, a.src).prose()) {
				all.add(id)
			}
		}
	}
	return all.ids
}
