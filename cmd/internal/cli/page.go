package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"hookwatch/cmd/internal/notify"
	"hookwatch/cmd/internal/session"
	"hookwatch/suites/printable"
	"hookwatch/suites/sandbox"
)

// writef writes text for users. Each operand is made printable separately, because it may contain
// text from elsewhere: it must not end a line, start another one or control the terminal. All
// text for users except that of the views is written by writef or rowf, which a test checks.
func writef(w io.Writer, format string, args ...any) {
	operands(args, printable.Field)
	fmt.Fprintf(w, format, args...)
}

// rowf is writef for a row of a table, where a long cell would widen every row.
func rowf(w io.Writer, format string, args ...any) {
	operands(args, printable.Cell)
	fmt.Fprintf(w, format, args...)
}

// prosef is writef for a line of prose. One of more than the columns goes on, as far in, on the next; 0 is any number.
func prosef(w io.Writer, columns int, indent, format string, args ...any) {
	operands(args, printable.Field)
	lines := []string{fmt.Sprintf(format, args...)}
	if columns > 0 && printable.Width(indent+lines[0]) > columns {
		lines = notify.Wrap(lines[0], max(1, columns-len(indent)))
	}
	for _, line := range lines {
		writef(w, "%s%s\n", output(indent), output(line))
		indent = strings.Repeat(" ", len(indent))
	}
}

// oneLine returns a command on a line of so many characters.
func oneLine(text string, most int) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-3]) + "..."
	}
	return text
}

// ranIn is the isolation in which a command ran hooks, as part of its JSON document and of each
// line.
type ranIn struct {
	Isolation    string `json:"isolation,omitempty"`
	IsolationWhy string `json:"isolation_why,omitempty"` // why it is not namespaces
}

// leftOut are the firings that a command did not make, as part of its JSON document.
type leftOut struct {
	Known int `json:"known_firings,omitempty"` // because it is known what they do
	// Differing are firings that did something else than was known, although nothing that they were seen to use
	// has changed. Everything that was known is dropped then.
	Differing int `json:"differing_firings,omitempty"`
}

// A line is an item of a document as a JSON line of its own, with the isolation in which hooks ran.
type line struct {
	item any
	in   ranIn
}

// MarshalJSON adds the fields of the isolation to those of the item.
func (l line) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // hooks and reasons are full of < > &
	err := enc.Encode(l.item)
	if err != nil || l.in == (ranIn{}) {
		return b.Bytes(), err
	}
	n := b.Len()
	err = enc.Encode(l.in)
	return slices.Concat(b.Bytes()[:n-len("}\n")], []byte(","), b.Bytes()[n+len("{"):]), err
}

func jsonLines[T any](items []T, in ranIn) (lines []any) {
	for _, item := range items {
		lines = append(lines, line{item, in})
	}
	return lines
}

// inIsolation returns the chosen isolation.
func inIsolation(c sandbox.Choice) ranIn {
	return ranIn{Isolation: c.Describe().Name, IsolationWhy: c.Why}
}

// printIsolation prints the isolation in which hooks ran, and the gaps of a weak one.
func printIsolation(w io.Writer, in ranIn) {
	why := in.IsolationWhy
	if open := sandbox.Describe(in.Isolation).Open; open != "" {
		if why != "" {
			why = ", " + why
		}
		writef(w, "isolation: %s%s: %s\n", in.Isolation, why, whole(open))
		return
	}
	writef(w, "isolation: %s\n", in.Isolation)
}

// print prints how many firings were left out.
func (l leftOut) print(w io.Writer) {
	if l.Known > 0 {
		writef(w, "%s known from before (--fresh makes them again)\n", session.Count(l.Known, "firing"))
	}
	if l.Differing > 0 {
		writef(w, "%s did something else than before, although nothing that it uses changed: what was known is dropped, run this again\n", session.Count(l.Differing, "firing"))
	}
}

// An output is a line of a program's output: its spaces are preserved.
type output string

// A whole is text that is never cut, because the user consents to all of it.
type whole string

// operands makes each operand printable.
func operands(args []any, as func(string) string) {
	for i, arg := range args {
		switch arg.(type) {
		case output:
			args[i] = shown{arg, func(s string) string { return printable.Cut(s, printable.MaxField) }}
		case whole:
			args[i] = shown{arg, printable.Text}
		default:
			args[i] = shown{arg, as}
		}
	}
}

// shown is an operand that is made printable after it is formatted.
type shown struct {
	value any
	as    func(string) string
}

// Format implements fmt.Formatter.
func (s shown) Format(f fmt.State, verb rune) {
	_, _ = io.WriteString(f, s.as(fmt.Sprintf(fmt.FormatString(f, verb), s.value)))
}
