package discover

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/client"
)

// A manifest is the part about hooks of a plugin's plugin.json or of its entry in a marketplace:
// a path, a list of paths and of hooks, or hooks.
type manifest struct {
	Name   string          `json:"name"`
	Hooks  json.RawMessage `json:"hooks"`
	Source json.RawMessage `json:"source"` // in a marketplace: a path, or an object for a plugin in another place
	// Servers are the plugin's own MCP servers, or paths of files with them.
	Servers json.RawMessage `json:"mcpServers"`
}

// plugins finds the plugins of a tree, by manifest, by marketplace and by a hooks/hooks.json
// whose commands name the plugin's root.
func (f *finder) plugins() {
	for _, name := range f.names { // first, because a marketplace decides whether its plugins are loaded
		if isAt(name, marketplaceName) {
			f.marketplace(strings.TrimSuffix(name, marketplaceName), name)
		}
	}
	for _, name := range f.names {
		if isAt(name, manifestName) && !exampleDirs().MatchString(path.Dir(name)) {
			f.manifest(strings.TrimSuffix(name, manifestName), name)
		}
	}
	for _, name := range f.names {
		if dir := strings.TrimSuffix(name, pluginHooks); isAt(name, pluginHooks) && !exampleDirs().MatchString(dir) && f.namesPlugin(name) {
			f.plugin(dir, manifest{})
		}
	}
	for _, name := range f.names {
		if isAt(name, pluginHooks) && f.looseHooks(name) {
			f.add(Source{File: f.makeAbsolute(name), Scope: InTemplate})
		}
	}
}

// looseHooks reports whether a file has the form of a plugin's hooks but belongs to no known
// plugin.
func (f *finder) looseHooks(name string) bool {
	if slices.Contains(f.read, f.makeAbsolute(name)) || path.Base(path.Dir(path.Dir(name))) == ".claude" || f.isForeign(name) {
		return false
	}
	data := f.content(f.makeAbsolute(name))
	var form struct {
		Hooks map[string][]struct {
			Hooks []json.RawMessage `json:"hooks"`
		} `json:"hooks"`
	}
	if json.Unmarshal(data, &form) != nil || f.isCopy(data) {
		return false
	}
	for event := range form.Hooks {
		if _, known := client.EventByName(event); known {
			return true
		}
	}
	return false
}

// IsPluginFile reports whether a file is at the place of a plugin's hooks, by its slash path.
func IsPluginFile(name string) bool { return isAt(name, pluginHooks) }

func (f *finder) manifest(dir, name string) {
	var m manifest
	if !f.decode(name, &m) {
		f.add(Source{File: f.makeAbsolute(name), Scope: InPlugin, Plugin: path.Base(path.Clean(dir)), PluginRoot: f.makeAbsolute(dir)})
	}
	f.plugin(dir, m)
	f.addDeclared(dir, name, m)
}

// marketplace finds the plugins that a marketplace offers from its own repository.
func (f *finder) marketplace(dir, name string) {
	var market struct {
		Metadata struct {
			PluginRoot string `json:"pluginRoot"`
		} `json:"metadata"`
		Plugins []manifest `json:"plugins"`
	}
	if !f.decode(name, &market) {
		return
	}
	for _, m := range market.Plugins {
		var source string
		if json.Unmarshal(m.Source, &source) != nil || filepath.IsAbs(source) {
			continue // it is in another repository
		}
		at := path.Join(dir, source)
		if !strings.HasPrefix(source, "./") {
			at = path.Join(dir, market.Metadata.PluginRoot, source)
		}
		if filepath.IsLocal(filepath.FromSlash(at)) || at == "." {
			f.refuse(at, name, m)
			f.plugin(at+"/", m)
			f.addDeclared(at+"/", name, m)
		}
	}
}

// refuse records that the client does not load a plugin whose entry in a marketplace names a file, or
// a list, as its hooks; observed on client 2.1.332.
func (f *finder) refuse(at, marketplace string, m manifest) {
	if len(m.Hooks) == 0 || m.Hooks[0] != '"' && m.Hooks[0] != '[' {
		return
	}
	data := f.content(f.makeAbsolute(marketplace)) // it was just decoded
	line := 1
	if start := bytes.Index(data, m.Hooks); start >= 0 {
		line += bytes.Count(data[:start], []byte("\n"))
	}
	if f.refused == nil {
		f.refused = map[string]suites.Problem{}
	}
	f.refused[f.makeAbsolute(at)] = suites.Problem{
		At:   suites.Position{File: marketplace, Line: line, Column: 1},
		What: "the entry of plugin " + m.Name + " has a path or a list as its hooks, and the client loads no such plugin",
		Hint: "remove hooks from the entry: the client reads " + pluginHooks + " of the plugin by itself",
	}
}

// sourceOf returns a source of a plugin's hooks without its file.
func (f *finder) sourceOf(dir string, m manifest) Source {
	root := f.makeAbsolute(dir)
	return Source{
		Scope: InPlugin, Plugin: cmp.Or(m.Name, filepath.Base(root)), PluginRoot: root,
		Servers: f.servers(dir, m), Refused: f.refused[root],
	}
}

func (f *finder) servers(dir string, m manifest) (names []string) {
	var listed struct {
		Servers map[string]json.RawMessage `json:"mcpServers"`
	}
	f.decode(path.Join(dir, ".mcp.json"), &listed)
	names = slices.Collect(maps.Keys(listed.Servers))
	var file string
	if json.Unmarshal(m.Servers, &listed.Servers) == nil ||
		json.Unmarshal(m.Servers, &file) == nil && f.decode(path.Join(dir, file), &listed) {
		names = slices.AppendSeq(names, maps.Keys(listed.Servers))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// plugin adds the hooks file at the standard place of a plugin.
func (f *finder) plugin(dir string, m manifest) {
	source := f.sourceOf(dir, m)
	if source.File = filepath.Join(source.PluginRoot, filepath.FromSlash(pluginHooks)); exists(source.File) {
		f.add(source)
	}
}

// addDeclared adds the hooks that a manifest declares in addition to that file.
func (f *finder) addDeclared(dir, name string, m manifest) {
	source := f.sourceOf(dir, m)
	var items []json.RawMessage
	if json.Unmarshal(m.Hooks, &items) != nil {
		items = []json.RawMessage{m.Hooks}
	}
	for _, item := range items {
		var file string
		switch {
		case len(item) == 0:
			continue
		case json.Unmarshal(item, &file) == nil:
			source.File = filepath.Join(source.PluginRoot, filepath.FromSlash(file))
		case item[0] == '{' && path.Base(name) == path.Base(manifestName):
			source.File = f.makeAbsolute(name)
		default:
			continue
		}
		f.add(source)
	}
}

// namesPlugin reports whether a hooks file belongs to a plugin, because its commands name the
// plugin's root.
func (f *finder) namesPlugin(name string) bool {
	file := f.makeAbsolute(name)
	if slices.Contains(f.read, file) {
		return false
	}
	data := f.content(file)
	return bytes.Contains(data, []byte("CLAUDE_PLUGIN_ROOT")) && !f.isCopy(data)
}

// isCopy reports whether a known source has the same content as a plugin's hooks, because many
// plugins are built from a directory next to them.
func (f *finder) isCopy(data []byte) bool {
	return slices.ContainsFunc(f.out.Sources, func(s Source) bool {
		return s.Scope == InPlugin && bytes.Equal(f.content(s.File), data)
	})
}
