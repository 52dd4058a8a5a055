package discover

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

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
	rule = strings.ToValidUTF8(rule, "\ufffd")
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
	Mode  string         `json:"permission_mode"`
	Input map[string]any `json:"tool_input"`
}

// isReadable reports whether the values that rules are compared with are texts.
func (c call) isReadable() bool {
	keys := []string{"command"}
	for _, tool := range client.Tools() {
		keys = append(keys, tool.Path)
	}
	return !slices.ContainsFunc(keys, func(key string) bool {
		_, isText := c.Input[key].(string)
		return c.Input[key] != nil && !isText
	})
}

// textOf returns the text of a key of the tool's input, "" if there is none.
func (c call) textOf(key string) string {
	text, _ := c.Input[key].(string)
	return text
}

// Takes reports whether the hook's `if` matches a tool call. It returns true for a payload that is
// not JSON, and for the arguments of tools that were not observed, because the hook may run. tool
// replaces the name in the payload unless it is "".
func (h Hook) Takes(tool string, payload []byte) bool {
	var c call
	if h.If == "" || json.Unmarshal(payload, &c) != nil || !c.isReadable() {
		return true
	}
	tool, rule := cmp.Or(tool, c.Tool), ReadCondition(h.If)
	about := client.ToolByName(tool)
	switch {
	case rule.Tool != tool:
		return false
	case rule.Text == "":
		return true
	case about.Kind == client.RunsCommand:
		return runs(c.textOf("command"), rule.Text)
	case about.Path != "":
		return c.isFile(c.textOf(about.Path), rule.Text)
	default:
		return about.Name != "" && !about.OnlyWhole
	}
}

// WhyPassedOver returns the reason why the client does not run the hook although its matcher matches.
func (h Hook) WhyPassedOver() string {
	return fmt.Sprintf("its \"if\": %q does not let this call through", h.If)
}

// runs reports whether a command matches the text of a rule, or may: what the client does not look
// into, it cannot exclude.
func runs(command, rule string) bool {
	plain := shell.ReadPlain(command)
	begin, beginning := strings.CutSuffix(rule, ":*")
	blank := beginning && begin != strings.TrimSpace(begin) // the words never begin or end so
	double := strings.Contains(rule, "  ")
	rule = strings.Join(strings.Fields(rule), " ")
	switch {
	case strings.HasSuffix(command, `\`), strings.ContainsFunc(command, isOdd):
		return true
	case !plain.Unclear && blank:
		return false
	case plain.Unclear:
		return plain.Heads == nil || double || mayBegin(plain.Heads, rule)
	}
	matches := commandRule(rule)
	return slices.ContainsFunc(plain.Commands, func(words []string) bool {
		if last := len(words) - 1; last > 0 && words[0] == "[" && words[last] == "]" {
			words = append([]string{"[["}, words[1:last]...) // as the client has both forms of a test
		}
		return matches.MatchString(strings.Join(words, " "))
	})
}

// isOdd reports whether a character beyond ASCII is a blank or has no width, so that the client does not look into
// the command.
func isOdd(r rune) bool {
	return r > unicode.MaxASCII && (unicode.IsSpace(r) || unicode.Is(unicode.Cf, r))
}

// mayBegin reports whether a rule can match commands of which only the first words are known.
func mayBegin(heads []string, rule string) bool {
	words, isBeginning := strings.CutSuffix(rule, ":*")
	head, hasMore := strings.CutSuffix(rule, " *")
	begin, isPart := strings.CutSuffix(rule, "*")
	switch {
	case isBeginning && !strings.Contains(words, " "):
		return slices.Contains(heads, words)
	case hasMore && !strings.ContainsAny(head, " *?[]"):
		return slices.Contains(heads, head)
	case isPart && !hasMore && !strings.ContainsAny(begin, " *"):
		return slices.ContainsFunc(heads, func(h string) bool { return strings.HasPrefix(h, begin) })
	default:
		return true
	}
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
	text := regexp.QuoteMeta(escaped.Replace(words))
	text = literal.Replace(strings.ReplaceAll(text, `\*`, ".*"))
	if prefix {
		text += "(?: .*)?"
	}
	return regexp.MustCompile("(?s)^" + text + "$")
}

// escaped replaces the characters that a backslash makes literal in the rule of a command, and literal returns
// them, quoted.
var (
	escaped = strings.NewReplacer(`\*`, "\x00", `\(`, "(", `\)`, ")")
	literal = strings.NewReplacer("\x00", `\*`)
)

// isFile reports whether a file matches the path of a rule, as in .gitignore and ignoring case: from
// the session's directory, with // from the root of the file system, and with ~/ from the home
// directory. A path without a slash matches at any depth. With a star at the beginning, a rule is also
// compared with the whole path, in which a star matches anything.
func (c call) isFile(file, rule string) bool {
	rule = strings.TrimRight(rule, " ")
	if file == "" || unusable().MatchString(rule) {
		return file == ""
	}
	if !path.IsAbs(file) && !strings.HasPrefix(file, "{") {
		file = path.Join(c.Cwd, file)
	}
	if rule == path.Clean(file) {
		return true
	}
	for at := strings.LastIndex(rule, "//"); at > 0; at = strings.LastIndex(rule, "//") {
		rule = rule[:at] + rule[at+1:]
	}
	base := c.Cwd + "/"
	switch rest, home := strings.CutPrefix(rule, "~/"); {
	case strings.HasPrefix(rule, "//"):
		base, rule = "/", rule[1:]
	case strings.HasPrefix(rule, "*") && compileWildcard(rule).MatchString(path.Clean(file)):
		return true
	case home:
		dir, _ := os.UserHomeDir() // without one nothing matches
		base, rule = dir+"/", "/"+rest
	}
	if before, ok := strings.CutSuffix(rule, `\*`); ok { // only before another character a backslash counts
		rule = before + "*"
	}
	relative, inside := strings.CutPrefix(path.Clean(file), base)
	if !inside {
		return false
	}
	return ignoreRule(strings.TrimPrefix(rule, "./")).MatchString(strings.TrimPrefix(relative, "/"))
}

// unusable matches a rule that takes no file: an exception, a comment, or one with an escaped slash.
var unusable = pattern.Lazy(`^[!#]|\\/`)

// compileWildcard returns the expression for a pattern in which a star matches anything.
func compileWildcard(rule string) *regexp.Regexp {
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
		b.WriteString(translate(text[at : at+found[1]]))
		at += found[1]
	}
	compiled, err := regexp.Compile("(?is)^" + start + b.String() + end)
	if err != nil { // a class that is none
		return regexp.MustCompile("(?is)^" + start + regexp.QuoteMeta(text) + end)
	}
	return compiled
}

func translate(part string) string {
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
	default: // a class, which has no negation
		return strings.Replace(part, "[^", `[\^`, 1)
	}
}

// IsGitIgnored reports whether the last rule for a file or a directory above it, in the .gitignore of the project or
// of a directory on the way, ignores it. read returns the text of a file.
func IsGitIgnored(read func(string) string, s string) (ignored bool) {
	dir := ""
	for {
		for line := range strings.Lines(read(path.Join(dir, ".gitignore"))) {
			rule, excepted := strings.CutPrefix(strings.TrimSpace(line), "!")
			plain := rule != "" && !strings.HasPrefix(rule, "#")
			if plain && ignoreRule(rule).MatchString(strings.TrimPrefix(s, dir)) {
				ignored = !excepted
			}
		}
		next, _, below := strings.Cut(strings.TrimPrefix(s, dir), "/")
		if !below {
			return ignored
		}
		dir += next + "/"
	}
}
