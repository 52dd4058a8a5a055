package contract

import (
	"fmt"
	"slices"
	"strings"

	"hookwatch/suites/jsontree"
)

// hookTypes are the types of hook that the client knows, and the key that each
// cannot do without. command, http and prompt were observed, agent is documented;
// mcp_tool was not seen, and is let through rather than called a mistake.
var hookTypes = map[string]string{
	"command": "command", "http": "url", "prompt": "prompt", "agent": "prompt", "mcp_tool": "",
}

// entry reads one hook of a group.
func (p *settingsParser) entry(event, matcher string, hook jsontree.Value) {
	if hook.Kind != '{' {
		p.fatal(hook.Start, "a hook of "+event+" is "+describe(hook)+", not an object", `write {"type": "command", "command": "..."}`)
		return
	}
	r := entryReader{parser: p, hook: hook, bad: len(p.problems)}
	entry := Entry{
		Event: event, Matcher: matcher, Type: r.hookType(), At: p.source.position(hook.Start),
		Command: r.text("command"), URL: r.text("url"), Prompt: r.text("prompt"), If: r.text("if"),
		Async: r.flag("async"), Once: r.flag("once"),
	}
	r.require(entry.Type)
	entry.Args = r.args()
	if value, given := hook.Get("timeout"); given {
		timeout, err := seconds(value)
		if err != nil {
			p.fatal(value.Start, err.Error(), "write seconds as a number, such as 5 or 0.5")
		}
		entry.Timeout = timeout
	}
	if len(p.problems) == r.bad {
		p.settings.Entries = append(p.settings.Entries, entry)
	}
}

// An entryReader reads the keys of one hook; what has the wrong type is fatal.
type entryReader struct {
	parser *settingsParser
	hook   jsontree.Value
	bad    int // problems found before this hook
}

func (r entryReader) hookType() string {
	value, given := r.hook.Get("type")
	if !given {
		r.parser.fatal(r.hook.Start, "a hook has no type", `add "type": "command"`)
		return ""
	}
	name, _ := textOf(value)
	if _, known := hookTypes[name]; !known {
		names := make([]string, 0, len(hookTypes))
		for known := range hookTypes {
			names = append(names, known)
		}
		slices.Sort(names)
		r.parser.fatal(value.Start, fmt.Sprintf("type is %s, which the client does not know", describe(value)),
			"use one of "+strings.Join(names, ", "))
	}
	return name
}

func (r entryReader) require(hookType string) {
	key := hookTypes[hookType]
	if key == "" {
		return
	}
	if _, given := r.hook.Get(key); !given {
		r.parser.fatal(r.hook.Start, "a hook of type "+hookType+" has no "+key, `add "`+key+`": "..."`)
	}
}

func (r entryReader) text(key string) string {
	value, given := r.hook.Get(key)
	if !given {
		return ""
	}
	text, ok := textOf(value)
	if !ok {
		r.parser.fatal(value.Start, key+" is "+describe(value)+", not text", "put it in double quotes")
	}
	return text
}

func (r entryReader) flag(key string) bool {
	value, given := r.hook.Get(key)
	if !given {
		return false
	}
	flag, ok := value.Scalar.(bool)
	if !ok {
		r.parser.fatal(value.Start, key+" is "+describe(value), "write true or false, without quotes")
	}
	return flag
}

// args is nil when the key is not given.
func (r entryReader) args() []string {
	value, given := r.hook.Get("args")
	if !given {
		return nil
	}
	if value.Kind != '[' {
		r.parser.fatal(value.Start, "args is "+describe(value)+", not a list", `write ["first", "second"]`)
		return nil
	}
	args := []string{}
	for _, m := range value.Members {
		item := m.Value
		text, ok := textOf(item)
		if !ok {
			r.parser.fatal(item.Start, "an argument is "+describe(item)+", not text", "put it in double quotes")
		}
		args = append(args, text)
	}
	return args
}
