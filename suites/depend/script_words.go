package depend

import (
	"path"
	"strings"
	"unicode"
)

// isNameRune reports whether a rune can be part of an unquoted file name.
func isNameRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_.-+@%~", r)
}

// namesIn returns the words of a text that may be file names or paths, without duplicates. A
// path after a variable or a substitution loses its leading slash; one that keeps it is
// absolute.
func namesIn(text string) []string {
	var names []string
	seen := map[string]bool{}
	start := -1
	for i, r := range text + "\n" {
		if isNameRune(r) || r == '/' {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 {
			if name := cleanName(text, start, i); name != "" && !seen[name] {
				seen[name] = true
				names = append(names, name)
			}
			start = -1
		}
	}
	return names
}

func cleanName(text string, start, end int) string {
	name := strings.TrimRight(text[start:end], ".")
	if start > 0 && text[start-1] == '$' { // "$DIR/lib.sh" reads as "DIR/lib.sh"
		i := strings.IndexByte(name, '/')
		if i < 0 {
			return ""
		}
		return relative(name[i:])
	}
	if strings.HasPrefix(name, "/") && followsExpansion(text[:start]) {
		return relative(name)
	}
	return name
}

// relative returns a path without the slash that followed an expansion. A bare word is prefixed
// with "./" to mark it as a path.
func relative(name string) string {
	name = strings.TrimLeft(name, "/")
	if name != "" && !strings.ContainsAny(name, "./") {
		return "./" + name
	}
	return name
}

// followsExpansion reports whether text ends in an expansion, quoted or not.
func followsExpansion(text string) bool {
	text = strings.TrimRight(text, `"'`)
	if before := strings.TrimRightFunc(text, isVariableRune); before != text && strings.HasSuffix(before, "$") {
		return true
	}
	return text != "" && strings.Contains("})`"+expanded, text[len(text)-1:])
}

func isVariableRune(r rune) bool {
	return r == '_' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
}

// Extensions by the purpose of a file.
var (
	scriptExtensions = set(".sh .bash .zsh .ksh .py .js .mjs .cjs .ts .rb .pl .awk .jq .sed")
	dataExtensions   = set(".json .jsonc .json5 .yaml .yml .toml .ini .cfg .conf .env .txt .list .csv .tsv .xml .lock .md")
)

func set(words string) map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.Fields(words) {
		all[w] = true
	}
	return all
}

// isFileName reports whether a word has the extension of a file that scripts read or run.
func isFileName(name string) bool {
	ext := strings.ToLower(path.Ext(name))
	return scriptExtensions[ext] || dataExtensions[ext]
}

// An Operand is the start of a word.
type Operand struct {
	Variable string   // the leading expansion; "" for none or one that is no variable
	Literal  bool     // only literal text before the name
	Uses     []string // all variables in the word
}

// expanded represents an expansion in the flattened text of a word.
const expanded = "\x01"
