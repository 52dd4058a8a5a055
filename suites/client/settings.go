package client

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/jsontree"
)

// Settings is the result of the client's reading of one settings file or plugin.
type Settings struct {
	Path string
	// Dropped reports that the client silently ignores the whole file because of one entry. Nothing
	// in it is in force then.
	Dropped bool
	// Entries are the hooks in force, in the file's order; none if Dropped.
	Entries []Entry
	// Dead are the hooks that would be in force if the file were not dropped.
	Dead []Entry
	// Ignored are the parts that the client skips while it uses the rest.
	Ignored []suites.Problem
	// Env are the variables that the client sets for the whole session, hooks included.
	Env map[string]string
	// DisableAllHooks is the position of the setting that disables every hook, also those of other
	// settings files; zero if the file does not. EnablesHooks reports that the setting is false, which
	// counts in place of that of a file with less precedence: local settings before the project's
	// before the user's; observed on client 2.1.332.
	DisableAllHooks suites.Position
	EnablesHooks    bool
	// Rules are the permission rules that deny calls or ask about them; none if Dropped.
	Rules []PermissionRule
}

// A PermissionRule is a rule that denies calls or asks about them.
type PermissionRule struct {
	List string // deny or ask
	Text string
	At   suites.Position
}

// String returns the rule with the list in which it is.
func (r PermissionRule) String() string { return "permissions." + r.List + " has " + r.Text }

// A parser collects the contents of one file.
type parser struct {
	settings *Settings
	source   source
	version  Version
	plugin   bool
	alone    bool // a single entry, which is dropped for any mistake
	problems []suites.Problem
}

// dropsFile reports whether one invalid entry of an event makes the client drop the whole file. For
// other events it drops only the entry; 2.1.197 drops the file for every event.
func dropsFile(event string) bool {
	about, _ := EventByName(event)
	return about.DropsFile
}

func (p *parser) isOld() bool { return p.version.Profile() == V197 }

// drops reports whether the client drops a file for an invalid entry of an event.
func (p *parser) drops(event string) bool { return p.alone || p.isOld() || dropsFile(event) }

// fatal records a problem for which the client drops the file.
func (p *parser) fatal(at int, what, hint string) {
	p.problems = append(p.problems, suites.Problem{At: p.source.position(at), What: what, Hint: hint})
}

// ignore records a part that the client skips.
func (p *parser) ignore(at int, what, hint string) {
	p.settings.Ignored = append(p.settings.Ignored, suites.Problem{At: p.source.position(at), What: what, Hint: hint})
}

// invalid records an invalid entry of an event.
func (p *parser) invalid(event string, at int, what, hint string) {
	if p.drops(event) {
		p.fatal(at, what, hint)
		return
	}
	p.ignore(at, what, hint+"; until then the client ignores this one without a warning")
}

// finish marks the hooks of a file with a problem as dead.
func (p *parser) finish() (*Settings, []suites.Problem) {
	s := p.settings
	if len(p.problems) > 0 {
		s.Dropped, s.Dead, s.Entries, s.DisableAllHooks = true, s.Entries, nil, suites.Position{}
		s.Env, s.Rules = nil, nil
	}
	return s, p.problems
}

// ParseSettings returns the current client's reading of a settings file. Any problem in the list
// makes the client drop the whole file, silently if it runs without a user: every hook in it is
// dead. Positions are those of the entries that cause the problem.
func ParseSettings(path string, data []byte) (*Settings, []suites.Problem) {
	return ParseOn(Default, path, data)
}

// ParseOn is like ParseSettings, for a client of version v. The mistakes for which it drops a file
// were observed on clients 2.1.197 and 2.1.330.
func ParseOn(v Version, path string, data []byte) (*Settings, []suites.Problem) {
	p := &parser{settings: &Settings{Path: path}, version: v}
	if root, ok := p.root(path, data); ok {
		p.readSettings(root)
	}
	return p.finish()
}

// ParsePlugin returns the reading of a plugin's hooks.json, which has its hooks below a key
// "hooks", by a client of version v. For one unknown event name, 2.1.197 drops all of the plugin's
// hooks and newer clients only that event. Invalid entries, and that a byte order mark drops all of
// them, were observed on client 2.1.332; for older ones an entry is assumed to drop all of them.
func ParsePlugin(v Version, path string, data []byte) (*Settings, []suites.Problem) {
	p := &parser{settings: &Settings{Path: path}, version: v, plugin: true}
	if root, ok := p.root(path, data); ok {
		if len(p.source.data) < len(data) {
			p.fatal(0, "a plugin's hooks.json starts with a byte order mark", "save it as UTF-8 without BOM")
		}
		if hooks, found := root.Get("hooks"); found {
			p.hooks(hooks)
		} else {
			p.fatal(root.Start, `a plugin's hooks.json has no key "hooks"`, `wrap the events: {"hooks": {...}}`)
		}
	}
	return p.finish()
}

// parseEntry reads a single entry of an event. Its problems are those for which the client would
// drop it.
func parseEntry(event string, data []byte) (Entry, []suites.Problem) {
	p := &parser{settings: &Settings{}, version: Default, alone: true}
	if root, ok := p.root("", data); ok {
		p.entry(event, "", root)
	}
	s, problems := p.finish()
	if len(s.Entries) == 0 {
		return Entry{}, problems
	}
	return s.Entries[0], problems
}

// root decodes the file. An empty file has no content and no problem.
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

// readSettings reads a settings file. One bad setting next to the hooks drops them.
func (p *parser) readSettings(root jsontree.Value) {
	for _, setting := range others {
		value, given := setting.find(root)
		text, _ := textOf(value)
		switch {
		case !given:
		case !holds(setting.kind, value):
			p.fatal(value.Start, setting.name+" is "+describe(value)+", not "+string(setting.kind),
				"the client drops the whole file for one bad setting")
		case setting.values != nil && !slices.Contains(setting.values, text):
			p.fatal(value.Start, setting.name+" is "+describe(value)+", which the client does not know", "use one of "+strings.Join(setting.values, ", "))
		case setting.name == "statusLine" && !isStatusLine(value):
			p.fatal(value.Start, "statusLine has no type command with a command", `write {"type": "command", "command": "..."}`)
		case setting.name == "disableAllHooks" && value.Scalar == true:
			p.settings.DisableAllHooks = p.source.position(value.Start)
		case setting.name == "disableAllHooks":
			p.settings.EnablesHooks = true
		case setting.name == "permissions":
			p.permissions(value)
		}
	}
	if env, given := root.Get("env"); given {
		p.settings.Env = variables(env)
	}
	if hooks, given := root.Get("hooks"); given {
		p.hooks(hooks)
	}
}

// permissions reads the rules that keep calls from running, those that deny first.
func (p *parser) permissions(all jsontree.Value) {
	for _, list := range []string{"deny", "ask"} {
		rules, _ := all.Get(list)
		for _, member := range rules.Members {
			if text, isText := textOf(member.Value); isText {
				p.settings.Rules = append(p.settings.Rules, PermissionRule{list, text, p.source.position(member.Value.Start)})
			}
		}
	}
}

// variables returns the variables of a setting env. Numbers and booleans count as their text.
func variables(env jsontree.Value) map[string]string {
	all := map[string]string{}
	for _, m := range env.Members {
		if m.Value.Scalar != nil && m.Key != "" && !strings.ContainsAny(m.Key, "=\x00") {
			all[m.Key] = fmt.Sprint(m.Value.Scalar)
		}
	}
	return all
}

func isStatusLine(value jsontree.Value) bool {
	hookType, _ := value.Get("type")
	command, _ := value.Get("command")
	_, isText := textOf(command)
	return hookType.Scalar == "command" && isText
}

// An entryReader reads the keys of one hook. It records a bad key, and then the hook is left out.
type entryReader struct {
	parser *parser
	event  string
	hook   jsontree.Value
	entry  Entry
	bad    bool
}

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
	dropped := dropsFile(event) && !p.alone && r.entry.Command != "" // it goes to Dead with the file's other hooks
	if !r.bad || dropped {
		p.settings.Entries = append(p.settings.Entries, r.entry)
	}
}

func (r *entryReader) invalid(at int, what, hint string) {
	r.bad = true
	r.parser.invalid(r.event, at, what, hint)
}

// key reads one key; type is read first because it selects the other keys.
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

// wrongEntry returns the position and the description of a value of the wrong kind.
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

func (r *entryReader) set(key string, value jsontree.Value) {
	e := &r.entry
	texts := map[string]*string{
		"type": &e.Type, "command": &e.Command, "url": &e.URL, "prompt": &e.Prompt, "server": &e.Server, "tool": &e.Tool,
		"if": &e.If, "shell": &e.Shell, "onFailure": &e.OnFailure, "statusMessage": &e.StatusMessage,
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
		e.Args = readList(value)
	case "timeout":
		e.Timeout = duration(value)
	}
}

// readList never returns nil because empty args still select the exec form.
func readList(value jsontree.Value) []string {
	all := []string{}
	for _, member := range value.Members {
		text, _ := textOf(member.Value)
		all = append(all, text)
	}
	return all
}

// duration returns a value in seconds, fractions allowed, as a Duration. A value that is too large
// gives the longest Duration.
func duration(value jsontree.Value) time.Duration {
	seconds, _ := number(value)
	if seconds >= longest.Seconds() {
		return longest
	}
	return max(time.Duration(seconds*float64(time.Second)), 1)
}

func (p *parser) hooks(hooks jsontree.Value) {
	if hooks.Kind != '{' {
		p.fatal(hooks.Start, "hooks is "+describe(hooks)+", not an object", "write {\"PreToolUse\": [...]}")
		return
	}
	for i, member := range hooks.Members {
		for _, later := range hooks.Members[i+1:] {
			if later.Key == member.Key {
				p.ignore(member.At, member.Key+" is duplicated: the client takes the last one", "merge the two lists")
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
	if dropsFile(member.Key) && !p.isOld() && !isNull(member.Value) {
		note = p.fatal
	}
	note(member.Value.Start, member.Key+" is "+describe(member.Value)+": its hooks never run",
		"write a list of {\"matcher\": ..., \"hooks\": [...]}")
}

// isNull reports whether a value is null, which means that an event has no hooks.
func isNull(value jsontree.Value) bool {
	return value.Kind != '{' && value.Kind != '[' && value.Scalar == nil
}

func (p *parser) unknownEvent(member jsontree.Member) {
	const hint = "event names are case-sensitive, as in PreToolUse"
	switch {
	case p.plugin && p.isOld():
		p.fatal(member.At, "no event is called "+member.Key, "client 2.1.197 drops all hooks of the plugin for it")
	case !p.plugin && !p.isOld() && guardsAny(member.Value):
		p.fatal(member.At, "no event is called "+member.Key+", and it holds hooks of PreToolUse", `the events stand in "hooks" itself`)
	default:
		p.ignore(member.At, "no event is called "+member.Key+": its hooks never run", hint)
	}
}

// guardsAny reports whether a value has a key, at any depth, that is an event of dropsFile with
// hooks.
func guardsAny(value jsontree.Value) bool {
	for _, member := range value.Members {
		if value.Kind == '{' && dropsFile(member.Key) && len(member.Value.Members) > 0 || guardsAny(member.Value) {
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
			return // the client skips the group
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

// A source is the text of a settings file, for the positions of its values.
type source struct {
	file  string
	data  []byte
	lines jsontree.Lines
}

// newSource returns the source of a file's content, without a byte order mark.
func newSource(file string, data []byte) source {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	return source{file, data, jsontree.NewLines(data)}
}

func (s source) position(offset int) suites.Position {
	line, column := s.lines.At(offset)
	return suites.Position{File: s.file, Line: line, Column: column}
}

func describe(v jsontree.Value) string {
	switch value := v.Scalar.(type) {
	case string:
		raw, _ := json.Marshal(value) // a string always encodes
		return "the text " + string(raw)
	case json.Number:
		return "the number " + value.String()
	case bool:
		if value {
			return "true"
		}
		return "false"
	}
	switch v.Kind {
	case '{':
		return "an object"
	case '[':
		return "an array"
	default:
		return "null"
	}
}

func textOf(v jsontree.Value) (string, bool) {
	text, ok := v.Scalar.(string)
	return text, ok
}

// syntaxProblem returns the position at which the text stops being JSON, with advice for the two
// usual mistakes: comments and trailing commas.
func (s source) syntaxProblem(err error) suites.Problem {
	offset := len(s.data)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		offset = int(syntax.Offset) - 1
	}
	hint := "JSON must be one complete value; see that every bracket and quote is closed"
	if offset >= 0 && offset < len(s.data) {
		before := bytes.TrimRight(s.data[:offset], " \t\r\n")
		switch char := s.data[offset]; {
		case char == '/':
			hint = "remove the comment: the client reads strict JSON"
		case (char == '}' || char == ']') && bytes.HasSuffix(before, []byte(",")):
			offset = len(before) - 1
			hint = "remove the trailing comma: the client reads strict JSON"
		}
	}
	return suites.Problem{At: s.position(offset), What: "not valid JSON: " + err.Error(), Hint: hint}
}

// hints show how to write a value of each kind.
var hints = map[ValueKind]string{
	AString:     "put it in double quotes",
	ABoolean:    "write true or false, without quotes",
	AnObject:    "write {...}",
	SomeStrings: `write a list of text, as in ["first", "second"]`,
	ADuration:   "write seconds as a number, such as 5 or 0.5",
	AnAddress:   "write a whole URL, such as http://127.0.0.1:8080/hook",
}

const longest = time.Duration(math.MaxInt64)

func holds(kind ValueKind, value jsontree.Value) bool {
	n, isNumber := number(value)
	switch kind {
	case ADuration:
		return isNumber && n > 0
	case ACount:
		return isNumber && n >= 1 && n == math.Trunc(n)
	case AnAddress:
		return isAddress(value)
	default:
		return kind.Holds(decode(value))
	}
}

// isAddress reports whether a value is an absolute URL.
func isAddress(value jsontree.Value) bool {
	text, _ := textOf(value)
	address, err := url.Parse(text)
	if err != nil || address.Scheme == "" {
		return false
	}
	return address.Host != "" || address.Scheme != "http" && address.Scheme != "https"
}

// number returns the value of a number; infinity if it is too large.
func number(value jsontree.Value) (float64, bool) {
	written, ok := value.Scalar.(json.Number)
	if !ok {
		return 0, false
	}
	n, _ := written.Float64() // out of range gives infinity
	return n, true
}

// decode returns a value in a form that is sufficient to check its kind.
func decode(value jsontree.Value) any {
	switch value.Kind {
	case '{':
		return map[string]any{}
	case '[':
		all := []any{}
		for _, member := range value.Members {
			all = append(all, decode(member.Value))
		}
		return all
	default:
		return value.Scalar
	}
}
