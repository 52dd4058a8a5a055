package discover

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/pattern"
)

// documents matches the places of skills, agents and commands of a project or a plugin.
var documents = pattern.Lazy(`(^|/)(\.claude/)?(skills/[^/]+/SKILL|agents/.+|commands/.+)\.md$`)

// document adds a skill, agent or command that has hooks of its own. A skill may be named test
// or docs, so only its parent directories make it an example.
func (f *finder) document(name, absolute string) {
	at := documents().FindStringIndex(name)
	if at == nil || exampleDirs().MatchString(name[:at[0]]) || isOfAnother(name[:at[0]]) {
		return
	}
	if !bytes.Contains(front(f.content(absolute)), []byte("\nhooks:")) {
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

// isOfAnother reports whether a directory is that of another client, such as .factory/skills.
func isOfAnother(dir string) bool {
	return slices.ContainsFunc(strings.Split(dir, "/"), func(d string) bool { return strings.HasPrefix(d, ".") && d != ".claude" })
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
		if i > 0 && len(line) > 1 && strings.IndexByte(" -#", line[0]) < 0 {
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
