package config

import (
	"strings"

	"hookwatch/suites"
)

// An Error holds every problem of a configuration, the file's in its order,
// then those of variables and flags, whose names stand in place of a file.
type Error struct{ Problems []suites.Problem }

// Error formats the problems, one a line.
func (e *Error) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.Error()
	}
	return strings.Join(lines, "\n")
}
