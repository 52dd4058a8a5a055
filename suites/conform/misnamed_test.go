package conform

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hookwatch/suites/disk"
)

func TestNeverSet(t *testing.T) {
	for name, want := range map[string]bool{
		"CLAUDE_TOOL_INPUT_FILE_PATH": true, "TOOL_INPUT_command": true, "TOOL_RESULT_agent_id": true, "TOOL_NAME": true, "CLAUDE_TOOL_INPUT": true,
		"CLAUDE_PROJECT_DIR": false, "TOOL_DIR": false, "MY_TOOL_INPUT_X": false, "HOME": false,
	} {
		if got := NeverSet(name); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

func TestVariables(t *testing.T) {
	for text, want := range map[string]int{
		`echo "$CLAUDE_TOOL_INPUT"`: 1, `os.environ.get("CLAUDE_TOOL_INPUT")`: 1, `process.env.CLAUDE_TOOL_NAME`: 1, `echo "${TOOL_NAME}"`: 1,
		`TOOL_NAME=$(jq -r .tool_name); echo "$TOOL_NAME"`: 0, `echo "$CLAUDE_PROJECT_DIR"`: 0, `echo "$CLAUDE_TOOL_INPUTS"`: 0,
		"read -r TOOL_NAME < x\necho \"$TOOL_NAME\"": 0, `for TOOL_NAME in a; do echo "$TOOL_NAME"; done`: 0, `printf -v TOOL_NAME a; echo "$TOOL_NAME"`: 0,
		". ./lib.sh\necho \"$TOOL_NAME\"": 0, `eval "$(cat x)"; echo "$TOOL_NAME"`: 0, `read -r X < x; echo "$TOOL_NAME"`: 1,
	} {
		if got := Variables(text, true); len(got) != want {
			t.Errorf("%s: %v", text, got)
		}
	}
	if got := Variables(`echo "$TOOL_NAME"`, false); len(got) != 0 {
		t.Errorf("of no shell: %v", got)
	}
}

// TestUses checks that a field is read under a wrong name if a filter or a program looks it up, and
// if the text does not also read the client's name.
func TestUses(t *testing.T) {
	for _, tt := range []struct{ text, certain, sent string }{
		{`jq -r '.agent_name // empty'`, "agent_name", "agent_name"},
		{`jq -r '.agent_name // .subagent_name'`, "agent_name", "agent_name subagent_name"},
		{`jq -r '.agent_name // .agent_type'`, "", ""},
		{`data.get("agent_name")`, "", "agent_name"},
		{`data.get("tool_output")`, "tool_output", ""},
		{`jq -r '.hook_event // "unknown"'`, "", "hook_event"},
		{`jq -r '.config.hook_event'`, "", ""},
		{`jq -r '.x | .hook_event'`, "", "hook_event"},
		{`event.toolName`, "toolName", ""},
		{`echo "the hook_event of it"`, "", ""},
		{`jq -r .hook_event`, "", "hook_event"},
		{"tool_name = data.get('toolName')", "toolName", ""},
		{`jq -r '.tool_output' "$transcript"`, "", ""},
		{`tail -1 "$transcript" | jq -r '.tool_output'`, "", ""},
		{`jq -r '.tool_output' <<<"$input"`, "tool_output", ""},
		{"data = json.load(sys.stdin)\nfor line in open(p):\n  entry = json.loads(line)\n  x = entry.get(\"tool_output\")", "", ""},
		{"data = json.load(sys.stdin)\nx = data.get(\"tool_output\")", "tool_output", ""},
		{`jq -r "(.agent_name)"`, "agent_name", "agent_name"},
	} {
		var certain, sent []string
		for _, u := range Certain(tt.text) {
			certain = append(certain, u.Name)
			if !strings.HasPrefix(tt.text[u.At:], u.Name) {
				t.Errorf("%s: %s is not at %d", tt.text, u.Name, u.At)
			}
		}
		for _, u := range Sent(tt.text, json.RawMessage(`{"agent_type":"a","hook_event_name":"Stop"}`)) {
			sent = append(sent, u.Name)
		}
		if strings.Join(certain, " ") != tt.certain || strings.Join(sent, " ") != tt.sent {
			t.Errorf("%s: certain %q, sent %q; want %q and %q", tt.text, certain, sent, tt.certain, tt.sent)
		}
	}
}

// TestWith checks that fields get both names, and that a field which the payload already has is not
// added.
func TestWith(t *testing.T) {
	payload := json.RawMessage(`{"agent_type":"a"}`)
	if got := string(WithUses(payload, Sent(`jq '.agent_name'`, payload))); got != `{"agent_name":"a","agent_type":"a"}` {
		t.Error(got)
	}
	if got := Sent(`jq '.agent_name'`, json.RawMessage(`{"agent_name":"a","agent_type":"a"}`)); len(got) > 0 {
		t.Errorf("%v is sent", got)
	}
	if got := string(WithUses(json.RawMessage(`[]`), nil)); got != `[]` {
		t.Error(got)
	}
}

func TestBeyond(t *testing.T) {
	const plain = "+ input='{}'\n++ jq -r .x\n+ [ -z '' ]\n+ exit 0\n"
	for trace, want := range map[string]string{
		plain: "",
		"+ input='{\"a\":1}'\n++ jq -r .x\n+ run_gate check\n++ other\n": "run_gate check",
		"++ jq -r .y\n+ for gate in a\n+ export X=1\n+ NAME=a\n":         "",
		"some text of the hook\n":                                        "",
	} {
		if got := BeyondTrace(trace, plain); got != want {
			t.Errorf("%q: %q, want %q", trace, got, want)
		}
	}
}

// TestMisspellings checks that a name that nothing sets is misspelt only if the script sets a
// nearly equal one, and if all assignments are known.
func TestMisspellings(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ code, other, want string }{
		"a letter left out":           {`COMMAND=$(cat); echo "$COMAND"`, "", "COMAND COMMAND"},
		"another letter":              {`input=$(cat); case $imput in a) ;; esac`, "", "imput input"},
		"a letter too many":           {`input=$(cat); echo "${inputs}"`, "", "inputs input"},
		"lower case":                  {`COMMAND=$(cat); echo "$command"`, "", "command COMMAND"},
		"in a text":                   {"COMMAND=$(cat)\ncat <<EOF\n$COMAND\nEOF", "", "COMAND COMMAND"},
		"each once":                   {`COMMAND=$(cat); echo "$COMAND$COMAND"`, "", "COMAND COMMAND"},
		"set by another script":       {`COMMAND=$(cat); echo "$COMAND"`, "COMAND=1", ""},
		"with a value for want of it": {`COMMAND=$(cat); echo "${COMAND:-x}"`, "", ""},
		"read":                        {`COMMAND=$(cat); read -r COMAND; echo "$COMAND"`, "", ""},
		"a loop":                      {`files="a b"; for file in $files; do echo "$file"; done`, "", ""},
		"local":                       {`f() { local files=1 filed; echo "$filed"; }`, "", ""},
		"in arithmetic":               {`count=1; (( counts++ )); echo "$counts"`, "", ""},
		"another name altogether":     {`COMMAND=$(cat); echo "$MY_SETTING"`, "", ""},
		"a short name":                {`A=1; B=2; echo "$C"`, "", ""},
		"of the client":               {`CLAUDE_PROJECT_DIRS=1; echo "$CLAUDE_PROJECT_DIR"`, "", ""},
		"names made as it runs":       {`COMMAND=$(cat); eval "$x"; echo "$COMAND"`, "", ""},
		"names made by another":       {`COMMAND=$(cat); echo "$COMAND"`, `eval "$x"`, ""},
		"what does not parse":         {`COMMAND=$(cat; echo "$COMAND"`, "", ""},
	} {
		var got []string
		for _, m := range Misspellings(tt.code, tt.other) {
			got = append(got, m.Name+" "+m.Meant)
			if at := strings.Index(tt.code[m.At:], m.Name); at < 0 || at > 2 {
				t.Errorf("%s: %s is not at %d", name, m.Name, m.At)
			}
		}
		if strings.Join(got, ", ") != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

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
		if diff := cmp.Diff(tt.sent, string(all[0].With(json.RawMessage(payload)))); diff != "" {
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

// TestAgents checks that agents are those of the tree and of the plugin, each once, without those
// of a directory to which a link leads out of the tree.
func TestAgents(t *testing.T) {
	t.Parallel()
	root, outside := disk.Real(t.TempDir()), disk.Real(t.TempDir())
	for _, file := range []string{
		filepath.Join(root, ".claude/agents/reviewer.md"), filepath.Join(root, ".claude/agents/notes.txt"),
		filepath.Join(root, "plugin/agents/reviewer.md"), filepath.Join(root, "plugin/agents/tester.md"), filepath.Join(outside, "private.md"),
	} {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside, filepath.Join(root, "agents")); err != nil {
		t.Fatal(err)
	}
	tree := Tree{Root: root, Reader: disk.Reader{Root: root}}
	if got := tree.agents(""); !slices.Equal(got, []string{"reviewer"}) {
		t.Errorf("without a plugin: %q", got)
	}
	if got := tree.agents(filepath.Join(root, "plugin")); !slices.Equal(got, []string{"reviewer", "tester"}) {
		t.Errorf("with a plugin: %q", got)
	}
}
