package client

import (
	"slices"
	"strings"
	"time"

	"hookwatch/suites/jsontree"
)

// An entryReader reads the keys of one hook; what is wrong with one is noted, and
// the hook is left out.
type entryReader struct {
	parser *parser
	event  string
	hook   jsontree.Value
	entry  Entry
	bad    bool
}

// entry reads one hook of a group.
func (p *parser) entry(event, matcher string, hook jsontree.Value) {
	if hook.Kind != '{' {
		p.invalid(event, hook.Start, "a hook of "+event+" is "+describe(hook)+", not an object", `write {"type": "command", "command": "..."}`)
		return
	}
	r := entryReader{parser: p, event: event, hook: hook, entry: Entry{Event: event, Matcher: matcher, At: p.source.position(hook.Start)}}
	for _, key := range EntryKeys() {
		if key.Known(p.version) && (len(key.Of) == 0 || slices.Contains(key.Of, r.entry.Type)) {
			r.key(key)
		}
	}
	dropped := guarded[event] && !p.plugin && r.entry.Command != "" // with all others of the file: it is one of those
	if !r.bad || dropped {
		p.settings.Entries = append(p.settings.Entries, r.entry)
	}
}

func (r *entryReader) invalid(at int, what, hint string) {
	r.bad = true
	r.parser.invalid(r.event, at, what, hint)
}

// key reads one key, of which type is the first.
func (r *entryReader) key(key EntryKey) {
	value, given := r.hook.Get(key.Name)
	text, _ := textOf(value)
	switch {
	case !given && key.Required && key.Name == "type":
		r.invalid(r.hook.Start, "a hook has no type", `add "type": "command"`)
	case !given && key.Required:
		r.invalid(r.hook.Start, "a hook of type "+r.entry.Type+" has no "+key.Name, `add "`+key.Name+`": "..."`)
	case !given:
	case !holds(key.Kind, value):
		at, what := wrongEntry(key, value)
		r.invalid(at, what, hints[key.Kind])
	case key.Values != nil && !slices.Contains(key.Values, text):
		r.invalid(value.Start, key.Name+" is "+describe(value)+", which the client does not know", "use one of "+strings.Join(key.Values, ", "))
	default:
		r.set(key.Name, value)
	}
}

// wrongEntry says what is wrong with a value of the wrong kind, and where.
func wrongEntry(key EntryKey, value jsontree.Value) (at int, what string) {
	if key.Kind == SomeStrings && value.Kind == '[' {
		for _, member := range value.Members {
			if _, ok := textOf(member.Value); !ok {
				return member.Value.Start, "a value of " + key.Name + " is " + describe(member.Value) + ", not text"
			}
		}
	}
	return value.Start, key.Name + " is " + describe(value) + ", not " + string(key.Kind)
}

// set takes over a valid value.
func (r *entryReader) set(key string, value jsontree.Value) {
	e := &r.entry
	texts := map[string]*string{
		"type": &e.Type, "command": &e.Command, "url": &e.URL, "prompt": &e.Prompt, "server": &e.Server, "tool": &e.Tool,
		"if": &e.If, "shell": &e.Shell, "onFailure": &e.OnFailure,
	}
	flags := map[string]*bool{
		"async": &e.Async, "asyncRewake": &e.AsyncRewake, "once": &e.Once, "continueOnBlock": &e.ContinueOnBlock,
	}
	if text, isText := texts[key]; isText {
		*text, _ = textOf(value)
	}
	if flag, isFlag := flags[key]; isFlag {
		*flag, _ = value.Scalar.(bool)
	}
	switch key {
	case "args":
		e.Args = listed(value)
	case "timeout":
		e.Timeout = duration(value)
	}
}

// listed is never nil: args that are given and empty are another form of launch.
func listed(value jsontree.Value) []string {
	all := []string{}
	for _, member := range value.Members {
		text, _ := textOf(member.Value)
		all = append(all, text)
	}
	return all
}

// duration reads seconds, fractions allowed. What is too long for a Duration is
// the longest there is.
func duration(value jsontree.Value) time.Duration {
	seconds, _ := number(value)
	if seconds >= longest.Seconds() {
		return longest
	}
	return max(time.Duration(seconds*float64(time.Second)), 1)
}
