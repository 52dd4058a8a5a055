package trace

import (
	"path"
	"strings"

	"hookwatch/suites/pattern"

	"mvdan.cc/sh/v3/syntax"
)

// reads notes the programs that look into files which nobody names.
func (r *factReader) reads(c command, base string, taken bool) {
	switch {
	case printers[c.name] && taken: // its words are what another command reads
	case printers[c.name]:
		for _, w := range c.words {
			r.toldMessage(w)
		}
	case c.name == "[" || c.name == "test":
		for _, w := range c.words {
			r.told[w] = true
		}
	case trees[base], base == "git" && gitReadsTree(c.args), base == "ls" && hasFlag(c.args, "l"),
		strings.HasSuffix(base, "grep") && hasFlag(c.args, "rR"), base == "cp" && hasFlag(c.args, "raR"), base == "diff" && hasFlag(c.args, "r"):
		r.names[anyFile] = true
	case wraps(base):
		for i, a := range c.args {
			if a != "" && !strings.HasPrefix(a, "-") && !wraps(path.Base(a)) {
				r.reads(command{name: a, args: c.args[i+1:], words: c.words[i+1:]}, path.Base(a), taken)
				break
			}
		}
	}
}

// toldMessage: what is printed names no file, but a pattern in it is expanded.
func (r *factReader) toldMessage(w *syntax.Word) {
	if !strings.ContainsAny(spelled(w), "*?[") {
		r.told[w] = true
	}
}

// hasFlag reports whether options hold any of the letters, or are not known.
func hasFlag(args []string, letters string) bool {
	for _, a := range args {
		if strings.HasPrefix(a, "--") {
			if strings.HasPrefix(a, "--recursive") || strings.HasPrefix(a, "--dereference-recursive") || a == "--archive" {
				return true
			}
			continue
		}
		if strings.HasPrefix(a, "-") && strings.ContainsAny(a, letters) {
			return true
		}
	}
	return false
}

// gitReadsTree reports whether a git command looks at files of the work tree.
func gitReadsTree(args []string) bool {
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a == "-C" || a == "-c" || a == "--git-dir" || a == "--work-tree":
			i++
		case strings.HasPrefix(a, "-"):
		case a == "diff":
			return !contains(args, "--cached") && !contains(args, "--staged")
		default:
			return a == "" || gitTree[a]
		}
	}
	return false
}

var gitTree = set("status stash add commit ls-files diff-files diff-index hash-object grep checkout restore switch merge rebase archive clean apply describe update-index blame")

func contains(list []string, s string) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}

// name notes the last part of a path that a word spells out: the name of a file
// that may be read. What expansions give is a pattern. A word that is nothing
// but expansions holds a name from elsewhere, where it is noted.
func (r *factReader) name(w *syntax.Word) {
	if r.told[w] {
		return
	}
	for _, token := range strings.FieldsFunc(braced().ReplaceAllString(spelled(w), anyFile), func(c rune) bool { return strings.ContainsRune(" \t\r\n\"';|&()<>=:,`", c) }) {
		tail := token[strings.LastIndexByte(token, '/')+1:]
		if strings.Trim(tail, "*") == "" && !(strings.HasSuffix(token, "*") && globbed(w)) {
			continue
		}
		if strings.ContainsAny(tail, "*?[") || strings.Contains(tail, ".") || strings.Contains(token, "/") {
			r.names[tail] = true
		}
	}
}

// braced matches what bash expands to several words.
var braced = pattern.Lazy(`\{[^{}]*(,|\.\.)[^{}]*\}`)

// spelled is a word's text with "*" for each of its expansions.
func spelled(w *syntax.Word) string {
	var b strings.Builder
	spell(&b, w.Parts, false)
	return b.String()
}

func spell(b *strings.Builder, parts []syntax.WordPart, quoted bool) {
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			if quoted {
				b.WriteString(quoteMeta(p.Value))
			} else {
				b.WriteString(p.Value)
			}
		case *syntax.SglQuoted:
			b.WriteString(quoteMeta(p.Value))
		case *syntax.DblQuoted:
			spell(b, p.Parts, true)
		default:
			b.WriteByte('*')
		}
	}
}

// quoteMeta drops what would be a pattern if it were not quoted.
func quoteMeta(s string) string {
	return strings.Map(func(c rune) rune {
		if strings.ContainsRune("*?[\\{}", c) {
			return '_'
		}
		return c
	}, s)
}

// globbed reports whether a word holds an unquoted "*" of its own.
func globbed(w *syntax.Word) bool {
	for _, p := range w.Parts {
		if l, ok := p.(*syntax.Lit); ok && strings.ContainsAny(l.Value, "*?[") {
			return true
		}
	}
	return false
}

func containsAny(s, chars string) bool { return strings.ContainsAny(s, chars) }
