package symptom

import (
	"testing"

	"hookwatch/suites"
)

func TestAbsent(t *testing.T) {
	for _, tt := range []struct {
		stderr string
		name   string
		kind   Kind
	}{
		{"/bin/sh: 1: jq: not found", "jq", Program},
		{"bash: line 3: uv: command not found", "uv", Program},
		{"env: 'bun': No such file or directory", "bun", Program},
		{"/usr/bin/env: ‘node’: No such file or directory", "node", Program},
		{"Error: spawn rg ENOENT", "rg", Program},
		{"FileNotFoundError: [Errno 2] No such file or directory: 'gh'", "gh", Program},
		{"/bin/sh: 1: /p/hooks/gone.sh: not found", "/p/hooks/gone.sh", File},
		{"python3: can't open file '/p/gone.py': [Errno 2] No such file or directory", "/p/gone.py", File},
		{"ModuleNotFoundError: No module named 'requests'", "requests", Module},
		{"Error: Cannot find module '/p/gone.js'", "/p/gone.js", Module},
		{"Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'zod' imported from /p/x.mjs", "zod", Module},
		{"curl: (6) Could not resolve host: example.com", "the network", Network},
		{"rm -rf is not allowed", "", Nothing},
		{"user not found in the list", "", Nothing},
		{"", "", Nothing},
	} {
		if name, kind := Absent(suites.Result{Stderr: []byte(tt.stderr)}); name != tt.name || kind != tt.kind {
			t.Errorf("%q: %q of kind %d, want %q of kind %d", tt.stderr, name, kind, tt.name, tt.kind)
		}
	}
}

func TestFaults(t *testing.T) {
	for _, tt := range []struct {
		exit   int
		stderr string
		want   Fault
	}{
		{2, "x.sh: line 4: syntax error near unexpected token `fi'", Unparsed},
		{1, "  File \"x.py\", line 2\nSyntaxError: invalid syntax", Unparsed},
		{1, "KeyError: 'tool_input'", Crashed},
		{1, "x.sh: line 2: NAME: unbound variable", Crashed},
		{1, "TypeError: Cannot read properties of undefined", Crashed},
		{5, "jq: error (at <stdin>:1): Cannot index", Crashed},
		{2, "KeyError: 'tool_input'", NoFault},
		{0, "KeyError: 'tool_input'", NoFault},
		{127, "/bin/sh: 1: x: not found", Unstarted},
		{126, "", Unstarted},
		{1, "no: a test failed", NoFault},
	} {
		if got, line := FaultOf(suites.Result{Exit: tt.exit, Stderr: []byte(tt.stderr)}); got != tt.want || (line == "") != (got == NoFault || tt.stderr == "") {
			t.Errorf("exit %d, %q: fault %d (%q), want %d", tt.exit, tt.stderr, got, line, tt.want)
		}
	}
}

func TestEchoes(t *testing.T) {
	for printed, want := range map[string]bool{
		`{"tool_name": "Bash", "hook_event_name": "Stop", "session_id": "s"}`:                                                    true,
		`{"tool_name": "Bash", "session_id": "s"}`:                                                                               false,
		`{"session_id":"s","transcript_path":"/t","cwd":"/p","prompt_id":"p","hook_event_name":"PreToolUse","tool_input":{"comm`: true,
		`{"decision": "block"}`: false,
		"hello":                 false,
	} {
		if got := Echoes([]byte(printed)); got != want {
			t.Errorf("%s: %v, want %v", printed, got, want)
		}
	}
}

func TestUnloaded(t *testing.T) {
	for stderr, want := range map[string][2]string{
		"Error: Cannot find module './session'\nRequire stack:\n- /p/my dist/context.js\n- /p/cli.js\n    at x": {"./session", "/p/my dist/context.js"},
		"Error: Cannot find module '/p/cli.js'\n    at x":                                                       {},
		"Error: Cannot find module 'zod'\nRequire stack:\n- /p/cli.js":                                          {},
	} {
		if file, by := Unloaded(suites.Result{Stderr: []byte(stderr)}); file != want[0] || by != want[1] {
			t.Errorf("%q: %q of %q", stderr, file, by)
		}
	}
}
