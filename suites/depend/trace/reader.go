package trace

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

type factReader struct {
	facts Facts
	words map[string]bool
	names map[string]bool
	told  map[*syntax.Word]bool // words that name no file to be read
	taken map[syntax.Node]bool  // commands whose output another one takes
	shown map[string]bool
	sent  map[string]bool // functions that are exported
}

// untraced looks at code in a string, and at what a command gets whose name is
// not spelled out.
func (r *factReader) untraced(code []string) {
	for _, a := range code {
		if strings.Contains(a, "DEBUG") || strings.Contains(a, "RETURN") || strings.Contains(a, "functrace") || strings.Contains(a, "+T") {
			r.facts.Ends = "it has a DEBUG or RETURN trap of its own"
		}
	}
}

// text looks at what stands in a word.
func (r *factReader) text(s string) {
	r.addWords(s)
	r.facts.Environment = r.facts.Environment || strings.Contains(strings.ToLower(s), "env") || strings.Contains(s, "system(")
	if slices.ContainsFunc(listers, func(l string) bool { return strings.Contains(s, l) }) {
		r.names[anyFile] = true
	}
}

// take marks the commands below a node as ones whose output another one takes.
func (r *factReader) take(n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CallExpr); ok {
			r.taken[c] = true
		}
		return true
	})
}

// listers are how programs of other languages find the files of a directory.
var listers = []string{"glob(", "listdir", "os.walk", "scandir", "iterdir", "readdir", "Dir["}

// addWords notes the words of a text.
func (r *factReader) addWords(text string) {
	for _, w := range strings.FieldsFunc(text, func(c rune) bool { return !isWordRune(c) }) {
		r.words[w] = true
	}
}

func isWordRune(c rune) bool {
	return c == '_' || c == '-' || c == '.' || c == ':' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c > 127
}

// anyFile is the name for what reads files that it does not spell out.
const anyFile = "*"
