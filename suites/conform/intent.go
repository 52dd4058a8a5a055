package conform

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"hookwatch/suites/client"
	"hookwatch/suites/pattern"
)

// mayDeny reports whether a hook's text has what stops something: it ends with 2, or writes a
// decision.
func mayDeny(text string) bool { return denies().MatchString(text) }

// mayReact reports whether a hook may end otherwise than with 0, or say something, so that it is
// worth a look whether it does so for an input that guards stop.
func mayReact(text string) bool { return mayDeny(text) || reacts().MatchString(text) }

var (
	denies = pattern.Lazy(`exit[ (]+2|exitCode\s*=\s*2|["'](?:deny|block|ask)\b|\\"(?:deny|block|ask)\b|permissionDecision`)
	reacts = pattern.Lazy(`exit[ (]+[1-9$A-Za-z-]|exitCode\s*=\s*[1-9A-Za-z]|>&2|\becho\s|\bprint(?:f\s|\()|console\.log|sys\.stderr|console\.error|\braise\b|\bthrow\b|\breturn [1-9]`)
)

// calls reports whether a text calls a program, or looks for it.
func calls(text, program string) bool {
	return regexp.MustCompile(`(^|[\s|;&("'` + "`" + `])` + regexp.QuoteMeta(program) + `[\s;)"']`).MatchString(text)
}

// sleepsIn reports whether a text may wait for a time that it names.
func sleepsIn(text string) bool { return sleeps().MatchString(withoutComments(text)) }

var sleeps = pattern.Lazy(`\bsleep\b|setTimeout|Atomics\.wait`)

// asksHere reports whether a text asks a server on its own machine over HTTP.
func asksHere(text string) bool {
	return strings.Contains(text, "http://") && here().MatchString(withoutComments(text))
}

var here = pattern.Lazy(`127\.0\.0\.1|\blocalhost\b`)

// frail are programs that some machines do not have.
var frail = []string{"jq", "jaq", "python3", "node", "uv", "perl", "ruby", "bc", "rg", "bun"}

// withoutComments blanks lines that are comments, so that places stay.
func withoutComments(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if s := strings.TrimSpace(l); strings.HasPrefix(s, "#") || strings.HasPrefix(s, "//") {
			lines[i] = strings.Repeat(" ", len(l))
		}
	}
	return strings.Join(lines, "\n")
}

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

// wordsOf counts the words of an input, and how many of them a text has.
func wordsOf(text, input string) (found, all int) {
	for _, word := range strings.FieldsFunc(input, func(r rune) bool { return !isLetter(r) }) {
		if len(word) < 2 {
			continue
		}
		if all++; hasWord(text, word) {
			found++
		}
	}
	return found, all
}

// hasFirst reports whether a text has the first word of an input.
func hasFirst(text, input string) bool {
	first, _, _ := strings.Cut(input, " ")
	return len(first) > 1 && hasWord(text, first)
}

// hasWord reports whether a text has a word that no letter extends; in patterns a
// backslash and a letter may stand before it.
func hasWord(text, word string) bool {
	for i := 0; ; {
		at := strings.Index(text[i:], word)
		if at < 0 {
			return false
		}
		at += i
		end := at + len(word)
		before := at == 0 || !isLetter(rune(text[at-1])) || at > 1 && text[at-2] == '\\'
		if before && (end == len(text) || !isLetter(rune(text[end]))) {
			return true
		}
		i = end
	}
}

// endings are names of files that a hook's text speaks of by their endings.
var fileEndings = pattern.Lazy(`\.(py|tsx?|jsx?|go|rs|sh|json|ya?ml|md|rb)\b`)

// mentioned sends a hook that is asked after a call, or for the text of a file, one input that
// holds all texts that it speaks of: as the content of a file, as the model's last words and
// in the transcript. A hook that looks for any of them reacts.
func (q *Inquiry) mentioned() []Probe {
	q.rounds[0] = func() []Probe { return nil }
	usual := q.usual
	if q.about().Guards == client.Prompts || len(usual) == 0 || q.absent != "" || q.denied != nil {
		return nil
	}
	f := usual[len(usual)-1] // of a command and a file the file
	if q.about().Guards == client.Calls && (slices.Contains(shells, f.tool) || slices.Contains(shells, usual[0].tool)) {
		return nil // tried with commands
	}
	own := literals(q.text)
	const most = 30
	if len(own) == 0 || !mayReact(q.text) && !strings.Contains(q.text, "hookSpecificOutput") {
		return nil
	}
	f.text = strings.Join(own[:min(len(own), most)], "\n") + "\n"
	f.saying = "all that its text looks for"
	if takesFile(f.tool) {
		f.file, f.written = "src/hookwatch_example.py", true
		if m := fileEndings().FindString(q.text); m != "" {
			f.file = "src/hookwatch_example" + m
		}
	}
	return q.tried([]firing{f})
}
