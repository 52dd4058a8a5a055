package discover

import (
	"cmp"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"hookwatch/suites/client"
)

// TestRuledAsObserved compares permission rules with what the real client did.
func TestRuledAsObserved(t *testing.T) {
	t.Setenv("HOME", "/h")
	text, err := os.ReadFile("testdata/permissions.tsv")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		part := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		list, rule, tool, want := part[0], part[1], part[2], part[4]
		var value string
		if err := json.Unmarshal([]byte(part[3]), &value); err != nil {
			t.Fatal(err)
		}
		key := map[string]string{"Bash": "command", "Agent": "subagent_type"}[tool]
		payload, err := json.Marshal(map[string]any{"cwd": "/p", "tool_name": tool, "tool_input": map[string]string{cmp.Or(key, "file_path"): value}})
		if err != nil {
			t.Fatal(err)
		}
		r := Registered{Rules: []client.PermissionRule{{List: list, Text: rule}}}.Rule("", payload)
		got := "no"
		switch {
		case r.First:
			got = "first"
		case r.Denies:
			got = "denied"
		case r.Applies():
			got = "asked"
		}
		if seen[want]++; got != want {
			t.Errorf("%s %s on %s %q: %s, the client: %s", list, rule, tool, value, got, want)
		}
	}
	for _, verdict := range []string{"no", "asked", "denied", "first"} {
		if seen[verdict] < 20 {
			t.Errorf("%d rows are %s", seen[verdict], verdict)
		}
	}
}

// TestRuled checks which of several rules counts, and the mode in which nobody is asked.
func TestRuled(t *testing.T) {
	t.Parallel()
	rules := []client.PermissionRule{{List: "ask", Text: "Bash(git:*)"}, {List: "deny", Text: "Bash(git push:*)"}, {List: "ask", Text: "Edit"}}
	for _, tt := range []struct {
		payload, tool, want string
		denies              bool
	}{
		{`{"tool_name":"Bash","tool_input":{"command":"git push"}}`, "", "permissions.deny has Bash(git push:*)", true},
		{`{"tool_name":"Bash","tool_input":{"command":"git status"}}`, "", "permissions.ask has Bash(git:*)", false},
		{`{"tool_name":"Bash","permission_mode":"dontAsk","tool_input":{"command":"git status"}}`, "", "permissions.ask has Bash(git:*)", true},
		{`{"tool_name":"Bash","tool_input":{"command":"ls"}}`, "", "", false},
		{`{"tool_name":"Read","tool_input":{"file_path":"/a"}}`, "Edit", "permissions.ask has Edit", false},
		{`{"tool_name":"Bash","tool_input":{"command":["git","push"]}}`, "", "", false},
		{`not JSON`, "", "", false},
	} {
		got := ""
		r := Registered{Rules: rules}.Rule(tt.tool, []byte(tt.payload))
		if r.Applies() {
			got = r.String()
		}
		if got != tt.want || r.Denies != tt.denies || r.First {
			t.Errorf("%s: %q %+v", tt.payload, got, r)
		}
	}
}

// FuzzRuled checks that no rule or command makes the comparison fail.
func FuzzRuled(f *testing.F) {
	for _, seed := range [][2]string{{"Bash(git push:*)", "sudo git push"}, {"Read(~/**)", "cat ~/x"}, {"mcp__*", ""}, {"Edit([)", "echo > $(a)"}, {"(", "xargs"}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, rule, command string) {
		payload, err := json.Marshal(map[string]any{"cwd": "/p", "tool_name": "Bash", "tool_input": map[string]string{"command": command}})
		if err != nil {
			t.Skip()
		}
		r := Registered{Rules: []client.PermissionRule{{List: "deny", Text: rule}}}.Rule("", payload)
		if r.Applies() && !r.Denies {
			t.Errorf("%q asks about %q", rule, command)
		}
	})
}
