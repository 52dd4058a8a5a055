package cli

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hookwatch/suites/process/testdata/processtest"
)

// faults are scripts of a guard in which one line, marked by "FAULT", has to change.
var faults = []struct {
	name, file, script string
	settings           string // of the entry, besides its command
}{
	{"exit 1", "g.sh", "input=$(cat)\nif [[ $input == *rm* ]]; then\n  echo 'not allowed' >&2\n  exit 1 # FAULT\nfi\nexit 0\n", ""},
	{"exit 3 in a function", "g.sh", "deny() {\n  echo \"$1\" >&2\n  exit 3 # FAULT\n}\ncase $(cat) in *rm*) deny no ;; esac\n", ""},
	{"a failing command under set -e", "g.sh", "set -e\ninput=$(cat)\ngrep -q never <<<\"$input\" # FAULT\nexit 0\n", ""},
	{"an unset variable", "g.sh", "set -u\ninput=$(cat)\necho \"$input\" >/dev/null\n[ \"$GUARD_MODE\" = strict ] && exit 2 # FAULT\nexit 0\n", ""},
	{"an if without its end", "g.sh", "input=$(cat)\nif [[ $input == *rm* ]]; then # FAULT\n  exit 2\nexit 0\n", ""},
	{"a bracket too many", "g.sh", "input=$(cat)\nif [[ $input == *rm* ]]; then\n  echo ) # FAULT\nfi\nexit 0\n", ""},
	{"a field in the wrong place", "g.sh", "input=$(cat)\nif [[ $input == *rm* ]]; then\n  echo '{\"permissionDecision\": \"deny\"}' # FAULT\nfi\nexit 0\n", ""},
	{"no JSON", "g.sh", "input=$(cat)\nif [[ $input == *rm* ]]; then\n  printf '%s' '{\"hookSpecificOutput\": {\"permissionDecision\": deny}}' # FAULT\nfi\nexit 0\n", ""},
	{"the reason on stdout", "g.sh", "input=$(cat)\nif [[ $input == *rm* ]]; then\n  echo 'not allowed' # FAULT\n  exit 2\nfi\nexit 0\n", ""},
	{"an endless loop", "g.sh", "input=$(cat)\nif [[ $input == *command* ]]; then\n  while true; do sleep 9; done # FAULT\nfi\nexit 0\n", `, "timeout": 1`},
	{"exit 1 in Python", "g.py", "import json, sys\ncall = json.load(sys.stdin)\nif 'rm' in call['tool_input'].get('command', ''):\n    print('not allowed', file=sys.stderr)\n    sys.exit(1)  # FAULT\n", ""},
	{"a returned 1", "g.py", "import json, sys\ndef main():\n    call = json.load(sys.stdin)\n    if 'rm' in str(call):\n        print('no', file=sys.stderr)\n        return 1  # FAULT\n    return 0\nsys.exit(main())\n", ""},
	{"a missing key", "g.py", "import json, sys\ncall = json.load(sys.stdin)\nif call['input']['command'] == 'rm':  # FAULT\n    sys.exit(2)\n", ""},
	{"an exception", "g.py", "import json, sys\ndef judge(call):\n    return call['tool_input'].command  # FAULT\nif 'rm' in judge(json.load(sys.stdin)):\n    sys.exit(2)\n", ""},
	{"a colon too few", "g.py", "import sys\nif 'rm' in sys.stdin.read()  # FAULT\n    sys.exit(2)\n", ""},
	{"a decision of another event", "g.py", "import json, sys\ncall = json.load(sys.stdin)\nif 'rm' in str(call):\n    print(json.dumps({'hookSpecificOutput': {'permissionDecision': 'deny'}}))  # FAULT\n", ""},
	{"exit 1 in Node", "g.js", "const call = JSON.parse(require('fs').readFileSync(0, 'utf8'));\nif ((call.tool_input.command || '').includes('rm')) {\n  console.error('not allowed');\n  process.exit(1); // FAULT\n}\nprocess.exit(0);\n", ""},
	{"an undefined name", "g.js", "const call = JSON.parse(require('fs').readFileSync(0, 'utf8'));\nif (comand.includes('rm')) { // FAULT\n  process.exit(2);\n}\n", ""},
	{"a bracket too few", "g.js", "const call = JSON.parse(require('fs').readFileSync(0, 'utf8'));\nif (call.tool_input.command.includes('rm') { // FAULT\n  process.exit(2);\n}\n", ""},
	{"a decision that is none", "g.js", "const call = JSON.parse(require('fs').readFileSync(0, 'utf8'));\nif (JSON.stringify(call).includes('rm')) {\n  console.log(JSON.stringify({ permissionDecision: 'deny' })); // FAULT\n}\n", ""},
}

// TestFaultPlaces checks that findings name the line to change, and not only the registration: in the
// document, SARIF and annotations. By default every fifth is tried.
func TestFaultPlaces(t *testing.T) {
	t.Parallel()
	interpreters := map[string]string{".sh": "bash", ".py": "python3", ".js": "node"}
	for i, f := range processtest.Sample(faults, 8) {
		t.Run(strings.ReplaceAll(f.name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			program := interpreters[f.file[1:]]
			if _, err := exec.LookPath(program); err != nil {
				t.Skipf("%s is absent", program)
			}
			path := ".claude/hooks/" + f.file
			before, _, _ := strings.Cut(f.script, "FAULT")
			want := fmt.Sprintf("%s:%d", path, 1+strings.Count(before, "\n"))
			command, err := json.Marshal(program + ` "$CLAUDE_PROJECT_DIR"/` + path)
			if err != nil {
				t.Fatal(err)
			}
			root := newProject(t, map[string]string{
				path:                    f.script,
				".claude/settings.json": `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": ` + string(command) + f.settings + `}]}]}}`,
			})
			_, out, errs := call(t, root, "", "check", "--format", "json", "--timeout", "3s")
			type finding struct{ Rule, Severity, Where, Fault, What string }
			var doc struct{ Findings []finding }
			if err := json.Unmarshal([]byte(out), &doc); err != nil {
				t.Fatalf("%v\n%s%s", err, out, errs)
			}
			if !slices.ContainsFunc(doc.Findings, func(got finding) bool { return got.Fault == want || strings.HasPrefix(got.Fault, want+":") }) {
				t.Errorf("want %s: %+v", want, doc.Findings)
			}
			if i > 0 {
				return
			}
			file, line, _ := strings.Cut(want, ":")
			_, sarif, _ := call(t, root, "", "check", "--format", "sarif")
			_, annotations, _ := call(t, root, "", "check", "--format", "github")
			if !regexp.MustCompile(`"locations": \[[^]]*`+file+`[^]]*"startLine": `+line+`[^]]*\],\s*"relatedLocations": \[[^]]*settings.json`).MatchString(sarif) ||
				!strings.Contains(annotations, " file="+file+",line="+line+",") {
				t.Errorf("want %s:\n%s%s", want, sarif, annotations)
			}
		})
	}
}
