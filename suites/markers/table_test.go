package markers

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// FuzzTable checks that documents are read as with goldmark's own tables.
func FuzzTable(f *testing.F) {
	for _, seed := range []string{
		"| a | b |\n|---|:-:|\n| 1 | 2 | 3 |\n| 4\n",
		"text\n*more*\na | b\n-|-\nc | d",
		"| a |\n|---|---|\n| b | c |",
		"| a | b | c |\n|---|---|\n",
		"| a | b |\n|---|---|\n| `x\\|y\\|z` | **`\\|`** |\n| \\| ` \\|\n",
		"> | a |\n> |:--|\n> | [verify: a.sh] `b\\|`\n\n- a | b\n  --|--\n  c | d\n",
		"a\n-\n", "a\n-", "|\n|-\n", "||\n||", "a\n:-", "a\n    -|", "a|b\n\f-|-\n", "a\n-|\n\\|\n", "| `a |\n|-|\n| b` | `c\\|", "a\n\t:-:\n\n|\n-\n|", "a\nb|c\n--|--|--\nd|e\n--|--\n",
	} {
		f.Add(seed)
	}
	reference := goldmark.New(goldmark.WithParser(parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(parser.DefaultInlineParsers()...),
	)), goldmark.WithExtensions(extension.Table)).Parser()
	f.Fuzz(func(t *testing.T, src string) {
		if intricate([]byte(src)) {
			return
		}
		if diff := cmp.Diff(tree(reference, src), tree(reader(), src)); diff != "" {
			t.Errorf("goldmark's tables (-) and hookwatch's (+) of %q:\n%s", src, diff)
		}
	})
}

// tree lists the nodes of a document with their source, one a line.
func tree(p parser.Parser, src string) []string {
	var nodes []string
	depth := 0
	_ = ast.Walk(p.Parse(text.NewReader([]byte(src))), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			depth--
			return ast.WalkContinue, nil
		}
		var where any
		if t, ok := n.(*ast.Text); ok {
			where = t.Segment
		} else if n.Type() != ast.TypeInline {
			where = n.Lines().Sliced(0, n.Lines().Len())
		}
		nodes = append(nodes, strings.Repeat(" ", depth)+fmt.Sprint(n.Kind(), where))
		depth++
		return ast.WalkContinue, nil
	})
	return nodes
}
