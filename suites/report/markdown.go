// Package report writes RESULTS.md and COMPARISON.md: what a run found and how
// it differs from the one before, for people. It writes text and reads nothing.
package report

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
)

// A document is Markdown under construction.
type document struct{ bytes.Buffer }

func (d *document) line(format string, args ...any) { fmt.Fprintf(d, format+"\n", args...) }

func (d *document) heading(level int, title string) {
	if d.Len() > 0 {
		d.line("")
	}
	d.line("%s %s\n", strings.Repeat("#", level), title)
}

// table writes a table; its cells are Markdown already.
func (d *document) table(head []string, rows [][]string) {
	d.line("| %s |", strings.Join(head, " | "))
	d.line("|%s", strings.Repeat(" --- |", len(head)))
	for _, row := range rows {
		d.line("| %s |", strings.Join(row, " | "))
	}
}

// block writes text as it is, at most that many lines of it, in a fence that is
// longer than any in the text.
func (d *document) block(text string, lines int) {
	text = strings.TrimRight(text, "\n")
	shown, left := text, 0
	if all := strings.Split(text, "\n"); len(all) > lines {
		shown, left = strings.Join(all[:lines], "\n"), len(all)-lines
	}
	fence := strings.Repeat("`", max(3, longestRun(shown, '`')+1))
	d.line("%stext\n%s\n%s", fence, printable(shown, '\n'), fence)
	if left > 0 {
		d.line("\n(%d more lines in the record)", left)
	}
}

// plain makes any text a piece of one Markdown line, also in a table's cell: it
// is shown as it is and is no markup. It must not begin a line.
func plain(text string) string {
	var b strings.Builder
	runes := []rune(printable(text, '\n'))
	for i, r := range runes {
		switch {
		case r == '\n':
			b.WriteString("<br>")
		case r == '<':
			b.WriteString("&lt;")
		case r == '&':
			b.WriteString("&amp;")
		case r == '_' && within(runes, i): // as in test_name, where it is no markup
			b.WriteRune(r)
		case strings.ContainsRune("\\`*_[]|~$", r):
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// within reports whether a letter or digit stands on either side.
func within(text []rune, i int) bool {
	word := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	return i > 0 && i+1 < len(text) && word(text[i-1]) && word(text[i+1])
}

// code makes a name a code span, also in a table's cell. A pipe cannot stand in
// one everywhere, so a name that holds one is plain text.
func code(name string) string {
	if name == "" || strings.ContainsAny(name, "|\n\r") || strings.TrimSpace(name) != name {
		return plain(name)
	}
	ticks, name := strings.Repeat("`", longestRun(name, '`')+1), printable(name)
	if strings.Contains(name, "`") {
		name = " " + name + " " // one space is taken off again
	}
	return ticks + name + ticks
}

// printable drops carriage returns and shows other control characters, but for
// those to keep, by their pictures.
func printable(text string, keep ...rune) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\r':
			return -1
		case r == '\t':
			return ' '
		case strings.ContainsRune(string(keep), r):
			return r
		case r < ' ':
			return '␀' + r
		case unicode.IsControl(r), r == '\u2028', r == '\u2029':
			return '\ufffd'
		default:
			return r
		}
	}, text)
}

func longestRun(text string, of rune) int {
	longest, run := 0, 0
	for _, r := range text {
		if r != of {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

// brief cuts a text to about that many characters.
func brief(text string, most int) string {
	text = strings.TrimSpace(text)
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "…"
	}
	return text
}

// or gives the text, or what stands for none.
func or(text, none string) string {
	if text == "" {
		return none
	}
	return text
}

func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}
