package markers

import (
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

	// What was found out once holds for all markers of a place: a paragraph may have
	// hundreds.
	said     map[said]attachment
	around   map[*block][]string // see surroundings
	rows     map[ast.Node]attachment
	listed   map[ast.Node][]string // see casesOf
	items    map[ast.Node][]string // see inListItems
	sections map[ast.Node][]string // see casesOfSection
	kinds    map[string][]string   // see labelled
	labels   []label               // nil until asked for
}

// said is a sentence of a block.
type said struct {
	in *block
	at textSpan
}

// A label introduces the cases of a kind.
type label struct {
	kind string
	node ast.Node
}

// once gives what is known of a key, or finds it out.
func once[K comparable, V any](known map[K]V, key K, find func() V) V {
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

// casesOf lists the IDs in front of the rows of a table, or at the start of a
// list's items; nil for anything else.
func (a *attacher) casesOf(n ast.Node) []string {
	return once(a.listed, n, func() []string { return a.casesIn(n) })
}

func (a *attacher) casesIn(n ast.Node) []string {
	var all idList
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		first := c.FirstChild()
		switch {
		case c.Kind() == east.KindTableRow:
			all.add(a.ofRow(a.cells(c))...)
		case c.Kind() == ast.KindListItem && first != nil && isLeaf(first):
			b := newBlock(first, a.src)
			text := b.prose()
			opening, _, _ := strings.Cut(text[:b.sentences()[0].end], ":")
			all.add(a.ids.in(opening)...)
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

// ofRow takes the IDs that lead a row, else those of the cells that are nothing but
// IDs: "| Python | M01 | M02 | unused variable |".
func (a *attacher) ofRow(cells []string) []string {
	if ids := a.leading(cells); ids != nil {
		return ids
	}
	var all idList
	for _, cell := range cells {
		if onlyIDs(cell) {
			all.add(a.ids.in(cell)...)
		}
	}
	return all.ids
}

func onlyIDs(cell string) bool {
	return strings.Trim(idToken().ReplaceAllString(cell, ""), spaces+",–-") == ""
}

// leading takes the IDs of a row's first cell, and of those after it that are
// nothing but IDs: "| M01 | M02 | unused variable |".
func (a *attacher) leading(cells []string) []string {
	var all idList
	for i, cell := range cells {
		if i > 0 && (len(all.ids) == 0 || !onlyIDs(cell)) {
			break
		}
		all.add(a.ids.in(cell)...)
	}
	return all.ids
}
