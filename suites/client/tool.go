package client

import (
	"slices"
	"strings"

	"hookwatch/suites/pattern"
)

// A Tool is a tool of the client that hooks see.
type Tool struct {
	Name string
	// Also are older names that matchers may still use; Task was observed on clients 2.1.197 and
	// 2.1.330, the others were read from the code.
	Also []string
	// Successor is the tool that replaced a removed one; empty if the client still has the tool.
	Successor string
	// Kind is the effect of a call, as far as it matters to hooks.
	Kind ToolKind
	// OnlyWhole reports that an entry's `if` with arguments of the tool never matches; observed on
	// client 2.1.332.
	OnlyWhole bool
	// Path is the key of the input that names the file of a call; empty if there is none.
	Path string
	// Text is the key of the input that has the text that a call writes; empty if there is none.
	Text string
	// Requires are the keys without which the client refuses a call.
	Requires []string
	// Returns are the keys that a hook's replacement of the result must have; observed on client
	// 2.1.332. None means any object or list, because nothing else was observed.
	Returns []string
	// On are the versions on which a call was captured; none if the shape is from the tool's own
	// description.
	On []Version
	// Optional are texts that a call may also have, with an example each, from the tool's own description.
	Optional map[string]string
	// Harmless is the input of a harmless call, for a tool that takes neither a command nor a file.
	Harmless map[string]any

	input    func(PayloadInput) object // tool_input; nil uses the given values
	response func(PayloadInput) object // tool_response as captured; nil is a success
}

// A ToolKind is the effect of a call of a tool.
type ToolKind string

// The kinds that matter to hooks.
const (
	RunsCommand ToolKind = "runs a command"
	EditsFile   ToolKind = "edits a file"
	CreatesFile ToolKind = "creates a file"
	ReadsFiles  ToolKind = "reads files"
)

// tools is the table of tools, the most revealing for tests of hooks first. Names are as observed
// on client 2.1.330, or documented if they were not observed there. The inputs of Bash, Edit, Read,
// Agent, EnterWorktree, TaskCreate and TaskUpdate were captured from running clients, as were the
// results of AskUserQuestion, EnterPlanMode and ExitPlanMode (client 2.1.332).
var tools = []Tool{
	{
		Name: "Bash", Kind: RunsCommand, Requires: []string{"command"}, Returns: []string{"stdout", "stderr", "interrupted", "isImage"}, On: onAll,
		Optional: map[string]string{"description": "zqDescription"},
		input:    commandInput,
		response: func(PayloadInput) object {
			return object{{"stdout", "hello"}, {"stderr", ""}, {"interrupted", false}, {"isImage", false}, {"noOutputExpected", false}}
		},
	},
	{
		Name: "Edit", Kind: EditsFile, Path: "file_path", Text: "new_string", Requires: []string{"file_path", "old_string", "new_string"}, On: onOld,
		Returns: []string{"filePath", "oldString", "newString", "originalFile", "structuredPatch", "userModified", "replaceAll"},
		input: func(in PayloadInput) object {
			return object{{"file_path", in.file()}, {"old_string", "one"}, {"new_string", in.text("two")}, {"replace_all", false}}
		},
		response: editResponse,
	},
	{
		Name: "Write", Kind: CreatesFile, Path: "file_path", Text: "content", Requires: []string{"file_path", "content"}, On: onOld,
		Returns: []string{"type", "filePath", "content", "structuredPatch", "originalFile"},
		input:   func(in PayloadInput) object { return object{{"file_path", in.file()}, {"content", in.text("one\n")}} },
		response: func(in PayloadInput) object {
			return object{
				{"type", "create"}, {"filePath", in.file()}, {"content", "one\n"}, {"structuredPatch", list{}},
				{"originalFile", nil}, {"userModified", false},
			}
		},
	},
	{
		Name: "Read", Kind: ReadsFiles, Path: "file_path", Requires: []string{"file_path"}, On: onOld,
		Returns: []string{"type", "file"},
		input:   func(in PayloadInput) object { return object{{"file_path", in.file()}} },
		response: func(in PayloadInput) object {
			file := object{{"filePath", in.file()}, {"content", "one\n"}, {"numLines", 2}, {"startLine", 1}, {"totalLines", 2}}
			return object{{"type", "text"}, {"file", file}}
		},
	},
	{
		Name: "NotebookEdit", Kind: EditsFile, Path: "notebook_path", Text: "new_source", Requires: []string{"notebook_path", "new_source"},
		input: func(in PayloadInput) object {
			return object{{"notebook_path", in.file()}, {"new_source", in.text("one\n")}, {"cell_type", "code"}, {"edit_mode", "replace"}}
		},
	},
	{
		Name: "Grep", Kind: ReadsFiles, Requires: []string{"pattern"}, Harmless: map[string]any{"pattern": "hello"},
		Optional: map[string]string{"path": "zqDir", "glob": "zq.glob", "type": "zqType"},
		input: func(in PayloadInput) object {
			return object{{"pattern", in.text("one")}, {"path", in.Cwd}, {"output_mode", "content"}}
		},
	},
	{
		Name: "Glob", Kind: ReadsFiles, Requires: []string{"pattern"}, Harmless: map[string]any{"pattern": "*.md"},
		Optional: map[string]string{"path": "zqDir"},
		input:    func(in PayloadInput) object { return object{{"pattern", in.text("**/*.txt")}, {"path", in.Cwd}} },
	},
	{
		Name: "WebFetch", OnlyWhole: true, Requires: []string{"url", "prompt"}, Harmless: map[string]any{"url": "http://127.0.0.1/", "prompt": "say hello"},
		input: func(in PayloadInput) object {
			return object{{"url", "https://example.com/"}, {"prompt", in.text("what is it about?")}}
		},
	},
	{
		Name: "WebSearch", Requires: []string{"query"}, Harmless: map[string]any{"query": "hello"},
		input: func(in PayloadInput) object { return object{{"query", in.text("an example")}} },
	},
	{Name: "Agent", Also: []string{"Task"}, OnlyWhole: true, Requires: []string{"description", "prompt"}, On: onOld, input: agentInput, response: agentResponse},
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
	{
		Name:  "AskUserQuestion", // answers are those of a session without a terminal
		input: func(in PayloadInput) object { return object{{"questions", questions(in)}} },
		response: func(in PayloadInput) object {
			return object{{"questions", questions(in)}, {"answers", object{}}}
		},
	},
	{Name: "BashOutput"},
	{Name: "CronCreate"},
	{Name: "CronDelete"},
	{Name: "CronList"},
	{Name: "EnterPlanMode", response: func(PayloadInput) object { return object{{"message", "Entered plan mode."}} }},
	{Name: "EnterWorktree", input: func(PayloadInput) object { return object{{"name", "example"}} }},
	{
		Name:  "ExitPlanMode",
		input: func(in PayloadInput) object { return object{{"plan", in.text("1. an example")}} },
		response: func(in PayloadInput) object {
			return object{{"plan", in.text("1. an example")}, {"isAgent", false}, {"filePath", in.Cwd + "/plan.md"}}
		},
	},
	{Name: "ExitWorktree"},
	{Name: "LSP"},
	{Name: "ListAgents", Also: []string{"ListPeers"}},
	{Name: "ListMcpResourcesTool"},
	{Name: "Monitor"},
	{Name: "PowerShell", Kind: RunsCommand, input: commandInput},
	{Name: "ReadMcpResourceTool"},
	{Name: "SendMessage"},
	{Name: "SlashCommand"},
	{Name: "StructuredOutput"},
	{
		Name: "TaskCreate", OnlyWhole: true, Requires: []string{"subject", "description"}, On: onOld,
		input: func(in PayloadInput) object {
			return object{{"subject", "an example"}, {"description", in.text("an example")}}
		},
		response: func(in PayloadInput) object { // observed on client 2.1.332
			return object{{"task", object{{"id", "1"}, {"subject", "an example"}, {"description", in.text("an example")}}}}
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
		Name: "MultiEdit", Successor: "Edit", Kind: EditsFile, Path: "file_path", Requires: []string{"file_path", "edits"},
		input: func(in PayloadInput) object {
			edit := object{{"old_string", "one"}, {"new_string", in.text("two")}}
			return object{{"file_path", in.file()}, {"edits", list{edit}}}
		},
	},
	{Name: "LS", Successor: "Bash", Kind: ReadsFiles},
	{Name: "NotebookRead", Successor: "Read"},
	{Name: "AgentOutputTool", Successor: "TaskOutput"},
	{Name: "View", Successor: "Read"},
}

// Tools returns the known tools, including those that the client no longer has.
func Tools() []Tool { return slices.Clone(tools) }

// ToolByName returns the tool with a name; the zero Tool if it is not in the table, as for tools of
// MCP servers.
func ToolByName(name string) Tool {
	tool, _ := find(tools, func(t Tool) bool { return t.Name == name })
	return tool
}

// toolByAnyName is like ToolByName, but also accepts older names.
func toolByAnyName(name string) Tool {
	tool, _ := find(tools, func(t Tool) bool { return t.Name == name || slices.Contains(t.Also, name) })
	return tool
}

// ToolNames returns the names of the client's current tools of the given kinds, or of all of
// them if none is given.
func ToolNames(kinds ...ToolKind) (names []string) {
	for _, tool := range tools {
		if tool.Successor == "" && (len(kinds) == 0 || slices.Contains(kinds, tool.Kind)) {
			names = append(names, tool.Name)
		}
	}
	return names
}

// lacks returns the first required key that an input lacks, or that is no text in it; "" if it has all. The only
// one that is a list is edits of MultiEdit.
func (t Tool) lacks(input map[string]any) string {
	key, _ := find(t.Requires, func(key string) bool {
		_, isText := input[key].(string)
		return !isText && (key != "edits" || !has(input, key))
	})
	return key
}

// takes reports whether the client accepts value in place of the tool's result.
func (t Tool) takes(value any) bool {
	fields, isObject := value.(map[string]any)
	_, isList := value.([]any)
	if len(t.Returns) == 0 {
		return isObject || isList
	}
	return isObject && !slices.ContainsFunc(t.Returns, func(key string) bool { return !has(fields, key) })
}

// Match reports whether a hook with this matcher runs when the event occurs with value in its
// matched field. An event without a matched field ignores the matcher, and hooks of an unknown
// event never run. EvaluateMatcher describes the syntax.
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
		names = append(names, ToolByName(value).Also...)
	}
	matched, _ := about.matches(match, names...)
	return matched
}

// MatcherError returns the reason why the matcher of a hook is not evaluated, in which case it is
// unknown whether the hook runs; nil if it is evaluated. It tries the known values.
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

// Misname returns why the client sends no tool of a name that a matcher lists; "" if it may, or did once.
func Misname(name string) string {
	switch server, ofServer := strings.CutPrefix(name, "mcp__"); {
	case strings.Trim(name, "_") == "mcp":
		return name + " names no server: mcp__.* takes the tools of all servers"
	case ofServer && !strings.Contains(server, "__"):
		return name + " names a server: its tools are " + name + "__.*"
	case ofServer, toolByAnyName(name).Name != "":
		return ""
	}
	names := ToolNames()
	if i := slices.IndexFunc(names, func(tool string) bool { return strings.EqualFold(tool, name) }); i >= 0 {
		return name + " is no tool: names are case-sensitive, " + names[i]
	}
	if near := pattern.Nearest(name, slices.Sorted(slices.Values(names))); near != "" {
		return name + " is no tool: " + near + "?"
	}
	return name + " is no tool"
}
