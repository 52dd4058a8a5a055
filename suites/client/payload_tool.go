package client

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// toolInput returns tool_input in the shape of the tool. For unknown tools, including those of MCP
// servers, it contains only the given values.
func toolInput(in PayloadInput) any {
	if len(in.ToolInput) > 0 {
		return in.ToolInput
	}
	if input := toolByAnyName(in.Tool).input; input != nil {
		return input(in)
	}
	return startInput(in)
}

func commandInput(in PayloadInput) object {
	return object{{"command", cmp.Or(in.Command, "echo hello")}, {"description", "an example"}}
}

func agentInput(in PayloadInput) object {
	return object{{"description", "an example"}, {"prompt", in.text(in.Prompt)}, {"subagent_type", "general-purpose"}}
}

func startInput(in PayloadInput) object {
	given := object{}
	for _, f := range []struct{ key, value string }{{"command", in.Command}, {"file_path", in.FilePath}, {"text", in.Text}} {
		if f.value != "" {
			given = append(given, payloadField{f.key, f.value})
		}
	}
	return given
}

// questions returns the questions of AskUserQuestion.
func questions(in PayloadInput) list {
	option := func(label string) object { return object{{"label", label}, {"description", "an example"}} }
	return list{object{
		{"question", in.text("an example?")}, {"header", "example"}, {"options", list{option("yes"), option("no")}}, {"multiSelect", false},
	}}
}

// toolResponse returns tool_response in the shape that was captured for the tool.
func toolResponse(in PayloadInput) any {
	if len(in.ToolResponse) > 0 {
		return in.ToolResponse
	}
	if response := toolByAnyName(in.Tool).response; response != nil {
		return response(in)
	}
	if strings.HasPrefix(in.Tool, "mcp__") {
		return list{object{{"type", "text"}, {"text", in.LastMessage}}}
	}
	return object{{"success", true}}
}

func editResponse(in PayloadInput) object {
	patch := object{{"oldStart", 1}, {"oldLines", 1}, {"newStart", 1}, {"newLines", 1}, {"lines", list{"-one", "+two"}}}
	return object{
		{"filePath", in.file()}, {"oldString", "one"}, {"newString", "two"}, {"originalFile", "one\n"},
		{"structuredPatch", list{patch}}, {"userModified", false}, {"replaceAll", false},
	}
}

// agentResponse is that of an agent in the background, where the client starts it; observed on client
// 2.1.332.
func agentResponse(in PayloadInput) object {
	return object{
		{"isAsync", true}, {"status", "async_launched"}, {"agentId", "a0000000000000001"}, {"description", "an example"},
		{"resolvedModel", "claude-opus-5-5"}, {"prompt", in.Prompt}, {"outputFile", in.TranscriptPath + ".output"},
		{"canReadOutputFile", true}, {"canContinueAgent", true},
	}
}

// A PayloadInput describes the payload to build. Every field but Event has a neutral default, so
// that a PayloadInput with only an Event gives a plausible payload.
type PayloadInput struct {
	Event          string
	Tool           string          // for tool events; default Bash
	Command        string          // tool_input.command
	FilePath       string          // the file of tool_input, under the tool's own key, or the event's own file
	Text           string          // the text that a tool writes, searches for or asks, if it takes one
	ToolInput      json.RawMessage // replaces the tool_input made from the above
	ToolResponse   json.RawMessage // replaces the tool_response made for the tool
	SessionID      string
	TranscriptPath string
	Cwd            string
	Prompt         string
	PermissionMode string // default "default"
	Value          string // the value compared with the matcher, if it is not the tool: source, trigger, reason, agent type, ...
	AgentID        string // inside a subagent
	AgentType      string
	LastMessage    string // last_assistant_message
	StopHookActive bool
	Over           json.RawMessage // an object merged over the payload made from the above; null removes a field
	Override       json.RawMessage // a full object, sent unchanged instead of everything above
}

// text returns the text for a tool, or usual if none is given.
func (in PayloadInput) text(usual string) string { return cmp.Or(in.Text, usual) }

// file returns the file for a tool, or an example if none is given.
func (in PayloadInput) file() string { return cmp.Or(in.FilePath, in.Cwd+"/example.txt") }

// A payloadField is one key of an object; an object keeps the order of its fields.
type (
	payloadField struct {
		key   string
		value any
	}
	object []payloadField
	list   []any
)

// write writes the object as the client does: on one line, in order, without escaping characters
// for HTML.
func (o object) write(out *bytes.Buffer) error {
	out.WriteByte('{')
	for i, f := range o {
		if i > 0 {
			out.WriteByte(',')
		}
		if err := write(out, f.key); err != nil {
			return err
		}
		out.WriteByte(':')
		if err := write(out, f.value); err != nil {
			return fmt.Errorf("field %s: %w", f.key, err)
		}
	}
	out.WriteByte('}')
	return nil
}

func (l list) write(out *bytes.Buffer) error {
	out.WriteByte('[')
	for i, v := range l {
		if i > 0 {
			out.WriteByte(',')
		}
		if err := write(out, v); err != nil {
			return err
		}
	}
	out.WriteByte(']')
	return nil
}

// write writes a value. It does not leave objects and lists to the encoder because that would read
// the nested output again at every depth, and a tool's input may be large.
func write(out *bytes.Buffer, value any) error {
	switch value := value.(type) {
	case object:
		return value.write(out)
	case list:
		return value.write(out)
	case json.RawMessage:
		return json.Compact(out, value)
	}
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return err
	}
	out.Truncate(out.Len() - 1) // the encoder's newline
	return nil
}

// under merges a JSON object over o: its fields replace those of the same name, new ones are
// appended, and null removes a field.
func (o object) under(over json.RawMessage) (object, error) {
	if len(bytes.TrimSpace(over)) == 0 {
		return o, nil
	}
	in := json.NewDecoder(bytes.NewReader(over))
	if open, err := in.Token(); err != nil || open != json.Delim('{') {
		return nil, errors.New("what is laid over it must be a JSON object")
	}
	for in.More() {
		key, err := in.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := in.Decode(&value); err != nil {
			return nil, err
		}
		o = o.with(key.(string), value) // the decoder accepts only string keys
	}
	_, err := in.Token()
	return o, err
}

func (o object) with(key string, value json.RawMessage) object {
	at := slices.IndexFunc(o, func(f payloadField) bool { return f.key == key })
	switch absent := string(value) == "null"; {
	case absent && at >= 0:
		return slices.Delete(o, at, at+1)
	case absent:
		return o
	case at >= 0:
		o[at].value = value
		return o
	default:
		return append(o, payloadField{key, value})
	}
}
