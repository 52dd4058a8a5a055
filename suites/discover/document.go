package discover

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/pattern"
	"hookwatch/suites/shell"
)

// documents matches the places of skills, agents and commands of a project or a plugin.
var documents = pattern.Lazy(`(^|/)(\.claude/)?(skills/[^/]+/SKILL|agents/.+|commands/.+)\.md$`)

// document adds a skill, agent or command that has hooks of its own. A skill may be named test
// or docs, so only its parent directories make it an example.
func (f *finder) document(name, absolute string) {
	at := documents().FindStringIndex(name)
	if at == nil || exampleDirs().MatchString(name[:at[0]]) {
		return
	}
	data, err := f.reader.ReadFile(absolute, settingsAtMost)
	if err != nil || !bytes.Contains(front(data), []byte("\nhooks:")) {
		return
	}
	source := Source{File: absolute, Scope: InDocument}
	for _, s := range f.out.Sources {
		if s.PluginRoot != "" && strings.HasPrefix(absolute, s.PluginRoot+string(filepath.Separator)) {
			source.Plugin, source.PluginRoot = s.Plugin, s.PluginRoot
		}
	}
	f.add(source)
}

// front returns the block of YAML at a document's beginning, with the line break before it.
func front(data []byte) []byte {
	data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	if !bytes.HasPrefix(data, []byte("---\n")) {
		return nil
	}
	block, _, closed := bytes.Cut(data[3:], []byte("\n---"))
	if !closed {
		return nil
	}
	return block
}

// hooksBlock returns the part of a front that defines hooks, because the client accepts a front
// whose other parts are not valid YAML.
func hooksBlock(front []byte) []byte {
	_, rest, _ := bytes.Cut(front, []byte("\nhooks:"))
	block := []byte("hooks:")
	for i, line := range bytes.SplitAfter(rest, []byte("\n")) {
		if i > 0 && len(line) > 1 && line[0] != ' ' && line[0] != '-' && line[0] != '#' {
			break
		}
		block = append(block, line...)
	}
	return block
}

// documentHooks returns the hooks of a document's front in the form of a plugin's hooks file,
// each value on its line of the front, and nil if they cannot be read.
func documentHooks(data []byte) []byte {
	var about yaml.Node
	if yaml.Unmarshal(hooksBlock(front(data)), &about) != nil || len(about.Content) != 1 {
		return nil
	}
	w := placedJSON{line: 1}
	if !w.write(about.Content[0]) {
		return nil
	}
	return w.out.Bytes()
}

// placedJSON writes YAML as JSON in which every value is on the same line as in the YAML, so
// that positions are equal.
type placedJSON struct {
	out  bytes.Buffer
	line int
}

// write reports whether the node could be written.
func (w *placedJSON) write(n *yaml.Node) bool {
	for w.line < n.Line {
		w.out.WriteByte('\n')
		w.line++
	}
	switch n.Kind {
	case yaml.MappingNode:
		return w.members('{', '}', n.Content, true)
	case yaml.SequenceNode:
		return w.members('[', ']', n.Content, false)
	case yaml.AliasNode:
		return n.Alias != nil && w.scalar(n.Alias)
	default:
		return w.scalar(n)
	}
}

func (w *placedJSON) members(open, end byte, all []*yaml.Node, pairs bool) bool {
	w.out.WriteByte(open)
	for i, n := range all {
		switch {
		case i > 0 && pairs && i%2 == 1:
			w.out.WriteByte(':')
		case i > 0:
			w.out.WriteByte(',')
		}
		if pairs && i%2 == 0 {
			n = &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: n.Value, Line: n.Line} // keys are text
		}
		if !w.write(n) {
			return false
		}
	}
	w.out.WriteByte(end)
	return true
}

// scalar writes a value without line breaks of its own.
func (w *placedJSON) scalar(n *yaml.Node) bool {
	var value any
	if n.Tag == "!!str" {
		value = n.Value
	} else if n.Decode(&value) != nil {
		return false
	}
	text, err := json.Marshal(value)
	w.out.Write(text)
	return err == nil
}

// parseDocument reads the hooks of a document.
func parseDocument(name string, data []byte) (*client.Settings, []suites.Problem) {
	begins := 1 + bytes.Count(data[:max(0, bytes.Index(data, []byte("\nhooks:")))], []byte("\n")) + 1
	text := documentHooks(data)
	if text == nil {
		at := suites.Position{File: name, Line: begins, Column: 1}
		return &client.Settings{Path: name}, []suites.Problem{{At: at, What: "hooks in the front of the document cannot be read", Hint: "write them as in a settings file: event, list of matcher and hooks"}}
	}
	read, problems := client.ParsePlugin(client.Default, name, text)
	place := func(at *suites.Position) { at.Line, at.Column = at.Line+begins-1, 1 }
	for i := range read.Entries {
		place(&read.Entries[i].At)
	}
	for i := range read.Ignored {
		place(&read.Ignored[i].At)
	}
	for i := range problems {
		place(&problems[i].At)
	}
	return read, problems
}

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
	tool = cmp.Or(tool, c.Tool)
	named, about, limited := strings.Cut(strings.TrimSpace(h.If), "(")
	about = strings.TrimSuffix(about, ")")
	does := client.ToolNamed(named).Kind
	switch {
	case strings.HasPrefix(named, "mcp__"):
		return named == tool || strings.HasPrefix(tool, strings.TrimSuffix(named, "__*")+"__")
	case !slices.Contains(RuleTools(named), tool):
		return false
	case does == client.EditsFile || does == client.CreatesFile:
		return !limited || c.isFile(about)
	case named != tool, !limited, about == "", about == "*":
		return true
	case does == client.RunsCommand:
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
