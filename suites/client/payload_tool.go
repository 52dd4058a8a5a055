package client

import (
	"cmp"
	"strings"
)

// toolInput makes tool_input in the shape that the tool has; a tool that is not
// known here, one of an MCP server among them, gets what was given.
func toolInput(in PayloadInput) any {
	if len(in.ToolInput) > 0 {
		return in.ToolInput
	}
	if shape := shapes[in.Tool]; shape != nil {
		return shape(in)
	}
	return givenInput(in)
}

// shapes are what the tools ask for. Those of Bash, Edit, Read, Agent, EnterWorktree,
// TaskCreate and TaskUpdate were captured from running clients.
var shapes = map[string]func(PayloadInput) object{
	"Bash": func(in PayloadInput) object {
		return object{{"command", cmp.Or(in.Command, "echo hello")}, {"description", "an example"}}
	},
	"PowerShell": func(in PayloadInput) object {
		return object{{"command", cmp.Or(in.Command, "echo hello")}, {"description", "an example"}}
	},
	"Edit": func(in PayloadInput) object {
		return object{{"file_path", in.file()}, {"old_string", "one"}, {"new_string", in.text("two")}, {"replace_all", false}}
	},
	"MultiEdit": func(in PayloadInput) object {
		edit := object{{"old_string", "one"}, {"new_string", in.text("two")}}
		return object{{"file_path", in.file()}, {"edits", list{edit}}}
	},
	"Write": func(in PayloadInput) object { return object{{"file_path", in.file()}, {"content", in.text("one\n")}} },
	"Read":  func(in PayloadInput) object { return object{{"file_path", in.file()}} },
	"NotebookEdit": func(in PayloadInput) object {
		return object{{"notebook_path", in.file()}, {"new_source", in.text("one\n")}, {"cell_type", "code"}, {"edit_mode", "replace"}}
	},
	"Agent": agentInput,
	"Task":  agentInput,
	"Grep": func(in PayloadInput) object {
		return object{{"pattern", in.text("one")}, {"path", in.Cwd}, {"output_mode", "content"}}
	},
	"Glob": func(in PayloadInput) object { return object{{"pattern", in.text("**/*.txt")}, {"path", in.Cwd}} },
	"WebFetch": func(in PayloadInput) object {
		return object{{"url", "https://example.com/"}, {"prompt", in.text("what is it about?")}}
	},
	"WebSearch": func(in PayloadInput) object { return object{{"query", in.text("an example")}} },
	"Skill":     func(in PayloadInput) object { return object{{"skill", "example"}, {"args", in.text("")}} },
	"TaskCreate": func(in PayloadInput) object {
		return object{{"subject", "an example"}, {"description", in.text("an example")}}
	},
	"TaskUpdate":    func(PayloadInput) object { return object{{"taskId", "1"}, {"status", "completed"}} },
	"EnterWorktree": func(PayloadInput) object { return object{{"name", "example"}} },
	"ExitPlanMode":  func(in PayloadInput) object { return object{{"plan", in.text("1. an example")}} },
	"TodoWrite": func(in PayloadInput) object {
		return object{{"todos", list{object{{"content", in.text("an example")}, {"status", "pending"}, {"activeForm", "doing it"}}}}}
	},
}

func agentInput(in PayloadInput) object {
	return object{{"description", "an example"}, {"prompt", in.text(in.Prompt)}, {"subagent_type", "general-purpose"}}
}

func givenInput(in PayloadInput) object {
	given := object{}
	for _, f := range []struct{ key, value string }{{"command", in.Command}, {"file_path", in.FilePath}, {"text", in.Text}} {
		if f.value != "" {
			given = append(given, payloadField{f.key, f.value})
		}
	}
	return given
}

// toolResponse makes tool_response in the shape that was captured for the tool.
func toolResponse(in PayloadInput) any {
	if len(in.ToolResponse) > 0 {
		return in.ToolResponse
	}
	switch {
	case in.Tool == "Bash":
		return object{{"stdout", "hello"}, {"stderr", ""}, {"interrupted", false}, {"isImage", false}, {"noOutputExpected", false}}
	case in.Tool == "Edit":
		return editResponse(in)
	case in.Tool == "Write":
		return object{
			{"type", "create"}, {"filePath", in.file()}, {"content", "one\n"}, {"structuredPatch", list{}},
			{"originalFile", nil}, {"userModified", false},
		}
	case in.Tool == "Read":
		file := object{{"filePath", in.file()}, {"content", "one\n"}, {"numLines", 2}, {"startLine", 1}, {"totalLines", 2}}
		return object{{"type", "text"}, {"file", file}}
	case in.Tool == "Agent", in.Tool == "Task":
		return agentResponse(in)
	case strings.HasPrefix(in.Tool, "mcp__"):
		return list{object{{"type", "text"}, {"text", in.LastMessage}}}
	default:
		return object{{"success", true}}
	}
}

func editResponse(in PayloadInput) object {
	patch := object{{"oldStart", 1}, {"oldLines", 1}, {"newStart", 1}, {"newLines", 1}, {"lines", list{"-one", "+two"}}}
	return object{
		{"filePath", in.file()}, {"oldString", "one"}, {"newString", "two"}, {"originalFile", "one\n"},
		{"structuredPatch", list{patch}}, {"userModified", false}, {"replaceAll", false},
	}
}

func agentResponse(in PayloadInput) object {
	return object{
		{"status", "completed"}, {"prompt", in.Prompt}, {"agentId", "a0000000000000001"}, {"agentType", "general-purpose"},
		{"content", list{object{{"type", "text"}, {"text", in.LastMessage}}}},
		{"totalDurationMs", 12}, {"totalTokens", 15}, {"totalToolUseCount", 1},
	}
}
