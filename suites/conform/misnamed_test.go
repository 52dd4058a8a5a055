package conform

import (
	"encoding/json"
	"strings"
	"testing"
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
