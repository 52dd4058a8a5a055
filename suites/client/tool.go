package client

import (
	"slices"
)

// A Tool is a tool of the client that hooks see.
type Tool struct {
	Name string
	// Also are older names by which matchers may still call it; Task was observed
	// on clients 2.1.197 and 2.1.330, the others were read from the code.
	Also []string
	// Successor is the tool that replaced one which the client no longer has; empty: it has it.
	Successor string
	// Does is what a call does, as far as hooks care. One permission rule for a tool that
	// edits or creates files is for all of them, and so is one for a tool that reads.
	Does Deed
	// Path is the key of the input that names the file of a call; empty: there is none.
	Path string
	// Requires are the keys without which the client refuses a call.
	Requires []string
	// Returns are the keys of a result that a hook may put in the place of the
	// tool's own. None: any object or list; only Bash's was observed.
	Returns []string
	// On are the versions on which a call of it was captured; none: it is as the
	// tool describes itself.
	On []Version
	// Harmless is an input of a call that does no harm, of a tool that takes neither a
	// command nor a file.
	Harmless map[string]any

	input    func(PayloadInput) object // tool_input; nil: what is given
	response func(PayloadInput) object // tool_response, as it was captured; nil: a success
}

// A Deed is what a call of a tool does.
type Deed string

// The deeds that hooks care for.
const (
	Runs    Deed = "runs a command"
	Edits   Deed = "edits a file"
	Creates Deed = "creates a file"
	Reads   Deed = "reads files"
)

// tools is the table of tools, those first whose calls show most of a hook. Names are as observed on
// client 2.1.330 and, for those it was not asked for, documented. The inputs of Bash, Edit, Read,
// Agent, EnterWorktree, TaskCreate and TaskUpdate were captured from running clients.
var tools = []Tool{
	{
		Name: "Bash", Does: Runs, Requires: []string{"command"}, Returns: []string{"stdout", "stderr", "interrupted", "isImage"}, On: onAll,
		input: commandInput,
		response: func(PayloadInput) object {
			return object{{"stdout", "hello"}, {"stderr", ""}, {"interrupted", false}, {"isImage", false}, {"noOutputExpected", false}}
		},
	},
	{
		Name: "Edit", Does: Edits, Path: "file_path", Requires: []string{"file_path", "old_string", "new_string"}, On: onOld,
		input: func(in PayloadInput) object {
			return object{{"file_path", in.file()}, {"old_string", "one"}, {"new_string", in.text("two")}, {"replace_all", false}}
		},
		response: editResponse,
	},
	{
		Name: "Write", Does: Creates, Path: "file_path", Requires: []string{"file_path", "content"}, On: onOld,
		input: func(in PayloadInput) object { return object{{"file_path", in.file()}, {"content", in.text("one\n")}} },
		response: func(in PayloadInput) object {
			return object{
				{"type", "create"}, {"filePath", in.file()}, {"content", "one\n"}, {"structuredPatch", list{}},
				{"originalFile", nil}, {"userModified", false},
			}
		},
	},
	{
		Name: "Read", Does: Reads, Path: "file_path", Requires: []string{"file_path"}, On: onOld,
		input: func(in PayloadInput) object { return object{{"file_path", in.file()}} },
		response: func(in PayloadInput) object {
			file := object{{"filePath", in.file()}, {"content", "one\n"}, {"numLines", 2}, {"startLine", 1}, {"totalLines", 2}}
			return object{{"type", "text"}, {"file", file}}
		},
	},
	{
		Name: "NotebookEdit", Does: Edits, Path: "notebook_path", Requires: []string{"notebook_path", "new_source"},
		input: func(in PayloadInput) object {
			return object{{"notebook_path", in.file()}, {"new_source", in.text("one\n")}, {"cell_type", "code"}, {"edit_mode", "replace"}}
		},
	},
	{
		Name: "Grep", Does: Reads, Requires: []string{"pattern"}, Harmless: map[string]any{"pattern": "hello"},
		input: func(in PayloadInput) object {
			return object{{"pattern", in.text("one")}, {"path", in.Cwd}, {"output_mode", "content"}}
		},
	},
	{
		Name: "Glob", Does: Reads, Requires: []string{"pattern"}, Harmless: map[string]any{"pattern": "*.md"},
		input: func(in PayloadInput) object { return object{{"pattern", in.text("**/*.txt")}, {"path", in.Cwd}} },
	},
	{
		Name: "WebFetch", Requires: []string{"url", "prompt"}, Harmless: map[string]any{"url": "http://127.0.0.1/", "prompt": "say hello"},
		input: func(in PayloadInput) object {
			return object{{"url", "https://example.com/"}, {"prompt", in.text("what is it about?")}}
		},
	},
	{
		Name: "WebSearch", Requires: []string{"query"}, Harmless: map[string]any{"query": "hello"},
		input: func(in PayloadInput) object { return object{{"query", in.text("an example")}} },
	},
	{Name: "Agent", Also: []string{"Task"}, Requires: []string{"description", "prompt"}, On: onOld, input: agentInput, response: agentResponse},
	{
		Name: "Skill", Requires: []string{"skill"}, Harmless: map[string]any{"skill": "example"},
		input: func(in PayloadInput) object { return object{{"skill", "example"}, {"args", in.text("")}} },
	},
	{
		Name: "TodoWrite",
		input: func(in PayloadInput) object {
			return object{{"todos", list{object{{"content", in.text("an example")}, {"status", "pending"}, {"activeForm", "doing it"}}}}}
		},
	},
	{Name: "AskUserQuestion"},
	{Name: "BashOutput"},
	{Name: "CronCreate"},
	{Name: "CronDelete"},
	{Name: "CronList"},
	{Name: "EnterPlanMode"},
	{Name: "EnterWorktree", input: func(PayloadInput) object { return object{{"name", "example"}} }},
	{Name: "ExitPlanMode", input: func(in PayloadInput) object { return object{{"plan", in.text("1. an example")}} }},
	{Name: "ExitWorktree"},
	{Name: "LSP"},
	{Name: "ListAgents", Also: []string{"ListPeers"}},
	{Name: "ListMcpResourcesTool"},
	{Name: "Monitor"},
	{Name: "PowerShell", Does: Runs, input: commandInput},
	{Name: "ReadMcpResourceTool"},
	{Name: "SendMessage"},
	{Name: "SlashCommand"},
	{Name: "StructuredOutput"},
	{
		Name: "TaskCreate", Requires: []string{"subject", "description"}, On: onOld,
		input: func(in PayloadInput) object {
			return object{{"subject", "an example"}, {"description", in.text("an example")}}
		},
	},
	{Name: "TaskGet"},
	{Name: "TaskList"},
	{Name: "TaskOutput"},
	{Name: "TaskStop", Also: []string{"KillShell", "KillBash"}},
	{
		Name: "TaskUpdate", Requires: []string{"taskId"}, On: onOld,
		input: func(PayloadInput) object { return object{{"taskId", "1"}, {"status", "completed"}} },
	},
	{Name: "TeamCreate"},
	{Name: "TeamDelete"},
	{Name: "ToolSearch"},
	{Name: "Workflow"},

	{
		Name: "MultiEdit", Successor: "Edit", Does: Edits, Path: "file_path", Requires: []string{"file_path", "edits"},
		input: func(in PayloadInput) object {
			edit := object{{"old_string", "one"}, {"new_string", in.text("two")}}
			return object{{"file_path", in.file()}, {"edits", list{edit}}}
		},
	},
	{Name: "LS", Successor: "Bash", Does: Reads},
	{Name: "NotebookRead", Successor: "Read"},
	{Name: "AgentOutputTool", Successor: "TaskOutput"},
	{Name: "View", Successor: "Read"},
}

// Tools lists the tools that are known, those that the client no longer has among them.
func Tools() []Tool { return slices.Clone(tools) }

// ToolNamed returns the tool of a name; the zero Tool for one that is not in the table, as tools of
// MCP servers are.
func ToolNamed(name string) Tool {
	for _, tool := range tools {
		if tool.Name == name {
			return tool
		}
	}
	return Tool{}
}

// toolCalled is ToolNamed, by an older name as well.
func toolCalled(name string) Tool {
	for _, tool := range tools {
		if tool.Name == name || slices.Contains(tool.Also, name) {
			return tool
		}
	}
	return Tool{}
}

// ToolNames lists the names of the tools that the client has and that do one of the deeds, or of all
// that it has.
func ToolNames(deeds ...Deed) (names []string) {
	for _, tool := range tools {
		if tool.Successor == "" && (len(deeds) == 0 || slices.Contains(deeds, tool.Does)) {
			names = append(names, tool.Name)
		}
	}
	return names
}

// Alike lists the tools that a permission rule for one is for, which the client no longer has among
// them.
func (t Tool) Alike() (names []string) {
	deeds := map[Deed][]Deed{Edits: {Edits, Creates}, Creates: {Edits, Creates}, Reads: {Reads}}[t.Does]
	for _, tool := range tools {
		if tool.Name == t.Name || slices.Contains(deeds, tool.Does) {
			names = append(names, tool.Name)
		}
	}
	return names
}

// lacks names the first required key that an input does not have.
func (t Tool) lacks(input map[string]any) string {
	for _, key := range t.Requires {
		if !has(input, key) {
			return key
		}
	}
	return ""
}

// takes reports whether the client takes value in the place of the tool's result.
func (t Tool) takes(value any) bool {
	fields, isObject := value.(map[string]any)
	_, isList := value.([]any)
	if len(t.Returns) == 0 {
		return isObject || isList
	}
	return isObject && !slices.ContainsFunc(t.Returns, func(key string) bool { return !has(fields, key) })
}

// Match reports whether a hook with this matcher runs when the event fires and
// its matched field holds value. An event that has no matched field ignores the
// matcher; an event that the client does not have never runs. See package matcher
// for the rest.
func Match(event, match, value string) bool {
	about, known := EventByName(event)
	switch {
	case !known:
		return false
	case about.MatchedOn == "":
		return true
	}
	names := []string{value}
	if about.Tool {
		names = append(names, ToolNamed(value).Also...)
	}
	matched, _ := about.matches(match, names...)
	return matched
}

// MatcherError is the reason why the matcher of a hook is not evaluated, nil if it is:
// whether the hook runs when the event fires is not known. It tries the values that are
// known.
func MatcherError(event, match string) error {
	about, known := EventByName(event)
	if !known || about.MatchedOn == "" {
		return nil
	}
	values := []string{"mcp__example__example", "general-purpose", "permission_prompt"}
	for _, tool := range tools {
		values = append(append(values, tool.Name), tool.Also...)
	}
	for _, value := range values {
		if _, err := about.matches(match, value); err != nil {
			return err
		}
	}
	return nil
}

func has(fields map[string]any, key string) bool {
	_, present := fields[key]
	return present
}
