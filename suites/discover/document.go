package discover

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v4"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/client/settings"
	"hookwatch/suites/pattern"
)

// documents are where skills, agents and commands lie, from a project or a plugin.
var documents = pattern.Lazy(`(^|/)(\.claude/)?(skills/[^/]+/SKILL|agents/.+|commands/.+)\.md$`)

// document adds a skill, agent or command that has hooks of its own. A skill may well
// be called test or docs: only what it lies in makes it an example.
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

// front is the block of YAML at a document's beginning, with the line that opens it.
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

// hooksBlock is the part of a front that is about hooks: the rest need not be YAML
// in every respect for the client to take it.
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

// documentHooks gives the hooks of a document's front as a plugin's hooks file
// has them; nil when they cannot be read.
func documentHooks(data []byte) []byte {
	var about struct {
		Hooks map[string]any `yaml:"hooks"`
	}
	if yaml.Unmarshal(hooksBlock(front(data)), &about) != nil {
		return nil
	}
	out, err := json.Marshal(map[string]any{"hooks": about.Hooks})
	if err != nil {
		return nil
	}
	return out
}

// parseDocument reads the hooks of a document. Places within it are not known: all
// is said of the line where its hooks begin.
func parseDocument(name string, data []byte) (*settings.Settings, []suites.Problem) {
	at := suites.Position{File: name, Line: 1 + bytes.Count(data[:max(0, bytes.Index(data, []byte("\nhooks:")))], []byte("\n")) + 1, Column: 1}
	text := documentHooks(data)
	if text == nil {
		return &settings.Settings{Path: name}, []suites.Problem{{At: at, What: "hooks in the front of the document cannot be read", Hint: "write them as in a settings file: event, list of matcher and hooks"}}
	}
	read, problems := settings.ParsePlugin(client.Default, name, text)
	for i := range read.Entries {
		read.Entries[i].At = at
	}
	for i := range read.Ignored {
		read.Ignored[i].At = at
	}
	for i := range problems {
		problems[i].At = at
	}
	return read, problems
}
