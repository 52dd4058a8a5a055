package markers

import (
	"slices"
	"strings"

	"hookwatch/suites/pattern"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
)

var (
	// kindForm matches a sentence about kinds of cases: "Block/approve cases verify".
	kindForm  = pattern.Lazy(`^\W*([A-Za-z][\w-]*(?:(?:\s*[/,]\s*|,?\s+and\s+)[A-Za-z][\w-]*)*)(?:\s+[a-z]+)?\s+(?:cases|tests|checks)\b`)
	kindStop  = pattern.Lazy(`\s*[/,]\s*|,?\s+and\s+`)
	snakeCase = pattern.Lazy(`^[a-z0-9]+(_[a-z0-9]+)+$`)
	// kindLabel matches the bold label in front of such cases: "**Block cases**".
	kindLabel = pattern.Lazy(`(?i)\b(?:cases|tests|checks)\b`)
)

// ofKind takes the cases of the kinds that a sentence begins with: those that a bold
// label of the document introduces, with the rows of the same letters that have the
// kind in their name, or else the rows of which a cell begins with the kind, such as
// "Allowlisted subcommand". Where one kind has no cases the sentence has none.
func (a *attacher) ofKind(sentence string) []string {
	m := kindForm().FindStringSubmatch(sentence)
	if m == nil {
		return nil
	}
	var all idList
	for _, kind := range kindStop().Split(m[1], -1) {
		ids := a.labelled(kind)
		if ids == nil {
			return nil
		}
		all.add(ids...)
	}
	return all.ids
}

// labelled takes the IDs of the tables and lists that follow the label of a
// kind, up to the first that has any.
func (a *attacher) labelled(kind string) []string {
	return once(a.kinds, strings.ToLower(kind), func() []string {
		var all idList
		all.add(a.below(kind)...)
		all.add(a.inRows(kind, all.ids)...)
		return all.ids
	})
}

// inRows takes the rows of all tables that are of a kind by what they say themselves.
// labelled are the cases that a label introduces.
func (a *attacher) inRows(kind string, labelled []string) []string {
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
			if i == 0 || !saysKind(cell, kind, labelled != nil) {
				continue
			}
			for _, id := range a.leading(cells) {
				if labelled == nil || letters[strings.TrimRight(id, "0123456789abcdefghijklmnopqrstuvwxyz")] {
					all.add(id)
				}
			}
		}
	}
	return all.ids
}

// saysKind reports whether a cell is a name with a word of the kind, as in
// semicolon_compound, or, where it need not be a name, begins with the kind.
func saysKind(cell, kind string, name bool) bool {
	cell, kind = strings.ToLower(cell), strings.ToLower(kind)
	if !name {
		return strings.HasPrefix(cell, kind) && strings.Contains(cell, " ")
	}
	return snakeCase().MatchString(cell) && slices.ContainsFunc(strings.Split(cell, "_"), func(word string) bool { return strings.HasPrefix(word, kind) })
}

// kindLabels lists the labels of the document.
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

func (a *attacher) below(kind string) []string {
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

// endsKind reports whether something else is introduced.
func (a *attacher) endsKind(n ast.Node) bool {
	if isHeading(n) || !isLeaf(n) {
		return isHeading(n)
	}
	label, ok := boldLabel(n, a.src)
	return ok && kindLabel().MatchString(label)
}
