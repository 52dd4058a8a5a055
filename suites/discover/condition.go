package discover

import (
	"cmp"
	"encoding/json"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"hookwatch/suites/client"
	"hookwatch/suites/shell"
)

// A call is the part of a payload that an entry's `if` is compared with.
type call struct {
	Cwd   string         `json:"cwd"`
	Tool  string         `json:"tool_name"`
	Input map[string]any `json:"tool_input"`
}

// readable reports whether the values that rules are compared with are texts.
func (c call) readable() bool {
	keys := []string{"command", "url"}
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

// Takes reports whether the hook's `if` matches a tool call. That it filters was observed for
// Bash; the forms of rules are those of permissions, as documented. It returns true for a
// payload that is not JSON, a command that does not parse and a rule of another form, because
// the hook may run. tool replaces the name in the payload unless it is "".
func (h Hook) Takes(tool string, payload []byte) bool {
	var c call
	if h.If == "" || json.Unmarshal(payload, &c) != nil || !c.readable() {
		return true
	}
	if tool == "" {
		tool = c.Tool
	}
	named, about, limited := strings.Cut(strings.TrimSpace(h.If), "(")
	about = strings.TrimSuffix(about, ")")
	does := client.ToolNamed(named).Does
	switch {
	case strings.HasPrefix(named, "mcp__"):
		return named == tool || strings.HasPrefix(tool, strings.TrimSuffix(named, "__*")+"__")
	case !slices.Contains(RuleTools(named), tool):
		return false
	case does == client.Edits || does == client.Creates:
		return !limited || c.isFile(about)
	case named != tool, !limited, about == "", about == "*":
		return true
	case does == client.Runs:
		return runs(c.said("command"), about)
	case client.ToolNamed(named).Path != "":
		return c.isFile(about)
	case named == "WebFetch" && strings.HasPrefix(about, "domain:"):
		address, err := url.Parse(c.said("url"))
		return err != nil || address.Hostname() == strings.TrimPrefix(about, "domain:")
	default:
		return true
	}
}

// RuleTools returns the tools to which a rule of a tool applies.
func RuleTools(tool string) []string {
	if about := client.ToolNamed(tool); about.Name != "" {
		return about.Alike()
	}
	return []string{tool}
}

// runs reports whether a command, or one of its simple commands, matches the text of a rule. A
// variable that is set for a command is ignored.
func runs(command, rule string) bool {
	script, err := shell.Read(command)
	if err != nil {
		return true
	}
	matches := commandRule(rule)
	return matches.MatchString(command) || slices.ContainsFunc(script.Commands, func(c *shell.Command) bool {
		return len(c.Args) > 0 && matches.MatchString(command[c.Args[0].Start:c.End])
	})
}

// commandRule returns the expression for the text of a rule: "git:*" and "git *" match the words
// alone and with more words after them, and a star elsewhere matches anything.
func commandRule(rule string) *regexp.Regexp {
	words, prefix := strings.CutSuffix(rule, ":*")
	if !prefix && strings.Count(rule, "*") == 1 {
		words, prefix = strings.CutSuffix(rule, " *")
	}
	text := strings.ReplaceAll(regexp.QuoteMeta(words), `\*`, ".*")
	if prefix {
		text += "(?: .*)?"
	}
	return regexp.MustCompile("(?s)^" + text + "$")
}

// isFile reports whether the call is for a file that matches the path of a rule, as in
// .gitignore: without a slash at any depth, otherwise from the session's directory, with // from
// the root of the file system. It returns true for a path in the home directory, which is not
// evaluated.
func (c call) isFile(rule string) bool {
	file := ""
	for _, tool := range client.Tools() {
		file = cmp.Or(file, c.said(tool.Path))
	}
	if file == "" || strings.HasPrefix(rule, "~") {
		return true
	}
	if !path.IsAbs(file) && c.Cwd != "" && !strings.HasPrefix(file, "{") {
		file = path.Join(c.Cwd, file)
	}
	anchored := strings.TrimPrefix(rule, "./")
	switch {
	case strings.HasPrefix(anchored, "//"):
		anchored = anchored[1:]
	case strings.Contains(strings.TrimSuffix(anchored, "/"), "/"):
		anchored = c.Cwd + "/" + strings.TrimPrefix(anchored, "/")
	default:
		anchored = c.Cwd + "/**/" + anchored
	}
	text := regexp.QuoteMeta(strings.TrimSuffix(anchored, "/"))
	text = strings.NewReplacer(`/\*\*/`, "/(?:.*/)?", `\*\*`, ".*", `\*`, "[^/]*", `\?`, "[^/]").Replace(text)
	return regexp.MustCompile("^" + text + "(?:/.*)?$").MatchString(file)
}
