package cli

import (
	"errors"
	"fmt"
	"io"

	"hookwatch/config"
	"hookwatch/suites/printable"
)

// writef writes text for people. Its operands may hold what others wrote: each
// is made printable by itself, so that none ends a line, begins another or says
// anything to the terminal. All text for people but the views' goes through here
// or rowf; a test sees to it.
func writef(w io.Writer, format string, args ...any) {
	operands(args, printable.Field)
	fmt.Fprintf(w, format, args...)
}

// rowf is writef for a row of a table, where a long cell would widen every row.
func rowf(w io.Writer, format string, args ...any) {
	operands(args, printable.Cell)
	fmt.Fprintf(w, format, args...)
}

// An output is a line of a program's own output: its spaces are shown as they are.
type output string

// A whole is text that is never cut: a person agrees to all of it.
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

// errorLines are what is said of an error. Only one that is a list has more than
// one line: a line end within a text is shown as such.
func errorLines(err error) []string {
	var lines []string
	var configured *config.Error
	var problems problemsError
	var aborted *abortedError
	switch joined, ok := err.(interface{ Unwrap() []error }); { //nolint:errorlint // the join itself is taken apart
	case ok && err.Error() == errors.Join(joined.Unwrap()...).Error():
		for _, e := range joined.Unwrap() {
			lines = append(lines, errorLines(e)...)
		}
	case errors.As(err, &configured) && configured.Error() == err.Error():
		for _, p := range configured.Problems {
			lines = append(lines, p.Error())
		}
	case errors.As(err, &problems) && problems.Error() == err.Error():
		for _, p := range problems {
			lines = append(lines, p.Error())
		}
	case errors.As(err, &aborted):
		lines = append([]string{err.Error()}, aborted.next...)
	default:
		lines = []string{err.Error()}
	}
	return lines
}

// complain writes an error to where diagnostics go.
func complain(w io.Writer, err error) {
	head := "hookwatch: "
	for _, l := range errorLines(err) {
		writef(w, "%s\n", head+l)
		head = ""
	}
}
