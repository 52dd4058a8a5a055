package discover

import (
	"encoding/json"
	"testing"
)

// TestTakes checks that an entry's if is a permission rule that one of the commands, or the
// file, must match.
func TestTakes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		rule, tool, key, value string
		want                   bool
	}{
		{"", "Bash", "command", "echo hello", true},
		{"Bash", "Bash", "command", "echo hello", true},
		{"Bash(*)", "Bash", "command", "echo hello", true},
		{"Bash(git commit:*)", "Bash", "command", "echo hello", false},
		{"Bash(git commit:*)", "Bash", "command", "git commit -m x", true},
		{"Bash(git commit:*)", "Bash", "command", "git commit", true},
		{"Bash(git commit:*)", "Bash", "command", "git commit-tree x", false},
		{"Bash(git commit *)", "Bash", "command", "git commit -m \"a\nb\"", true},
		{"Bash(git commit *)", "Bash", "command", "git push", false},
		{"Bash(git commit *)", "Bash", "command", "git commit", true},
		{"Bash(git *)", "Bash", "command", "gitk", false},
		{"Bash(git *)", "Bash", "command", "cd x && git push", true},
		{"Bash(git *)", "Bash", "command", "FOO=1 git push", true},
		{"Bash(git *)", "Bash", "command", "echo $(git push)", true},
		{"Bash(git *)", "Bash", "command", "echo git push", false},
		{"Bash(git *)", "Bash", "command", "echo 'it", true}, // does not parse
		{"Bash(npm test)", "Bash", "command", "npm test", true},
		{"Bash(npm test)", "Bash", "command", "npm test x", false},
		{"Bash(* --force)", "Bash", "command", "git push --force", true},
		{"Bash(git *)", "Edit", "file_path", "/p/a.ts", false},
		{"Edit(*.ts)", "Edit", "file_path", "/p/src/a.ts", true},
		{"Edit(*.ts)", "Write", "file_path", "/p/src/a.ts", true},
		{"Edit(*.ts)", "Edit", "file_path", "/p/src/a.py", false},
		{"Edit(src/**)", "Edit", "file_path", "/p/src/x/a.py", true},
		{"Edit(/src/**)", "Edit", "file_path", "/p/src/x/a.py", true},
		{"Edit(src/**)", "Edit", "file_path", "/p/lib/src/a.py", false},
		{"Edit(//etc/**)", "Edit", "file_path", "/etc/hosts", true},
		{"Read(~/.ssh/**)", "Read", "file_path", "/p/a", true}, // not evaluated
		{"WebFetch(domain:example.com)", "WebFetch", "url", "https://example.com/a", true},
		{"WebFetch(domain:example.com)", "WebFetch", "url", "https://other.com/a", false},
		{"mcp__a", "mcp__a__b", "x", "", true},
		{"mcp__a__*", "mcp__a__b", "x", "", true},
		{"mcp__a__b", "mcp__a__c", "x", "", false},
	} {
		payload, err := json.Marshal(map[string]any{"cwd": "/p", "tool_name": tt.tool, "tool_input": map[string]string{tt.key: tt.value}})
		if err != nil {
			t.Fatal(err)
		}
		if got := (Hook{If: tt.rule}).Takes("", payload); got != tt.want {
			t.Errorf("%q for %s %q: %v, want %v", tt.rule, tt.tool, tt.value, got, tt.want)
		}
	}
	if !(Hook{If: "Bash(git *)"}).Takes("", []byte("{")) || (Hook{If: "Bash(git *)"}).Takes("Edit", []byte("{}")) {
		t.Error("a payload without a tool")
	}
}
