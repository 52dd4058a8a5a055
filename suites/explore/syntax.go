package explore

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"

	"hookwatch/suites/pattern"
)

// foreign are operators of another syntax than that of a comparison, in which they only stand for
// themselves. The first that applies explains why hardly any input passes.
var foreign = []struct {
	ops   []Op
	found func() *regexp.Regexp
	why   string
}{
	{[]Op{Glob}, pattern.Lazy(`^(?:[^*?\[\\]|\\.)*\.\\\*`), "it is quoted, and a glob is no regular expression"},
	{[]Op{Glob}, pattern.Lazy(`^\\\*(?:[^*?\[\\]|\\.)*\w(?:[^*?\[\\]|\\.)*$|^(?:[^*?\[\\]|\\.)*\w[/ ]?\\\*$`), "* is quoted, so that it stands for itself"},
	{[]Op{Glob}, pattern.Lazy(`^\.\*\w|\\s|\\d`), "it is a glob, not a regular expression"},
	{[]Op{Extended}, quotedRegexp, "it is quoted, so that its operators stand for themselves"},
	{[]Op{Extended, Basic}, pattern.Lazy(`\\d`), `\d is no digit here; write [0-9]`},
	{[]Op{Regexp, Extended, Basic}, pattern.Lazy("\x08"), `\b in this string is a backspace; write a raw string, or \\b`},
	{[]Op{Regexp, Extended}, pattern.Lazy(`[\w\])]\{\{\d+,?\d*\}\}`), "doubled braces stand for themselves"},
	{[]Op{Regexp, Extended}, pattern.Lazy(`[^(|\[\\:]\\\\(?:[bBdDsSwW](?:[^A-Za-z]|$)|\||\.(?:\w|$))`), "a doubled backslash stands for itself, and what follows it is not escaped"},
	{[]Op{Regexp}, pattern.Lazy(`^\^(?:\(\?:)?\\b`), "it is looked for at the beginning only, where \\b means nothing"},
	{[]Op{Basic}, pattern.Lazy(`\w\|\w`), "without -E, | stands for itself"},
	{[]Op{Basic}, pattern.Lazy(`[.\])]\+|\)\?`), "without -E, +, ? and parentheses stand for themselves"},
	{[]Op{Contains, Equal, Prefix, Suffix}, pattern.Lazy(`\w\.\*[\w-]|\.\*[^*]*\.\*|\\s[+*]|\\b\w|\w\\b|\\[dw][+*{]|\w\\s|\[[^\]]+\]+(?:[+*]|\{\d)|^\\[sbdw]\W|\(\w[^()]*[^|]\|\w[^()]*\)`), "it is compared as a text, not as a regular expression"},
	{[]Op{Prefix}, pattern.Lazy(`^\^\w`), "it is compared as a text, so that ^ stands for itself"},
	{[]Op{Contains}, pattern.Lazy(`^\*\*/|/\*\*|\w/\*$|^\*/\w`), "it is compared as a text, so that * stands for itself"},
	{[]Op{Equal, Suffix}, pattern.Lazy(`^\*\.\w+`), "it is compared as a text, so that * stands for itself"},
}

// quotedRegexp matches regular expressions whose operators are quoted.
var quotedRegexp = pattern.Lazy(`^(?:\\\()*\\\^|\\\.\\\*|\\\[.*\]\\[*+]|\\\[\\?\[:|\\\([^()]*\\\|[^()]*\\\)`)

// Foreign returns why hardly any text passes a comparison, whatever its author had in mind; "" if that is not known.
func (c Comparison) Foreign() string {
	for _, f := range foreign {
		if slices.Contains(f.ops, c.Op) && f.found().MatchString(c.Pattern) {
			return f.why
		}
	}
	if (c.Op == Regexp || c.Op == Extended) && !strings.Contains(c.Pattern, "(?m)") && lateCaret().MatchString(c.Pattern) {
		return "no text matches it, because ^ follows another character"
	}
	return ""
}

// Misread returns why the value of a comparison does not pass, nor what a user would send; "" if that is not known.
// varies is set if the same comparison may be made of a value that passes, too. sent is the text of the field of the
// input that the value is made of.
func (c Comparison) Misread(in Field, sent string) (why string, varies bool) {
	switch whole := related(c.Value, sent) == equal; {
	case c.Value == "" || c.Accepts(c.Value):
		return "", false
	case strings.HasPrefix(c.Value, "/") && relative[c.Op] != nil && relative[c.Op]().MatchString(c.Pattern):
		return "the client sends absolute paths, and none begins so", true
	case c.Op == Equal && whole && in == "tool_input.command" && strings.HasPrefix(c.Pattern, "-"):
		return "it is compared with the whole command, which begins with a program", false
	case c.lowers(sent) && c.wantsUpper():
		return "it is compared with a text in lower case", true
	case c.Op == Equal && extension().MatchString(c.Value) && strings.HasSuffix(sent, c.Value) && usualExtension().MatchString(c.Pattern):
		return "it is compared with an extension, which begins with a dot", false
	case c.Op == Equal && !whole && strings.Contains(sent, "/") && strings.HasSuffix(c.Pattern, "/") && slices.Contains(strings.Split(sent, "/"), c.Value):
		return "it is compared with one part of a path, which has no slash", false
	case c.Op == Regexp && !strings.HasPrefix(c.Value, "/") && slashed().MatchString(c.Pattern):
		return "the slashes are a part of the pattern", false
	case whole && in == "tool_name" && c.Accepts(strings.ToLower(c.Value)):
		return "the client sends " + sent, true
	}
	return "", false
}

var (
	lateCaret      = pattern.Lazy(`^(?:[^\[\]|\\$^]|\\.|\[[^\]]+\])*(?:[^\[\]|\\$^():*?]|\\[^bB]|\[[^\]]+\])\^`)
	extension      = pattern.Lazy(`^\.\w+$`)
	usualExtension = pattern.Lazy(`^(?:pyi?|[cm]?[jt]sx?|go|rs|rb|java|kt|php|sql|tf|sh|ya?ml|json|toml|md|env|pem|key|lock|html|css|vue|ipynb|c|h|cpp|cs|swift)$`)
	slashed        = pattern.Lazy(`^/[^/]*[\[\\(+*][^/]*/[gimsuy]*$`)
)

// lowers reports whether the value is a part of a text in lower case, or has the text in lower case as a part.
func (c Comparison) lowers(sent string) bool {
	low, of := strings.ToLower(sent), strings.Contains
	return low != sent && !of(sent, c.Value) && !of(c.Value, sent) && (of(low, c.Value) || of(c.Value, low))
}

// wantsUpper reports whether only a text with upper-case letters passes.
func (c Comparison) wantsUpper() bool {
	switch c.Op {
	case Equal, Prefix, Suffix, Contains:
		return c.Pattern != strings.ToLower(c.Pattern)
	case Basic, Extended, Regexp:
		re, err := parse(c.expression())
		return err == nil && requires(re, unicode.IsUpper)
	}
	return false
}

// requires reports whether each text that a pattern matches has a character of a kind.
func requires(re *syntax.Regexp, kind func(rune) bool) bool {
	of := func(sub *syntax.Regexp) bool { return requires(sub, kind) }
	switch re.Op {
	case syntax.OpLiteral:
		return re.Flags&syntax.FoldCase == 0 && slices.ContainsFunc(re.Rune, kind)
	case syntax.OpCharClass:
		const most = 40 // characters of a class that is looked at
		for i := 0; i+1 < len(re.Rune); i += 2 {
			for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
				if !kind(r) || r-re.Rune[i] > most {
					return false
				}
			}
		}
		return len(re.Rune) > 0
	case syntax.OpConcat, syntax.OpCapture, syntax.OpPlus:
		return slices.ContainsFunc(re.Sub, of)
	case syntax.OpRepeat:
		return re.Min > 0 && of(re.Sub[0])
	case syntax.OpAlternate:
		return !slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return !of(sub) })
	}
	return false
}

// relative match patterns that no absolute path matches. Those of regular expressions begin with ^.
var relative = map[Op]func() *regexp.Regexp{
	Glob: pattern.Lazy(`^\.?[\w-]`), Equal: pattern.Lazy(`^\.?[\w-]`), Prefix: pattern.Lazy(`^\.?[\w-]`),
	Regexp: pattern.Lazy(`^\^(?:\\?\.)?[\w-]+\\?/`), Extended: pattern.Lazy(`^\^(?:\\?\.)?[\w-]+\\?/`), Basic: pattern.Lazy(`^\^(?:\\?\.)?[\w-]+\\?/`),
}

// Written returns the pattern without the backslashes that bash writes before quoted characters.
func (c Comparison) Written() string {
	if c.Op == Glob || c.Op == Extended && quotedRegexp().MatchString(c.Pattern) {
		return escaped().ReplaceAllString(c.Pattern, "$1")
	}
	return c.Pattern
}

// equality matches comparisons with a text in JavaScript and arms of switch, and arm those of match in
// Python.
var (
	arm      = pattern.Lazy(`^\s*case\s+(?:'([^'\\\n]+)'|"([^"\\\n]+)")`)
	equality = pattern.Lazy(`(?:===?|!==?)\s*(?:'([^'\\\n]+)'|"([^"\\\n]+)")|(?:'([^'\\\n]+)'|"([^"\\\n]+)")\s*(?:===?|!==?)|\bcase\s+(?:'([^'\\\n]+)'|"([^"\\\n]+)")`)
)

// literals adds the comparisons with a text that cannot be observed.
func (r *Record) literals(file string, src []byte, of *regexp.Regexp) {
	for i, line := range strings.Split(string(src), "\n") {
		for _, m := range of.FindAllStringSubmatch(line, -1) {
			r.add(Comparison{File: file, Line: i + 1, Op: Equal, Pattern: strings.Join(m[1:], "")})
		}
	}
}
