package client

import (
	"bytes"

	"hookwatch/suites"
	"hookwatch/suites/jsontree"
)

// Settings is what the client reads from one settings file or plugin.
type Settings struct {
	Path string
	// Dropped tells that the client ignores the whole file without a word,
	// because of one entry in it. Nothing in it is in force then.
	Dropped bool
	// Entries are the hooks in force, in the file's order; none when Dropped.
	Entries []Entry
	// Dead are the hooks that would be in force if the file were not dropped.
	Dead []Entry
	// Ignored are parts that the client leaves out alone, while the rest holds.
	Ignored []suites.Problem
	// DisableAllHooks stands where the file turns every hook off, of other
	// settings files as well; zero when it does not.
	DisableAllHooks suites.Position
}

// A parser collects what one file says.
type parser struct {
	settings *Settings
	source   source
	version  Version
	plugin   bool
	problems []suites.Problem
}

// guarded are the events of which one invalid entry makes the client drop the
// whole file. Of other events only the entry goes; on 2.1.197 it is as with these.
var guarded = map[string]bool{"PreToolUse": true, "PermissionRequest": true}

func (p *parser) old() bool { return p.version.Profile() == V197 }

// drops reports whether the client drops a file for an invalid entry of an event.
func (p *parser) drops(event string) bool { return p.plugin || p.old() || guarded[event] }

// fatal notes what makes the client drop the file.
func (p *parser) fatal(at int, what, hint string) {
	p.problems = append(p.problems, suites.Problem{At: p.source.position(at), What: what, Hint: hint})
}

// ignore notes what it leaves out alone.
func (p *parser) ignore(at int, what, hint string) {
	p.settings.Ignored = append(p.settings.Ignored, suites.Problem{At: p.source.position(at), What: what, Hint: hint})
}

// invalid notes an invalid entry of an event.
func (p *parser) invalid(event string, at int, what, hint string) {
	if p.drops(event) {
		p.fatal(at, what, hint)
		return
	}
	p.ignore(at, what, hint+"; until then the client leaves this one out without a word")
}

// finish turns hooks of a file with a problem into dead ones.
func (p *parser) finish() (*Settings, []suites.Problem) {
	s := p.settings
	if len(p.problems) > 0 {
		s.Dropped, s.Dead, s.Entries, s.DisableAllHooks = true, s.Entries, nil, suites.Position{}
	}
	return s, p.problems
}

// ParseSettings tells what a client of today does with a settings file. Any problem in the
// list makes it drop the whole file, silently when it runs without a person: every
// hook in it is dead. Positions name the entry that does so.
func ParseSettings(path string, data []byte) (*Settings, []suites.Problem) {
	return ParseOn(Default, path, data)
}

// ParseOn does so for a client of version v. Which mistakes it drops a file for was
// observed on clients 2.1.197 and 2.1.330.
func ParseOn(v Version, path string, data []byte) (*Settings, []suites.Problem) {
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
func ParsePlugin(v Version, path string, data []byte) (*Settings, []suites.Problem) {
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
func ParseEntry(event string, data []byte) (Entry, []suites.Problem) {
	p := &parser{settings: &Settings{}, version: Default, plugin: true}
	if root, ok := p.root("", data); ok {
		p.entry(event, "", root)
	}
	s, problems := p.finish()
	if len(s.Entries) == 0 {
		return Entry{}, problems
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
