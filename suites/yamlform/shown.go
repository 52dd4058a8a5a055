package yamlform

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Shown is text for a message: at most so many bytes, and quoted where a terminal
// would obey it or a reader not see it.
func Shown(text string, most int) string {
	cut := shortened(text, most)
	if !utf8.ValidString(cut) || strings.ContainsFunc(cut, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(cut)
	}
	return cut
}

// Quoted is text in quotes for a message: at most so many bytes.
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
