package markers

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// tables finds the tables of a document as goldmark's extension does, which is not imported
// because its package compiles the patterns of all other extensions: that takes longer than the
// whole start of hookwatch.
type tables struct{}

// Transform turns the end of a paragraph into a table: its header, the delimiter line with as
// many columns, and the rows.
func (tables) Transform(paragraph *ast.Paragraph, reader text.Reader, _ parser.Context) {
	lines, parent, src := paragraph.Lines(), paragraph.Parent(), reader.Source()
	for i := 1; i < lines.Len(); i++ {
		delimiter := lines.At(i)
		columns := countColumns(delimiter.Value(src))
		if columns == 0 {
			continue
		}
		header := tableRow(lines.At(i-1), src, columns, true)
		if header.ChildCount() != columns {
			return
		}
		table := east.NewTable()
		table.AppendChild(table, east.NewTableHeader(header))
		for j := i + 1; j < lines.Len(); j++ {
			table.AppendChild(table, tableRow(lines.At(j), src, columns, false))
		}
		lines.SetSliced(0, i-1)
		parent.InsertAfter(parent, paragraph, table)
		if i == 1 {
			parent.RemoveChild(parent, paragraph)
			return
		}
		last := lines.At(i - 2)
		last.Stop-- // without its line break
		lines.Set(i-2, last)
		return
	}
}

// countColumns returns the number of columns that a delimiter line such as "|:--|---|" declares,
// and 0 for other lines.
func countColumns(line []byte) int {
	if width, _ := util.IndentWidth(line, 0); width > 3 || len(bytes.Trim(line, "-")) == 0 {
		return 0
	}
	columns := bytes.Split(line, []byte("|"))
	if util.IsBlank(columns[0]) {
		columns = columns[1:]
	}
	if n := len(columns) - 1; n >= 0 && util.IsBlank(columns[n]) {
		columns = columns[:n]
	}
	for _, c := range columns {
		dashes := strings.TrimSuffix(strings.TrimPrefix(string(bytes.Trim(c, " \t\n\r")), ":"), ":")
		if dashes == "" || strings.Trim(dashes, "-") != "" {
			return 0
		}
	}
	return len(columns)
}

// tableRow cuts a line into cells at each "|" without a backslash. Missing cells are empty. Only
// a header keeps those beyond the number of columns.
func tableRow(line text.Segment, src []byte, columns int, header bool) *east.TableRow {
	line = line.TrimLeftSpace(src)
	line = line.TrimRightSpace(src)
	row := east.NewTableRow(nil)
	s := line.Value(src)
	at, end := 0, len(s)
	if end > 0 && s[0] == '|' {
		at++
	}
	if end > 0 && s[end-1] == '|' {
		end--
	}
	for at < end && (header || row.ChildCount() < columns) {
		next := at
		for next < end && (s[next] != '|' || next > 0 && s[next-1] == '\\') {
			next++
		}
		content := text.NewSegment(line.Start+at, line.Start+next)
		content = content.TrimLeftSpace(src)
		content = content.TrimRightSpace(src)
		cell := east.NewTableCell()
		cell.Lines().Append(content)
		row.AppendChild(row, cell)
		at = next + 1
	}
	for at >= end && row.ChildCount() < columns {
		row.AppendChild(row, east.NewTableCell())
	}
	return row
}

// escapedPipes drops the backslash of each "\|" in the code spans of cells.
type escapedPipes struct{}

// Transform cuts the text of code spans in front of and behind each such backslash.
func (escapedPipes) Transform(document *ast.Document, reader text.Reader, _ parser.Context) {
	src := reader.Source()
	inCell := 0
	_ = ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n.Kind() {
		case east.KindTableCell:
			inCell++
			if !entering {
				inCell -= 2
			}
		case ast.KindCodeSpan:
			for c := n.FirstChild(); c != nil && entering && inCell > 0; c = c.NextSibling() {
				t, ok := c.(*ast.Text)
				if !ok {
					continue
				}
				whole := t.Segment
				if i := bytes.Index(whole.Value(src), []byte(`\|`)); i >= 0 {
					rest := ast.NewRawTextSegment(whole.WithStart(whole.Start + i + 1))
					n.InsertAfter(n, t, rest)
					n.ReplaceChild(n, t, ast.NewRawTextSegment(whole.WithStop(whole.Start+i)))
					c = rest.PreviousSibling()
				}
			}
		}
		return ast.WalkContinue, nil
	})
}
