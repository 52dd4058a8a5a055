// Package settings says what the client reads from a settings file or a plugin's
// hooks.json, and what one mistake in it costs.
package settings

import (
	"bytes"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/jsontree"
)

// Parse tells what a client of today does with a settings file. Any problem in the
// list makes it drop the whole file, silently when it runs without a person: every
// hook in it is dead. Positions name the entry that does so.
func Parse(path string, data []byte) (*Settings, []suites.Problem) {
	return ParseOn(client.Default, path, data)
}

// ParseOn does so for a client of version v. Which mistakes it drops a file for was
// observed on clients 2.1.197 and 2.1.330.
func ParseOn(v client.Version, path string, data []byte) (*Settings, []suites.Problem) {
	p := &parser{settings: &Settings{Path: path}, version: v}
	if root, ok := p.root(path, data); ok {
		p.readSettings(root)
	}
	return p.finish()
}

// ParsePlugin tells what a client of version v does with a plugin's hooks.json,
// whose hooks stand below a key "hooks". One unknown event name loses all of
// the plugin's hooks on 2.1.197, and itself alone on newer clients. What an
// invalid entry costs there was not observed: it is taken to lose all of them.
func ParsePlugin(v client.Version, path string, data []byte) (*Settings, []suites.Problem) {
	p := &parser{settings: &Settings{Path: path}, version: v, plugin: true}
	if root, ok := p.root(path, data); ok {
		if hooks, found := root.Get("hooks"); found {
			p.hooks(hooks)
		} else {
			p.fatal(root.Start, `a plugin's hooks.json has no key "hooks"`, `wrap the events: {"hooks": {...}}`)
		}
	}
	return p.finish()
}

// ParseEntry reads one entry of an event by itself. Its problems are those for
// which the client would drop it.
func ParseEntry(event string, data []byte) (client.Entry, []suites.Problem) {
	p := &parser{settings: &Settings{}, version: client.Default, plugin: true}
	if root, ok := p.root("", data); ok {
		p.entry(event, "", root)
	}
	s, problems := p.finish()
	if len(s.Entries) == 0 {
		return client.Entry{}, problems
	}
	return s.Entries[0], problems
}

// root decodes the file. An empty one says nothing and has no problem.
func (p *parser) root(path string, data []byte) (jsontree.Value, bool) {
	if len(bytes.TrimSpace(data)) == 0 {
		return jsontree.Value{}, false
	}
	p.source = newSource(path, data)
	root, err := jsontree.Parse(p.source.data)
	switch {
	case err != nil:
		p.problems = append(p.problems, p.source.syntaxProblem(err))
	case root.Kind != '{':
		p.fatal(root.Start, "the file holds "+describe(root)+", not an object", "start it with {")
	default:
		return root, true
	}
	return root, false
}

// readSettings reads a settings file: one bad setting beside the hooks drops them.
func (p *parser) readSettings(root jsontree.Value) {
	for _, setting := range others {
		value, given := root.Get(setting.name)
		switch {
		case !given:
		case !holds(setting.kind, value):
			p.fatal(value.Start, setting.name+" is "+describe(value)+", not "+string(setting.kind),
				"the client drops the whole file for one bad setting")
		case setting.name == "statusLine" && !isStatusLine(value):
			p.fatal(value.Start, "statusLine has no type command with a command", `write {"type": "command", "command": "..."}`)
		case setting.name == "disableAllHooks" && value.Scalar == true:
			p.settings.DisableAllHooks = p.source.position(value.Start)
		}
	}
	if hooks, given := root.Get("hooks"); given {
		p.hooks(hooks)
	}
}

func isStatusLine(value jsontree.Value) bool {
	hookType, _ := value.Get("type")
	command, _ := value.Get("command")
	_, isText := textOf(command)
	return hookType.Scalar == "command" && isText
}
