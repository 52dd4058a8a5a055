package markers

import (
	"strings"

	"hookwatch/suites/pattern"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// A Document is a spec document: its markers in order of appearance, and the names that it
// declares for sources.
type Document struct {
	Path    string
	Markers []Marker
	Aliases map[string]string // name -> source
	Refused error             // why it was not read; nil if it was
}

// Read finds the markers of a Markdown document. Markers in code spans, fenced and
// indented code and HTML are ignored. If known is nil, everything in the form of an ID
// counts as one.
func Read(path string, src []byte, known *IDs) *Document {
	d := &Document{Path: path, Aliases: map[string]string{}}
	if intricate(src) {
		d.Refused = errIntricate
		return d
	}
	root := reader().Parse(text.NewReader(src))
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

// add turns one bracketed marker into its references, and returns the number of their case
// IDs.
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

// aliasForm matches "NAME = `path`", in any of the usual quotes.
var aliasForm = pattern.Lazy("(?m)(?:^|[\\s(`*])([A-Za-z][\\w-]*)[`*]*\\s+=\\s+`?([^\\s`=]+\\.[A-Za-z][A-Za-z0-9]*)`?(?:[\\s).,;]|$)")

func (b *block) aliases(into map[string]string) {
	for _, m := range aliasForm().FindAllStringSubmatch(b.text, -1) {
		if _, taken := into[m[1]]; !taken {
			into[m[1]] = m[2]
		}
	}
}
