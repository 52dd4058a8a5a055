package conform

// A Rule is one way in which hooks fail.
type Rule struct {
	ID       string
	Severity Severity // of most of its findings
	Title    string
	Effect   string // what the client does
	Remedy   string
}

// Rules lists every rule, in the order in which documents name them.
func Rules() []Rule { return rules }

func ruleNamed(id string) Rule {
	for _, r := range rules {
		if r.ID == id {
			return r
		}
	}
	return Rule{ID: id, Severity: Info}
}

var rules = []Rule{
	{"settings-dropped", Error, "one entry makes the client drop the whole file",
		"no hook of the file ever runs, and nobody is told", "correct the entry"},
	{"entry-ignored", Error, "an entry that the client leaves out",
		"its hooks never run", "correct the entry"},
	{"hooks-disabled", Warning, "every hook is turned off by a setting",
		"no hook runs", "remove disableAllHooks"},
	{"file-not-read", Error, "hooks stand in a file that the client does not read",
		"none of them ever runs", "move them into .claude/settings.json"},
	{"dead-matcher", Error, "the matcher matches no tool",
		"the hook never runs", "name tools exactly (Bash, Edit|Write, mcp__server__.*); filter by command in the hook, or with \"if\""},
	{"old-tool", Warning, "the matcher names a tool that today's clients do not have",
		"the hook never runs for it", "name today's tool"},
	{"matcher-ignored", Info, "the event has no matcher",
		"the hook runs every time, whatever the matcher says", "remove the matcher"},
	{"long-timeout", Warning, "the timeout looks like milliseconds",
		"timeouts are seconds: a hook that hangs holds up the session for that long", "write it in seconds"},
	{"missing-script", Error, "the command names a file that is not there",
		"the hook fails to start and the call proceeds; where an interpreter is given the file, it exits with 2 and every call is denied",
		"correct the path, or restore the file"},
	{"not-executable", Error, "a script is started as a program and may not be executed",
		"exit 126: the call proceeds as if there were no hook", "chmod +x, and git update-index --chmod=+x"},
	{"bad-interpreter", Error, "the first line names an interpreter that cannot be started",
		"exit 127: the call proceeds as if there were no hook", "correct the #! line; save with LF, without byte order mark"},
	{"unquoted-path", Warning, "a directory's variable is not quoted",
		"where the path holds a space, exit 127: the call proceeds as if there were no hook", "put the variable into double quotes"},
	{"variable-not-expanded", Error, "a path stands in quotes in which it is not expanded",
		"the file is not found and the call proceeds as if there were no hook", "use double quotes, and $HOME for ~"},
	{"wrong-root", Error, "the command names a directory that is not set there",
		"the file is not found and the call proceeds as if there were no hook",
		"${CLAUDE_PLUGIN_ROOT} is for plugins, ${CLAUDE_PROJECT_DIR} for a project's own hooks"},
	{"relative-path", Warning, "the command names a file from the current directory",
		"it is found only while the session is at the project's root", "begin with \"$CLAUDE_PROJECT_DIR\"/"},
	{"shell-syntax", Error, "the command is not what /bin/sh takes",
		"the client runs /bin/sh -c, which on Debian, Ubuntu and others is dash: the hook fails and the call proceeds", "use [ ... ], or bash -c '...'"},
	{"unset-variable", Error, "a variable is read that the client does not set",
		"it is empty: the hook never sees its input", "read the JSON on stdin"},
	{"unknown-field", Warning, "a field is read that the event does not have",
		"it is always empty", "read what the event sends: tool_response, prompt, tool_input"},
	{"unregistered-script", Info, "a script in the hooks directory that no hook runs",
		"it never runs", "register it, or remove it"},
	{"starts-client", Info, "the hook runs claude itself",
		"that session fires the same hooks: guard against recursion", "set and look for a variable of your own"},
	{"syntax-error", Error, "the script does not parse",
		"exit 2: every call is denied, every stop is held up; other codes: the call proceeds", "correct the script"},
	{"crash", Error, "the hook crashes on what the client sends",
		"the call proceeds and the model is not told", "correct the script"},
	{"output-ignored", Error, "the client does not heed what the hook prints",
		"the output is dropped", "print one JSON document of the event's form, and nothing else"},
	{"echoes-input", Info, "the hook prints what it was sent",
		"the client drops it", "print nothing when there is nothing to say"},
	{"deny-exits-1", Error, "the hook means to stop the call and does not exit with 2",
		"only exit 2 or a decision in JSON stops a call: it proceeds", "exit 2 with the reason on stderr"},
	{"reason-on-stdout", Warning, "exit 2 with the reason on stdout",
		"the call is denied and the model is told \"No stderr output\"", "print the reason to stderr"},
	{"blocks-everything", Warning, "every harmless call that was tried is denied",
		"the agent can do nothing that the matcher covers", "look at what the hook waits for"},
	{"stop-loop", Warning, "the hook holds up the stop again though stop_hook_active is set",
		"the session goes on until the client's own limit of eight", "exit 0 when stop_hook_active is true"},
	{"fails-open", Warning, "a deny turns into an allow",
		"the call proceeds and nobody is told", "deny when a tool or the input is missing"},
	{"no-deny", Info, "nothing that was tried made the guard deny",
		"unproven: whether it protects from anything is not known", "name a command that it must stop, in a suite"},
	{"bypass", Info, "the same command in other words gets through",
		"the call proceeds", "look for what the command does, not for its text"},
	{"drops-input", Warning, "updatedInput leaves out fields of the tool's input",
		"it replaces the whole input: the call fails, or does something else", "copy all fields, and change one"},
	{"input-race", Warning, "two hooks rewrite the input of one call",
		"they run side by side, and the last to finish wins", "make one hook of them"},
	{"long-output", Warning, "more than 10,000 characters for the model",
		"the model gets a preview and a file name", "print less"},
	{"left-behind", Info, "a process outlives the hook",
		"where it keeps the output open, the session waits for it", "detach it: ( ... ) >/dev/null 2>&1 &"},
	{"false-alarm", Info, "the guard stops a command that only mentions what it stops",
		"the agent cannot write about it", "look for what the command does, not for its text"},
	{"uncovered-tool", Info, "a tool that does the same is not covered",
		"the hook does not run for it", "add it to the matcher"},
	{"not-portable", Info, "an option or a program that macOS does not have",
		"there the script fails, and the call proceeds", "use what both have"},
	{"backslash-path", Error, "a path with backslashes",
		"the shell drops them: the file is not found and the call proceeds", "write the path with /"},
	{"slow", Info, "the hook takes long",
		"the session waits for it at every call", "do less, or make it async"},
	{"absent-program", Info, "a program is not on this machine",
		"here the hook cannot do its work: it was not judged", "install it"},
}
