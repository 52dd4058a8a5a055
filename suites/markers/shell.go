package markers

import (
	"bytes"
	"slices"
	"strings"

	"hookwatch/suites/pattern"

	"mvdan.cc/sh/v3/syntax"

	"hookwatch/suites/shell"
)

// shellEntries are a script's functions, the patterns of its case statements
// and its comment lines.
func shellEntries(src []byte) []entry {
	file, err := shell.Parse(string(src))
	if err != nil {
		return commentEntries(src, 0, len(src))
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
					rule: ByPattern, name: string(src[offset(p.Pos()):offset(p.End())]), start: offset(p.Pos()), end: offset(n.End()),
				})
			}
		}
		return true
	})
	return append(entries, shellComments(src)...)
}

// shellComments are the comment lines as the shell knows them: what stands in a
// here-document or a string is none. The file is parsed apart for them, since
// the printed text of a function is to have none.
func shellComments(src []byte) []entry {
	var entries []entry
	file, err := shell.Parse(string(src), syntax.KeepComments(true))
	if err != nil {
		return nil
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.Comment); ok {
			start := lineStart(src, offset(c.Pos()))
			if len(bytes.TrimSpace(src[start:offset(c.Pos())])) == 0 {
				entries = append(entries, commentEntries(src, start, offset(c.End()))...)
			}
		}
		return true
	})
	slices.SortFunc(entries, func(a, b entry) int { return a.start - b.start })
	return entries
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

var commentLine = pattern.Lazy(`(?m)^[ \t]*#+[ \t]*(.*?)[ \t]*$`)

// banner strips the rules of "# --- name ---" and "# === name ===".
var banner = pattern.Lazy(`^[-=#*~\s]*(.*?)[-=#*~\s]*$`)

// commentEntries are the comment lines between two offsets.
func commentEntries(src []byte, start, end int) []entry {
	var entries []entry
	for _, m := range commentLine().FindAllSubmatchIndex(src[start:end], -1) {
		name := banner().FindStringSubmatch(string(src[start+m[2] : start+m[3]]))[1]
		if strings.ContainsFunc(name, isWord) {
			entries = append(entries, entry{rule: ByComment, name: name, start: start + m[0], end: start + m[1]})
		}
	}
	return entries
}

var definition = pattern.Lazy(`(?m)^[ \t]*(?:(?:export|default|async)[ \t]+)*(?:def|class|function|func)[ \t*]+([A-Za-z_$][\w$]*)`)

// definitionEntries are the functions and classes of a file in a language that
// is not parsed, and its comments. They are places without content.
func definitionEntries(src []byte) []entry {
	var entries []entry
	for _, m := range definition().FindAllSubmatchIndex(src, -1) {
		entries = append(entries, entry{rule: ByFunction, name: string(src[m[2]:m[3]]), start: m[0], end: m[1]})
	}
	return append(entries, commentEntries(src, 0, len(src))...)
}
