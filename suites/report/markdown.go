// Package report writes RESULTS.md and COMPARISON.md for users: the results of a run, and
// the differences from the previous one. It reads no files.
package report

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"

	"hookwatch/suites/pattern"
	"hookwatch/suites/printable"
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

// table writes a table. Its cells must be Markdown.
func (d *document) table(head []string, rows [][]string) {
	d.line("| %s |", strings.Join(head, " | "))
	d.line("|%s", strings.Repeat(" --- |", len(head)))
	for _, row := range rows {
		d.line("| %s |", strings.Join(row, " | "))
	}
}

// block writes the first lines of text verbatim, in a fence that is longer than any in the
// text.
func (d *document) block(text string, lines int) {
	text = strings.ReplaceAll(strings.TrimRight(text, "\n"), "\r\n", "\n")
	all, left := strings.Split(text, "\n"), 0
	if len(all) > lines {
		all, left = all[:lines], len(all)-lines
	}
	for i, l := range all {
		all[i] = oneLine(l)
	}
	shown := strings.Join(all, "\n")
	fence := strings.Repeat("`", max(3, longestRun(shown, '`')+1))
	d.line("%stext\n%s\n%s", fence, shown, fence)
	if left > 0 {
		d.line("\n(%d more lines in the record)", left)
	}
}

// oneLine returns text that neither a page nor a terminal interprets.
func oneLine(text string) string {
	return printable.Cut(strings.ReplaceAll(text, "\t", " "), printable.MaxField)
}

// plain formats any text as a piece of one Markdown line, which may be in a table cell or
// at the start of a list item. It is shown verbatim, without markup, links or mentions.
func plain(text string) string {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i, l := range lines {
		lines[i] = inline([]rune(oneLine(l)))
	}
	return atStart(strings.Join(lines, "<br>"))
}

func inline(text []rune) string {
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == '<':
			b.WriteString("&lt;")
		case r == '&':
			b.WriteString("&amp;")
		case r == '@': // separated from the name after it, so that it is no mention
			b.WriteString("<span>@</span>")
		case r == '_' && isInsideWord(text, i): // as in test_name, where it is no markup
			b.WriteRune(r)
		case strings.ContainsRune("\\`*_[]|~$", r), r == '#' && i == len(text)-1, address(text, i):
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// address reports whether the sign at i turns an address into a link: the colon of http://
// or the dot of www.
func address(text []rune, i int) bool {
	switch text[i] {
	case ':':
		return strings.HasPrefix(string(text[i:min(len(text), i+3)]), "://")
	case '.':
		return i >= 3 && strings.EqualFold(string(text[i-3:i]), "www")
	}
	return false
}

// start matches the beginning of a heading, a quotation or a list.
var start = pattern.Lazy(`^([0-9]+)?([#>+=-]|[.)](?: |$))`)

// atStart escapes the beginning of a line that would start a Markdown block.
func atStart(line string) string {
	return start().ReplaceAllString(strings.TrimLeft(line, " "), `$1\$2`)
}

// isInsideWord reports whether there is a letter or digit on both sides.
func isInsideWord(text []rune, i int) bool {
	word := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	return i > 0 && i+1 < len(text) && word(text[i-1]) && word(text[i+1])
}

// name is like plain, for text that should be short.
func name(text string) string { return plain(printable.Name(text)) }

// code formats a name as a code span, which may be in a table cell. Names with a pipe
// become plain text, because not every table permits a pipe in a code span, and so do
// names that cannot be shown verbatim.
func code(name string) string {
	if name == "" || strings.Contains(name, "|") || strings.TrimSpace(name) != name || printable.Cell(name) != name {
		return plain(name)
	}
	ticks := strings.Repeat("`", longestRun(name, '`')+1)
	if strings.Contains(name, "`") {
		name = " " + name + " " // Markdown removes one space on each side
	}
	return ticks + name + ticks
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

// brief cuts text to at most most characters.
func brief(text string, most int) string {
	text = strings.TrimSpace(text)
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "…"
	}
	return text
}

func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}
