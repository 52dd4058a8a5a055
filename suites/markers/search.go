package markers

import (
	"strings"
	"unicode"
)

// text finds the words of a name in the lines of a place: as they stand, else
// all of them on one line. Code goes before comments that speak of it.
func (o *outline) text(at entry, name string) (entry, bool) {
	want := words(name)
	if len(want) == 0 {
		return entry{}, false
	}
	phrase := " " + strings.Join(want, " ") + " "
	var best [4]*entry // phrase in code, in a comment; words in code, in a comment
	for line := o.lines.line(at.start); line <= len(o.lines.starts) && o.lines.starts[line-1] < max(at.end, 1); line++ {
		start, end := max(o.lines.starts[line-1], at.start), min(o.lines.end(line), at.end)
		if start > end {
			continue
		}
		have := o.plain()[line-1]
		if start > o.lines.starts[line-1] || end < o.lines.end(line) {
			have = plainLine(o.words[start:end])
		}
		e, rank := entry{rule: ByText, name: name, start: start, end: end}, 0
		switch {
		case strings.Contains(have, phrase):
		case len(want) > 1 && hasAll(have, want):
			e.rule, rank = ByWords, 2
		default:
			continue
		}
		if o.comments[line] {
			rank++
		}
		if best[rank] == nil {
			best[rank] = &e
		}
	}
	for _, e := range best {
		if e != nil {
			return *e, true
		}
	}
	return entry{}, false
}

// plainLine is the words of a line, each between two spaces.
func plainLine(line []byte) string { return " " + strings.Join(words(string(line)), " ") + " " }

func (o *outline) plainLines() []string {
	lines := make([]string, len(o.lines.starts))
	for i, start := range o.lines.starts {
		lines[i] = plainLine(o.words[start:max(start, o.lines.end(i+1))])
	}
	return lines
}

// isIdentifier reports whether a word can only be a name in code.
func isIdentifier(word string) bool {
	return strings.Contains(strings.Trim(word, "_"), "_") && !strings.ContainsFunc(word, func(r rune) bool { return !isWord(r) })
}

func hasAll(line string, want []string) bool {
	for _, w := range want {
		if !strings.Contains(line, " "+w+" ") {
			return false
		}
	}
	return true
}

// words are the runs of letters, digits and underscores, in lower case.
func words(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !isWord(r) })
}

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// cutWords drops the leading words of s, and what separates them, when they
// are those wanted.
func cutWords(s string, want []string) (rest string, ok bool) {
	if len(want) == 0 {
		return s, false
	}
	for _, w := range want {
		s = strings.TrimLeftFunc(s, func(r rune) bool { return !isWord(r) })
		end := strings.IndexFunc(s, func(r rune) bool { return !isWord(r) })
		if end < 0 {
			end = len(s)
		}
		if !strings.EqualFold(s[:end], w) {
			return s, false
		}
		s = s[end:]
	}
	return s, true
}
