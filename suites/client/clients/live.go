package clients

import (
	"bytes"
	"encoding/json"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"hookwatch/suites/jsontree"
)

// Live describes how the client is run against a scripted model. In its texts {url} is the address
// of the model, {dir} the project, {home} the client's HOME, {prompt} the user's message, {record} a
// command that records its stdin, and {start} one that records that the session has started.
type Live struct {
	Program string // in PATH; empty for a client that hookwatch cannot run
	Install string // how the user gets it
	Wire    string // format of its requests to the model; see live.WireNamed
	// Arguments start a session that ends after one turn.
	Arguments []string
	Variables map[string]string
	// Caches are variables that name a directory of unpacked programs, with that directory in the
	// user's HOME. Without it each session unpacks them again.
	Caches map[string]string
	// Without are the prefixes of variables that could divert the client from the scripted model.
	Without []string
	// Home are the files of its HOME. They register {record} for the client's PostToolUse and, if a
	// session that sends the model nothing ends with an exit code other than 0, {start} for its
	// SessionStart.
	Home map[string]string
	// Events are those that a session fires, by Claude Code's names.
	Events []string
	// Denied is text in the result of a call that a hook denied.
	Denied string
	// Calls are the names of tools and their inputs in the model's calls, by Claude Code's tool;
	// {NAME} is a field of Claude Code's input. An input may be a text instead.
	Calls map[string]struct {
		Tool  string
		Input any
	}
	// Writes are the top-level keys of a hook file in addition to hooks.
	Writes map[string]any
}

// Call returns the call of the model for one of Claude Code's tools; false if there is none.
func (l Live) Call(tool string, input []byte) (name string, own []byte, ok bool) {
	call, ok := l.Calls[tool]
	root, err := jsontree.Parse(input)
	if !ok || err != nil {
		return "", nil, false
	}
	own = fillForm(call.Input, root)
	return call.Tool, own, own != nil
}

// fillForm returns a text, or an object of texts, with the fields of an object; nil if it is neither.
func fillForm(form any, from jsontree.Value) []byte {
	switch form := form.(type) {
	case map[string]any:
		fields := map[string]string{}
		for name, value := range form {
			fields[name], _ = value.(string)
		}
		return inputOf(fields, from)
	case string:
		return quote(fill(form, from))
	}
	return nil
}

// HookFile returns the slash path of the hook file that hookwatch writes.
func (c Client) HookFile() string { return strings.ReplaceAll(c.Files[0], "*", "hookwatch") }

// Register returns the place and content of a hook file that registers a command for an event, by
// the client's name.
func (c Client) Register(event, command string, timeout time.Duration) (file string, content []byte) {
	of := c
	file = c.HookFile()
	if c.Events[event].Claude {
		of, _ = ByName(Claude)
		at := slices.IndexFunc(c.Files, func(f string) bool { return strings.HasPrefix(f, ".claude/") })
		file = c.Files[at]
	}
	entry := map[string]any{"type": "command", of.Entry.Command[0]: command}
	if timeout > 0 {
		entry[of.Entry.Timeout.Keys[0]] = int(timeout / of.TimeoutUnit())
	}
	if of.Entry.Nested {
		entry = map[string]any{"hooks": []any{entry}}
	}
	all := map[string]any{"hooks": map[string]any{event: []any{entry}}}
	for key, value := range of.Live.Writes {
		all[key] = value
	}
	content, _ = json.Marshal(all) // plain values always encode
	return file, content
}

// Wrap returns a hook file with each command replaced, and everything else as it is. Of a file
// that cannot be read it returns the text unchanged.
func (c Client) Wrap(file string, text []byte, replace func(event, command string) string) []byte {
	var all map[string]any
	decoder := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(text, []byte("\ufeff"))))
	decoder.UseNumber()
	encode, decode := json.Marshal, decoder.Decode
	if path.Ext(file) == ".toml" {
		encode, decode = toml.Marshal, func(into any) error { return toml.Unmarshal(text, into) }
	}
	if decode(&all) != nil {
		return text
	}
	events, _ := all["hooks"].(map[string]any)
	keys := append([]string{"command"}, c.Entry.Command...)
	var walk func(event string, value any)
	walk = func(event string, value any) {
		switch value := value.(type) {
		case []any:
			for _, v := range value {
				walk(event, v)
			}
		case map[string]any:
			walk(event, value["hooks"])
			for _, key := range keys {
				if command, ok := value[key].(string); ok {
					value[key] = replace(event, command)
					break // the others have no effect
				}
			}
		}
	}
	for event, entries := range events {
		walk(event, entries)
	}
	if wrapped, err := encode(all); err == nil {
		return wrapped
	}
	return text
}
