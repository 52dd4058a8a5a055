package yamlform

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Shown returns text for a message, cut off after most bytes. It is quoted if it contains
// characters that are invisible or control a terminal.
func Shown(text string, most int) string {
	cut := shortened(text, most)
	if !utf8.ValidString(cut) || strings.ContainsFunc(cut, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(cut)
	}
	return cut
}

// Quoted returns text in quotes for a message, cut off after most bytes before quoting.
func Quoted(text string, most int) string { return strconv.Quote(shortened(text, most)) }

func shortened(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "..."
}
