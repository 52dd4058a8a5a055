package discover

import (
	"encoding/json"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"hookwatch/suites/shell"
)

// A call is the part of a payload that an entry's `if` is compared with.
type call struct {
	Cwd   string `json:"cwd"`
	Tool  string `json:"tool_name"`
	Input struct {
		Command  string `json:"command"`
		FilePath string `json:"file_path"`
		Notebook string `json:"notebook_path"`
		URL      string `json:"url"`
	} `json:"tool_input"`
}

// Takes reports whether the hook's `if` lets a tool call through: that it filters was observed
// for Bash; the forms of rules are those of permissions, as documented. A payload that is not JSON,
// a command that does not parse and a rule of another form are taken to be let through, because
// the hook may run. tool replaces the name in the payload unless it is "".
func (h Hook) Takes(tool string, payload []byte) bool {
	var c call
	if h.If == "" || json.Unmarshal(payload, &c) != nil {
		return true
	}
	if tool == "" {
		tool = c.Tool
	}
	named, about, limited := strings.Cut(strings.TrimSpace(h.If), "(")
	about = strings.TrimSuffix(about, ")")
	switch {
	case strings.HasPrefix(named, "mcp__"):
		return named == tool || strings.HasPrefix(tool, strings.TrimSuffix(named, "__*")+"__")
	case slices.Contains(editTools, named) && slices.Contains(editTools, tool):
		return !limited || c.isFile(about)
	case named != tool:
		return slices.Contains(readTools, named) && slices.Contains(readTools, tool)
	case !limited || about == "" || about == "*":
		return true
	case named == "Bash" || named == "PowerShell":
		return runs(c.Input.Command, about)
	case named == "Read":
		return c.isFile(about)
	case named == "WebFetch" && strings.HasPrefix(about, "domain:"):
		address, err := url.Parse(c.Input.URL)
		return err != nil || address.Hostname() == strings.TrimPrefix(about, "domain:")
	default:
		return true
	}
}

// A rule of one of these tools is for all of them.
var (
	editTools = []string{"Edit", "Write", "MultiEdit", "NotebookEdit"}
	readTools = []string{"Read", "Grep", "Glob", "LS"}
)

// RuleTools lists the tools that a rule of a tool is for.
func RuleTools(tool string) []string {
	for _, alike := range [][]string{editTools, readTools} {
		if slices.Contains(alike, tool) {
			return alike
		}
	}
	return []string{tool}
}

// runs reports whether a command, or one of the commands that it is made of, matches the text of
// a rule. A variable that is set for a command does not count.
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

// commandRule is the expression for the text of a rule: "git:*" and "git *" take the words alone
// and with more behind them, and a star elsewhere takes anything.
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

// isFile reports whether the call is of a file that the path of a rule matches, as in .gitignore:
// without a slash at any depth, otherwise from the session's directory, with // from the root of
// the file system. A path in the home directory is not evaluated.
func (c call) isFile(rule string) bool {
	file := c.Input.FilePath
	if file == "" {
		file = c.Input.Notebook
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
