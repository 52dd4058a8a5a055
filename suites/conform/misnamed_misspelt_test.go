package conform

import (
	"strings"
	"testing"
)

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
