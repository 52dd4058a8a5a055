package cli

import (
	"path/filepath"
	"strings"

	"hookwatch/cmd/internal/project"
	"hookwatch/suites"
	"hookwatch/suites/printable"
	"hookwatch/suites/shell"
)

// A program is hookwatch with the flags that lead to the project.
type program struct{ Dir, Path string }

func (c program) String() string {
	program := "hookwatch"
	if c.Dir != "" {
		program += " -C " + quote(c.Dir)
	}
	if c.Path != "" {
		program += " --config " + quote(c.Path)
	}
	return program
}

// About is the command that does something with one case.
func (c program) About(p *project.Project, do string) func(suites.Key) string {
	program := c.String()
	return func(k suites.Key) string {
		id := k.ID
		if p.Ambiguous(k.ID) {
			id = k.String()
		}
		command := program + " " + do + " " + quote(id)
		if !printable.Is(command) {
			return "" // what is shown would not be what it says
		}
		return command
	}
}

// quote writes a word as a person would type it in a shell; one that begins
// like a flag is a file's or directory's name.
func quote(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+:@%,", r)
	}
	s = filepath.ToSlash(s)
	if strings.HasPrefix(s, "-") {
		s = "./" + s
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return shell.Quote(s)
}
