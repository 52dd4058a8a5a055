package conform

import (
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
