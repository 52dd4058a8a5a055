package printable

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// NewWriter returns a writer to a terminal that escapes everything a terminal interprets, except
// line ends and tabs. It is only the last line of defence: fields must be escaped before they
// become part of a line. Each write must contain whole characters. If out has a file descriptor, so
// has the writer.
func NewWriter(out io.Writer) io.Writer {
	w := writer{out: out, show: Lines}
	if f, ok := out.(file); ok {
		return fileWriter{w, f}
	}
	return w
}

// NewJSONWriter returns a writer of JSON that escapes as \u009b the characters that Text escapes.
// Readers get the same values, and a terminal interprets none of them.
func NewJSONWriter(out io.Writer) io.Writer { return writer{out: out, show: escapeJSON} }

type writer struct {
	out  io.Writer
	show func(string) string
}

func (w writer) Write(p []byte) (int, error) {
	var err error
	if !slices.ContainsFunc(p, isSpecial) {
		_, err = w.out.Write(p)
	} else {
		_, err = io.WriteString(w.out, w.show(string(p)))
	}
	if err != nil {
		return 0, err
	}
	return len(p), nil
}

type file interface{ Fd() uintptr }

type fileWriter struct {
	writer
	file
}

func isSpecial(c byte) bool { return (c < ' ' || c > '~') && c != '\n' }

// Lines is Text for several lines: line ends and tabs stay.
func Lines(text string) string {
	var b strings.Builder
	start := 0
	for i := range len(text) {
		if c := text[i]; c == '\n' || c == '\t' {
			b.WriteString(Text(text[start:i]))
			b.WriteByte(c)
			start = i + 1
		}
	}
	b.WriteString(Text(text[start:]))
	return b.String()
}

// escapeJSON escapes characters in JSON; those that are not ASCII can only be within a string.
func escapeJSON(text string) string {
	var b strings.Builder
	var s state
	for len(text) > 0 {
		size, ok := s.next(text)
		if ok || text[0] == '\n' {
			b.WriteString(text[:size])
		} else if r, _ := utf8.DecodeRuneInString(text); r > 0xffff {
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		} else {
			fmt.Fprintf(&b, `\u%04x`, r) // U+FFFD for invalid UTF-8, as readers decode it
		}
		text = text[size:]
	}
	return b.String()
}
