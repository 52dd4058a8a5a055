package clients

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/jsontree"
)

// A Hook is an entry of a client's own hook file.
type Hook struct {
	// Event is the client's name. Entry.Event is Claude Code's event of the same meaning, empty if
	// it has none, and Entry.Matcher has Claude Code's names of tools.
	Event   string
	Matcher string // as written
	Entry   client.Entry
	Ignored []string // keys of the entry that have no effect
}

// Hooks reads one of the client's hook files. The problems are parts of the file that it does not
// use.
func (c Client) Hooks(file string, text []byte) (hooks []Hook, problems []suites.Problem) {
	text, marked := bytes.CutPrefix(text, []byte("\ufeff"))
	f := &hookFile{client: c, file: file, lines: jsontree.NewLines(text)}
	if marked && c.Entry.Fatal.BOM {
		f.drop(0, "it begins with a byte order mark")
	}
	parse, kind, lost := jsontree.Parse, "JSON", ": "+c.Title+" uses no hook of it"
	if path.Ext(file) == ".toml" {
		parse, kind, lost = parseTOML, "TOML", ""
	}
	root, err := parse(text)
	if err != nil {
		return nil, []suites.Problem{f.problem(f.fault(err), "not "+kind+": "+err.Error(), "correct the file"+lost)}
	}
	f.root(root)
	events, _ := root.Get("hooks")
	for _, event := range events.Members {
		if own, ok := c.EventFor(event.Key, file); ok && isClaudes(file) {
			event.Key = own
		}
		_, known := c.Events[event.Key]
		switch {
		case c.Entry.Fatal.Group != nil && known && event.Value.Kind != '[':
			f.drop(event.At, event.Key+" is no list")
		case slices.Contains(c.Entry.Settings, event.Key):
		case event.Value.Kind == '[':
			f.event(event)
		case c.Entry.Nested:
			f.problems = append(f.problems, f.problem(f.at(event.At), event.Key+" is no list", "it uses no hook of the file"))
		}
	}
	if f.fatal != nil {
		f.fatal.Hint = fmt.Sprintf("it drops the whole file for it: none of its %d hooks runs", f.entries)
		f.fatal.Severity = suites.Error
		return nil, append(f.problems, *f.fatal)
	}
	return f.hooks, f.problems
}

// A hookFile is a file while it is read.
type hookFile struct {
	client   Client
	file     string
	lines    jsontree.Lines
	hooks    []Hook
	problems []suites.Problem
	entries  int
	fatal    *suites.Problem // the first mistake for which the client drops the file
}

// drop notes a mistake for which the client drops the file.
func (f *hookFile) drop(at int, what string) {
	if f.fatal == nil {
		p := f.problem(f.at(at), what, "")
		f.fatal = &p
	}
}

// root checks the keys of the file.
func (f *hookFile) root(root jsontree.Value) {
	f.check(root, f.client.Entry.Fatal.File, "the file")
	for _, m := range root.Members {
		if only := f.client.Entry.Fatal.Only; only != nil && path.Ext(f.file) == ".json" && !slices.Contains(only, m.Key) {
			f.drop(m.At, "the key "+m.Key+", which is none of "+strings.Join(only, ", "))
		}
	}
}

func (f *hookFile) check(object jsontree.Value, wanted map[string]string, name string) {
	if wanted != nil && object.Kind != '{' {
		f.drop(object.Start, name+" is no object")
	}
	for _, key := range slices.Sorted(maps.Keys(wanted)) {
		name, required := strings.CutSuffix(key, "!")
		value, has := object.Get(name)
		named := func(m jsontree.Member) bool { return m.Key == name }
		if first := slices.IndexFunc(object.Members, named); f.client.Entry.Fatal.Twice && has && slices.ContainsFunc(object.Members[first+1:], named) {
			f.drop(object.Start, name+" is duplicated")
		}
		null := has && value.Kind == 0 && value.Scalar == nil
		switch {
		case required && (!has || null):
			f.drop(object.Start, name+" is missing")
		case has && (!null || wanted[key] == "list"):
			if why := unlike(wanted[key], value); why != "" {
				f.drop(value.Start, name+" "+why)
			}
		}
	}
}

// kinds are the kinds of values; another name is the value itself.
var kinds = map[string]func(v jsontree.Value) bool{
	"string":         func(v jsontree.Value) bool { _, is := v.Scalar.(string); return is },
	"boolean":        func(v jsontree.Value) bool { _, is := v.Scalar.(bool); return is },
	"list":           func(v jsontree.Value) bool { return v.Kind == '[' },
	"object":         func(v jsontree.Value) bool { return v.Kind == '{' },
	"non-empty text": func(v jsontree.Value) bool { text, _ := v.Scalar.(string); return text != "" },
	"whole number": func(v jsontree.Value) bool {
		number, is := v.Scalar.(json.Number)
		return is && !strings.ContainsAny(number.String(), ".eE-")
	},
	"positive number": func(v jsontree.Value) bool {
		number, _ := v.Scalar.(json.Number)
		count, err := number.Float64()
		return err == nil && count > 0
	},
}

// unlike describes how a value differs from a kind, "" if it does not.
func unlike(kind string, v jsontree.Value) string {
	is, known := kinds[kind]
	_, text := v.Scalar.(string)
	switch {
	case known && !is(v):
		return "is no " + kind
	case !known && (text || fmt.Sprint(v.Scalar) != kind):
		return "is not " + kind
	}
	return ""
}

func isClaudes(file string) bool { return path.Base(path.Dir(file)) == ".claude" }

func (f *hookFile) fault(err error) suites.Position {
	var inJSON *json.SyntaxError
	var inTOML *toml.DecodeError
	switch {
	case errors.As(err, &inJSON):
		return f.at(int(inJSON.Offset))
	case errors.As(err, &inTOML):
		line, _ := inTOML.Position()
		return suites.Position{File: f.file, Line: line, Column: 1}
	}
	return f.at(0)
}

func (f *hookFile) at(offset int) suites.Position {
	line, column := f.lines.At(offset)
	return suites.Position{File: f.file, Line: max(1, line), Column: max(1, column)}
}

func (f *hookFile) problem(at suites.Position, what, hint string) suites.Problem {
	return suites.Problem{At: at, What: f.client.Title + ": " + what, Hint: hint}
}

// event reads the entries of an event. They are below matchers, as in Claude Code's settings, or
// directly in the event.
func (f *hookFile) event(event jsontree.Member) {
	if _, known := f.client.Events[event.Key]; !known && len(f.client.Events) > 0 {
		if isClaudes(f.file) {
			return // that is no mistake
		}
		p := f.problem(f.at(event.At), "no event "+event.Key, "its hooks never run")
		if slices.Contains(f.client.Unmeasured, event.Key) {
			p = f.problem(f.at(event.At), "the event "+event.Key+" was not measured", "its hooks are not judged")
			p.Severity = suites.Info
		} else if f.client.Measured != "" && isEvent(event.Key) {
			p.Severity = suites.Error // it is another client's, and not a newer one
		}
		f.problems = append(f.problems, p)
		return
	}
	for _, group := range event.Value.Members {
		whole, read := f.fatal == nil, len(f.hooks)
		f.group(event.Key, group.Value)
		if alone := f.client.Entry.Fatal.Alone && !isClaudes(f.file); alone && whole && f.fatal != nil {
			f.fatal.Hint = "it drops the entry: its hook never runs"
			f.problems, f.hooks, f.fatal = append(f.problems, *f.fatal), f.hooks[:read], nil
		}
	}
}

func (f *hookFile) group(event string, group jsontree.Value) {
	f.check(group, f.client.Entry.Fatal.Group, "an element of "+event)
	inner, nested := group.Get("hooks")
	if !nested && f.client.Entry.Nested {
		f.problems = append(f.problems, f.problem(f.at(group.Start), "an entry that is not below hooks", "the hook never runs: write it as [{\"hooks\": [{...}]}], in TOML [[hooks."+event+".hooks]]"))
		return
	}
	h := Hook{Event: event, Matcher: textOf(group, "matcher")}
	claudes, matches := f.client.claudeMatcher(event, h.Matcher)
	h.Entry = client.Entry{Event: f.client.Events[event].As, Matcher: claudes, Type: "command"}
	if !nested {
		f.entry(h, matches, group)
		return
	}
	for _, entry := range inner.Members {
		f.entry(h, matches, entry.Value)
	}
}

// entry reads an entry; h is what its group says.
func (f *hookFile) entry(h Hook, matches bool, entry jsontree.Value) {
	if !f.client.Ignores("if") {
		h.Entry.If = textOf(entry, "if")
	}
	if tool := f.client.Events[h.Event].Tool; h.Matcher == "" && tool != "" {
		h.Entry.Matcher = tool
	}
	if kind := textOf(entry, "type"); kind != "" {
		h.Entry.Type = kind
	} else if f.client.Entry.Typed {
		f.problems = append(f.problems, f.problem(f.at(entry.Start), "an entry without a type", `its hook never runs: add "type": "command"`))
		return
	}
	for _, key := range f.client.Entry.Command {
		if h.Entry.Command == "" {
			h.Entry.Command = textOf(entry, key)
		}
	}
	h.Entry.At = f.at(entry.Start)
	if key := f.client.Entry.Dir; key != "" {
		h.Entry.Dir = textOf(entry, key)
	}
	if env, given := entry.Get(f.client.Entry.Env); given {
		for _, member := range env.Members {
			if value, isText := member.Value.Scalar.(string); isText {
				h.Entry.Env = append(h.Entry.Env, member.Key+"="+value)
			}
		}
	}
	f.entries++
	f.check(entry, f.client.Entry.Fatal.Entry, "a hook")
	types := f.client.Entry.Fatal.Types
	if needs, known := types[h.Entry.Type]; types != nil && !known {
		f.drop(entry.Start, fmt.Sprintf("an entry of type %s, which is none of %s", h.Entry.Type, strings.Join(slices.Sorted(maps.Keys(types)), ", ")))
	} else if needs != "" && !slices.ContainsFunc(strings.Split(needs, "|"), func(key string) bool { value, _ := entry.Get(key); return kinds["string"](value) }) {
		f.drop(entry.Start, needs+" is missing")
	}
	h.Entry.Timeout = f.client.timeout(entry)
	if async, _ := entry.Get("async"); !f.client.Ignores("async") {
		h.Entry.Async, _ = async.Scalar.(bool)
	}
	for _, member := range entry.Members {
		if f.client.Ignores(member.Key) {
			h.Ignored = append(h.Ignored, member.Key)
		}
	}
	if h.Entry.Type == "command" && h.Entry.Command == "" {
		f.problems = append(f.problems, f.problem(h.Entry.At, "an entry without a command", "its hook never runs"))
		return
	}
	if !matches {
		own := slices.Sorted(maps.Values(f.client.Tools))
		f.problems = append(f.problems, f.problem(h.Entry.At, fmt.Sprintf("the matcher %q matches none of its tools", h.Matcher), "its hook never runs; tools are "+strings.Join(slices.Compact(own), ", ")))
		return
	}
	f.hooks = append(f.hooks, h)
}

func textOf(object jsontree.Value, key string) string {
	value, _ := object.Get(key)
	text, _ := value.Scalar.(string)
	return text
}

// timeout returns the time limit of an entry, 0 if it has none.
func (c Client) timeout(entry jsontree.Value) time.Duration {
	for _, key := range c.Entry.Timeout.Keys {
		value, _ := entry.Get(key)
		number, _ := value.Scalar.(json.Number)
		count, err := number.Float64()
		if err != nil || count <= 0 {
			continue
		}
		const most = 24 * time.Hour
		return time.Duration(min(count*float64(c.TimeoutUnit()), float64(most)))
	}
	return 0
}

// TimeoutUnit returns the unit of time limits.
func (c Client) TimeoutUnit() time.Duration {
	if c.Entry.Timeout.Unit == "ms" {
		return time.Millisecond
	}
	return time.Second
}

func isEvent(name string) bool {
	return slices.ContainsFunc(load(), func(c Client) bool { _, known := c.EventFor(name, ""); return known || has(c.Events, name) })
}

func has[V any](all map[string]V, key string) bool {
	_, present := all[key]
	return present
}

// Payload returns Claude Code's payload of an event as the client sends it: with its names of the
// event, of fields and of tools. A text that is no JSON object is returned unchanged.
func (c Client) Payload(event string, payload []byte) []byte {
	root, err := jsontree.Parse(payload)
	if err != nil || root.Kind != '{' || c.Name == Claude {
		return payload
	}
	fields, responses, tools, own := c.Fields, c.Responses, c.Tools, c.Events[event]
	if own.Claude {
		fields, responses, tools = c.ClaudeFields, c.ClaudeResponses, nil
	}
	tool, _ := root.Get("tool_name")
	claudeTool, _ := tool.Scalar.(string)
	var line bytes.Buffer
	line.WriteByte('{')
	for _, member := range root.Members {
		name := member.Key
		if renamed, is := fields[name]; is {
			name = renamed
		}
		if name == "" || slices.Contains(own.Lacks, name) {
			continue
		}
		value := payload[member.Value.Start:member.Value.End]
		if input, ok := c.Inputs[claudeTool]; ok && member.Key == "tool_input" {
			value = inputOf(input, member.Value)
		}
		if form, ok := responses[claudeTool]; ok && member.Key == "tool_response" && member.Value.Kind == '{' {
			value = fillForm(form, member.Value)
		}
		if text, ok := member.Value.Scalar.(string); ok {
			switch member.Key {
			case "hook_event_name":
				value = quote(event)
			case "tool_name":
				value = quote(cmp.Or(tools[text], text))
			default:
				value = quote(cmp.Or(c.Values[member.Key][text], text))
			}
		}
		if line.Len() > 1 {
			line.WriteByte(',')
		}
		fmt.Fprintf(&line, "%s:%s", quote(name), value)
	}
	adds := map[string]any{}
	maps.Copy(adds, c.Adds)
	maps.Copy(adds, own.Adds)
	for _, name := range slices.Sorted(maps.Keys(adds)) {
		if _, sent := root.Get(name); sent || slices.Contains(own.Lacks, name) {
			continue
		}
		raw, _ := json.Marshal(adds[name]) // texts and numbers always encode
		fmt.Fprintf(&line, ",%s:%s", quote(name), raw)
	}
	line.WriteString("}\n")
	return line.Bytes()
}

func fill(text string, from jsontree.Value) string {
	var out map[string]string
	_ = json.Unmarshal(inputOf(map[string]string{"text": text}, from), &out) // it was just encoded
	return out["text"]
}

// inputOf returns the input of a tool with the client's own fields.
func inputOf(fields map[string]string, input jsontree.Value) []byte {
	var names []string
	for _, member := range input.Members {
		text, _ := member.Value.Scalar.(string)
		names = append(names, "{"+member.Key+"}", text)
	}
	fill, own := strings.NewReplacer(names...), map[string]string{}
	for name, text := range fields {
		var filled []string
		for line := range strings.SplitSeq(text, "\n") {
			prefix := line[:min(len(line), 1)]
			line = fill.Replace(line)
			if prefix == "+" || prefix == "-" { // of a patch
				line = prefix + strings.ReplaceAll(strings.TrimSuffix(line[1:], "\n"), "\n", "\n"+prefix)
			}
			filled = append(filled, line)
		}
		own[name] = strings.Join(filled, "\n")
	}
	raw, _ := json.Marshal(own) // texts always encode
	return raw
}

func quote(text string) []byte {
	raw, _ := json.Marshal(text) // text always encodes
	return raw
}
