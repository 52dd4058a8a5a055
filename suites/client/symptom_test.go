package client

import (
	"slices"
	"testing"

	"hookwatch/suites"
)

func TestAbsent(t *testing.T) {
	for _, tt := range []struct {
		exit   int
		stderr string
		name   string
		kind   MissingKind
	}{
		{127, "/bin/sh: 1: jq: not found", "jq", MissingProgram},
		{127, "/p/run: 3: exec: jq: not found", "jq", MissingProgram},
		{127, "/p/run: 3: exec: /p/bin/jq: not found", "/p/bin/jq", MissingFile},
		{127, "bash: line 3: uv: command not found", "uv", MissingProgram},
		{1, "hook.sh: line 3: uv: command not found", "uv", MissingProgram},
		{127, "env: 'bun': No such file or directory", "bun", MissingProgram},
		{127, "/usr/bin/env: ‘node’: No such file or directory", "node", MissingProgram},
		{1, "node:events:497\n      throw er;\n\nError: spawn rg ENOENT\n    at ChildProcess._handle.onexit (node:internal/child_process:286:19)\n  errno: -2\n}", "rg", MissingProgram},
		{1, "  File \"/usr/lib/python3.11/subprocess.py\", line 1955, in _execute_child\nFileNotFoundError: [Errno 2] No such file or directory: 'gh'", "gh", MissingProgram},
		{127, "/bin/sh: 1: /p/hooks/gone.sh: not found", "/p/hooks/gone.sh", MissingFile},
		{2, "python3: can't open file '/p/gone.py': [Errno 2] No such file or directory", "/p/gone.py", MissingFile},
		{1, "ModuleNotFoundError: No module named 'requests'", "requests", MissingModule},
		{1, "Error: Cannot find module '/p/gone.js'", "/p/gone.js", MissingModule},
		{1, "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'zod' imported from /p/x.mjs", "zod", MissingModule},
		{6, "curl: (6) Could not resolve host: example.com", "the network", MissingNetwork},
		{1, "ERROR: Could not find a version that satisfies the requirement x (from versions: none)\nERROR: No matching distribution found for x", "the network", MissingNetwork},
		{1, "npm error code ENOTCACHED\nnpm error request to https://registry.npmjs.org/x failed: cache mode is 'only-if-cached' but no cached response is available.", "the network", MissingNetwork},
		{2, "rm -rf is not allowed", "", MissingNothing},
		{1, "user not found in the list", "", MissingNothing},
		{0, "hook.sh: line 3: uv: command not found", "", MissingNothing},                                   // it continued without it
		{1, "hook.sh: line 3: uv: command not found\ngit push is not allowed", "", MissingNothing},          // likewise, and decided
		{1, "ruby: not found in the project, please install bun: not found", "", MissingNothing},            // a message of the hook itself
		{1, "FileNotFoundError: [Errno 2] No such file or directory: '_meta'", "", MissingNothing},          // a data file
		{1, "cat: /p/state/last: No such file or directory", "", MissingNothing},                            // likewise
		{2, "python3: can't open file '/p/gone.py': [Errno 2] No such file\nbut go on", "", MissingNothing}, // a hook that repeats it
		{1, "Error: spawn rg ENOENT is what you get without ripgrep", "", MissingNothing},
		{0, "", "", MissingNothing},
	} {
		if name, kind := MissingIn(suites.Result{Exit: tt.exit, Stderr: []byte(tt.stderr)}); name != tt.name || kind != tt.kind {
			t.Errorf("exit %d, %q: %q of kind %d, want %q of kind %d", tt.exit, tt.stderr, name, kind, tt.name, tt.kind)
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
		{126, "/p/x.sh: line 4: /usr/bin/python3: Argument list too long", Overlong},
		{1, "OSError: [Errno 7] Argument list too long: 'jq'", Overlong},
		{1, "Error: spawn jq E2BIG\n    at x", Overlong},
		{2, "/p/x.sh: line 4: /usr/bin/jq: Argument list too long\nno", NoFault}, // it continued and decided
		{1, "no: a test failed", NoFault},
		{2, "/p/x.sh: 2: set: Illegal option -o pipefail", Crashed},
		{2, "/p/x.sh: line 9: [: too many arguments", Crashed},
		{2, "/p/x.sh: line 9: [: too many arguments\nrm is not allowed", NoFault}, // it continued and decided
		{2, "x: rm is not allowed", NoFault},
	} {
		if got, line := FaultOf(suites.Result{Exit: tt.exit, Stderr: []byte(tt.stderr)}); got != tt.want || (line == "") != (got == NoFault || tt.stderr == "") {
			t.Errorf("exit %d, %q: fault %d (%q), want %d", tt.exit, tt.stderr, got, line, tt.want)
		}
	}
}

// TestHeard checks that lost output of hooks in the background is distinguished from other lost
// output.
func TestHeard(t *testing.T) {
	for _, tt := range []struct {
		stdout                       string
		async                        bool
		background, dropped, unheard bool
	}{
		{stdout: `{"decision":"block","reason":"r"}`},
		{stdout: `{"decision":"block","reason":"r"}`, async: true, background: true},
		{stdout: "{\"async\":true}\n{\"decision\":\"block\"}", background: true},
		{stdout: `{"decison":"block"}`, dropped: true, unheard: true},
		{stdout: `{"decision":"maybe"}`, dropped: true, unheard: true},
		{stdout: `{"session_id":"s","transcript_path":"t","cwd":"c","hook_event_name":"PostToolUse"}`, dropped: true},
		{stdout: "formatted"},
	} {
		read := Interpret(Default, "PostToolUse", Output{Stdout: []byte(tt.stdout), Entry: Entry{Async: tt.async}})
		r := suites.Result{Stdout: []byte(tt.stdout), Effect: read.Effect, EffectReason: read.Because(), EffectRule: string(read.Cause.Kind)}
		if b, d, u := InBackground(r), dropsOutput(r), LosesOutput(r); b != tt.background || d != tt.dropped || u != tt.unheard {
			t.Errorf("%s (async %v): background %v, dropped %v, unheeded %v; want %v, %v, %v (%s)",
				tt.stdout, tt.async, b, d, u, tt.background, tt.dropped, tt.unheard, read.Because())
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

func TestLoaders(t *testing.T) {
	for stderr, want := range map[string][]string{
		"Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'zod' imported from /p/my dist/x.mjs\n    at x":                             {"/p/my dist/x.mjs"},
		"Error: Cannot find module 'zod'\nRequire stack:\n- /p/x.cjs\n- /p/y.cjs\n    at x":                                            {"/p/x.cjs"},
		"Traceback (most recent call last):\n  File \"/p/x.py\", line 1, in <module>\nModuleNotFoundError: No module named 'requests'": {"/p/x.py"},
		"no module": nil,
	} {
		if got := Loaders(suites.Result{Stderr: []byte(stderr)}); !slices.Equal(got, want) {
			t.Errorf("%q: %q", stderr, got)
		}
	}
}

func TestUnloaded(t *testing.T) {
	for stderr, want := range map[string][2]string{
		"Error: Cannot find module './session'\nRequire stack:\n- /p/my dist/context.js\n- /p/cli.js\n    at x": {"./session", "/p/my dist/context.js"},
		"Error: Cannot find module '/p/cli.js'\n    at x":                                                       {},
		"Error: Cannot find module 'zod'\nRequire stack:\n- /p/cli.js":                                          {},
	} {
		if file, by := FindMissingFile(suites.Result{Stderr: []byte(stderr)}); file != want[0] || by != want[1] {
			t.Errorf("%q: %q of %q", stderr, file, by)
		}
	}
}

// TestFailedProgram checks that exit code 2 of a program is not treated as the hook's decision.
func TestFailedProgram(t *testing.T) {
	for _, tt := range []struct {
		exit   int
		stderr string
		want   string
	}{
		{2, "sed: can't read notes.md: No such file or directory", "sed: can't read notes.md: No such file or directory"},
		{2, "loading\n/usr/bin/grep: x: No such file or directory\n", "/usr/bin/grep: x: No such file or directory"},
		{2, "ls: cannot access 'x': No such file or directory", "ls: cannot access 'x': No such file or directory"},
		{1, "sed: can't read notes.md: No such file or directory", ""},
		{2, "sed: can't read notes.md: No such file or directory\nrm is not allowed", ""}, // it continued and decided
		{2, "sed: use the Edit tool instead of sed -i", ""},
		{2, "rm is not allowed", ""},
		{2, "", ""},
	} {
		if got := FindProgramFailure(suites.Result{Exit: tt.exit, Stderr: []byte(tt.stderr)}); got != tt.want {
			t.Errorf("exit %d, %q: %q, want %q", tt.exit, tt.stderr, got, tt.want)
		}
	}
}
