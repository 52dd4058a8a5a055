package client

import (
	"slices"
	"strings"

	"hookwatch/suites"
)

// A ruleRow is one rule: it explains an action of the client, or a finding of check. In its texts
// {proceeds} and the like are replaced by Event.Fill, and other words in braces are the parameters
// of a Cause.
type ruleRow struct {
	kind     Kind
	severity suites.Severity
	what     string // the sentence of a cause
	client   string // the client's behavior
	remedy   string // empty if nothing is wrong
	on       []Version
	loss     loss
}

// ruleTables contain every rule, in the order in which they are listed.
var ruleTables = [][]ruleRow{exitRules, texts, refusedOutputs, refusals, outcomes, changes, checked}

// row returns the rule of a kind of cause; the zero row for an unknown kind.
func (k Kind) row() ruleRow {
	for _, table := range ruleTables {
		if row, ok := find(table, func(r ruleRow) bool { return r.kind == k }); ok {
			return row
		}
	}
	return ruleRow{}
}

// find returns the first element for which is reports true, and whether there is one.
func find[T any](all []T, is func(T) bool) (found T, ok bool) {
	if at := slices.IndexFunc(all, is); at >= 0 {
		return all[at], true
	}
	return found, false
}

// generic replaces the parameters of a sentence if there is no output.
var generic = strings.NewReplacer(
	"{does}", " refuses EVENT", "{drops}", "the client drops the whole output", "{event}", "EVENT", "{key}", "KEY", "{value}", "VALUE", "{want}", "WANT",
	"{exit}", "N", "{signal}", "SIGNAL", "{version}", "VERSION", "{count}", "N",
)

func (r ruleRow) at(e Event) suites.Rule {
	rule := suites.Rule{
		ID: string(r.kind), Severity: r.severity, What: generic.Replace(r.what), Client: e.Fill(r.client), Remedy: e.Fill(r.remedy),
	}
	for _, version := range r.on {
		rule.Observed = append(rule.Observed, string(version))
	}
	return rule
}

// RuleAt returns the rule with an ID with its texts for an event; an unknown ID gives a rule
// without texts.
func RuleAt(id string, e Event) suites.Rule {
	if row := Kind(id).row(); row.kind != "" {
		return row.at(e)
	}
	return suites.Rule{ID: id, Severity: suites.Info}
}

// Rules returns every rule, with its texts for calls of tools.
func Rules() (rules []suites.Rule) {
	for _, table := range ruleTables {
		for _, row := range table {
			rules = append(rules, row.at(GuardEvent(Calls)))
		}
	}
	return rules
}

// Rule returns the rule that explains the cause, with its texts for calls of tools. Exit code 2 was
// observed on the versions for which its event has such a cell.
func (c Cause) Rule() suites.Rule {
	rule := RuleAt(string(c.Kind), GuardEvent(Calls))
	if c.Kind != Exit2 && c.Kind != Exit2Ignored {
		return rule
	}
	rule.Observed = nil
	for _, v := range Versions() {
		seen := func(cell Cell) bool {
			_, _, observed := cell.Want.On(v)
			return observed && cell.Event == c.Event && cell.Output.Exit == 2 && len(cell.Output.Stdout) == 0
		}
		if slices.ContainsFunc(Cells(), seen) {
			rule.Observed = append(rule.Observed, string(v))
		}
	}
	return rule
}

// Remedy returns the advice for the cause at its event.
func (c Cause) Remedy() string {
	event, known := EventByName(c.Event)
	if !known {
		event = GuardEvent(Calls)
	}
	return RuleAt(string(c.Kind), event).Remedy
}

// checked are the rules of check's findings in hooks and their entries.
var checked = []ruleRow{
	{"settings-dropped", suites.Error, "one entry makes the client drop the whole file",
		"no hook of the file runs, and there is no warning",
		"correct the entry", onFirst, keeps},
	{"entry-ignored", suites.Error, "an entry that the client ignores",
		"its hooks never run",
		"correct the entry", on330, keeps},
	{"hooks-disabled", suites.Warning, "every hook is turned off by a setting",
		"no hook runs",
		"remove disableAllHooks", onFirst, keeps},
	{"client-differs", suites.Warning, "another client that runs the hook treats its output differently",
		"a guard that stops one client may let another run",
		"write the reason to stderr and exit with 2: every measured client treats that as a refusal of a tool call", nil, keeps},
	{"client-entry", suites.Warning, "the entry uses a key or value that the client reading it does not know",
		"the hook does not run as it is written",
		"write the entry as that client reads it (hookwatch help clients)", nil, keeps},
	{"file-not-read", suites.Error, "hooks are in a file that the client does not read",
		"none of them ever runs",
		"move them into .claude/settings.json", nil, keeps},
	{"dead-matcher", suites.Error, "the matcher matches no tool",
		"the hook never runs",
		"name tools exactly (Bash, Edit|Write, mcp__server__.*); filter by command in the hook, or with \"if\"", onOld, keeps},
	{"empty-alternative", suites.Warning, "the matcher has an empty alternative",
		"in a regular expression it matches every tool: the hook runs for all of them",
		"remove the superfluous bar, or write * to match every tool", nil, keeps},
	{"matcher-not-evaluated", suites.Error, "the matcher is too expensive to evaluate",
		"a pattern that takes exponential time may block the client; whether the hook runs is unknown",
		"list the names, or write a pattern without nested repetition", nil, keeps},
	{"old-tool", suites.Warning, "the matcher names a tool that current clients do not have",
		"the hook never runs for it",
		"name the current tool", onOld, keeps},
	{"matcher-ignored", suites.Info, "the event has no matcher",
		"the hook runs every time, whatever the matcher is",
		"remove the matcher", onOld, keeps},
	{"long-timeout", suites.Warning, "the timeout looks like milliseconds",
		"timeouts are in seconds: a hook that hangs blocks the session for that long",
		"write it in seconds", onFirst, keeps},
	{"short-timeout", suites.Warning, "the timeout is less than half a second",
		"a hook that takes longer is cancelled, and {proceeds}: on a busy machine an interpreter needs that long to start",
		"timeouts are in seconds: allow a few", onFirst, keeps},
	{"dead-condition", suites.Error, "the entry has a condition that is never true",
		"the hook never runs",
		"remove \"if\", or register the hook for an event of tools", onOld, keeps},
	{"script-missing", suites.Error, "the command names a file that does not exist",
		"the hook fails to start and {proceeds}{or no}",
		"correct the path, or restore the file", onFirst, keeps},
	{"script-not-executable", suites.Error, "a script is started as a program and is not executable",
		"exit 126: {proceeds} as if there were no hook",
		"chmod +x, and git update-index --chmod=+x", onFirst, keeps},
	{"bad-interpreter", suites.Error, "the first line names an interpreter that cannot be started",
		"exit 127: {proceeds} as if there were no hook",
		"correct the #! line; save with LF, without byte order mark", onFirst, keeps},
	{"unquoted-path", suites.Warning, "the variable of a directory is not quoted",
		"if the path contains a space, the file is not found: {proceeds} as if there were no hook",
		"put the variable into double quotes", onFirst, keeps},
	{"variable-not-expanded", suites.Error, "a path is in quotes that prevent its expansion",
		"the file is not found and {proceeds} as if there were no hook",
		"use double quotes, and $HOME for ~", nil, keeps},
	{"wrong-root", suites.Error, "the command names a directory variable that is not set there",
		"the file is not found and {proceeds} as if there were no hook",
		"${CLAUDE_PLUGIN_ROOT} is for plugins and skills, ${CLAUDE_PROJECT_DIR} for a project's own hooks", onFirst, keeps},
	{"home-path", suites.Warning, "shared settings name the home directory of one user",
		"on every other machine the file is not found: {proceeds} as if there were no hook{or no}",
		"begin with \"$CLAUDE_PROJECT_DIR\"/, or \"$HOME\"/ for files that each user has", nil, keeps},
	{"relative-path", suites.Warning, "the command names a file from the current directory",
		"it is found only while the session is at the project's root",
		"begin with \"$CLAUDE_PROJECT_DIR\"/", nil, keeps},
	{"shell-syntax", suites.Error, "the command is not valid for /bin/sh",
		"the client runs /bin/sh -c, which on Debian, Ubuntu and others is dash: the hook fails and {proceeds}",
		"use [ ... ], or bash -c '...'", onFirst, keeps},
	{"unset-variable", suites.Error, "a variable is read that the client does not set",
		"it is empty: the hook never sees its input",
		"read the JSON on stdin", nil, keeps},
	{"unknown-field", suites.Warning, "a field is read that the event does not have",
		"it is always empty",
		"read what the event sends: tool_response, prompt, tool_input", nil, keeps},
	{"not-finished", suites.Error, "hookwatch could not make a call of the hook, and judged it by the others",
		"more may be wrong with it",
		"report it as a fault of hookwatch, with the hook", nil, keeps},
	{"hidden-file", suites.Info, "the hook looked for a file that the sandbox hides",
		"a session shows the file to the hook, which may then do something else than here",
		"to show it to hooks here, add it to sandbox.unmask", nil, keeps},
	{"unread-tool", suites.Warning, "a guard stops one tool and lets another one do the same: the field by which that one sends it is not read",
		"{proceeds}",
		"read the field of each tool that the matcher names", nil, keeps},
	{"unregistered-script", suites.Info, "no hook runs this script of the hooks directory",
		"it never runs",
		"register it, or remove it", nil, keeps},
	{"starts-client", suites.Info, "the hook runs claude itself",
		"that session fires the same hooks: guard against recursion",
		"set and test a variable of your own", nil, keeps},
	{"syntax-error", suites.Error, "the script does not parse",
		"{exit 2}",
		"correct the script", onFirst, keeps},
	{"crash", suites.Error, "the hook crashes on the client's input",
		"{proceeds} and the model sees nothing",
		"correct the script", onFirst, keeps},
	{"echoes-input", suites.Info, "the hook prints its input",
		"the client drops it",
		"print nothing if there is nothing to report", nil, keeps},
	{"reason-on-stdout", suites.Warning, "exit 2 with the reason on stdout",
		"the call is denied, and the reason that the model receives is \"No stderr output\"",
		"print the reason to stderr", onFirst, keeps},
	{"stream-path", suites.Error, "a standard stream is opened by its path",
		"the hook never sees its input", "read standard input itself", onFirst, keeps},
	{"no-reason", suites.Warning, "a denial in JSON without a reason",
		"the call is denied, and the model is told only \"" + NoReason + "\"",
		"say what is wrong with the call and what to do in its place, in permissionDecisionReason or reason", onFirst, keeps},
	{"blocks-everything", suites.Warning, "every harmless call that was tried is denied",
		"the agent can do nothing that the matcher covers",
		"find out which condition is always true", nil, keeps},
	{"stop-loop", suites.Warning, "the hook blocks the stop again although stop_hook_active is set",
		"the session goes on until the client's own limit of eight",
		"exit 0 when stop_hook_active is true", onFirst, keeps},
	{"fails-open", suites.Warning, "a deny turns into an allow",
		"{proceeds} without a warning",
		"deny when a tool or the input is missing", onFirst, keeps},
	{"misread-pattern", suites.Warning, "a comparison means something else than its pattern suggests",
		"hardly any input passes it", "write the pattern in the syntax of the comparison", nil, keeps},
	{"constant-condition", suites.Warning, "a condition, or a part of it, goes the same way for every input",
		"what is behind it never runs, or always", "compare with what the client sends, and see whether the parts are joined by the right and / or", nil, keeps},
	{"inverted-condition", suites.Warning, "a guard stops what its patterns do not match, and lets through what they match",
		"{proceeds}, and harmless calls are stopped", "turn the condition round", nil, keeps},
	{"ineffective", suites.Warning, "a guard comes to a decision that has no effect",
		"{proceeds}", "see what becomes of the exit code: a subshell, a pipe or a handler of exceptions may lose it", nil, keeps},
	{"late-refusal", suites.Warning, "the hook says that it stops a call that has already run",
		"nothing is stopped: the model is only shown the message", "register it for PreToolUse", nil, keeps},
	{"unreached", suites.Info, "no input that was tried made the hook come to this decision",
		"the decision may never be made", "check the condition before it; name an input that must pass it in .hookwatch.yaml: denies: [{hook: ..., command: ...}]", nil, keeps},
	{"no-deny", suites.Info, "no input that was tried made the guard deny",
		"unproven: whether it protects against anything is unknown",
		"name an input that it must stop in .hookwatch.yaml: denies: [{hook: ..., command: ...}]", nil, keeps},
	{"swallowed-error", suites.Warning, "a guard that stops nothing hides an error of its own",
		"{proceeds}, and nothing shows that the hook made no decision",
		"correct the error; let a guard deny if it fails", nil, keeps},
	{"misnamed-tool", suites.Error, "the hook compares tool_name with a name that the client does not send",
		"it ignores every call of that tool: {proceeds}",
		"compare tool_name with the name that the client sends", nil, keeps},
	{"misnamed-file", suites.Warning, "the hook compares a path with that of a file that does not exist, and there is one with nearly that name",
		"it ignores the file that was meant: {proceeds}",
		"name the file that exists, or remove the comparison", nil, keeps},
	{"misspelt-word", suites.Warning, "the hook compares its input with a word that is a usual one but for two letters that are swapped, or one that is left out",
		"it ignores what was meant: {proceeds}",
		"correct the word", nil, keeps},
	{"let-through", suites.Error, "an input that the hook must stop by the configuration is let through",
		"{proceeds}",
		"correct the hook, or the entry of denies", nil, keeps},
	{"bypass", suites.Warning, "the hook lets an input through that does the same as one it stops: one with something harmless around it, or with a usual spelling of SQL or of a token; or a command that was executed in a sandbox, as the other one, and called the same programs with the same arguments, or changed the same files; if they differ only in quoting or in the shell, this is a remark",
		"{proceeds}",
		"check what the command does, not its text: hookwatch prove searches for more", nil, keeps},
	{"drops-input", suites.Warning, "updatedInput leaves out fields of the tool's input",
		"it replaces the whole input: the call fails, or does something else",
		"copy all fields, and change the one you mean", onFirst, keeps},
	{"input-race", suites.Warning, "two hooks rewrite the input of the same call",
		"they run in parallel, and the last to finish wins",
		"combine them into one hook", onOld, keeps},
	{"overruled", suites.Warning, "another hook or a permission rule overrules the hook's decision",
		"a denial of any hook counts before a question, and that before permission to run; deny and ask rules count whatever a hook allows or asks",
		"decide about the call in one place: leave out the decision, or narrow the other one", on332, keeps},
	{"one-client", suites.Warning, "a call is denied in one client only",
		"the other client, which the project also has hooks for, lets it run",
		"register the guard in that client's hook file, too (hookwatch help clients)", nil, keeps},
	{"slow-call", suites.Info, "all hooks of a call together take longer than the budget",
		"the session waits for them on every such call",
		"do less, make a hook async that decides nothing, or raise budget.call", nil, keeps},
	{"rewrite-hides-rule", suites.Error, "the hook rewrites a command to which a permission rule applies",
		"permission rules see the rewritten command only: the command runs as if there were no rule",
		"let the hook leave commands alone that it need not change, or deny them in the hook", on332, keeps},
	{"long-output", suites.Warning, "more than 10,000 characters for the model",
		"the model gets a preview and a file name",
		"print less", onFirst, keeps},
	{"left-behind", suites.Info, "a process outlives the hook",
		"if it keeps the output open, the session waits for it",
		"detach it: ( ... ) >/dev/null 2>&1 &", nil, keeps},
	{"false-alarm", suites.Info, "the guard stops a call that only mentions what it stops, or an ordinary one for a reason that it does not have",
		"the agent cannot write about it, or do its work",
		"check what the call does, not its text, and see whether a condition has the right and / or", nil, keeps},
	{"uncovered-tool", suites.Info, "a tool that does the same is not covered",
		"the hook does not run for it",
		"add it to the matcher", nil, keeps},
	{"not-portable", suites.Info, "an option, a program or a construct that some systems lack",
		"on macOS the script fails, and {proceeds}",
		"use only what both GNU and macOS have", nil, keeps},
	{"backslash-path", suites.Error, "a path with backslashes",
		"the shell drops them: the file is not found and {proceeds}",
		"write the path with /", nil, keeps},
	{"slow", suites.Info, "the hook is slow",
		"the session waits for it on every call",
		"do less, or make it async", nil, keeps},
	{"executes-input", suites.Error, "a part of the input is executed as a command",
		"text that the model wrote or read somewhere is executed with your rights and without a permission prompt",
		"pass values to programs as arguments or on stdin; never use eval, or sh -c with a value in its text", nil, keeps},
	{"absent-package", suites.Warning, "a package that the hook loads is not installed, and no manifest declares it",
		"the hook ends with an error, and lets through what it would stop",
		"declare the package in package.json, requirements.txt or the like, or avoid it", nil, keeps},
	{"absent-program", suites.Info, "a program is missing on this machine",
		"the hook cannot work here: it was not judged",
		"install it", nil, keeps},
}
