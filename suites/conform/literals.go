package conform

import (
	"regexp/syntax"
	"slices"
	"strings"

	"hookwatch/suites/pattern"
)

// quoted matches literals of scripts in any of the usual languages.
var quoted = pattern.Lazy(`'([^'\n]{3,120})'|"((?:[^"\\\n]|\\.){3,120})"|/((?:[^/\\\n]|\\.){3,80})/[a-z]*[.,;)\s]`)

// caseLabel matches the patterns of a shell's case.
var caseLabel = pattern.Lazy(`(?m)^\s*\(?([^\s()#][^()\n]{1,80})\)\s*(?:$|[^)\n]*(?:;;|exit|echo|block|deny))`)

// literals gives texts that a script seems to look for: its literals, and texts
// that its patterns match. What reads like a message is left out.
func literals(text string) (out []string) {
	add := func(s string) {
		s = strings.TrimSpace(s)
		if len(s) >= 2 && len(s) <= 80 && strings.ContainsFunc(s, isLetter) && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	for _, m := range quoted().FindAllStringSubmatch(withoutComments(text), -1) {
		literal := m[1] + m[2] + m[3]
		if strings.Contains(literal, "$") && !strings.Contains(literal, "\\") && !strings.HasSuffix(literal, "$") || isMessage(literal) {
			continue
		}
		if !strings.ContainsAny(literal, `\[(*+?|^$`) { // a dot is a dot
			add(literal)
			continue
		}
		for i := range 3 {
			add(sample(literal, i))
		}
	}
	for _, m := range caseLabel().FindAllStringSubmatch(text, -1) {
		for _, label := range strings.Split(m[1], "|") {
			add(strings.NewReplacer("*", "", `"`, "", "'", "", "?", "x", `\`, "").Replace(label))
		}
	}
	return out
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

// isMessage reports whether a text is one for people: four plain words or more.
func isMessage(s string) bool {
	return len(strings.Fields(s)) > 4 && !strings.ContainsAny(s, `\[(|`) || strings.Contains(s, ". ") || strings.HasPrefix(s, ".tool_input")
}

// sample is a text that a pattern matches: of alternatives the one of that number.
// What is no pattern is given as it is.
func sample(pattern string, choice int) string {
	pattern = strings.NewReplacer("[[:space:]]", " ", "[:space:]", " ", `\\`, `\`, `(?!`, `(?:`, `(?<!`, `(?:`, `(?=`, `(?:`, `(?<=`, `(?:`).Replace(pattern)
	re, err := syntax.Parse(pattern, syntax.Perl&^syntax.FoldCase)
	if err != nil {
		return pattern
	}
	var b strings.Builder
	write(&b, re, choice, 0)
	return b.String()
}

// write walks a pattern no deeper than patterns are in earnest.
func write(b *strings.Builder, re *syntax.Regexp, choice, depth int) {
	if depth > 20 || b.Len() > 200 {
		return
	}
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		b.WriteRune(ofClass(re.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte('x')
	case syntax.OpAlternate:
		write(b, re.Sub[choice%len(re.Sub)], choice, depth+1)
	case syntax.OpConcat, syntax.OpCapture, syntax.OpPlus:
		for _, sub := range re.Sub {
			write(b, sub, choice, depth+1)
		}
	case syntax.OpRepeat:
		for range max(1, min(re.Min, 40)) {
			write(b, re.Sub[0], choice, depth+1)
		}
	case syntax.OpStar, syntax.OpQuest:
		if sub := re.Sub[0]; isSpace(sub) || re.Op == syntax.OpStar && isAnything(sub) {
			b.WriteByte(' ')
		}
	}
}

func isSpace(re *syntax.Regexp) bool {
	return re.Op == syntax.OpCharClass && strings.ContainsRune(" \t", ofClass(re.Rune))
}

// isAnything reports whether a part of a pattern takes nearly any character: what
// stands before it and behind it are words of their own.
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

// ofClass picks a character of a class: one that words are made of, if there is.
func ofClass(ranges []rune) rune {
	for _, want := range " xaA1-/" {
		for i := 0; i+1 < len(ranges); i += 2 {
			if want >= ranges[i] && want <= ranges[i+1] {
				if want == ' ' && ranges[i+1]-ranges[i] > 40 {
					continue // nearly everything
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
