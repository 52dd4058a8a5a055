package payload

import (
	"cmp"
	"strings"
)

// toolInput makes tool_input in the shape that the tool has; a tool that is not
// known here, an MCP tool among them, gets what was given. MultiEdit and
// NotebookEdit were not captured; theirs is the shape that the tools ask for.
func toolInput(in Input) any {
	if len(in.ToolInput) > 0 {
		return in.ToolInput
	}
	switch in.Tool {
	case "Bash":
		return object{{"command", cmp.Or(in.Command, "echo hello")}, {"description", "an example"}}
	case "Edit":
		return object{{"file_path", in.file()}, {"old_string", "one"}, {"new_string", "two"}, {"replace_all", false}}
	case "MultiEdit":
		edit := object{{"old_string", "one"}, {"new_string", "two"}}
		return object{{"file_path", in.file()}, {"edits", list{edit}}}
	case "Write":
		return object{{"file_path", in.file()}, {"content", "one\n"}}
	case "Read":
		return object{{"file_path", in.file()}}
	case "NotebookEdit":
		return object{{"notebook_path", in.file()}, {"new_source", "one\n"}, {"cell_type", "code"}, {"edit_mode", "replace"}}
	case "Agent", "Task":
		return object{{"description", "an example"}, {"prompt", in.Prompt}, {"subagent_type", "general-purpose"}}
	default:
		return givenInput(in)
	}
}

func givenInput(in Input) object {
	given := object{}
	if in.Command != "" {
		given = append(given, field{"command", in.Command})
	}
	if in.FilePath != "" {
		given = append(given, field{"file_path", in.FilePath})
	}
	return given
}

// toolResponse makes tool_response in the shape that was captured for the tool.
func toolResponse(in Input) any {
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

func editResponse(in Input) object {
	patch := object{{"oldStart", 1}, {"oldLines", 1}, {"newStart", 1}, {"newLines", 1}, {"lines", list{"-one", "+two"}}}
	return object{
		{"filePath", in.file()}, {"oldString", "one"}, {"newString", "two"}, {"originalFile", "one\n"},
		{"structuredPatch", list{patch}}, {"userModified", false}, {"replaceAll", false},
	}
}

func agentResponse(in Input) object {
	return object{
		{"status", "completed"}, {"prompt", in.Prompt}, {"agentId", "a0000000000000001"}, {"agentType", "general-purpose"},
		{"content", list{object{{"type", "text"}, {"text", in.LastMessage}}}},
		{"totalDurationMs", 12}, {"totalTokens", 15}, {"totalToolUseCount", 1},
	}
}
