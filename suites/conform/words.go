package conform

import "strings"

// wordsOf counts the words of an input, and how many of them a text has.
func wordsOf(text, input string) (found, all int) {
	for _, word := range strings.FieldsFunc(input, func(r rune) bool { return !isLetter(r) }) {
		if len(word) < 2 {
			continue
		}
		if all++; hasWord(text, word) {
			found++
		}
	}
	return found, all
}

// hasFirst reports whether a text has the first word of an input.
func hasFirst(text, input string) bool {
	first, _, _ := strings.Cut(input, " ")
	return len(first) > 1 && hasWord(text, first)
}

// hasWord reports whether a text has a word that no letter extends; in patterns a
// backslash and a letter may stand before it.
func hasWord(text, word string) bool {
	for i := 0; ; {
		at := strings.Index(text[i:], word)
		if at < 0 {
			return false
		}
		at += i
		end := at + len(word)
		before := at == 0 || !isLetter(rune(text[at-1])) || at > 1 && text[at-2] == '\\'
		if before && (end == len(text) || !isLetter(rune(text[end]))) {
			return true
		}
		i = end
	}
}
