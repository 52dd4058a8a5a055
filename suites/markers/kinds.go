package markers

import (
	"strings"

	"hookwatch/suites/pattern"

	"github.com/yuin/goldmark/ast"
)

var (
	// kindForm matches a sentence about kinds of cases: "Block/approve cases verify".
	kindForm = pattern.Lazy(`^\W*([A-Za-z][\w-]*(?:(?:\s*[/,]\s*|,?\s+and\s+)[A-Za-z][\w-]*)*)(?:\s+[a-z]+)?\s+(?:cases|tests|checks)\b`)
	kindStop = pattern.Lazy(`\s*[/,]\s*|,?\s+and\s+`)
	// kindLabel matches the bold label in front of such cases: "**Block cases**".
	kindLabel = pattern.Lazy(`(?i)\b(?:cases|tests|checks)\b`)
)

// ofKind takes the cases of the kinds that a sentence begins with, where a bold
// label of the document introduces each kind. One that none does gives nothing.
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
	return once(a.kinds, strings.ToLower(kind), func() []string { return a.below(kind) })
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
