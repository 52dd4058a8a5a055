package scripts

import (
	"fmt"
	"slices"
	"strings"
)

// code are the languages of which hookwatch does not know what they read.
var code = set("python node .rb .pl .awk binary")

// opening are the words without which code in a string can open no file of its own.
var opening = []string{"open", "read", "import", "require", "Path", "path", "File", "exec", "system", "spawn", "glob"}

// open says why a script may read files that no text names.
func (s *Script) open() string {
	switch {
	case code[s.Language], s.Language != "shell" && strings.HasPrefix(s.Text, "#!"):
		return "it is no shell script"
	case s.Language != "shell":
		return "" // data that lies among the hooks
	case s.Computed != "":
		return s.Computed
	case s.Evals:
		return "it runs code from strings"
	case s.Assembled > 0:
		return fmt.Sprintf("it opens files whose names are put together, on line %d", s.Assembled)
	case len(s.Tails) > 0:
		return "it puts names of files together"
	}
	for _, tool := range s.Tools {
		l := LanguageOf("", tool)
		if code[l] && slices.ContainsFunc(opening, func(word string) bool { return strings.Contains(s.Text, word) }) {
			return "it runs code for " + tool
		}
	}
	return ""
}
