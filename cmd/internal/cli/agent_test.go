package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"hookwatch/suites/client"
	"hookwatch/suites/client/clients"
	"hookwatch/suites/jsontree"
)

// TestAgentDraft checks that a settings file gets the hook in the form that it has otherwise.
func TestAgentDraft(t *testing.T) {
	t.Parallel()
	claude, _ := clients.ByName(clients.Claude)
	agentSettings := claude.HookFile()
	for _, tt := range []struct{ name, text, want, lacks string }{
		{"none", "", "{\n  \"hooks\": {\n    \"PostToolUse\": [\n      {\n        \"matcher\":", ""},
		{"empty object", "{}\n", "{\n  \"hooks\": {\n    \"PostToolUse\": [", ""},
		{"other keys", "{\n\t\"b\": 1,\n\t\"a\": [1,  2]\n}\n", "{\n\t\"b\": 1,\n\t\"a\": [1,  2],\n\t\"hooks\": {\n\t\t\"PostToolUse\": [\n\t\t\t{\n", "    "},
		{"one line", `{"a": 1}`, "{\"a\": 1,\n  \"hooks\": {", ""},
		{"other events", "{\n    \"hooks\": {\n        \"Stop\": []\n    }\n}", "\"Stop\": [],\n        \"PostToolUse\": [\n            {\n                \"matcher\":", ""},
		{"no events", "{\n  \"hooks\": {}\n}", "\"hooks\": {\n    \"PostToolUse\": [", ""},
		{"a hook", "{\"hooks\": {\"PostToolUse\": [{\"hooks\": []}]}, \"z\": 1}", "[{\"hooks\": []},\n      {\n", ""},
		{"an empty list", "{\"hooks\": {\"PostToolUse\": []}}", "\"PostToolUse\": [\n      {\n", ""},
		{"line ends", "{\r\n  \"a\": 1\r\n}\r\n", "\"a\": 1,\r\n  \"hooks\": {\r\n", ""},
		{"byte order mark", "\ufeff{\"a\": 1}", "\ufeff{\"a\": 1,", ""},
	} {
		out, err := agentDraft(claude, afterCalls).with([]byte(tt.text))
		if err != nil || !strings.Contains(string(out), tt.want) || tt.lacks != "" && strings.Contains(string(out), tt.lacks) || !registersAgent(out) {
			t.Errorf("%s: %v\n%s", tt.name, err, out)
		}
		if tt.name == "line ends" && strings.Count(string(out), "\n") != strings.Count(string(out), "\r\n") {
			t.Errorf("%s: %q", tt.name, out)
		}
		if again, err := agentDraft(claude, afterCalls).with(out); err != nil || string(again) != string(out) {
			t.Errorf("%s, a second time: %v\n%s", tt.name, err, again)
		}
	}
	for text, want := range map[string]string{
		"{\n  \"a\": 1,\n}":                      agentSettings + ":2:9: JSON has no comments",
		"{\n  // a\n}":                           agentSettings + ":2:3: JSON has no comments",
		"[]":                                     agentSettings + ":1:1: want an object",
		"{\"hooks\": []}":                        agentSettings + ":1:11: want an object",
		"{\"hooks\": {\n\"PostToolUse\": {}\n}}": agentSettings + ":2:16: PostToolUse is no list",
		"{\"a\": 1":                              agentSettings + ":1:",
	} {
		if out, err := agentDraft(claude, afterCalls).with([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v %s, want %s", text, err, out, want)
		}
	}
}

// registersAgent reports whether the client reads the hook from a settings file.
func registersAgent(text []byte) bool {
	doc, _ := client.ParseOn("", ".claude/settings.json", text)
	found, _ := json.Marshal(doc)
	return strings.Contains(string(found), "exec hookwatch agent")
}

// TestAgentClients checks that each client which takes the hook reads it from what is written, next to what
// was there, and that none other is offered.
func TestAgentClients(t *testing.T) {
	t.Parallel()
	var names []string
	for _, c := range clients.Clients() {
		if c.Agent.Matcher == "" {
			if code, _, _ := call(t, t.TempDir(), "", "init", "--agent", "--yes", "--client", c.Name); code != Usage {
				t.Errorf("%s has no hook, and exit code %d", c.Name, code)
			}
			continue
		}
		names = append(names, c.Name)
		event, _ := c.EventFor(afterCalls, "")
		fresh, err := agentDraft(c, event).with(nil)
		if err != nil {
			t.Fatal(err)
		}
		existing := fmt.Sprintf(`{"description": "mine", "hooks": {%q: [{"hooks": [{"type": "command", "command": "true"}], "type": "command", %q: "true"}]}}`, event, c.Entry.Command[0])
		added, err := agentDraft(c, event).with([]byte(existing))
		if err != nil || !strings.HasPrefix(string(added), strings.TrimSuffix(existing, "]}}")) {
			t.Errorf("%s: %v\n%s", c.Name, err, added)
		}
		if c.Name == clients.Claude {
			continue // TestAgentDraft reads it
		}
		for _, text := range [][]byte{fresh, added} {
			hooks, problems := c.Hooks(c.HookFile(), text)
			if len(hooks) == 0 || len(problems) > 0 && string(text) == string(fresh) {
				t.Fatalf("%s: %v %v\n%s", c.Name, hooks, problems, text)
			}
			h := hooks[len(hooks)-1]
			if h.Event != event || h.Entry.Command != agentCommand(c) || h.Entry.Timeout != 30*time.Second || h.Matcher != c.Agent.Matcher {
				t.Errorf("%s: %+v in\n%s", c.Name, h, text)
			}
		}
	}
	if got := strings.Join(names, " "); got != "claude codex copilot gemini" {
		t.Errorf("%s take the hook", got)
	}
}

// TestAgentCall checks the files and the command of a call, in the forms of all clients.
func TestAgentCall(t *testing.T) {
	t.Parallel()
	const patch = "*** Begin Patch\\n*** Update File: a b.sh\\n*** Move to: /c.sh\\n@@\\n-x\\n+*** Update File: no\\n*** Delete File: d.sh\\n*** End Patch\\n"
	for payload, want := range map[string]string{
		`{"cwd": "/p", "tool_input": {"file_path": "a.sh"}}`:               "a.sh",
		`{"cwd": "/p", "tool_input": {"notebook_path": "/n.ipynb"}}`:       "/n.ipynb",
		`{"cwd": "/p", "toolArgs": {"path": "/q/a.sh"}}`:                   "/q/a.sh",
		`{"cwd": "/p", "toolArgs": {"command": "sed -i x a.sh"}}`:          "; sed -i x a.sh",
		`{"cwd": "/p", "tool_input": {"command": "ls"}}`:                   "; ls",
		`{"cwd": "/p", "tool_input": {"command": "` + patch + `"}}`:        "a b.sh /c.sh d.sh",
		`{"cwd": "/p", "toolArgs": "` + patch + `"}`:                       "a b.sh /c.sh d.sh",
		`{"cwd": "/p", "tool_input": {"file_path": 1, "pattern": "*.sh"}}`: "",
		`{"cwd": "/p", "tool_input": [1]}`:                                 "",
		`{}`:                                                               "",
	} {
		var call agentCall
		if err := json.Unmarshal([]byte(payload), &call); err != nil {
			t.Fatal(err)
		}
		files, command := call.edits()
		got := strings.Join(files, " ")
		if command != "" && len(files) == 0 {
			got += "; " + command
		}
		if got != want {
			t.Errorf("%s: %q, want %q", payload, got, want)
		}
	}
}

// FuzzAgentDraft checks that every settings file that is accepted keeps everything else.
func FuzzAgentDraft(f *testing.F) {
	for _, text := range []string{"", "{}", `{"hooks": {"PostToolUse": []}}`, `{"hooks": {"PostToolUse": [{}], "a": 1}, "b": [1, 2]}`, "{\n\t\"a\": 1\n}", `{"a": 1, "a": 2}`, "\ufeff{}", "{\"hooks\":{}}"} {
		f.Add([]byte(text))
	}
	claude, _ := clients.ByName(clients.Claude)
	f.Fuzz(func(t *testing.T, text []byte) {
		out, err := agentDraft(claude, afterCalls).with(text)
		if err != nil || string(out) == string(text) {
			return
		}
		trimmed := strings.TrimPrefix(string(out), "\ufeff")
		after, err := jsontree.Parse([]byte(trimmed))
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		before := strings.TrimPrefix(string(text), "\ufeff")
		if strings.TrimSpace(before) == "" {
			return
		}
		// The text before the place of the insertion, and the text behind it, are unchanged.
		lead := 0
		for lead < len(before) && lead < len(trimmed) && before[lead] == trimmed[lead] {
			lead++
		}
		if rest := strings.TrimSpace(before[lead:]); !strings.HasSuffix(strings.TrimSpace(trimmed), rest) {
			t.Fatalf("%q became %q", text, out)
		}
		hooks, _ := after.Get("hooks")
		groups, _ := hooks.Get("PostToolUse")
		if n := len(groups.Members); n == 0 || !strings.Contains(trimmed[groups.Members[n-1].Value.Start:groups.Members[n-1].Value.End], "hookwatch agent") {
			t.Fatalf("%q became %q", text, out)
		}
	})
}
