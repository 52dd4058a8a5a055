package client

import (
	"hookwatch/suites"
)

func sectionFour() []Cell {
	failed := func(code int, stderr string) Output { return exitsWith(code, "", stderr) }
	const python = "python3: can't open file '/x/missing.py': [Errno 2] No such file or directory"
	const dash = "sh: 0: cannot open missing.sh: No such file"
	var rows []Cell
	pair := func(name string, in Output, pre, stop Want) {
		rows = append(rows, Cell{"4 " + name, "PreToolUse", in, pre}, Cell{"4 " + name, "Stop", in, stop})
	}
	pair("missing path", failed(127, "/bin/sh: 1: /x.sh: not found"), goesOn, goesOn)
	pair("bad interpreter", failed(127, "/bin/sh: 1: ./x.sh: not found"), goesOn, goesOn)
	pair("CRLF shebang", failed(127, "env: 'bash\\r': No such file or directory"), goesOn, goesOn)
	pair("unquoted space", failed(127, "/bin/sh: 1: /my: not found"), goesOn, goesOn)
	pair("not executable", failed(126, "/bin/sh: 1: ./x.sh: Permission denied"), goesOn, goesOn)
	pair("node missing file", failed(1, "Error: Cannot find module"), goesOn, goesOn)
	pair("bash missing.sh", failed(127, "bash: missing.sh: No such file or directory"), goesOn, goesOn)
	pair("python3 missing.py", failed(2, python), both(suites.Denied, python), dropped)
	pair("sh missing.sh with dash", failed(2, dash), both(suites.Denied, dash), dropped)
	pair("shell syntax error", failed(2, "sh: 1: Syntax error"), both(suites.Denied, "Syntax error"), Want{})
	pair("CLAUDE_PLUGIN_ROOT in settings.json", Output{Exit: -1, NotStarted: "Failed to run"}, goesOn, Want{})
	pair("[[ ]] bashism", failed(127, "/bin/sh: 1: [[: not found"), goesOn, Want{})
	async := Entry{Async: true}
	pair("async:true, exit 2", with(failed(2, "my-error"), async), dropped, dropped)
	pair("async:true, block", with(stdoutOnly(blockDecision), async), dropped, dropped)
	pair(`{"async":true}, exit 2`, exitsWith(2, `{"async":true}`, "my-error"), dropped, dropped)
	pair(`{"async":true}`, stdoutOnly(`{"async":true,"asyncTimeout":5}`), goesOn, goesOn)
	pair("if", with(failed(2, "my-error"), Entry{If: "Bash(git *)"}), both(suites.Denied, "my-error"), dropped)
	return rows
}
