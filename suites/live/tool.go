package live

import (
	"encoding/json"
	"path"
	"strings"
)

// marker is the line by which a file differs before the client has edited it.
const marker = "hookwatch puts this line here for the client to take away"

// tool has the model call the tool. After says that the hooks run once the tool has
// done its work; before it, nothing that the client asks about is let run.
func tool(after bool) func(t *Turn, s Step, p payload) error {
	return func(t *Turn, s Step, p payload) error {
		switch {
		case p.Tool == "":
			return notLive("its payload names no tool")
		case strings.HasPrefix(p.Tool, "mcp__"):
			return notLive("%s is a tool of an MCP server, which hookwatch does not start", p.Tool)
		}
		t.Prompts, t.Allow = []string{goOn}, after
		input, err := t.prepare(s, p, after)
		if err != nil {
			return err
		}
		t.Main = append(t.Main, Reply{Calls: []Call{{Tool: p.Tool, Input: input, Tested: true}}})
		return nil
	}
}

// unasked has the client itself judge the call, which it lets nobody be asked about in its
// mode auto: no is the answer. Reading, and changing files of the project, it lets run.
func unasked(t *Turn, s Step, p payload) error {
	if err := tool(false)(t, s, p); err != nil {
		return err
	}
	var input struct {
		File string `json:"file_path"`
	}
	if err := json.Unmarshal(p.Input, &input); err != nil {
		return notLive("its tool_input is no object")
	}
	changes := p.Tool == "Edit" || p.Tool == "Write"
	if p.Tool == "Read" || changes && (!path.IsAbs(input.File) || strings.HasPrefix(input.File, p.Cwd+"/")) {
		return notLive("in its mode auto the client lets %s of %s run", p.Tool, input.File)
	}
	t.Flags = []string{"--permission-mode", "auto"}
	return nil
}

// batch has the model make the calls side by side; the last is what the step is about.
func batch(t *Turn, s Step, p payload) error {
	if len(p.Calls) == 0 {
		return notLive("its payload names no call")
	}
	var all []Call
	for i, c := range p.Calls {
		one := Turn{}
		if err := tool(true)(&one, s, payload{Tool: c.Tool, Input: c.Input}); err != nil {
			return err
		}
		last := len(one.Main) - 1
		t.Main, t.Place = append(t.Main, one.Main[:last]...), append(t.Place, one.Place...)
		made := one.Main[last].Calls[0]
		made.Tested = i == len(p.Calls)-1
		all = append(all, made)
	}
	t.Prompts, t.Allow = []string{goOn}, true
	t.Main = append(t.Main, Reply{Calls: all})
	return nil
}

// prepare has the client's own conditions hold: a file is read before it is
// changed, and what is to be replaced stands in it. When hooks run afterwards the
// file is as the case has it.
func (t *Turn) prepare(s Step, p payload, after bool) (json.RawMessage, error) {
	var input map[string]any
	if err := json.Unmarshal(p.Input, &input); err != nil || input == nil {
		return nil, notLive("its tool_input is no object")
	}
	said := saidInput(s.Whole)
	path, _ := input["file_path"].(string)
	switch p.Tool {
	case "Edit":
		content, exists := s.File(path)
		if exists {
			t.read(path)
		}
		switch _, own := said["old_string"]; {
		case own:
		case !exists && after:
			return nil, notLive("%s is not there, so that the client can have edited nothing", path)
		case !exists:
			input["old_string"], input["new_string"] = "", marker+"\n"
		case after:
			t.Place = append(t.Place, File{path, marker + "\n" + content})
			input["old_string"], input["new_string"] = marker+"\n", ""
		default:
			line := firstLine(content)
			input["old_string"], input["new_string"], input["replace_all"] = line, marker+line, true
		}
	case "Write":
		content, exists := s.File(path)
		if exists {
			t.read(path)
		}
		if _, own := said["content"]; !own && exists {
			input["content"] = content
			if after {
				t.Place = append(t.Place, File{path, marker + "\n" + content})
			} else {
				input["content"] = marker + "\n" + content
			}
		}
	case "NotebookEdit":
		if book, _ := input["notebook_path"].(string); book != "" {
			t.read(book)
		}
	case "Bash":
		if _, has := input["command"]; !has {
			return nil, notLive("its tool_input has no command")
		}
	}
	return encoded(input), nil
}

func (t *Turn) read(path string) {
	t.Main = append(t.Main, Reply{Calls: []Call{{Tool: "Read", Input: encoded(map[string]any{"file_path": path})}}})
}

// firstLine is the first line with something in it, or all.
func firstLine(content string) string {
	for line := range strings.Lines(content) {
		if line = strings.TrimRight(line, "\r\n"); strings.TrimSpace(line) != "" {
			return line
		}
	}
	return content
}

// saidInput is what a case itself says of the tool's input.
func saidInput(whole json.RawMessage) map[string]any {
	var said struct {
		Input map[string]any `json:"tool_input"`
	}
	if json.Unmarshal(whole, &said) != nil {
		return nil
	}
	return said.Input
}
