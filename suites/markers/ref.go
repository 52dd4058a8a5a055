// Package markers reads the claims of spec documents and cases: "[verify: source
// §section]" states what a claim depends on. It finds the markers of a document, attaches
// them to case IDs, and resolves each to file, line and section.
package markers

import (
	"bytes"
	"errors"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"hookwatch/suites"
	"hookwatch/suites/pattern"
)

// ParseRef reads the references of one marker, without its brackets: "file §A, §B" are two
// sections of one file, "file §A §B" is B below A, and "a.sh §X, b.md §Y" names two
// sources. It returns an error if the text names no source.
func ParseRef(text string) ([]Ref, error) {
	pieces := splitRefs(text, nil)
	if len(pieces) == 0 {
		return nil, errors.New("marker names no source (write: path §section)")
	}
	refs := make([]Ref, 0, len(pieces))
	for _, p := range pieces {
		switch p.Source {
		case "":
			return nil, errors.New("marker " + quote(text) + " starts with a section (write: path §section)")
		case unresolved:
			return nil, errors.New("marker " + quote(text) + " is still unresolved (name its source)")
		}
		refs = append(refs, p.Ref)
	}
	return refs, nil
}

// A piece is one reference and the byte offset of its text in the marker.
type piece struct {
	Ref
	at int
}

// splitRefs splits a marker's text at its commas. A part that starts with § is a section
// of the source before it. A part without a § that does not look like a source belongs to
// the section before it, including the comma.
func splitRefs(text string, aliases map[string]string) []piece {
	var pieces []piece
	for _, p := range cutParts(text) {
		source, section, hasSection := strings.Cut(p.text, sign)
		source, section = cleanSource(source), cleanSection(section)
		switch last := len(pieces) - 1; {
		case source == "" && section == "":
		case source == "" && last >= 0:
			pieces = append(pieces, piece{Ref{pieces[last].Source, section}, p.at})
		case !hasSection && last >= 0 && pieces[last].Section != "" && !looksLikeSource(source, aliases):
			pieces[last].Section += ", " + cleanSection(p.text)
		default:
			pieces = append(pieces, piece{Ref{source, section}, p.at})
		}
	}
	return pieces
}

// A part is the text between two commas, with the offset of its first character that is
// not white space.
type part struct {
	text string
	at   int
}

// cutParts splits at commas and semicolons outside code spans.
func cutParts(text string) []part {
	var parts []part
	start, code := 0, false
	add := func(end int) {
		s := text[start:end]
		lead := len(s) - len(strings.TrimLeft(s, spaces))
		if trimmed := strings.TrimSpace(s); trimmed != "" {
			parts = append(parts, part{trimmed, start + lead})
		}
	}
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '`':
			code = !code
		case ',', ';':
			if !code {
				add(i)
				start = i + 1
			}
		}
	}
	if code { // an odd number of backticks quotes nothing
		return cutParts(strings.ReplaceAll(text, "`", " "))
	}
	add(len(text))
	return parts
}

const spaces = " \t\r\n\f\v"

// wrapped matches a line break inside a path, after a slash or a hyphen.
var wrapped = pattern.Lazy(`([/-])[ \t]*\r?\n\s*`)

func cleanSource(s string) string {
	s = wrapped().ReplaceAllString(strings.ReplaceAll(s, "`", ""), "$1")
	return oneLine(strings.Trim(s, spaces+"<>\"'"))
}

// cleanSection removes quotes from "A `b` §C" and keeps the nesting and the words.
func cleanSection(s string) string {
	names := strings.Split(strings.ReplaceAll(s, "`", ""), sign)
	kept := names[:0]
	for _, n := range names {
		if n = strings.Trim(oneLine(n), " \"'"); n != "" {
			kept = append(kept, n)
		}
	}
	return strings.Join(kept, " "+sign)
}

// sourceLike matches text that can only be a path: it has a slash or an extension.
var sourceLike = pattern.Lazy(`^[^\s]*(/[^\s]*|\.[A-Za-z][A-Za-z0-9]*(:[\w.-]+)?)$`)

func looksLikeSource(s string, aliases map[string]string) bool {
	return aliases[s] != "" || s == unresolved || sourceLike().MatchString(s)
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func quote(s string) string { return "\"" + shorten(oneLine(s), 60) + "\"" }

// shorten cuts s to at most n characters.
func shorten(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}

// A Ref names a source and a section of it, as written.
type Ref struct {
	Source  string // path, alias, basename, file:line or file:symbol
	Section string // "" for the whole source; "A §B" is B below A
}

// String formats the reference as "source §section".
func (r Ref) String() string {
	switch {
	case r.Section == "":
		return r.Source
	case r.Source == "":
		return sign + r.Section
	default:
		return r.Source + " " + sign + r.Section
	}
}

// A Marker is one reference that a spec document makes. A marker with several sources or
// sections becomes several values with the same claim.
type Marker struct {
	Spec   string // slash path of the document
	Line   int    // of the reference; from 1
	Column int    // in characters, from 1
	Ref
	IDs        []string // cases of the claim: "P01", or "pm/P01" if the text names the suite
	Claim      string   // the sentence or table row, without its markers
	SuiteWide  bool     // the claim is about all cases of the tables in its section
	Unresolved bool     // the source is the word "unresolved", to be replaced later
}

// At returns the position of the reference.
func (m *Marker) At() suites.Position {
	return suites.Position{File: m.Spec, Line: m.Line, Column: m.Column}
}

const (
	sign       = "§"
	unresolved = "unresolved"
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
