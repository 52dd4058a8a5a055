package conform

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAlternatives checks that the names a hook reads are sent next to the client's.
func TestAlternatives(t *testing.T) {
	t.Parallel()
	const payload = `{"prompt":"p","tool_input":{"command":"c","file_path":"f"},"tool_name":"Bash"}`
	for name, tt := range map[string]struct{ code, tool, names, sent, set string }{
		"the client's names":        {`jq -r .tool_input.command`, "Bash", "", "", ""},
		"a command":                 {`data["tool_input"].get("cmd")`, "Bash", "cmd", `{"prompt":"p","tool_input":{"cmd":"c","command":"c","file_path":"f"},"tool_name":"Bash"}`, ""},
		"a file":                    {`toolInput?.path, x`, "Write", "path", `{"prompt":"p","tool_input":{"command":"c","file_path":"f","path":"f"},"tool_name":"Bash"}`, ""},
		"a method of that name":     {`os.path(x); a.input(b)`, "Write", "", "", ""},
		"a member of a module":      {"import json, os, sys\nx = os.path.join(a)\n", "Write", "", "", ""},
		"a module of Node":          {"const os = require('os')\nos.path.join(a)\n", "Write", "", "", ""},
		"the whole input":           {`data.get("args")`, "Bash", "args", `{"args":{"command":"c","file_path":"f"},"prompt":"p","tool_input":{"command":"c","file_path":"f"},"tool_name":"Bash"}`, ""},
		"the tool in lower case":    {`if name == 'bash':`, "Bash", "bash", `{"prompt":"p","tool_input":{"command":"c","file_path":"f"},"tool_name":"bash"}`, ""},
		"an interpreter":            {`exec /bin/bash -c x`, "Bash", "", "", ""},
		"a prompt":                  {`data.get("user_prompt")`, "", "user_prompt", `{"prompt":"p","tool_input":{"command":"c","file_path":"f"},"tool_name":"Bash","user_prompt":"p"}`, ""},
		"a variable":                {`"${CLAUDE_TOOL_INPUT:-}"`, "Bash", "CLAUDE_TOOL_INPUT", payload, `{"command":"c","file_path":"f"}`},
		"a variable of a file":      {`"${CLAUDE_FILE_PATHS:-}"`, "Write", "CLAUDE_FILE_PATHS", payload, "f"},
		"a variable of a tool":      {`"${CLAUDE_TOOL_NAME:-}"`, "Bash", "CLAUDE_TOOL_NAME", payload, "Bash"},
		"more names than are tried": {`.cmd; .command_line; .script; .bash_command; .commands;`, "Bash", "cmd command_line script bash_command", "", ""},
	} {
		var names []string
		all := Alternatives(tt.code, tt.tool)
		for _, a := range all {
			names = append(names, a.Name)
		}
		if strings.Join(names, " ") != tt.names {
			t.Errorf("%s: %q, want %q", name, names, tt.names)
		}
		if tt.sent == "" || len(all) == 0 {
			continue
		}
		if diff := cmp.Diff(tt.sent, string(all[0].Beside(json.RawMessage(payload)))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if got := all[0].Set(json.RawMessage(payload))[all[0].Name]; got != tt.set {
			t.Errorf("%s: set to %q, want %q", name, got, tt.set)
		}
	}
}

// TestAlternativeChanges checks that a name for a field that the payload lacks changes nothing,
// because it would prove nothing.
func TestAlternativeChanges(t *testing.T) {
	t.Parallel()
	const payload = `{"tool_name":"Bash","tool_input":{"command":"c"}}`
	for _, tt := range []struct {
		Alternative
		want bool
	}{
		{Alternative{"cmd", "tool_input.command", AField}, true},
		{Alternative{"path", "tool_input.file_path", AField}, false},
		{Alternative{"input", "prompt", AField}, false},
		{Alternative{"bash", "Bash", ATool}, true},
		{Alternative{"CLAUDE_TOOL_INPUT", "JSON on stdin", AVariable}, true},
		{Alternative{"CLAUDE_FILE_PATHS", "JSON on stdin", AVariable}, false},
	} {
		if got := tt.Changes(json.RawMessage(payload)); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.Name, got, tt.want)
		}
	}
}
