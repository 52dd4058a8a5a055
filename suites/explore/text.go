package explore

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	globs "mvdan.cc/sh/v3/pattern"
)

// Texts returns texts that a comparison accepts, at most so many, the plainest first. It returns the
// pattern itself for one that it cannot read.
func (c Comparison) Texts(most int) (all []string) {
	add := func(s string) {
		if plain := strings.Join(strings.Fields(s), " "); c.Accepts(plain) {
			s = plain
		}
		if s != "" && len(all) < most && !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	switch c.Op {
	case Glob:
		add(ofGlob(c.Pattern, ""))
		add(ofGlob(c.Pattern, " x "))
	case Basic, Extended, Regexp:
		pattern := c.expression()
		for choice := range most {
			add(matching(pattern, choice))
		}
	default:
		add(c.Pattern)
	}
	return all
}

// Accepts reports whether a comparison of a literal accepts a value; false if that is not known.
func (c Comparison) Accepts(value string) bool {
	switch c.Op {
	case Equal:
		return value == c.Pattern
	case Prefix:
		return strings.HasPrefix(value, c.Pattern)
	case Suffix:
		return strings.HasSuffix(value, c.Pattern)
	case Contains:
		return strings.Contains(value, c.Pattern)
	case Glob:
		text, err := globs.Regexp(c.Pattern, globs.EntireString)
		return err == nil && matches(text, value)
	case Basic, Extended, Regexp:
		return matches(c.expression(), value)
	}
	return false
}

// matches reports whether a regular expression of Go matches a text.
func matches(expr, text string) bool {
	re := compiled.of(expr, func() *regexp.Regexp {
		re, err := regexp.Compile(expr)
		if err != nil {
			return nil
		}
		return re
	})
	return re != nil && re.MatchString(text)
}

var compiled memo[*regexp.Regexp]

// expression returns the pattern as a regular expression of Go, as far as the syntaxes agree. That grep -P leaves out
// what is before \K in its output does not matter for what it matches.
func (c Comparison) expression() string {
	if c.Op == Basic {
		return extended(c.Pattern)
	}
	return strings.ReplaceAll(c.Pattern, `\K`, "")
}

// ofGlob returns a text that a glob matches, with a text for *.
func ofGlob(pattern, any string) string {
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; c {
		case '\\':
			if i++; i < len(pattern) {
				b.WriteByte(pattern[i])
			}
		case '*':
			b.WriteString(any)
		case '?':
			b.WriteByte('x')
		case '[':
			end := strings.IndexByte(pattern[i+1:], ']')
			if end <= 0 {
				b.WriteByte(c)
				continue
			}
			b.WriteString(matching(pattern[i:i+end+2], 0))
			i += end + 1
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// extended converts a pattern from the syntax of grep without -E, in which operators have a backslash.
func extended(basic string) string {
	var b strings.Builder
	for i := 0; i < len(basic); i++ {
		switch c := basic[i]; {
		case c == '\\' && i+1 < len(basic) && strings.IndexByte("|(){}+?", basic[i+1]) >= 0:
			i++
			b.WriteByte(basic[i])
		case c == '\\' && i+1 < len(basic):
			b.WriteString(basic[i : i+2])
			i++
		case strings.IndexByte("|(){}+?", c) >= 0:
			b.WriteString(`\` + string(c))
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// matching returns a text that a pattern matches, with the alternative numbered choice; the pattern if
// it cannot be read.
func matching(pattern string, choice int) string {
	re, err := parse(pattern)
	if err != nil {
		return pattern
	}
	_ = anchoredFirst(re)
	w := writer{choice: choice}
	w.write(re, 0)
	return w.String()
}

// anchoredFirst moves alternatives with an anchor to the front, if most of them have none: those may be meant for a part
// of a text, too, which is only seen if they are tried. It reports whether there are such.
func anchoredFirst(re *syntax.Regexp) (moved bool) {
	for _, sub := range re.Sub {
		moved = anchoredFirst(sub) || moved
	}
	if re.Op != syntax.OpAlternate {
		return moved
	}
	var anchored, others []*syntax.Regexp
	for _, sub := range re.Sub {
		if isAnchored(sub) {
			anchored = append(anchored, sub)
		} else {
			others = append(others, sub)
		}
	}
	if len(anchored) == 0 || len(anchored) >= len(others) {
		return moved
	}
	re.Sub = append(anchored, others...)
	return true
}

// mixesAnchors reports whether the first text that a comparison accepts is one of few alternatives with an anchor.
func (c Comparison) mixesAnchors() bool {
	if !slices.Contains([]Op{Basic, Extended, Regexp}, c.Op) {
		return false
	}
	return mixing.of(c.expression(), func() bool {
		re, err := parse(c.expression())
		return err == nil && anchoredFirst(re)
	})
}

var mixing memo[bool]

// isAnchored reports whether a pattern matches only at the beginning or the end of a text or line.
func isAnchored(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpBeginLine, syntax.OpBeginText, syntax.OpEndLine, syntax.OpEndText:
		return true
	case syntax.OpConcat:
		return isAnchored(re.Sub[0]) || isAnchored(re.Sub[len(re.Sub)-1])
	}
	return false
}

// parse parses a pattern without what Go does not know of it.
func parse(pattern string) (*syntax.Regexp, error) {
	known := strings.NewReplacer("[[:space:]]", " ", "[:space:]", " ", `\\`, `\\`, `(?=`, `(?:`, `(?<=`, `(?:`, `\Z`, `\z`).Replace(withoutNegations(pattern))
	return syntax.Parse(known, syntax.Perl&^syntax.FoldCase)
}

// withoutNegations removes groups whose text must not follow or precede, such as (?!x).
func withoutNegations(pattern string) string {
	for _, open := range []string{"(?!", "(?<!"} {
		for from := strings.Index(pattern, open); from >= 0; from = strings.Index(pattern, open) {
			depth, to := 0, from
			for ; to < len(pattern); to++ {
				switch pattern[to] {
				case '\\':
					to++
				case '(':
					depth++
				case ')':
					depth--
				}
				if depth == 0 {
					break
				}
			}
			pattern = pattern[:from] + pattern[min(to+1, len(pattern)):]
		}
	}
	return pattern
}

// A writer writes a text that a pattern matches.
type writer struct {
	strings.Builder
	choice int // the number of the alternative
	words  int // that were written
}

// mostRepeated is how often a part of a pattern is repeated at most; tokens have up to a hundred characters.
const mostRepeated = 128

// write walks a pattern, to a depth that real patterns do not exceed.
func (w *writer) write(re *syntax.Regexp, depth int) {
	if depth > 20 || w.Len() > 200 {
		return
	}
	switch re.Op {
	case syntax.OpLiteral:
		text := string(re.Rune)
		if re.Flags&syntax.FoldCase != 0 {
			text = strings.ToLower(text)
		}
		w.WriteString(text)
	case syntax.OpCharClass:
		w.WriteRune(ofClass(re.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		w.WriteByte('x')
	case syntax.OpAlternate:
		w.write(re.Sub[w.choice%len(re.Sub)], depth+1)
	case syntax.OpPlus:
		if word := w.word(re.Sub[0]); word != "" {
			w.WriteString(word)
			return
		}
		w.write(re.Sub[0], depth+1)
	case syntax.OpConcat, syntax.OpCapture:
		for _, sub := range re.Sub {
			w.write(sub, depth+1)
		}
	case syntax.OpRepeat:
		for range max(1, min(re.Min, mostRepeated)) {
			w.write(re.Sub[0], depth+1)
		}
	case syntax.OpStar, syntax.OpQuest:
		if sub := re.Sub[0]; isSpace(sub) || re.Op == syntax.OpStar && isAnything(sub) {
			w.WriteByte(' ')
		}
	}
}

// word returns a word of a class, another one each time, so that a hook shows which one it compares; "" if the class
// does not hold its letters.
func (w *writer) word(class *syntax.Regexp) string {
	names := []string{"foo", "bar", "baz", "qux"}
	word := names[w.words%len(names)]
	if class.Op != syntax.OpCharClass || strings.ContainsFunc(word, func(r rune) bool { return !holds(class.Rune, r) }) {
		return ""
	}
	w.words++
	return word
}

func isSpace(re *syntax.Regexp) bool {
	return re.Op == syntax.OpCharClass && strings.ContainsRune(" \t", ofClass(re.Rune))
}

// isAnything reports whether a part of a pattern matches nearly any character, so that the parts
// around it are separate words.
func isAnything(re *syntax.Regexp) bool {
	return re.Op == syntax.OpAnyChar || re.Op == syntax.OpAnyCharNotNL || re.Op == syntax.OpCharClass && holds(re.Rune, ' ') && holds(re.Rune, 'a')
}

func holds(ranges []rune, r rune) bool {
	for i := 0; i+1 < len(ranges); i += 2 {
		if ranges[i] <= r && r <= ranges[i+1] {
			return true
		}
	}
	return false
}

// ofClass returns a character of a class, preferably one that occurs in words.
func ofClass(ranges []rune) rune {
	for _, want := range " xaA1-/" {
		for i := 0; i+1 < len(ranges); i += 2 {
			if want >= ranges[i] && want <= ranges[i+1] {
				if want == ' ' && ranges[i+1]-ranges[i] > 40 {
					continue // it accepts nearly everything
				}
				return want
			}
		}
	}
	if len(ranges) > 0 {
		return ranges[0]
	}
	return 'x'
}
