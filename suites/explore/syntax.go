package explore

import (
	"regexp"
	"strings"

	"hookwatch/suites/pattern"
)

// foreign are operators of another syntax than that of a comparison, in which they only stand for
// themselves. The first that applies explains why hardly any input passes.
var foreign = []struct {
	ops   []Op
	found func() *regexp.Regexp
	why   string
}{
	{[]Op{Glob}, pattern.Lazy(`^\\\*[^*?\[]*$|^[^*?\[]*[^\\*?\[]\\\*$`), "* is quoted, so that it stands for itself"},
	{[]Op{Regexp, Extended, Basic}, pattern.Lazy("\x08"), `\b in this string is a backspace; write a raw string, or \\b`},
	{[]Op{Extended, Basic}, pattern.Lazy(`\\d`), `\d is no digit here; write [0-9]`},
	{[]Op{Regexp, Extended}, pattern.Lazy(`[\w\])]\{\{\d+,?\d*\}\}`), "doubled braces stand for themselves"},
	{[]Op{Basic}, pattern.Lazy(`[^\\|]\|[^|]`), "without -E, | stands for itself"},
	{[]Op{Basic}, pattern.Lazy(`[.\])]\+|\)\?`), "without -E, +, ? and parentheses stand for themselves"},
	{[]Op{Contains, Equal, Prefix, Suffix}, pattern.Lazy(`\.\*|\\[sbwd]`), "it is compared as a text, not as a regular expression"},
	{[]Op{Equal, Prefix, Suffix}, pattern.Lazy(`^\*\.\w+$`), "it is compared as a text, so that * stands for itself"},
	{[]Op{Glob}, pattern.Lazy(`\.\*\S|\\s|\\d`), "it is a glob, not a regular expression"},
}

// Misread returns why a comparison means something else than its pattern suggests; "" if it does not, as
// far as is known.
func (c Comparison) Misread() string {
	for _, f := range foreign {
		for _, op := range f.ops {
			if op == c.Op && f.found().MatchString(c.Pattern) {
				return f.why
			}
		}
	}
	return ""
}

// Relative returns why no absolute path passes a comparison with one; "" if one may.
func (c Comparison) Relative() string {
	if strings.HasPrefix(c.Value, "/") && relative[c.Op] != nil && relative[c.Op]().MatchString(c.Pattern) {
		return "the client sends absolute paths, and none begins so"
	}
	return ""
}

// relative match patterns that no absolute path matches. Those of regular expressions begin with ^.
var relative = map[Op]func() *regexp.Regexp{
	Glob: pattern.Lazy(`^\.?[\w-]`), Equal: pattern.Lazy(`^\.?[\w-]`), Prefix: pattern.Lazy(`^\.?[\w-]`),
	Regexp: pattern.Lazy(`^\^(?:\\?\.)?[\w-]+/`), Extended: pattern.Lazy(`^\^(?:\\?\.)?[\w-]+/`), Basic: pattern.Lazy(`^\^(?:\\?\.)?[\w-]+/`),
}

// Written returns the pattern without the backslashes that bash writes before quoted characters.
func (c Comparison) Written() string {
	if c.Op == Glob {
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
