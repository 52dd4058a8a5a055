package markers

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// sentenceOf finds the sentence of text (the block's prose) that a marker
// belongs to. A marker that follows a full stop belongs to the sentence that
// just ended.
func sentenceOf(b *block, text string, c claim) (start, end int) {
	spans := sentences(b, text)
	i := len(spans) - 1
	for i > 0 && spans[i].start > c.open {
		i--
	}
	if i < 0 {
		return 0, len(text)
	}
	if i > 0 && strings.TrimSpace(text[spans[i].start:c.open]) == "" {
		i--
	}
	return spans[i].start, spans[i].end
}

// continues reports whether text goes on with a sentence already begun. One may
// begin with the name of a suite, as in "pm/P01".
func continues(text string) bool {
	text = strings.TrimLeft(text, spaces)
	if m := idToken.FindStringIndex(text[:min(len(text), 80)]); m != nil && m[0] == 0 {
		return false
	}
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.IsLower(r)
}

// abbreviation matches a stop that ends no sentence.
var abbreviation = regexp.MustCompile(`(?i)\b(e\.g|i\.e|cf|vs|incl|resp|approx|etc|no|fig|sec)\.$`)

type textSpan struct{ start, end int }

// sentences cuts a block's prose after each full stop, question or exclamation
// mark outside code that white space and no lower-case letter follows.
func sentences(b *block, text string) []textSpan {
	var spans []textSpan
	start := 0
	for i := 0; i < len(text); i++ {
		if b.code[i] || !strings.ContainsRune(".?!", rune(text[i])) {
			continue
		}
		end := i + 1
		for end < len(text) && strings.IndexByte(")\"'*`", text[end]) >= 0 {
			end++
		}
		if end < len(text) && (!strings.ContainsRune(spaces, rune(text[end])) || continues(text[end:])) || abbreviation.MatchString(text[start:i+1]) {
			continue
		}
		spans = append(spans, textSpan{start, end})
		start, i = end, end-1
	}
	if strings.TrimSpace(text[start:]) != "" || len(spans) == 0 {
		spans = append(spans, textSpan{start, len(text)})
	}
	return spans
}
