// Package markers reads the claims of spec documents and cases: "[verify: source
// §section]" states what a claim depends on. It finds the markers of a document, attaches
// them to case IDs, and resolves each to file, line and section.
package markers

import (
	"errors"
	"strings"

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

// oneLine turns every run of white space into one space.
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
