package config

import (
	"fmt"
	"strings"
)

// A Problem is something wrong with what a person configured. File names the
// file, or the variable or flag; Line and Column count from 1, 0 is unknown.
type Problem struct {
	File   string
	Line   int
	Column int
	What   string
	Hint   string
}

// String formats the problem as "file:line:column: what (hint)".
func (p Problem) String() string {
	var b strings.Builder
	b.WriteString(p.File)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", p.Line, p.Column)
	}
	b.WriteString(": " + p.What)
	if p.Hint != "" {
		b.WriteString(" (" + p.Hint + ")")
	}
	return b.String()
}

// An Error holds every problem of a configuration, the file's in its order,
// then those of variables and flags.
type Error struct{ Problems []Problem }

// Error formats the problems, one a line.
func (e *Error) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}
