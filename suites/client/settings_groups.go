package client

import (
	"hookwatch/suites/jsontree"
)

func (p *parser) hooks(hooks jsontree.Value) {
	if hooks.Kind != '{' {
		p.fatal(hooks.Start, "hooks is "+describe(hooks)+", not an object", "write {\"PreToolUse\": [...]}")
		return
	}
	for i, member := range hooks.Members {
		for _, later := range hooks.Members[i+1:] {
			if later.Key == member.Key {
				p.ignore(member.At, member.Key+" stands twice: the client takes the last one", "merge the two lists")
				break
			}
		}
		if last, _ := hooks.Get(member.Key); last.Start == member.Value.Start {
			p.event(member)
		}
	}
}

func (p *parser) event(member jsontree.Member) {
	event, known := EventByName(member.Key)
	if !known || !event.Known(p.version) {
		p.unknownEvent(member)
		return
	}
	if member.Value.Kind == '[' {
		for _, group := range member.Value.Members {
			p.group(member.Key, group.Value)
		}
		return
	}
	note := p.ignore
	if guarded[member.Key] && !p.plugin && !p.old() && !isNull(member.Value) {
		note = p.fatal
	}
	note(member.Value.Start, member.Key+" is "+describe(member.Value)+": its hooks never run",
		"write a list of {\"matcher\": ..., \"hooks\": [...]}")
}

// isNull reports whether a value is null, by which an event has no hooks.
func isNull(value jsontree.Value) bool {
	return value.Kind != '{' && value.Kind != '[' && value.Scalar == nil
}

func (p *parser) unknownEvent(member jsontree.Member) {
	const hint = "event names are case-sensitive, as in PreToolUse"
	switch {
	case p.plugin && p.old():
		p.fatal(member.At, "no event is called "+member.Key, "client 2.1.197 drops all hooks of the plugin for it")
	case !p.plugin && !p.old() && holdsGuarded(member.Value):
		p.fatal(member.At, "no event is called "+member.Key+", and it holds hooks of PreToolUse", `the events stand in "hooks" itself`)
	default:
		p.ignore(member.At, "no event is called "+member.Key+": its hooks never run", hint)
	}
}

// holdsGuarded reports whether a guarded event stands anywhere in a value.
func holdsGuarded(value jsontree.Value) bool {
	for _, member := range value.Members {
		if value.Kind == '{' && guarded[member.Key] || holdsGuarded(member.Value) {
			return true
		}
	}
	return false
}

func (p *parser) group(event string, group jsontree.Value) {
	const shape = `write {"matcher": "...", "hooks": [{"type": "command", "command": "..."}]}`
	if group.Kind != '{' {
		p.invalid(event, group.Start, "an entry of "+event+" is "+describe(group)+", not an object", shape)
		return
	}
	matcher, given := group.Get("matcher")
	text, isText := textOf(matcher)
	if given && !isText {
		p.invalid(event, matcher.Start, "matcher is "+describe(matcher)+", not text", "leave it out to match everything")
		if !p.drops(event) {
			return // the group goes
		}
	}
	hooks, given := group.Get("hooks")
	switch {
	case !given:
		p.invalid(event, group.Start, "an entry of "+event+" has no hooks list", shape)
	case hooks.Kind != '[':
		p.invalid(event, hooks.Start, "hooks is "+describe(hooks)+", not a list", shape)
	default:
		for _, hook := range hooks.Members {
			p.entry(event, text, hook.Value)
		}
	}
}
