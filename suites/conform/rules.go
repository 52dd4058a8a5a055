package conform

import (
	"slices"

	"hookwatch/suites"
	"hookwatch/suites/client"
)

// Rules lists every rule, in the order in which documents name them. Their texts speak of calls of
// tools.
func Rules() []suites.Rule {
	usual := client.Guarding(client.Calls)
	out := slices.Clone(all)
	for i := range out {
		out[i].Client = usual.Fill(out[i].Client)
	}
	return out
}

// RuleNamed returns the rule with an ID, one of this package or one of those by which the client
// is predicted, as it reads for calls of tools.
func RuleNamed(id string) suites.Rule {
	return ruleAt(id, client.Guarding(client.Calls))
}

// ruleAt returns the rule with an ID as it reads for an event.
func ruleAt(id string, event client.Event) suites.Rule {
	for _, r := range all {
		if r.ID == id {
			r.Client = event.Fill(r.Client)
			return r
		}
	}
	if r, ok := client.RuleAt(id, event); ok {
		return r
	}
	return suites.Rule{ID: id, Severity: suites.Info}
}

// On which versions of the client that was seen: all that were looked at, the first
// or the last of them.
var (
	observed      = []string{"2.1.197", "2.1.329"}
	observedFirst = observed[:1]
	observedLast  = []string{"2.1.330"}
)

var all = []suites.Rule{
	{ID: "settings-dropped", Observed: observed, Severity: suites.Error, What: "one entry makes the client drop the whole file",
		Client: "no hook of the file ever runs, and nobody is told",
		Remedy: "correct the entry"},
	{ID: "entry-ignored", Observed: observedLast, Severity: suites.Error, What: "an entry that the client leaves out",
		Client: "its hooks never run",
		Remedy: "correct the entry"},
	{ID: "hooks-disabled", Observed: observed, Severity: suites.Warning, What: "every hook is turned off by a setting",
		Client: "no hook runs",
		Remedy: "remove disableAllHooks"},
	{ID: "file-not-read", Severity: suites.Error, What: "hooks stand in a file that the client does not read",
		Client: "none of them ever runs",
		Remedy: "move them into .claude/settings.json"},
	{ID: "dead-matcher", Observed: observedFirst, Severity: suites.Error, What: "the matcher matches no tool",
		Client: "the hook never runs",
		Remedy: "name tools exactly (Bash, Edit|Write, mcp__server__.*); filter by command in the hook, or with \"if\""},
	{ID: "empty-alternative", Severity: suites.Warning, What: "the matcher has an empty alternative",
		Client: "of a regular expression it matches every tool: the hook runs for all of them",
		Remedy: "remove the bar that has nothing beside it, or write * to match every tool"},
	{ID: "matcher-not-evaluated", Severity: suites.Error, What: "the matcher takes too much to evaluate",
		Client: "a pattern that takes exponential time may hold up the client; whether the hook runs is not known",
		Remedy: "list the names, or write a pattern without groups that repeat within others"},
	{ID: "old-tool", Observed: observedFirst, Severity: suites.Warning, What: "the matcher names a tool that today's clients do not have",
		Client: "the hook never runs for it",
		Remedy: "name today's tool"},
	{ID: "matcher-ignored", Observed: observedFirst, Severity: suites.Info, What: "the event has no matcher",
		Client: "the hook runs every time, whatever the matcher says",
		Remedy: "remove the matcher"},
	{ID: "long-timeout", Observed: observed, Severity: suites.Warning, What: "the timeout looks like milliseconds",
		Client: "timeouts are seconds: a hook that hangs holds up the session for that long",
		Remedy: "write it in seconds"},
	{ID: "short-timeout", Observed: observed, Severity: suites.Warning, What: "the timeout is less than half a second",
		Client: "a hook that does not end in that time is cancelled, and {proceeds}: on a busy machine an interpreter needs as long to start",
		Remedy: "timeouts are seconds: allow a few"},
	{ID: "dead-condition", Observed: observedFirst, Severity: suites.Error, What: "the entry has a condition that lets nothing through",
		Client: "the hook never runs",
		Remedy: "remove \"if\", or register the hook for an event of tools"},
	{ID: "script-missing", Observed: observed, Severity: suites.Error, What: "the command names a file that is not there",
		Client: "the hook fails to start and {proceeds}{or no}",
		Remedy: "correct the path, or restore the file"},
	{ID: "script-not-executable", Observed: observed, Severity: suites.Error, What: "a script is started as a program and may not be executed",
		Client: "exit 126: {proceeds} as if there were no hook",
		Remedy: "chmod +x, and git update-index --chmod=+x"},
	{ID: "bad-interpreter", Observed: observed, Severity: suites.Error, What: "the first line names an interpreter that cannot be started",
		Client: "exit 127: {proceeds} as if there were no hook",
		Remedy: "correct the #! line; save with LF, without byte order mark"},
	{ID: "unquoted-path", Observed: observed, Severity: suites.Warning, What: "a directory's variable is not quoted",
		Client: "where the path holds a space nothing is found: {proceeds} as if there were no hook",
		Remedy: "put the variable into double quotes"},
	{ID: "variable-not-expanded", Severity: suites.Error, What: "a path stands in quotes in which it is not expanded",
		Client: "the file is not found and {proceeds} as if there were no hook",
		Remedy: "use double quotes, and $HOME for ~"},
	{ID: "wrong-root", Observed: observed, Severity: suites.Error, What: "the command names a directory that is not set there",
		Client: "the file is not found and {proceeds} as if there were no hook",
		Remedy: "${CLAUDE_PLUGIN_ROOT} is for plugins, ${CLAUDE_PROJECT_DIR} for a project's own hooks"},
	{ID: "home-path", Severity: suites.Warning, What: "settings that everyone shares name the home directory of one user",
		Client: "on every other machine the file is not found: {proceeds} as if there were no hook{or no}",
		Remedy: "begin with \"$CLAUDE_PROJECT_DIR\"/, or \"$HOME\"/ for what each user has"},
	{ID: "relative-path", Severity: suites.Warning, What: "the command names a file from the current directory",
		Client: "it is found only while the session is at the project's root",
		Remedy: "begin with \"$CLAUDE_PROJECT_DIR\"/"},
	{ID: "shell-syntax", Observed: observed, Severity: suites.Error, What: "the command is not what /bin/sh takes",
		Client: "the client runs /bin/sh -c, which on Debian, Ubuntu and others is dash: the hook fails and {proceeds}",
		Remedy: "use [ ... ], or bash -c '...'"},
	{ID: "unset-variable", Severity: suites.Error, What: "a variable is read that the client does not set",
		Client: "it is empty: the hook never sees its input",
		Remedy: "read the JSON on stdin"},
	{ID: "unknown-field", Severity: suites.Warning, What: "a field is read that the event does not have",
		Client: "it is always empty",
		Remedy: "read what the event sends: tool_response, prompt, tool_input"},
	{ID: "unregistered-script", Severity: suites.Info, What: "a script in the hooks directory that no hook runs",
		Client: "it never runs",
		Remedy: "register it, or remove it"},
	{ID: "starts-client", Severity: suites.Info, What: "the hook runs claude itself",
		Client: "that session fires the same hooks: guard against recursion",
		Remedy: "set and look for a variable of your own"},
	{ID: "syntax-error", Observed: observed, Severity: suites.Error, What: "the script does not parse",
		Client: "{exit 2}",
		Remedy: "correct the script"},
	{ID: "crash", Observed: observed, Severity: suites.Error, What: "the hook crashes on what the client sends",
		Client: "{proceeds} and the model is not told",
		Remedy: "correct the script"},
	{ID: "echoes-input", Severity: suites.Info, What: "the hook prints what it was sent",
		Client: "the client drops it",
		Remedy: "print nothing when there is nothing to say"},
	{ID: "reason-on-stdout", Observed: observed, Severity: suites.Warning, What: "exit 2 with the reason on stdout",
		Client: "the call is denied and the model is told \"No stderr output\"",
		Remedy: "print the reason to stderr"},
	{ID: "blocks-everything", Severity: suites.Warning, What: "every harmless call that was tried is denied",
		Client: "the agent can do nothing that the matcher covers",
		Remedy: "look at what the hook waits for"},
	{ID: "stop-loop", Observed: observed, Severity: suites.Warning, What: "the hook holds up the stop again though stop_hook_active is set",
		Client: "the session goes on until the client's own limit of eight",
		Remedy: "exit 0 when stop_hook_active is true"},
	{ID: "fails-open", Observed: observed, Severity: suites.Warning, What: "a deny turns into an allow",
		Client: "{proceeds} and nobody is told",
		Remedy: "deny when a tool or the input is missing"},
	{ID: "no-deny", Severity: suites.Info, What: "nothing that was tried made the guard deny",
		Client: "unproven: whether it protects from anything is not known",
		Remedy: "name an input that it must stop, in .hookwatch.yaml: denies: [{hook: ..., command: ...}]"},
	{ID: "swallowed-error", Severity: suites.Warning, What: "a guard that stops nothing hides an error of its own",
		Client: "{proceeds}, and nothing shows that the hook came to no decision",
		Remedy: "correct the error; let a guard deny when it fails itself"},
	{ID: "misnamed-tool", Severity: suites.Error, What: "the hook looks for a tool by a name that the client does not send",
		Client: "it takes every call for one of another tool: {proceeds}",
		Remedy: "compare tool_name with the name of the tool as the client writes it"},
	{ID: "let-through", Severity: suites.Error, What: "an input that the configuration says must be stopped is not",
		Client: "{proceeds}",
		Remedy: "correct the hook, or the entry of denies"},
	{ID: "bypass", Severity: suites.Info, What: "the same command in other words gets through",
		Client: "{proceeds}",
		Remedy: "look for what the command does, not for its text"},
	{ID: "drops-input", Observed: observed, Severity: suites.Warning, What: "updatedInput leaves out fields of the tool's input",
		Client: "it replaces the whole input: the call fails, or does something else",
		Remedy: "copy all fields, and change one"},
	{ID: "input-race", Observed: observedFirst, Severity: suites.Warning, What: "two hooks rewrite the input of one call",
		Client: "they run side by side, and the last to finish wins",
		Remedy: "make one hook of them"},
	{ID: "long-output", Observed: observed, Severity: suites.Warning, What: "more than 10,000 characters for the model",
		Client: "the model gets a preview and a file name",
		Remedy: "print less"},
	{ID: "left-behind", Severity: suites.Info, What: "a process outlives the hook",
		Client: "where it keeps the output open, the session waits for it",
		Remedy: "detach it: ( ... ) >/dev/null 2>&1 &"},
	{ID: "false-alarm", Severity: suites.Info, What: "the guard stops a command that only mentions what it stops",
		Client: "the agent cannot write about it",
		Remedy: "look for what the command does, not for its text"},
	{ID: "uncovered-tool", Severity: suites.Info, What: "a tool that does the same is not covered",
		Client: "the hook does not run for it",
		Remedy: "add it to the matcher"},
	{ID: "not-portable", Severity: suites.Info, What: "an option or a program that not every system has",
		Client: "on macOS the script fails, and {proceeds}",
		Remedy: "use what GNU and macOS both have"},
	{ID: "backslash-path", Severity: suites.Error, What: "a path with backslashes",
		Client: "the shell drops them: the file is not found and {proceeds}",
		Remedy: "write the path with /"},
	{ID: "slow", Severity: suites.Info, What: "the hook takes long",
		Client: "the session waits for it at every call",
		Remedy: "do less, or make it async"},
	{ID: "executes-input", Severity: suites.Error, What: "a part of the input is run as a command",
		Client: "whatever the model writes, and whatever it read somewhere, is run with your rights, and no permission is asked for",
		Remedy: "give values to programs as arguments or on stdin; no eval, no sh -c with a value in its text"},
	{ID: "absent-package", Severity: suites.Warning, What: "a package that the hook loads is not installed, and no manifest declares it",
		Client: "the hook ends with an error: what it would stop proceeds",
		Remedy: "declare the package in package.json, requirements.txt or the like, or do without it"},
	{ID: "absent-program", Severity: suites.Info, What: "a program is not on this machine",
		Client: "here the hook cannot do its work: it was not judged",
		Remedy: "install it"},
}
