package markers

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"hookwatch/suites/pattern"
)

// sentenceOf finds the sentence of text (the block's prose) that a marker
// belongs to. A marker that follows a full stop belongs to the sentence that
// just ended.
func sentenceOf(b *block, c claim) textSpan {
	spans := b.sentences()
	i := max(0, sort.Search(len(spans), func(i int) bool { return spans[i].start > c.open })-1)
	if i > 0 && strings.TrimSpace(b.prose()[spans[i].start:c.open]) == "" {
		i--
	}
	return spans[i]
}

// continues reports whether text goes on with a sentence already begun. One may
// begin with the name of a suite, as in "pm/P01".
func continues(text string) bool {
	text = strings.TrimLeft(text, spaces)
	if m := idToken().FindStringIndex(text[:min(len(text), 80)]); m != nil && m[0] == 0 {
		return false
	}
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.IsLower(r)
}

// abbreviation matches a stop that ends no sentence. It is looked for in the
// characters before the stop, of which it has no more than abbreviated.
var abbreviation = pattern.Lazy(`(?i)\b(e\.g|i\.e|cf|vs|incl|resp|approx|etc|no|fig|sec)\.$`)

const abbreviated = 10

// sentences cuts the block's prose, once; there is at least one.
func (b *block) sentences() []textSpan {
	if b.spans == nil {
		b.spans = b.cut(b.prose())
	}
	return b.spans
}

// cut cuts after each full stop, question or exclamation mark outside code that
// white space and no lower-case letter follows.
func (b *block) cut(text string) []textSpan {
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
		if end < len(text) && (!strings.ContainsRune(spaces, rune(text[end])) || continues(text[end:])) || abbreviation().MatchString(text[max(start, i-abbreviated):i+1]) {
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
