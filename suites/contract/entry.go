package contract

import (
	"fmt"
	"slices"
	"strings"
)

// hookTypes are the types of hook that the client knows, and the key that each
// cannot do without. command, http and prompt were observed, agent is documented;
// mcp_tool was not seen, and is let through rather than called a mistake.
var hookTypes = map[string]string{
	"command": "command", "http": "url", "prompt": "prompt", "agent": "prompt", "mcp_tool": "",
}

// entry reads one hook of a group.
func (p *settingsParser) entry(event, matcher string, hook jsonValue) {
	if hook.is != '{' {
		p.fatal(hook.at, "a hook of "+event+" is "+hook.describe()+", not an object", `write {"type": "command", "command": "..."}`)
		return
	}
	r := entryReader{parser: p, hook: hook, bad: len(p.problems)}
	entry := Entry{
		Event: event, Matcher: matcher, Type: r.hookType(), At: hook.at,
		Command: r.text("command"), URL: r.text("url"), Prompt: r.text("prompt"), If: r.text("if"),
		Async: r.flag("async"), Once: r.flag("once"),
	}
	r.require(entry.Type)
	entry.Args = r.args()
	if value, given := hook.get("timeout"); given {
		timeout, err := seconds(value)
		if err != nil {
			p.fatal(value.at, err.Error(), "write seconds as a number, such as 5 or 0.5")
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
	hook   jsonValue
	bad    int // problems found before this hook
}

func (r entryReader) hookType() string {
	value, given := r.hook.get("type")
	if !given {
		r.parser.fatal(r.hook.at, "a hook has no type", `add "type": "command"`)
		return ""
	}
	name, _ := value.text()
	if _, known := hookTypes[name]; !known {
		names := make([]string, 0, len(hookTypes))
		for known := range hookTypes {
			names = append(names, known)
		}
		slices.Sort(names)
		r.parser.fatal(value.at, fmt.Sprintf("type is %s, which the client does not know", value.describe()),
			"use one of "+strings.Join(names, ", "))
	}
	return name
}

func (r entryReader) require(hookType string) {
	key := hookTypes[hookType]
	if key == "" {
		return
	}
	if _, given := r.hook.get(key); !given {
		r.parser.fatal(r.hook.at, "a hook of type "+hookType+" has no "+key, `add "`+key+`": "..."`)
	}
}

func (r entryReader) text(key string) string {
	value, given := r.hook.get(key)
	if !given {
		return ""
	}
	text, ok := value.text()
	if !ok {
		r.parser.fatal(value.at, key+" is "+value.describe()+", not text", "put it in double quotes")
	}
	return text
}

func (r entryReader) flag(key string) bool {
	value, given := r.hook.get(key)
	if !given {
		return false
	}
	flag, ok := value.scalar.(bool)
	if !ok {
		r.parser.fatal(value.at, key+" is "+value.describe(), "write true or false, without quotes")
	}
	return flag
}

// args is nil when the key is not given.
func (r entryReader) args() []string {
	value, given := r.hook.get("args")
	if !given {
		return nil
	}
	if value.is != '[' {
		r.parser.fatal(value.at, "args is "+value.describe()+", not a list", `write ["first", "second"]`)
		return nil
	}
	args := []string{}
	for _, item := range value.items {
		text, ok := item.text()
		if !ok {
			r.parser.fatal(item.at, "an argument is "+item.describe()+", not text", "put it in double quotes")
		}
		args = append(args, text)
	}
	return args
}
