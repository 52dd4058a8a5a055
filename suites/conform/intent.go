package conform

import (
	"regexp"
	"slices"
	"strings"

	"hookwatch/suites/client"
	"hookwatch/suites/explore"
	"hookwatch/suites/pattern"
)

// namesDecision reports whether a hook's text contains exit code 2, or a key or value with which the
// client's JSON decides. A hook without any of them has no way to stop something.
func namesDecision(text string) bool { return decision().MatchString(text) }

var decision = pattern.Lazy(`exit[ (]+2|exitCode\s*=\s*2|["'](?:deny|block|ask)\b|\\"(?:deny|block|ask)\b|permissionDecision`)

// calls reports whether a text calls a program, or looks it up.
func calls(text, program string) bool {
	return regexp.MustCompile(`(^|[\s|;&("'` + "`" + `])` + regexp.QuoteMeta(program) + `[\s;)"']`).MatchString(text)
}

// sleepsIn reports whether a text may wait for a fixed time.
func sleepsIn(text string) bool { return sleeps().MatchString(withoutComments(text)) }

var sleeps = pattern.Lazy(`\bsleep\b|setTimeout|Atomics\.wait`)

// asksHere reports whether a text sends requests to a server on its own machine over HTTP.
func asksHere(text string) bool {
	return strings.Contains(text, "http://") && here().MatchString(withoutComments(text))
}

var here = pattern.Lazy(`127\.0\.0\.1|\blocalhost\b`)

// frail are programs that some machines lack.
var frail = []string{"jq", "jaq", "python3", "node", "uv", "perl", "ruby", "bc", "rg", "bun"}

// withoutComments replaces comment lines with spaces, so that offsets stay valid.
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
var caseLabel = pattern.Lazy(`(?m)^\s*\(?([^\s()#][^()\n]{1,80})\)\s*(?:$|[^)\n]*;;|[A-Za-z_])`)

// few is the number of texts that check tries for each pattern.
const few = 3

// literals returns texts that a script seems to look for: its literals, and texts that its patterns
// match, at most so many for each. It leaves out messages.
func literals(text string, most int) (out []string) {
	var basic []string // patterns in the syntax of grep without -E, or with an escaped bar
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
		if !strings.ContainsAny(literal, `\[(*+?|^$`) { // without other operators, a dot is meant literally
			add(literal)
			continue
		}
		for i := range most {
			add(explore.Sample(literal, i))
		}
		if strings.Contains(literal, `\|`) {
			basic = append(basic, strings.NewReplacer(`\|`, `|`, `\(`, `(`, `\)`, `)`).Replace(literal))
		}
	}
	for _, m := range caseLabel().FindAllStringSubmatch(text, -1) {
		for _, label := range strings.Split(m[1], "|") {
			add(strings.NewReplacer("*", "", `"`, "", "'", "", "?", "x", `\`, "").Replace(label))
		}
	}
	for _, pattern := range basic {
		for i := range most {
			add(explore.Sample(pattern, i))
		}
	}
	return out
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

// isMessage reports whether a text is written for users: more than four plain words, or a sentence.
func isMessage(s string) bool {
	return len(strings.Fields(s)) > 4 && !strings.ContainsAny(s, `\[(|`) || strings.Contains(s, ". ") || strings.HasPrefix(s, ".tool_input")
}

// wordsOf counts the words of an input, and those of them that a text contains.
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

// hasFirst reports whether a text contains the first word of an input.
func hasFirst(text, input string) bool {
	first, _, _ := strings.Cut(input, " ")
	return len(first) > 1 && hasWord(text, first)
}

// hasWord reports whether a text contains a word that no letter extends. A backslash and a letter
// may precede it, because patterns have such escapes.
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

// fileExtensions match the extensions of file names in a hook's text.
var fileExtensions = pattern.Lazy(`\.(py|tsx?|jsx?|go|rs|sh|json|ya?ml|md|rb)\b`)

// mentioned sends one input with all texts that the hook's text contains to a hook that runs after
// a call, or for the text of a file: as the content of a file, as the model's last message and in
// the transcript. A hook that looks for any of them reacts.
func (q *Inquiry) mentioned() []Probe {
	usual := q.usual
	if q.about().Guards == client.Prompts || len(usual) == 0 || q.absent != "" || q.denied != nil {
		return nil
	}
	f := usual[len(usual)-1] // the file, if there are a command and a file
	if q.about().Guards == client.Calls && (slices.Contains(shells, f.tool) || slices.Contains(shells, usual[0].tool)) {
		return nil // those were tried with commands
	}
	own := literals(q.text, few)
	const most = 30
	if len(own) == 0 {
		return nil
	}
	f.text = strings.Join(own[:min(len(own), most)], "\n") + "\n"
	f.description = "all that its text looks for"
	if takesFile(f.tool) {
		f.file, f.written = "src/hookwatch_example.py", true
		if m := fileExtensions().FindString(q.text); m != "" {
			f.file = "src/hookwatch_example" + m
		}
	}
	return q.tried([]firing{f})
}
