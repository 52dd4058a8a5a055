package config

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"hookwatch/suites/spelling"
)

// shownText is how much of a value a message shows.
const shownText = 80

// shown is text for a message: at most so many bytes, and quoted where a terminal
// would obey it or a reader not see it.
func shown(text string, most int) string {
	cut := shortened(text, most)
	if !utf8.ValidString(cut) || strings.ContainsFunc(cut, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(cut)
	}
	return cut
}

// quoted is text in quotes, as much as a message shows.
func quoted(text string) string { return strconv.Quote(shortened(text, shownText)) }

func shortened(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "..."
}

// nearest gives the word that was most likely meant, but for texts that are no
// words at all.
func nearest(text string, words []string) string {
	if len(text) > shownText {
		return ""
	}
	return spelling.Nearest(text, words)
}
