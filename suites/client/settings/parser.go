package settings

import (
	"hookwatch/suites"
	"hookwatch/suites/client"
)

// Settings is what the client reads from one settings file or plugin.
type Settings struct {
	Path string
	// Dropped tells that the client ignores the whole file without a word,
	// because of one entry in it. Nothing in it is in force then.
	Dropped bool
	// Entries are the hooks in force, in the file's order; none when Dropped.
	Entries []client.Entry
	// Dead are the hooks that would be in force if the file were not dropped.
	Dead []client.Entry
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
	version  client.Version
	plugin   bool
	problems []suites.Problem
}

// guarded are the events of which one invalid entry makes the client drop the
// whole file. Of other events only the entry goes; on 2.1.197 it is as with these.
var guarded = map[string]bool{"PreToolUse": true, "PermissionRequest": true}

func (p *parser) old() bool { return p.version.Profile() == client.V197 }

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
