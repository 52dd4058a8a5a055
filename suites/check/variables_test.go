package check

import (
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
		"read -r TOOL_NAME < x\necho \"$TOOL_NAME\"": 0, `for TOOL_NAME in a; do echo "$TOOL_NAME"; done`: 0, `printf -v TOOL_NAME a; echo "$TOOL_NAME"`: 0,
		". ./lib.sh\necho \"$TOOL_NAME\"": 0, `eval "$(cat x)"; echo "$TOOL_NAME"`: 0, `read -r X < x; echo "$TOOL_NAME"`: 1,
	} {
		if got := unsetVariables(text, true); len(got) != want {
			t.Errorf("%s: %v", text, got)
		}
	}
	if got := unsetVariables(`echo "$TOOL_NAME"`, false); len(got) != 0 {
		t.Errorf("of no shell: %v", got)
	}
}
