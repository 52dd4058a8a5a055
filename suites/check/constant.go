package check

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/depend/trace"
	"hookwatch/suites/discover"
	"hookwatch/suites/explore"
	"hookwatch/suites/pattern"
	"hookwatch/suites/shell"
)

// findConstant returns findings about conditions that are the same for every input: those that only ask for tools, by
// what was fired, and others by how they are written.
func (x *exploration) findConstant() (all []Finding) {
	for _, script := range slices.Sorted(maps.Keys(x.courses)) {
		var unfired []explore.Condition
		var of []string // the tools for which these ask
		for _, c := range x.courses[script].Constant() {
			asked := slices.DeleteFunc(slices.Clone(c.Asked), func(tool string) bool { return !slices.Contains(tools, tool) })
			sent := func(tool string) bool { return slices.Contains(c.Sent, tool) }
			other := func(tool string) bool { return !slices.Contains(asked, tool) }
			at, condition := suites.Position{File: script, Line: c.Line}, Short(c.Text)
			switch {
			case len(asked) == 0:
				for _, text := range c.Asked {
					if i := slices.IndexFunc(c.Sent, func(tool string) bool { return strings.EqualFold(tool, text) }); i >= 0 {
						all = append(all, FindingOf("misnamed-tool", x.hook.ID, at, fmt.Sprintf("it looks for the tool %q; the client sends %s", text, c.Sent[i])))
					}
				}
			case slices.ContainsFunc(asked, sent) && slices.ContainsFunc(c.Sent, other):
				all = append(all, FindingOf("constant-condition", x.hook.ID, at, fmt.Sprintf("%s goes the same way for each tool that was tried: %s", quote(condition), strings.Join(c.Sent, ", "))))
			case !x.tree.takes(x.hook, asked):
				unfired, of = append(unfired, c), append(of, slices.DeleteFunc(asked, func(tool string) bool { return slices.Contains(of, tool) })...)
			}
		}
		if len(unfired) > 0 {
			ask := " asks"
			if len(unfired) > 1 {
				ask = " and others ask"
			}
			f := FindingOf("constant-condition", x.hook.ID, suites.Position{File: script, Line: unfired[0].Line}, fmt.Sprintf("%s%s for %s, for which no matcher fires it", quote(Short(unfired[0].Text)), ask, strings.Join(of, ", ")))
			f.Remedy = "name the tool in the matcher, or remove the condition"
			all = append(all, f)
		}
	}
	for _, script := range slices.Sorted(maps.Keys(x.sources)) {
		src := x.sources[script]
		for _, c := range constants(trace.LanguageOf(script, src), string(src)) {
			at := suites.Position{File: script, Line: c.line}
			if !slices.ContainsFunc(all, func(f Finding) bool { return f.Where == at }) {
				f := FindingOf("constant-condition", x.hook.ID, at, quote(Short(c.text))+" "+c.what)
				f.Remedy, f.Effect = c.remedy, cmp.Or(c.effect, f.Effect)
				all = append(all, f)
			}
		}
	}
	return all
}

// takes reports whether a hook, or another one with the same script, is fired for one of some tools.
func (t Tree) takes(h discover.Hook, of []string) bool {
	return slices.ContainsFunc(t.hooks(), func(o discover.Hook) bool {
		shares := func(s string) bool { return slices.Contains(h.Scripts, s) }
		return slices.ContainsFunc(o.Scripts, shares) && slices.ContainsFunc(of, o.Matches)
	})
}

// A constant is a part of a condition that has the same value for every input.
type constant struct {
	line         int
	text         string
	what, remedy string
	effect       string // "" for that of a condition
}

// A slip is a usual way to write a condition that does not ask what it seems to ask.
type slip struct {
	language     string
	written      func() *regexp.Regexp // its group is what is shown
	what, remedy string
}

// slips are those that one expression shows.
var slips = []slip{
	{"python", pattern.Lazy(`^\s*(?:if|elif|while|return)\b.*?[=!]=\s*(` + text + `\s+or\s+` + text + `)\s*\)*\s*(?::|and\b|or\b|$)`),
		"is always true: a text that is not empty is", "compare with each of them: x in (\"a\", \"b\")"},
	{"python", pattern.Lazy(`^\s*(?:if|elif|while|return)\s+(?:not\s+)?\(*(` + text + `\s+(?:or|and)\s+` + text + `\s+(?:not\s+)?in)\b`),
		"asks only for one of the two texts, or for none: a text that is not empty is true", "repeat the whole comparison for each text, or use any(... for ... in ...)"},
	{"node", pattern.Lazy(`^\s*(?:\}\s*else\s+)?(?:if|while)\s*\(.*?[=!]==?\s*(` + text + `\s*\|\|\s*` + text + `)\s*(?:\)|&&|\|\|)`),
		"is always true: a text that is not empty is", "compare with each of them: [\"a\", \"b\"].includes(x)"},
	{"node", pattern.Lazy(`^\s*(?:\}\s*else\s+)?(?:if|while)\s*\(\s*([A-Za-z_$][\w.$?]*\s*=\s*` + text + `)\s*\)`),
		"assigns the text, and is always true", "compare with ==="},
	{"node", pattern.Lazy(`(?:\b(?:if|while)\s*\(|&&|\|\||\breturn\b)\s*!?\s*\(?\s*([A-Za-z_$][\w.$?]*\s+in\s+\[\s*['"][^\]]*\])`),
		"asks for an index of the list, and is false for each of its texts", "use [...].includes(x)"},
	{"node", pattern.Lazy(`^\s*(?:\}\s*else\s+)?if\s*\(\s*([A-Za-z_$][\w.$?]*\.(?:indexOf|search)\([^()]*\))\s*(?:\)|&&|\|\|)`),
		"is -1, which is true, if nothing is found, and 0, which is false, at the beginning", "use includes, or compare with -1"},
	{"python", pattern.Lazy(`^\s*(?:if|elif)\s+(?:not\s+)?([A-Za-z_][\w.]*\.r?find\([^()]*\))\s*(?::|and\b|or\b)`),
		"is -1, which is true, if nothing is found, and 0, which is false, at the beginning", "use in, or compare with -1"},
	{"bash", pattern.Lazy(`(?:^|\s)\[\[?\s+(?:!\s+)?("?\$\{?\w+\}?"?(?:==?|!=)[^\s\]=]\S*)\s+\]`),
		"is one word, and always true", "write spaces around the operator"},
}

// text matches a text that is not empty.
const text = `(?:"[^"\n]+"|'[^'\n]+')`

// constants returns the parts of a script's conditions that have the same value for every input.
func constants(language trace.Language, src string) (all []constant) {
	if language == nil {
		return nil
	}
	n := 0
	for line := range strings.Lines(withoutComments(src)) {
		if n++; !strings.ContainsAny(line, `"'=`) {
			continue
		}
		for _, s := range slips {
			if s.language != language.Name() {
				continue
			}
			if m := s.written().FindStringSubmatch(line); m != nil {
				all = append(all, constant{n, strings.TrimSpace(m[1]), s.what, s.remedy, ""})
			}
		}
		if c, what := contradiction(line); what != "" {
			all = append(all, constant{n, c, what, "see whether the parts are joined by the right and / or", ""})
		}
	}
	if first, _, _ := strings.Cut(src, "\n"); language.Name() == "bash" && (startsBash().MatchString(first) || !strings.HasPrefix(first, "#!")) {
		all = append(all, firstElements(src)...) // zsh gives all
	}
	return all
}

// A claim is a comparison of a value with a text, as it is written.
type claim struct {
	from, to int // in the line
	of       string
	how      string // "", "startswith" or "endswith"
	text     string
	denied   bool
}

// claims returns the comparisons with texts in a line. A word without quotes is a text for the shell alone, and one
// with a variable for none.
func claims(line string) (all []claim) {
	for _, m := range compares().FindAllStringSubmatchIndex(line, -1) {
		group := func(n int) string { return line[max(0, m[2*n]):max(0, m[2*n+1])] }
		c := claim{from: m[0], to: m[1], of: group(2), how: strings.ToLower(group(5)), text: group(6)}
		if c.how == "" {
			c.to = m[2*6+1] // without a parenthesis around it
		}
		c.denied = strings.HasPrefix(group(3), "!") != (group(1) != "")
		if called().MatchString(steady().ReplaceAllString(c.of, "")) {
			continue // args.shift() has another value each time
		}
		switch shell, quoted := strings.Contains(c.of, "$"), strings.ContainsAny(c.text, `"'`); {
		case !quoted && !shell, shell && strings.Contains(c.text, "$"):
			continue
		case quoted:
			c.text = strings.Trim(c.text, `"'`)
		case strings.HasPrefix(c.text, "*"):
			c.how, c.text = "endswith", c.text[1:]
		case strings.HasSuffix(c.text, "*"):
			c.how, c.text = "startswith", strings.TrimSuffix(c.text, "*")
		}
		if c.text != "" && !strings.Contains(c.text, "*") {
			all = append(all, c)
		}
	}
	return all
}

// excludes reports whether no value is as both claims have it, without regard to their denials.
func (c claim) excludes(o claim) bool {
	switch {
	case c.of != o.of || c.how != o.how:
		return false
	case c.how == "startswith":
		return !strings.HasPrefix(c.text, o.text) && !strings.HasPrefix(o.text, c.text)
	case c.how == "endswith":
		return !strings.HasSuffix(c.text, o.text) && !strings.HasSuffix(o.text, c.text)
	}
	return c.text != o.text
}

var (
	compares = pattern.Lazy(`(!\s*|\bnot\s+)?("?\$\{?\w+\}?"?|[A-Za-z_][\w.$?]*(?:\([^()]*\)|\[[^\[\]]*\])*?)(?:\s*(===?|!==?)\s*|\s(=)\s+|\.((?:starts|ends)[wW]ith)\()(` + text + `|\*?[\w./-]+\*?)\)?`)
	called   = pattern.Lazy(`\w\(`)
	steady   = pattern.Lazy(`\.(?:get|at|lower|upper|strip|trim|toLowerCase|toUpperCase)\([^()]*\)`)
	connects = pattern.Lazy(`^[\s)]*(?:\]\]?)?[\s)]*(&&|\|\||\band\b|\bor\b|-a\b|-o\b)[\s(]*(?:\[\[?\s)?\s*$`)
)

// contradiction returns two comparisons of one value in a line that cannot both be true, or both be false, and what
// that makes of the condition; "" if there are none.
func contradiction(line string) (text, what string) {
	all := claims(line)
	for i := range max(0, len(all)-1) {
		a, b := all[i], all[i+1]
		connection := connects().FindStringSubmatch(line[a.to:b.from])
		if connection == nil || !a.excludes(b) || a.denied != b.denied {
			continue
		}
		switch and := slices.Contains([]string{"&&", "and", "-a"}, connection[1]); {
		case and && !a.denied:
			return strings.TrimSpace(line[a.from:b.to]), "is never true: no value is both"
		case !and && a.denied:
			return strings.TrimSpace(line[a.from:b.to]), "is always true: no value is both"
		}
	}
	return "", ""
}

// firstElements returns the expansions of lists of several words that give only the first one.
func firstElements(src string) (all []constant) {
	script, err := shell.Read(src)
	if err != nil {
		return nil
	}
	lists, texts := map[string]bool{}, map[string]bool{}
	for _, a := range script.Assigns {
		if a.Array && strings.ContainsAny(strings.TrimSpace(src[a.Start:a.End]), " \n\t") {
			lists[a.Name] = true
		} else if !a.Array && a.Whole {
			texts[a.Name] = true
		}
	}
	for _, l := range script.Loops {
		texts[l.Name] = true
	}
	for _, p := range script.Parameters {
		if lists[p.Name] && !texts[p.Name] && !p.Indexed && !p.Indirect && p.Op == "" && !p.Partial {
			all = append(all, constant{p.Line, src[p.Start:p.End], "is only the first word of the list " + p.Name, fmt.Sprintf("write \"${%s[@]}\"", p.Name), "its other words are not used"})
		}
	}
	return all
}
