package markers

import (
	"errors"
	"strings"

	"hookwatch/suites/pattern"
)

// ParseRef reads the references of one marker, without its brackets: "file §A,
// §B" are two sections of one file, "file §A §B" is B below A, and "a.sh §X,
// b.md §Y" names two sources. It fails when the text names no source.
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

// splitRefs cuts a marker's text at its commas. A part that starts with § is a
// section of the source before it; a part that neither has a § nor looks like
// a source belongs to the section before it, comma and all.
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

// A part is the text between two commas, with the offset of its first
// character that is no white space.
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

// wrapped finds a line break inside a path, after a slash or a hyphen.
var wrapped = pattern.Lazy(`([/-])[ \t]*\r?\n\s*`)

func cleanSource(s string) string {
	s = wrapped().ReplaceAllString(strings.ReplaceAll(s, "`", ""), "$1")
	return oneLine(strings.Trim(s, spaces+"<>\"'"))
}

// cleanSection drops quoting from "A `b` §C", keeps the nesting and the words.
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

// sourceLike matches what can only be a path: it has a slash or an extension.
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
