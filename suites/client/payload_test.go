package client

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

const commonPrefix = `{"session_id":"S","transcript_path":"/t","cwd":"/p",`

func payloadOf(t *testing.T, in PayloadInput) string {
	t.Helper()
	in.SessionID, in.TranscriptPath, in.Cwd = "S", "/t", "/p"
	line, err := Payload(in)
	if err != nil {
		t.Fatal(err)
	}
	text := string(line)
	if strings.Count(text, "\n") != 1 || !strings.HasSuffix(text, "\n") {
		t.Errorf("%q is not one line", text)
	}
	return strings.Replace(strings.TrimSuffix(text, "\n"), `"prompt_id":"5e551011-0000-4000-8000-000000000002",`, "", 1)
}

func TestPayload(t *testing.T) {
	t.Parallel()
	const toolPrefix = commonPrefix + `"permission_mode":"default","effort":{"level":"high"},"hook_event_name":"PreToolUse",`
	for _, test := range []struct {
		name string
		in   PayloadInput
		want string
	}{
		{"start", PayloadInput{Event: "SessionStart"}, commonPrefix + `"hook_event_name":"SessionStart","source":"startup"}`},
		{"prompt", PayloadInput{Event: "UserPromptSubmit", Prompt: "a < b && c", PermissionMode: "plan"},
			commonPrefix + `"permission_mode":"plan","hook_event_name":"UserPromptSubmit","prompt":"a < b && c"}`},
		{"Bash", PayloadInput{Event: "PreToolUse", Tool: "Bash", Command: "ls"},
			toolPrefix + `"tool_name":"Bash","tool_input":{"command":"ls","description":"an example"},"tool_use_id":"toolu_0001"}`},
		{"Read", PayloadInput{Event: "PreToolUse", Tool: "Read", FilePath: "/a"},
			toolPrefix + `"tool_name":"Read","tool_input":{"file_path":"/a"},"tool_use_id":"toolu_0001"}`},
		{"notebook", PayloadInput{Event: "PreToolUse", Tool: "NotebookEdit", FilePath: "/a.ipynb"},
			toolPrefix + `"tool_name":"NotebookEdit","tool_input":{"notebook_path":"/a.ipynb","new_source":"one\n","cell_type":"code","edit_mode":"replace"},"tool_use_id":"toolu_0001"}`},
		{"MCP", PayloadInput{Event: "PreToolUse", Tool: "mcp__demo__say", ToolInput: json.RawMessage(`{"text": "yo"}`)},
			toolPrefix + `"tool_name":"mcp__demo__say","tool_input":{"text":"yo"},"mcp_server":{"name":"demo","source":"project"},"tool_use_id":"toolu_0001"}`},
		{"any tool", PayloadInput{Event: "PreToolUse", Tool: "Monitor", Command: "dir"},
			toolPrefix + `"tool_name":"Monitor","tool_input":{"command":"dir"},"tool_use_id":"toolu_0001"}`},
		{"a search", PayloadInput{Event: "PreToolUse", Tool: "Grep", Text: "a\"b"},
			toolPrefix + `"tool_name":"Grep","tool_input":{"pattern":"a\"b","path":"/p","output_mode":"content"},"tool_use_id":"toolu_0001"}`},
		{"a skill", PayloadInput{Event: "PreToolUse", Tool: "Skill"},
			toolPrefix + `"tool_name":"Skill","tool_input":{"skill":"example","args":""},"tool_use_id":"toolu_0001"}`},
		{"a text for a server", PayloadInput{Event: "PreToolUse", Tool: "mcp__demo__say", Text: "yo"},
			toolPrefix + `"tool_name":"mcp__demo__say","tool_input":{"text":"yo"},"mcp_server":{"name":"demo","source":"project"},"tool_use_id":"toolu_0001"}`},
		{"stop", PayloadInput{Event: "Stop", StopHookActive: true},
			commonPrefix + `"permission_mode":"default","effort":{"level":"high"},"hook_event_name":"Stop","stop_hook_active":true,"last_assistant_message":"done","background_tasks":[],"session_crons":[]}`},
		{"in a subagent", PayloadInput{Event: "UserPromptSubmit", AgentID: "a1", AgentType: "Plan", Prompt: "x"},
			commonPrefix + `"permission_mode":"default","agent_id":"a1","agent_type":"Plan","hook_event_name":"UserPromptSubmit","prompt":"x"}`},
		{"override", PayloadInput{Event: "nonsense", Override: json.RawMessage("{\"b\": 1,\n \"a\": \"<\"}")}, `{"b":1,"a":"<"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := payloadOf(t, test.in); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// TestPayloadOfEveryEvent checks that each payload names its event and contains the value that its
// matcher is compared with.
func TestPayloadOfEveryEvent(t *testing.T) {
	t.Parallel()
	for _, event := range Events() {
		line := payloadOf(t, PayloadInput{Event: event.Name})
		var fields map[string]any
		if err := json.Unmarshal([]byte(line), &fields); err != nil {
			t.Fatalf("%s: %v", event.Name, err)
		}
		if fields["hook_event_name"] != event.Name {
			t.Errorf("%s names the event %v", event.Name, fields["hook_event_name"])
		}
		if event.MatchedOn != "" && event.MatcherValue([]byte(line)) == "" {
			t.Errorf("%s has no %s: %s", event.Name, event.MatchedOn, line)
		}
		if _, given := fields["tool_name"]; given != event.Tool {
			t.Errorf("%s names a tool: %t, want %t", event.Name, given, event.Tool)
		}
	}
}

func TestPayloadToolFields(t *testing.T) {
	t.Parallel()
	keys := map[string][]string{
		"Bash": {"command"}, "Edit": {"file_path", "old_string", "new_string"}, "MultiEdit": {"file_path", "edits"},
		"Write": {"file_path", "content"}, "Read": {"file_path"}, "NotebookEdit": {"notebook_path"},
		"Agent": {"prompt", "subagent_type"}, "mcp__demo__say": nil, "AskUserQuestion": {"questions"}, "EnterPlanMode": nil, "ExitPlanMode": {"plan"},
	}
	returns := map[string]string{"AskUserQuestion": `"answers":{}`, "EnterPlanMode": `{"message":`, "ExitPlanMode": `"isAgent":false`}
	for tool, wanted := range keys {
		var payload struct {
			Input    map[string]any  `json:"tool_input"`
			Response json.RawMessage `json:"tool_response"`
		}
		line := payloadOf(t, PayloadInput{Event: "PostToolUse", Tool: tool})
		if err := json.Unmarshal([]byte(line), &payload); err != nil {
			t.Fatal(err)
		}
		for _, key := range wanted {
			if _, given := payload.Input[key]; !given {
				t.Errorf("%s: tool_input has no %s", tool, key)
			}
		}
		if len(payload.Response) < 2 || !strings.Contains(string(payload.Response), returns[tool]) {
			t.Errorf("%s: tool_response is %s", tool, payload.Response)
		}
	}
}

func TestPayloadErrors(t *testing.T) {
	t.Parallel()
	for _, in := range []PayloadInput{
		{Event: "preToolUse"},
		{Override: json.RawMessage(`{"a":`)},
		{Override: json.RawMessage(`[1]`)},
		{Event: "PreToolUse", Tool: "X", ToolInput: json.RawMessage(`{`)},
	} {
		if line, err := Payload(in); err == nil {
			t.Errorf("%+v gave %s, want an error", in, line)
		}
	}
}

func FuzzPayload(f *testing.F) {
	f.Add("Bash", "ls\n\"<>\"", "/a b", []byte(`{"a":1}`))
	f.Fuzz(func(t *testing.T, tool, command, file string, override []byte) {
		for _, in := range []PayloadInput{
			{Event: "PostToolUse", Tool: tool, Command: command, FilePath: file},
			{Event: "PreToolUse", Override: override},
			{Event: "PreToolUse", ToolInput: override},
		} {
			line, err := Payload(in)
			if err == nil && (!json.Valid(line) || bytes.Count(line, []byte("\n")) != 1) {
				t.Errorf("not one line of JSON: %q", line)
			}
		}
	})
}
