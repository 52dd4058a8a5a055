package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"hookwatch/cmd/internal/cli/page"
	"hookwatch/config"
	"hookwatch/suites"
)

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
		page.Writef(w, "%s\n", head+l)
		head = ""
	}
}

// The exit codes, as topics/exit-codes.md documents them.
const (
	exitPassed      = 0
	exitFailed      = 1
	exitUsage       = 2
	exitAborted     = 3
	exitInterrupted = 130
)

// Kinds of errors that the rest of the program has no type for.
var (
	errFailed      = errors.New("a case failed")
	errInterrupted = errors.New("interrupted")
)

// An abortedError ends a run that could not be carried through or recorded.
type abortedError struct {
	why  string
	next []string // what to do about it, a line each
}

func (e *abortedError) Error() string { return e.why }

// exitCode is the only place that maps an error to a code. What the views have
// shown already is not said again.
func exitCode(err error, stderr io.Writer) int {
	var aborted *abortedError
	var crash *crashError
	switch {
	case err == nil:
		return exitPassed
	case errors.As(err, &crash):
		crashed(stderr, crash.crash, crash.stack)
		return exitUsage
	case errors.Is(err, errFailed):
		return exitFailed
	case errors.Is(err, errInterrupted):
		return exitInterrupted
	case errors.As(err, &aborted):
		complain(stderr, err)
		return exitAborted
	default:
		complain(stderr, err)
		return exitUsage
	}
}

// A crashError is a mistake of the program itself. What it was about may be part
// of what is said, so it is shown as all other text is.
type crashError struct {
	crash any
	stack []byte
}

func (e *crashError) Error() string { return fmt.Sprintf("internal error: %v", e.crash) }

func crashed(w io.Writer, crash any, stack []byte) {
	page.Writef(w, "hookwatch: internal error: %v\n", crash)
	_, _ = w.Write(stack)
}

// problemsError lists problems, one a line.
type problemsError []suites.Problem

func (e problemsError) Error() string {
	lines := make([]string, len(e))
	for i, p := range e {
		lines[i] = p.Error()
	}
	return strings.Join(lines, "\n")
}
