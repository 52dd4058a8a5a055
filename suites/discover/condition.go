package discover

import (
	"cmp"
	"encoding/json"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"hookwatch/suites/client"
	"hookwatch/suites/pattern"
	"hookwatch/suites/shell"
)

// A Condition is an entry's `if`: a permission rule for one tool. What it lets through was observed
// on client 2.1.332; the cells are in package client, and `hookwatch contract` plays them.
type Condition struct {
	Tool string // by its present name
	// Text is the part in parentheses; "" if the rule takes every call of the tool.
	Text string
}

// ReadCondition reads a rule. Blanks around it and a missing parenthesis are part of the tool's
// name, so that it matches nothing.
func ReadCondition(rule string) Condition {
	tool, text, limited := strings.Cut(rule, "(")
	if limited && !strings.HasSuffix(text, ")") {
		return Condition{Tool: rule}
	}
	for _, t := range client.Tools() {
		if slices.Contains(t.Also, tool) {
			tool = t.Name
		}
	}
	if text = strings.TrimSuffix(text, ")"); text == "*" {
		text = ""
	}
	return Condition{tool, text}
}

// A call is the part of a payload that an entry's `if` is compared with.
type call struct {
	Cwd   string         `json:"cwd"`
	Tool  string         `json:"tool_name"`
	Input map[string]any `json:"tool_input"`
}

// readable reports whether the values that rules are compared with are texts.
func (c call) readable() bool {
	keys := []string{"command"}
	for _, tool := range client.Tools() {
		keys = append(keys, tool.Path)
	}
	return !slices.ContainsFunc(keys, func(key string) bool {
		_, isText := c.Input[key].(string)
		return c.Input[key] != nil && !isText
	})
}

// said returns the text of a key of the tool's input, "" if there is none.
func (c call) said(key string) string {
	text, _ := c.Input[key].(string)
	return text
}

// Takes reports whether the hook's `if` matches a tool call. It returns true for a payload that is
// not JSON, and for the arguments of tools that were not observed, because the hook may run. tool
// replaces the name in the payload unless it is "".
func (h Hook) Takes(tool string, payload []byte) bool {
	var c call
	if h.If == "" || json.Unmarshal(payload, &c) != nil || !c.readable() {
		return true
	}
	tool, rule := cmp.Or(tool, c.Tool), ReadCondition(h.If)
	about := client.ToolNamed(tool)
	switch {
	case rule.Tool != tool:
		return false
	case rule.Text == "":
		return true
	case about.Kind == client.RunsCommand:
		return runs(c.said("command"), rule.Text)
	case about.Path != "":
		return c.isFile(c.said(about.Path), rule.Text)
	default:
		return about.Name != "" && !about.OnlyWhole
	}
}

// runs reports whether a command matches the text of a rule, or may: what the client does not look
// into, it cannot exclude.
func runs(command, rule string) bool {
	plain := shell.ReadPlain(command)
	rule = strings.Join(strings.Fields(rule), " ")
	if plain.Unclear {
		head, isHead := cutWildcard(rule)
		if plain.Heads == nil || !isHead || strings.ContainsAny(head, " *") {
			return true
		}
		return slices.Contains(plain.Heads, head)
	}
	matches := commandRule(rule)
	return slices.ContainsFunc(plain.Commands, func(words []string) bool {
		return matches.MatchString(strings.Join(words, " "))
	})
}

// cutWildcard returns the words before the end ":*" or " *" of a rule; false if it has neither.
func cutWildcard(rule string) (words string, found bool) {
	if words, found = strings.CutSuffix(rule, ":*"); found {
		return words, true
	}
	return strings.CutSuffix(rule, " *")
}

// commandRule returns the expression for the text of a rule: "git:*" and "git *" match the words
// alone and with more words after them, and a star elsewhere matches anything.
func commandRule(rule string) *regexp.Regexp {
	words, prefix := strings.CutSuffix(rule, ":*")
	if prefix {
		return regexp.MustCompile("(?s)^" + regexp.QuoteMeta(words) + "(?: .*)?$")
	}
	if strings.Count(rule, "*") == 1 {
		words, prefix = strings.CutSuffix(rule, " *")
	}
	text := strings.ReplaceAll(regexp.QuoteMeta(words), `\*`, ".*")
	if prefix {
		text += "(?: .*)?"
	}
	return regexp.MustCompile("(?s)^" + text + "$")
}

// isFile reports whether a file matches the path of a rule, as in .gitignore and ignoring case: from
// the session's directory, with // from the root of the file system, and with ~/ from the home
// directory. A path without a slash matches at any depth. With a star at the beginning, a rule is also
// compared with the whole path, in which a star matches anything.
func (c call) isFile(file, rule string) bool {
	rule = strings.TrimRight(rule, " ")
	if file == "" || strings.HasPrefix(rule, "!") {
		return file == ""
	}
	if !path.IsAbs(file) && !strings.HasPrefix(file, "{") {
		file = path.Join(c.Cwd, file)
	}
	base := c.Cwd + "/"
	switch rest, home := strings.CutPrefix(rule, "~/"); {
	case strings.HasPrefix(rule, "//"):
		base, rule = "/", rule[1:]
	case strings.HasPrefix(rule, "*") && anywhere(rule).MatchString(path.Clean(file)):
		return true
	case home:
		dir, _ := os.UserHomeDir() // without one nothing matches
		base, rule = dir+"/", "/"+rest
	}
	relative, inside := strings.CutPrefix(path.Clean(file), base)
	if !inside {
		return false
	}
	return ignoreRule(strings.TrimPrefix(rule, "./")).MatchString(strings.TrimPrefix(relative, "/"))
}

// anywhere returns the expression for a pattern in which a star matches anything.
func anywhere(rule string) *regexp.Regexp {
	return regexp.MustCompile("(?s)^" + strings.ReplaceAll(regexp.QuoteMeta(rule), `\*`, ".*") + "$")
}

// ignored matches the parts of a .gitignore pattern that are not literal.
var ignored = pattern.Lazy(`^(?:\*\*/)|/\*\*/|/\*\*$|\*+|\?|\[[^\]]+\]|\\.`)

// ignoreRule returns the expression for a pattern of .gitignore, compared with a relative path.
func ignoreRule(rule string) *regexp.Regexp {
	text, end := strings.TrimSuffix(rule, "/"), "(?:/.*)?$"
	if text != rule { // a directory alone, of which only what is in it is a file
		end = "/.*$"
	}
	start := "(?:.*/)?"
	if strings.Contains(text, "/") {
		start, text = "", strings.TrimPrefix(text, "/")
	}
	if dir := strings.TrimSuffix(text, "/**"); dir != "" { // what is in a directory includes it
		text = dir
	}
	var b strings.Builder
	for at := 0; at < len(text); {
		found := ignored().FindStringIndex(text[at:])
		if found == nil || found[0] > 0 {
			end := len(text)
			if found != nil {
				end = at + found[0]
			}
			b.WriteString(regexp.QuoteMeta(text[at:end]))
			at = end
			continue
		}
		b.WriteString(ignoredPart(text[at : at+found[1]]))
		at += found[1]
	}
	compiled, err := regexp.Compile("(?is)^" + start + b.String() + end)
	if err != nil { // a class that is none
		return regexp.MustCompile("(?is)^" + start + regexp.QuoteMeta(text) + end)
	}
	return compiled
}

func ignoredPart(part string) string {
	switch {
	case part == "**/":
		return "(?:.*/)?"
	case part == "/**/":
		return "/(?:.*/)?"
	case part == "/**":
		return "/.*"
	case part[0] == '*':
		return "[^/]*"
	case part == "?":
		return "[^/]"
	case part[0] == '\\':
		return regexp.QuoteMeta(part[1:])
	default:
		return strings.Replace(part, "[!", "[^", 1)
	}
}
