package markers

import (
	"bytes"
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// shellEntries are a script's functions, the patterns of its case statements
// and its comment lines.
func shellEntries(src []byte) []entry {
	file, err := syntax.NewParser().Parse(bytes.NewReader(src), "")
	if err != nil {
		return commentEntries(src)
	}
	var entries []entry
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.FuncDecl:
			if n.Name == nil {
				break
			}
			entries = append(entries, entry{
				rule: ByFunction, name: n.Name.Value, start: offset(n.Pos()), end: offset(n.End()),
				content: func() []byte { return printed(n) },
			})
		case *syntax.CaseItem:
			for _, p := range n.Patterns {
				entries = append(entries, entry{
					rule: ByComment, name: string(src[offset(p.Pos()):offset(p.End())]), start: offset(p.Pos()), end: offset(n.End()),
				})
			}
		}
		return true
	})
	return append(entries, commentEntries(src)...)
}

func offset(p syntax.Pos) int { return int(p.Offset()) }

// printed is the source of a node as a formatter writes it, without comments.
func printed(n syntax.Node) []byte {
	var b bytes.Buffer
	if err := syntax.NewPrinter().Print(&b, n); err != nil {
		return nil
	}
	return b.Bytes()
}

var commentLine = regexp.MustCompile(`(?m)^[ \t]*#+[ \t]*(.*?)[ \t]*$`)

// banner strips the rules of "# --- name ---" and "# === name ===".
var banner = regexp.MustCompile(`^[-=#*~\s]*(.*?)[-=#*~\s]*$`)

func commentEntries(src []byte) []entry {
	var entries []entry
	for _, m := range commentLine.FindAllSubmatchIndex(src, -1) {
		name := banner.FindStringSubmatch(string(src[m[2]:m[3]]))[1]
		if strings.ContainsFunc(name, isWord) {
			entries = append(entries, entry{rule: ByComment, name: name, start: m[0], end: m[1]})
		}
	}
	return entries
}

var definition = regexp.MustCompile(`(?m)^[ \t]*(?:(?:export|default|async)[ \t]+)*(?:def|class|function|func)[ \t*]+([A-Za-z_$][\w$]*)`)

// definitionEntries are the functions and classes of a file in a language that
// is not parsed, and its comments. They are places without content.
func definitionEntries(src []byte) []entry {
	var entries []entry
	for _, m := range definition.FindAllSubmatchIndex(src, -1) {
		entries = append(entries, entry{rule: ByFunction, name: string(src[m[2]:m[3]]), start: m[0], end: m[1]})
	}
	return append(entries, commentEntries(src)...)
}
