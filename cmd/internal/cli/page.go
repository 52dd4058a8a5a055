package cli

import (
	"fmt"
	"io"

	"hookwatch/suites/printable"
	"hookwatch/suites/sandbox"
)

// writef writes text for people. Its operands may hold what others wrote: each
// is made printable by itself, so that none ends a line, begins another or says
// anything to the terminal. All text for people but the views' goes through here
// or Rowf; a test sees to it.
func writef(w io.Writer, format string, args ...any) {
	operands(args, printable.Field)
	fmt.Fprintf(w, format, args...)
}

// rowf is Writef for a row of a table, where a long cell would widen every row.
func rowf(w io.Writer, format string, args ...any) {
	operands(args, printable.Cell)
	fmt.Fprintf(w, format, args...)
}

// ranIn is the isolation in which a command ran hooks, as a part of its JSON document and of
// each line of it.
type ranIn struct {
	Isolation    string `json:"isolation,omitempty"`
	IsolationWhy string `json:"isolation_why,omitempty"` // why it is not namespaces
}

// inIsolation is the isolation that was chosen.
func inIsolation(c sandbox.Choice) ranIn { return ranIn{c.Describe().Name, c.Why} }

// printIsolation writes the isolation in which hooks ran, and what a weak one leaves open.
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

// An output is a line of a program's own Output: its spaces are shown as they are.
type output string

// A whole is text that is never cut: the user agrees to all of it.
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

// shown is an operand that is made printable once it is formatted.
type shown struct {
	value any
	as    func(string) string
}

// Format implements fmt.Formatter.
func (s shown) Format(f fmt.State, verb rune) {
	_, _ = io.WriteString(f, s.as(fmt.Sprintf(fmt.FormatString(f, verb), s.value)))
}
