package check

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/check/pace"
	"hookwatch/suites/client"
	"hookwatch/suites/client/clients"
	"hookwatch/suites/discover"
	"hookwatch/suites/explore"
)

// A judged is a row of TestParts or TestPlans: results of firings, and what a part finds by them, or fires next.
type judged struct {
	part  string
	hook  discover.Hook // an event and a matcher of commands without it
	text  string
	lacks string // programs that the machine does not have
	tree  Tree
	by    map[string][]fired
	want  []string // as written by show or by tell
	of    *exploration

	hidden []string // as of results
	known  Finding  // by an earlier part
}

// settings is the place of the hooks in these rows.
var settings = suites.Position{File: "settings.json", Line: 1}

// results returns the results of a row.
func (tt judged) results() *results {
	h, tree := tt.hook, tt.tree
	if h.Event == "" {
		h.Event, h.Matcher, h.Timeout = "PreToolUse", "Bash", patience
	}
	h.ID, h.Source = "h", settings
	if tree.Denies == nil {
		tree.Denies = []suites.Deny{{Hook: "h", Command: "rm -rf /", At: denied}}
	}
	tree.Registered.Hooks = append(slices.Clone(tree.Registered.Hooks), h)
	tree.Installed = func(program string) bool { return !slices.Contains(strings.Fields(tt.lacks), program) }
	r := &results{subject: subject{hook: h, text: tt.text, tree: tree}, by: map[string][]fired{}, hidden: tt.hidden}
	if tt.of != nil {
		x := *tt.of // because a plan changes it
		r.exploration = &x
	}
	for part, all := range tt.by {
		for _, f := range all {
			f.c = f.asCase(h)
			r.by[part] = append(r.by[part], f)
		}
	}
	return r
}

// judge returns what the part of a row finds.
func (tt judged) judge(r *results) *judgement {
	j := &judgement{of: r.subject}
	if tt.known.Rule != "" {
		j.findings = []Finding{tt.known}
	}
	p := partOf(tt.part)
	for _, f := range r.by[tt.part] {
		if p.judge != nil {
			p.judge(r, j, f)
		}
	}
	if p.conclude != nil {
		p.conclude(r, j)
	}
	return j
}

// partOf returns the part of an inspection with a name.
func partOf(name string) part {
	return parts[slices.IndexFunc(parts, func(p part) bool { return p.name == name })]
}

// show returns a finding in words: its severity, its rule, its place unless that is the hook's, the evidence and the input.
func show(f Finding) string {
	text := fmt.Sprint(f.Severity, " ", f.Rule)
	if f.Where != settings {
		text += " at " + f.Where.String()
	}
	if text += ": " + f.What; f.Input != "" {
		text += " <- " + f.Input
	}
	return text
}

// with returns the result of a firing.
func (f firing) with(r suites.Result) fired { return fired{firing: f, Result: r} }

var (
	echo, rm = firing{event: "PreToolUse", tool: "Bash", command: "echo hello"}, firing{event: "PreToolUse", tool: "Bash", command: "rm -rf /"}
	drop     = firing{event: "PreToolUse", tool: "Bash", command: "psql -c 'DROP TABLE users'"}
	joined   = firing{event: "PreToolUse", tool: "Bash", command: "true && rm -rf /"}
	passes   = suites.Result{Effect: suites.Proceeds}
	denies   = suites.Result{Effect: suites.Denied, Exit: 2, Stderr: []byte("no")}
	stopsRm  = map[string][]fired{"typical": {echo.with(passes)}, "search": {rm.with(denies)}}
)

// Guards that end with 49 and print nothing: one whose script is not seen to run, and one that waits for a file.
var (
	fails     = as("PreToolUse", suites.Result{Exit: 49})
	exits     = explore.Decision{File: "guard.sh", Line: 2, Statement: "exit 2"}
	unstarted = &exploration{decisions: []explore.Decision{exits}}
	failing   = &exploration{decisions: []explore.Decision{exits}, ran: map[string]bool{"guard.sh": true}}
	waiting   = &exploration{decisions: []explore.Decision{exits}, ran: map[string]bool{"guard.sh": true}, sources: map[string][]byte{"guard.sh": []byte("[ -e ready ] || exit 49\nexit 2\n")}}
)

// noted returns a firing with a note.
func noted(f firing, note string) firing {
	f.note = note
	return f
}

// stops returns the results of a guard that stops rm, and those of a part.
func stopping(part string, f ...fired) map[string][]fired {
	return map[string][]fired{"typical": stopsRm["typical"], "search": stopsRm["search"], part: f}
}

// rewriting returns the result of a hook that replaces a command.
func rewriting(command string) suites.Result {
	return suites.Result{Effect: suites.Rewritten, Stdout: []byte(`{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"` + command + `"}}}`)}
}

// onEcho returns the result of a harmless call.
func onEcho(r suites.Result) map[string][]fired {
	return map[string][]fired{"typical": {echo.with(r)}}
}

// as returns the result of the hook of an event with the client's reading of it.
func as(event string, r suites.Result) suites.Result {
	read := client.Interpret(client.Default, event, client.Output{Exit: r.Exit, Stdout: r.Stdout, Stderr: r.Stderr})
	r.Effect, r.EffectReason, r.EffectRule, r.ModelSees = read.Effect, read.Because(), string(read.Cause.Kind), read.ModelSees
	return r
}

// at returns the results of a part; those of the harmless call come first, as if it passed, unless they are given.
func at(part string, all ...fired) map[string][]fired {
	by := map[string][]fired{"typical": {echo.with(passes)}}
	by[part] = all
	return by
}

// said returns the client's reading of a result for PreToolUse.
func said(exit int, stdout, stderr string) suites.Result {
	return as("PreToolUse", suites.Result{Exit: exit, Stdout: []byte(stdout), Stderr: []byte(stderr)})
}

// slept returns the result of a hook that skipped sleeps of half a second.
func slept(times int) suites.Result {
	return suites.Result{Files: map[string][]byte{pace.Slept: bytes.Repeat([]byte("0.5 skipped\n"), times)}}
}

// later returns a firing that came after another one in its environment.
func later(f fired) fired {
	f.after = 1
	return f
}

// without returns a firing without a program.
func without(program, note string, r suites.Result) fired {
	f := noted(rm, note)
	f.without = []string{program}
	return f.with(r)
}

// typicalOf returns the result of an event without a tool.
func typicalOf(event string, r suites.Result) map[string][]fired {
	return map[string][]fired{"typical": {firing{event: event}.with(as(event, r))}}
}

const (
	unbound = "x.sh: line 3: X: unbound variable"
	denial  = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"`
	ruled   = "permissions.deny has Bash(git push *)"
)

var (
	timeout     = suites.Result{TimedOut: true}
	crashes     = suites.Result{Exit: 1, Stderr: []byte(unbound)}
	late        = suites.Result{Effect: suites.ShownToModel, Exit: 2, Stderr: []byte("blocked")}
	after       = discover.Hook{Event: "PostToolUse", Matcher: "Bash"}
	async       = discover.Hook{Event: "PreToolUse", Matcher: "Bash", Timeout: patience, Entry: client.Entry{Async: true}}
	writers     = discover.Hook{Event: "PreToolUse", Matcher: "Edit|Write"}
	writeKey    = firing{event: "PreToolUse", tool: "Write", file: "a", text: "key", description: "key"}
	writePin    = firing{event: "PreToolUse", tool: "Write", file: "a", text: "pin", description: "pin"}
	writeGitHub = firing{event: "PreToolUse", tool: "Write", file: "a", text: "ghp_abc", description: "ghp_abc"}
	writeEnv    = firing{event: "PreToolUse", tool: "Write", file: ".env"}
	project     = Tree{Root: "/p"}
	ready       = discover.Hook{Event: "Stop"}
	goesOn      = as("Stop", suites.Result{Exit: 2, Stderr: []byte("go on")})
)

// running returns a hook for commands with a command.
func running(command string) discover.Hook {
	return discover.Hook{Event: "PreToolUse", Matcher: "Bash", Type: "command", Command: command, Timeout: patience}
}

// by returns a firing by another tool.
func by(tool string, f firing) firing {
	f.tool = tool
	return f
}

var judgements = []judged{
	{part: "paced", by: at("paced", echo.with(timeout)), want: []string{"error timed-out: it had not ended after 30s; its timeout is 30s", "ends"}},
	{part: "paced", hook: async, by: at("paced", echo.with(timeout)), want: []string{"ends"}},
	{part: "paced", by: at("paced", echo.with(slept(3))), want: []string{"warning slow: it sleeps for 1.5s"}},
	{part: "paced", by: at("paced", echo.with(slept(2))), want: []string{"warning slow: it sleeps for 1s"}},
	{part: "paced", by: at("paced", echo.with(slept(1)))},
	{part: "paced", by: at("paced", echo.with(passes))},
	{part: "paced", hook: async, by: at("paced", echo.with(slept(3)))},
	{part: "paced", hook: discover.Hook{Event: "UserPromptSubmit", Timeout: patience}, by: at("paced", firing{event: "UserPromptSubmit"}.with(slept(3))), want: []string{"warning slow: it sleeps for 1.5s"}},
	{part: "paced", hook: discover.Hook{Event: "Stop", Timeout: patience}, by: at("paced", firing{event: "Stop"}.with(slept(3))), want: []string{"info slow: it sleeps for 1.5s"}},
	{part: "paced", by: at("paced", echo.with(slept(24))), want: []string{"warning slow: it sleeps for 12s"}},
	{part: "paced", by: at("paced", echo.with(slept(25)))}, // something else may end its loop
	{part: "paced", text: "date +%s", by: at("paced", echo.with(slept(25))), want: []string{"warning slow: it sleeps for 12.5s"}},
	{part: "paced", hook: discover.Hook{Event: "PreToolUse", Matcher: "Bash", Timeout: 5 * time.Second}, by: at("paced", echo.with(slept(10))), want: []string{"error timed-out: it sleeps for 5s; its timeout is 5s", "ends"}},
	{part: "paced", hook: discover.Hook{Event: "PreToolUse", Matcher: "Bash", Timeout: time.Hour}, text: "date +%s", by: at("paced", echo.with(slept(60))), want: []string{"error timed-out: it sleeps for 30s; its timeout is 1h0m0s", "ends"}},
	{part: "paced", hook: discover.Hook{Event: "PreToolUse", Matcher: "Bash", Timeout: time.Second}, by: at("paced", echo.with(func() suites.Result {
		r := said(0, `log {"decision":"block"}`, "")
		r.Files = slept(2).Files
		return r
	}())), want: []string{"error timed-out: it sleeps for 1s; its timeout is 1s", "warning text-dropped: stdout is not one JSON document: the client drops it and goes on <- the end of its waiting", "ends"}},

	{part: "typical", hook: discover.Hook{Event: "TaskCompleted", Timeout: time.Hour}, by: typicalOf("TaskCompleted", timeout), want: []string{"warning timed-out: it had not ended after 30s; its timeout is 1h0m0s", "ends"}},
	{part: "typical", hook: discover.Hook{Event: "TaskCompleted", Timeout: time.Second}, by: typicalOf("TaskCompleted", timeout), want: []string{"error timed-out: it had not ended after 30s; its timeout is 1s", "ends"}},
	{part: "typical", hook: discover.Hook{Event: "SessionStart", Timeout: time.Second}, by: typicalOf("SessionStart", timeout), want: []string{"warning timed-out: it had not ended after 30s; its timeout is 1s", "ends"}},
	{part: "typical", hook: discover.Hook{Event: "PreToolUse", Timeout: time.Hour}, by: onEcho(timeout), want: []string{"error timed-out: it had not ended after 30s; its timeout is 1h0m0s", "ends"}},
	{part: "typical", hook: discover.Hook{Event: "PreToolUse", Timeout: time.Minute}, tree: Tree{Timeout: time.Minute}, by: onEcho(timeout), want: []string{"error timed-out: it had not ended after 1m0s; its timeout is 1m0s", "ends"}},
	{part: "typical", by: onEcho(suites.Result{NotStarted: "no such file"}), want: []string{"info absent-program: it could not be started: no such file", "ends"}},
	{part: "typical", by: map[string][]fired{"typical": {echo.with(crashes), echo.with(suites.Result{NotStarted: "no such file"})}}, want: []string{"error crash: exit 1: " + unbound + " <- echo hello", "ends"}},
	{part: "typical", by: onEcho(passes)},
	{part: "typical", by: onEcho(crashes), want: []string{"error crash: exit 1: " + unbound + " <- echo hello"}},
	{part: "typical", by: onEcho(said(0, "", unbound))},
	{part: "typical", by: onEcho(said(0, "", `{"decision":"block"}`)), want: []string{"warning stderr-dropped: exit code 0 without output; stderr is dropped <- echo hello"}},
	{part: "typical", by: onEcho(said(2, "no", "")), want: []string{"warning reason-on-stdout: exit 2 with nothing on stderr"}},
	{part: "typical", by: onEcho(said(2, "", "no"))},
	{part: "typical", hook: discover.Hook{Event: "SessionEnd"}, by: typicalOf("SessionEnd", suites.Result{Exit: 2, Stdout: []byte("no")}), want: []string{"error exit-2-ignored: exit code 2 does not block SessionEnd and the model sees nothing <- SessionEnd"}},
	{part: "typical", hook: discover.Hook{Event: "WorktreeCreate"}, by: typicalOf("WorktreeCreate", suites.Result{Exit: 128, Stderr: []byte("fatal: no")}), want: []string{"warning blocks-everything: WorktreeCreate is denied every time: exit 128: fatal: no"}},
	{part: "typical", hook: discover.Hook{Event: "WorktreeCreate", Scope: discover.InPlugin}, by: typicalOf("WorktreeCreate", suites.Result{Exit: 128}), want: []string{"info blocks-everything: WorktreeCreate is denied every time: exit 128 (in an example, which has no remote repository)"}},
	{part: "typical", hook: discover.Hook{Event: "WorktreeCreate"}, by: typicalOf("WorktreeCreate", suites.Result{Stdout: []byte("/tmp/x\n")})},
	{part: "typical", by: onEcho(suites.Result{Exit: 2, Stderr: []byte("x.sh: line 3: syntax error: unexpected end of file")}), want: []string{"error syntax-error: x.sh: line 3: syntax error: unexpected end of file", "ends"}},
	{part: "typical", by: onEcho(said(2, "", "jq: error (at <stdin>:0): x")), want: []string{"error crash: exit 2 of a program that failed: jq: error (at <stdin>:0): x <- echo hello"}},
	{part: "typical", hook: discover.Hook{Event: "SessionEnd"}, by: typicalOf("SessionEnd", suites.Result{Exit: 2, Stderr: []byte("jq: error (at <stdin>:0): x")}), want: []string{"warning crash: exit 2 of a program that failed: jq: error (at <stdin>:0): x <- SessionEnd"}},
	{part: "typical", by: onEcho(said(126, "", "x.sh: Permission denied")), want: []string{"not judged: it could not be started: x.sh: Permission denied", "ends"}},
	{part: "typical", by: onEcho(said(127, "", "")), want: []string{"not judged: it could not be started", "ends"}},
	{part: "typical", tree: project, by: onEcho(said(1, "", "x.sh: line 3: /srv/log: Read-only file system")), want: []string{"not judged: it writes /srv/log, which is read-only here (--isolation copy lets it write there)", "ends"}},
	{part: "typical", tree: project, by: onEcho(said(1, "", "x.sh: line 3: /p/log: Read-only file system")), want: []string{"warning exit-code-not-2: exit code 1 is not 2; it blocks nothing and the model sees nothing <- echo hello"}},
	{part: "typical", by: onEcho(suites.Result{Effect: suites.ContextAdded, Stdout: bytes.Repeat([]byte("a"), 10_001), ModelSees: []string{"a"}}), want: []string{"warning long-output: 10001 characters for the model"}},
	{part: "typical", by: onEcho(suites.Result{Effect: suites.ContextAdded, Stdout: bytes.Repeat([]byte("a"), 10_000), ModelSees: []string{"a"}})},
	{part: "typical", by: onEcho(suites.Result{Effect: suites.ContextAdded, Stdout: bytes.Repeat([]byte("ä"), 10_000), ModelSees: []string{"a"}})},
	{part: "typical", by: onEcho(suites.Result{Effect: suites.Proceeds, Stdout: bytes.Repeat([]byte("a"), 10_001)})},
	{part: "typical", by: onEcho(suites.Result{Effect: suites.Proceeds, LeftBehind: []string{"sleep"}}), want: []string{"info left-behind: it leaves a process running"}},
	{part: "typical", by: onEcho(suites.Result{Effect: suites.Proceeds, LeftBehind: []string{"sleep"}, HoldsOutput: true}), want: []string{"warning left-behind: it leaves a process running, which keeps its output open: the client waits for that"}},
	{part: "typical", hook: async, by: onEcho(suites.Result{Effect: suites.Proceeds, LeftBehind: []string{"sleep"}, HoldsOutput: true}), want: []string{"info left-behind: it leaves a process running"}},
	{part: "typical", by: onEcho(suites.Result{Effect: suites.Rewritten, Stdout: []byte(`{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"description":"a"}}}`)}), want: []string{"warning drops-input: updatedInput leaves out command"}},
	{part: "typical", by: onEcho(rewriting("true"))},
	{part: "typical", by: onEcho(said(0, `log {"decision":"block"}`, "")), want: []string{"error text-dropped: stdout is not one JSON document: the client drops it and goes on <- echo hello"}},
	{part: "typical", hook: async, by: onEcho(said(0, `log {"decision":"block"}`, ""))},
	{part: "typical", hook: async, by: onEcho(suites.Result{Exit: 2, Effect: suites.Proceeds, EffectRule: string(client.TooLate), EffectReason: "too late", Stderr: []byte("no")}), want: []string{"error background-too-late: too late <- echo hello"}},
	{part: "typical", by: onEcho(suites.Result{Effect: suites.Proceeds, Stdout: []byte(`{"session_id":"a","transcript_path":"b","cwd":"c","hook_event_name":"PreToolUse"}`)}), want: []string{"info echoes-input: it prints its input <- echo hello"}},

	{part: "typical", by: onEcho(said(127, "", "x.sh: line 3: jq: command not found")), want: []string{"info absent-program: jq is not on this machine", "not judged: jq is not on this machine", "ends"}},
	{part: "typical", by: onEcho(said(127, "", "x.sh: line 3: pwsh: command not found")), want: []string{"info absent-program: not judged here: pwsh is absent", "not judged: pwsh is absent", "ends"}},
	{part: "typical", hook: running(`.claude\hooks\x.sh`), by: onEcho(said(127, "", "sh: 1: .claudehooksx.sh: not found")), want: []string{"not judged: the command names a path with backslashes: the shell looks for .claudehooksx.sh", "ends"}},
	{part: "typical", by: onEcho(said(1, "", "getaddrinfo ENOTFOUND example.org")), want: []string{"info absent-program: it wants the network, which probes do not have", "not judged: it wants the network, which probes do not have", "ends"}},
	{part: "typical", by: onEcho(said(1, "", "ModuleNotFoundError: No module named 'yaml'")), want: []string{"error absent-package: its package yaml is not installed, and nothing declares it", "not judged: its package yaml is not installed", "ends"}},
	{part: "typical", hook: discover.Hook{Event: "Stop"}, by: typicalOf("Stop", suites.Result{Exit: 1, Stderr: []byte("No module named 'yaml'")}), want: []string{"warning absent-package: its package yaml is not installed, and nothing declares it", "not judged: its package yaml is not installed", "ends"}},
	{part: "typical", by: onEcho(said(1, "", "Cannot find package 'pwsh'")), want: []string{"error absent-package: its package pwsh is not installed, and nothing declares it", "not judged: its package pwsh is not installed", "ends"}},
	{part: "typical", text: "# yaml==1", by: onEcho(said(1, "", "No module named 'yaml'")), want: []string{"info absent-program: its package yaml is not installed", "not judged: its package yaml is not installed", "ends"}},
	{part: "typical", hook: running("npx @scope/tool"), by: onEcho(said(1, "", "Cannot find package '@scope/tool/x'")), want: []string{"info absent-program: its package @scope/tool/x is not installed", "not judged: its package @scope/tool/x is not installed", "ends"}},
	{part: "typical", text: "npx tool\nexit 2", hook: running("npx tool"), by: onEcho(said(1, "", "Cannot find package 'tool'")), want: []string{"info absent-program: its package tool is not installed", "not judged: its package tool is not installed", "ends"}},
	{part: "typical", text: "exit 2 # tool", by: onEcho(said(1, "", "Cannot find package 'tool'")), want: []string{"error absent-package: its package tool is not installed, and nothing declares it", "not judged: its package tool is not installed", "ends"}},
	{part: "typical", text: "# needs tool\nexit 2", by: onEcho(said(1, "", "Cannot find package 'tool'")), want: []string{
		"info absent-program: its package tool is not installed", "warning fails-open: until its package tool is installed it cannot start, and everything is let through", "not judged: its package tool is not installed", "ends",
	}},
	{part: "typical", text: "# needs tool\nexit 2", hook: after, by: typicalOf("PostToolUse", suites.Result{Exit: 1, Stderr: []byte("Cannot find package 'tool'")}), want: []string{"info absent-program: its package tool is not installed", "not judged: its package tool is not installed", "ends"}},

	{part: "typical", tree: project, by: onEcho(said(2, "", "python3: can't open file '/p/x.py': [Errno 2] No such file or directory")), want: []string{"error script-missing: x.py does not exist", "ends"}},
	{part: "typical", tree: project, by: onEcho(said(2, "", "python3: can't open file '/tmp/home/.claude/x.py': [Errno 2] No such file or directory")), want: []string{"error script-missing: x.py does not exist", "ends"}},
	{part: "typical", tree: Tree{Root: "/copy", At: "/p"}, by: onEcho(said(2, "", "python3: can't open file '/p/x.py': [Errno 2] No such file or directory")), want: []string{"error script-missing: x.py does not exist", "ends"}},
	{part: "typical", tree: project, by: onEcho(said(1, "", "Error: Cannot find module './dist/x'")), want: []string{"info script-missing: dist/x does not exist: it is built or installed first, it seems", "ends"}},
	{part: "typical", tree: project, by: map[string][]fired{"typical": {echo.with(crashes), echo.with(said(1, "", "Error: Cannot find module './dist/x'"))}}, want: []string{"error crash: exit 1: " + unbound + " <- echo hello", "ends"}},
	{part: "typical", tree: project, by: map[string][]fired{"typical": {echo.with(crashes), echo.with(said(1, "", "Error: Cannot find module './x'"))}}, want: []string{"error crash: exit 1: " + unbound + " <- echo hello", "error script-missing: x does not exist", "ends"}},
	{part: "typical", tree: project, by: onEcho(said(2, "", "python3: can't open file '/gone/x.py': [Errno 2] No such file or directory")), want: []string{"info script-missing: /gone/x.py is not there: it is outside of what is checked", "not judged: /gone/x.py is not there", "ends"}},
	{part: "typical", tree: project, by: onEcho(said(2, "", "python3: can't open file '../x.py': [Errno 2] No such file or directory")), want: []string{"info script-missing: ../x.py is not there: it is outside of what is checked", "not judged: ../x.py is not there", "ends"}},
	{part: "typical", tree: project, by: onEcho(said(2, "", "sh: can't open file '/bin/sh'")), want: []string{"info script-missing: /bin/sh is not there: it is in a directory that is private to each hook here, and empty", "not judged: /bin/sh is not there", "ends"}},
	{part: "typical", tree: Tree{Root: "."}, by: onEcho(said(2, "", "python3: can't open file 'absent.go'")), want: []string{"info script-missing: absent.go is not there: the hook looks for it in another directory", "not judged: absent.go is not there", "ends"}},
	{part: "typical", tree: project, hidden: []string{"~/.config/x"}, by: onEcho(said(2, "", "cat: can't open '/home/u/.config/x'")), want: []string{"not judged: /home/u/.config/x is hidden from hooks here", "ends"}},
	{part: "typical", tree: Tree{Root: "/p q"}, by: onEcho(said(127, "", "sh: 1: /p: not found")), want: []string{"not judged: the shell takes a path with a space in it apart", "ends"}},
	{part: "typical", tree: project, hook: running("python3 %CLAUDE_PROJECT_DIR%/x.py"), by: onEcho(said(2, "", "python3: can't open file '%CLAUDE_PROJECT_DIR%/x.py'")), want: []string{"not judged: its command names a variable that shells do not know", "ends"}},
	{part: "typical", tree: project, hook: running(`"${CLAUDE_PLUGIN_ROOT}"/x.sh`), by: onEcho(said(127, "", "sh: 1: /x.sh: not found")), want: []string{"not judged: it names a directory of another machine or project", "ends"}},
	{part: "typical", tree: project, hook: discover.Hook{Event: "PreToolUse", Matcher: "Bash", Scope: discover.InUser, Command: "/gone/x.sh"}, by: onEcho(said(127, "", "sh: 1: /gone/x.sh: not found")), want: []string{"error script-missing: /gone/x.sh does not exist", "ends"}},
	{part: "typical", tree: project, hook: discover.Hook{Event: "PreToolUse", Matcher: "Bash", Scope: discover.InUser, Command: "y.sh"}, by: onEcho(said(127, "", "sh: 1: /gone/x.sh: not found")), want: []string{"info script-missing: /gone/x.sh is not there: it is outside of what is checked", "not judged: /gone/x.sh is not there", "ends"}},

	{part: "typical", text: "jq .", lacks: "jq", by: onEcho(said(1, "", "no"))}, // it is fired again with jq
	{part: "typical", text: "jq .", lacks: "jq", by: onEcho(said(0, "", unbound))},
	{part: "equipped", text: "jq .", lacks: "jq", by: map[string][]fired{"typical": {echo.with(suites.Result{Exit: 1})}, "equipped": {noted(echo, "jq").with(passes), noted(echo, "jq").with(passes)}}, want: []string{"info absent-program: jq is not on this machine", "not judged: jq is not on this machine", "ends"}},
	{part: "equipped", text: "jq .; rg .", lacks: "jq rg", by: map[string][]fired{"typical": {echo.with(suites.Result{Exit: 1})}, "equipped": {
		noted(echo, "jq").with(suites.Result{Exit: 1}), noted(echo, "rg").with(suites.Result{Exit: 1}), noted(echo, "jq rg").with(suites.Result{Files: map[string][]byte{lookedUp + "rg": nil}}),
	}}, want: []string{"info absent-program: rg is not on this machine", "not judged: rg is not on this machine", "ends"}},
	{part: "equipped", text: "jq .", lacks: "jq", by: map[string][]fired{"typical": {echo.with(crashes)}, "equipped": {noted(echo, "jq").with(crashes), noted(echo, "jq").with(crashes)}}, want: []string{"error crash: exit 1: " + unbound + " <- echo hello"}},
	{part: "equipped", text: "jq .", lacks: "jq", by: map[string][]fired{"typical": {echo.with(passes), writeEnv.with(crashes)}, "equipped": {noted(writeEnv, "jq").with(crashes), noted(writeEnv, "jq").with(crashes)}}, want: []string{"error crash: exit 1: " + unbound + " <- Write .env"}},
	{part: "equipped", text: "jq .", lacks: "jq", by: map[string][]fired{"typical": {echo.with(crashes), writeEnv.with(crashes)}, "equipped": {noted(echo, "jq").with(crashes), noted(echo, "jq").with(crashes), noted(writeEnv, "jq").with(passes), noted(writeEnv, "jq").with(passes)}}, want: []string{
		"error crash: exit 1: " + unbound + " <- echo hello", "info absent-program: jq is not on this machine", "not judged: jq is not on this machine", "ends",
	}},
	{part: "equipped", text: "jq .", by: map[string][]fired{"typical": {echo.with(crashes)}}},

	{part: "ruled", by: at("ruled", noted(echo, ruled).with(rewriting("rtk git push example"))), want: []string{"error rewrite-hides-rule: " + ruled + ", and the hook makes rtk git push example of it, which the rule does not match <- echo hello"}},
	{part: "ruled", by: at("ruled", noted(echo, ruled).with(rewriting("nice -n 5 git push example")))},
	{part: "ruled", by: at("ruled", noted(echo, ruled).with(rewriting("cd x && git push example")))},
	{part: "ruled", by: at("ruled", noted(echo, ruled).with(rewriting("")))},
	{part: "ruled", by: at("ruled", noted(echo, ruled).with(suites.Result{Effect: suites.Proceeds, Stdout: rewriting("rtk x").Stdout}))},
	{part: "again", hook: ready, by: map[string][]fired{"typical": {firing{event: "Stop"}.with(goesOn)}, "again": {firing{event: "Stop"}.with(goesOn)}}, want: []string{"warning stop-loop: it holds up the stop, and the next one with stop_hook_active too"}},
	{part: "again", hook: ready, by: map[string][]fired{"typical": {firing{event: "Stop"}.with(goesOn)}, "again": {firing{event: "Stop"}.with(passes)}}},
	{part: "again", hook: ready, by: map[string][]fired{"typical": {firing{event: "Stop"}.with(goesOn)}, "again": {firing{event: "Stop"}.with(suites.Result{Effect: suites.AnotherTurn, EffectRule: string(client.TimedOut)})}}},
	{part: "again", hook: ready, by: map[string][]fired{"typical": {firing{event: "Stop"}.with(goesOn)}, "again": {firing{event: "Stop"}.with(as("Stop", suites.Result{Stdout: []byte(`{"decision":"block","reason":"go on"}`)}))}}, want: []string{"warning stop-loop: it holds up the stop, and the next one with stop_hook_active too"}},
	{part: "again", hook: ready, by: map[string][]fired{"typical": {firing{event: "Stop"}.with(suites.Result{Effect: suites.AnotherTurn, EffectRule: string(client.TimedOut)})}, "again": {firing{event: "Stop"}.with(goesOn)}}},

	{part: "varied", by: at("varied", noted(echo, "a text").with(crashes)), want: []string{"warning crash: exit 1: " + unbound + " <- a text"}},
	{part: "varied", by: at("varied", noted(echo, "a text").with(passes))},
	{part: "varied", by: at("varied", noted(echo, "a text").with(suites.Result{Files: map[string][]byte{executedAt[1]: nil}})), want: []string{"error executes-input: it runs a part of its input as a command <- a text"}},
	{part: "varied", by: at("varied", noted(echo, "a text").with(suites.Result{Files: map[string][]byte{pace.Slept: nil}}))},
	{part: "varied", by: at("varied", noted(echo, "a text").with(timeout)), want: []string{"warning timed-out: it had not ended after 30s <- a text"}},
	{part: "varied", by: at("varied", noted(echo, "a text of 200 KB").with(suites.Result{Exit: 1, Stderr: []byte("x.sh: line 3: /usr/bin/jq: Argument list too long")})), want: []string{
		"warning crash: a long input is too long for an argument or the environment: exit 1: x.sh: line 3: /usr/bin/jq: Argument list too long <- a text of 200 KB",
	}},
	{part: "varied", by: at("varied", noted(echo, "a text").with(said(1, "", "no"))), want: []string{"warning exit-code-not-2: exit code 1 is not 2; it blocks nothing and the model sees nothing <- a text"}},
	{part: "varied", by: at("varied", noted(echo, "a text").with(said(0, "", "no")))}, // no hook is meant to stop it

	{part: "named", by: at("named", noted(rm, "0").with(passes)), want: []string{"error let-through at .hookwatch.yaml:2: it lets rm -rf / through: "}},
	{part: "named", by: at("named", noted(rm, "0").with(said(0, "", ""))), want: []string{"error let-through at .hookwatch.yaml:2: it lets rm -rf / through: exit code 0 without output"}},
	{part: "named", by: at("named", noted(rm, "0").with(denies))},
	{part: "named", text: "jq .", lacks: "jq", by: map[string][]fired{"named": {noted(rm, "0").with(passes)}, "absent": {echo.with(suites.Result{Files: map[string][]byte{lookedUp + "jq": nil}})}}, want: []string{"info absent-program: jq is not on this machine", "not judged: jq is not on this machine", "ends"}},
	{part: "named", text: "jq .", lacks: "jq", by: map[string][]fired{"named": {noted(rm, "0").with(passes)}, "absent": {echo.with(passes)}}, want: []string{"error let-through at .hookwatch.yaml:2: it lets rm -rf / through: "}},
	{part: "harmless", by: at("harmless", echo.with(denies), later(echo.with(denies))), want: []string{"warning blocks-everything: it denies echo hello"}},
	{part: "harmless", by: at("harmless", echo.with(denies), later(echo.with(passes))), want: []string{"info blocks-everything: it denies echo hello once, and lets the same call through after that"}},
	{part: "harmless", by: at("harmless", writeEnv.with(denies), later(writeEnv.with(denies))), want: []string{"info blocks-everything: it denies Write .env"}},
	{part: "harmless", by: at("harmless", echo.with(denies))},

	{part: "search", by: at("search", rm.with(crashes)), want: []string{"warning crash: exit 1: " + unbound + " <- rm -rf /"}},
	{part: "search", by: at("search", rm.with(timeout))},
	{part: "search", by: at("search", rm.with(suites.Result{NotStarted: "no", Exit: 1, Stderr: []byte(unbound)}))},
	{part: "search", by: at("search", rm.with(said(1, "", "x.sh: line 3: jq: command not found")))},
	{part: "search", by: at("search", rm.with(said(1, "", unbound))), want: []string{"warning crash: exit 1: " + unbound + " <- rm -rf /"}},
	{part: "search", by: at("search", rm.with(suites.Result{TimedOut: true, Exit: 1, Stderr: []byte(unbound)}))},
	{part: "search", by: at("search", rm.with(said(0, "", `{"decision":"block"}`))), want: []string{"warning stderr-dropped: exit code 0 without output; stderr is dropped <- rm -rf /"}},
	{part: "search", by: at("search", rm.with(said(0, `{"allowed":false}`, ""))), want: []string{"error unknown-keys: the client does not know allowed and drops it silently <- rm -rf /"}},
	{part: "search", by: map[string][]fired{"typical": {echo.with(said(0, `{"allowed":false}`, ""))}, "search": {rm.with(said(0, `{"allowed":false}`, ""))}}, want: []string{"warning unknown-keys: the client does not know allowed and drops it silently <- rm -rf /"}},
	{part: "search", hook: after, by: map[string][]fired{"typical": {echo.with(passes)}, "search": {firing{event: "PostToolUse", tool: "Bash", command: "rm"}.with(as("PostToolUse", suites.Result{Stdout: []byte(`{"allowed":false}`)}))}}, want: []string{"warning unknown-keys: the client does not know allowed and drops it silently <- rm"}},
	{part: "search", by: at("search", rm.with(said(0, "", "x.sh: line 3: jq: command not found"))), want: []string{"warning stderr-dropped: exit code 0 without output; stderr is dropped <- rm -rf /"}},
	{part: "search", hook: after, by: at("search", rm.with(late), rm.with(late)), want: []string{"warning late-refusal: it says that it stops the call, which has run <- rm -rf /"}},
	{part: "search", hook: after, by: at("search", writeEnv.with(late))},
	{part: "search", hook: after, by: at("search", rm.with(suites.Result{Effect: suites.ShownToModel, Exit: 2, Stderr: []byte("see the block below")}))},
	{part: "search", by: at("search", rm.with(said(1, "", "not allowed"))), want: []string{"error exit-code-not-2: exit code 1 is not 2; it blocks nothing and the model sees nothing <- rm -rf /"}},
	{part: "search", by: map[string][]fired{"typical": {writeEnv.with(passes)}, "search": {rm.with(said(1, "", "not allowed"))}}, want: []string{"warning exit-code-not-2: exit code 1 is not 2; it blocks nothing and the model sees nothing <- rm -rf /"}}, // not compared with another tool's
	{part: "search", by: at("search", rm.with(said(2, "no", ""))), want: []string{"warning reason-on-stdout: exit 2 with nothing on stderr, for rm -rf /"}},
	{part: "search", by: at("search", rm.with(said(2, "", "")))},
	{part: "search", by: at("search", rm.with(said(2, "no", "why")))},
	{part: "search", by: at("search", rm.with(suites.Result{Effect: suites.Denied, Exit: 2, Stderr: []byte("blocked")}))},
	{part: "search", by: at("search", rm.with(denies), rm.with(said(2, "no", "")))},
	{part: "search", by: at("search", rm.with(suites.Result{Effect: suites.Rewritten, Stdout: []byte(`{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"description":"a"}}}`)})), want: []string{"warning drops-input: updatedInput leaves out command"}},
	{part: "search", by: at("search", rm.with(said(0, denial+"}}", ""))), want: []string{"warning no-reason: it denies rm -rf / without a reason"}},
	{part: "search", by: at("search", rm.with(said(0, denial+`,"permissionDecisionReason":"no"}}`, "")))},
	{part: "search", by: at("search", rm.with(said(0, denial+`,"permissionDecisionReason":"`+client.NoReason+`"}}`, "")))},
	{part: "search", by: stopsRm},

	{part: "poorer", text: "jq -r .tool_input.command", by: stopping("poorer", without("jq", "without jq, rm -rf / is let through", passes)), want: []string{"warning fails-open: without jq, rm -rf / is let through"}},
	{part: "poorer", by: stopping("poorer", without("jq", "", denies))},
	{part: "poorer", by: stopping("poorer", without("jq", "", timeout))},
	{part: "poorer", by: stopping("poorer", without("jq", "", suites.Result{NotStarted: "no"}))},
	{part: "poorer", hook: running("python3 x.py"), text: "python3 x.py ", by: stopsRm, want: []string{"info fails-open: without python3 it cannot start, and everything is let through"}},
	{part: "poorer", hook: running("python3 x.py"), text: "python3 x.py ", lacks: "python3", by: stopsRm},
	{part: "poorer", hook: running("python3 x.py"), text: "python3 x.py ", by: at("search", rm.with(passes))},
	{part: "poorer", hook: discover.Hook{Event: "PreToolUse", Command: "python3 x.py", Entry: client.Entry{OnFailure: "block"}}, text: "python3 x.py ", by: stopsRm},
	{part: "cut", by: stopping("cut", rm.with(passes)), want: []string{"info fails-open: rm -rf / is let through when its input is cut short"}},
	{part: "cut", by: stopping("cut", rm.with(denies))},
	{part: "other tools", hook: writers, by: map[string][]fired{"search": {writeKey.with(denies)}, "other tools": {by("Edit", writeKey).with(passes)}}, want: []string{
		"warning unread-tool: Write of key is stopped, the same by Edit is not: the hook does not read tool_input.new_string <- Edit of key",
	}},
	{part: "other tools", hook: writers, by: map[string][]fired{"search": {writeEnv.with(denies)}, "other tools": {by("NotebookEdit", writeEnv).with(passes)}}, want: []string{
		"warning unread-tool: Write .env is stopped, the same by NotebookEdit is not: the hook does not read tool_input.notebook_path <- NotebookEdit .env",
	}},
	{part: "other tools", hook: writers, by: map[string][]fired{"search": {writeKey.with(denies)}, "other tools": {by("Edit", writeKey).with(denies)}}},
	{part: "other tools", hook: writers, by: map[string][]fired{"search": {writeKey.with(denies)}, "other tools": {noted(writeKey, "NotebookEdit").with(denies)}}, want: []string{
		"warning uncovered-tool: Write of key is stopped, and matcher \"Edit|Write\" leaves out NotebookEdit, which writes the same text as tool_input.new_source <- Write of key",
	}},
	{part: "other tools", hook: writers, by: map[string][]fired{"search": {writeKey.with(denies)}, "other tools": {noted(writeKey, "NotebookEdit").with(passes)}}},
	{part: "alike", by: stopping("alike", noted(joined, "rm -rf /").with(denies), noted(echo, "git push").with(passes)), want: []string{"warning bypass: git push is stopped, echo hello is not"}},
	{part: "alike", by: stopping("alike", noted(joined, "rm -rf /").with(passes), noted(echo, "git push").with(passes))}, // the search for ways around it finds that
	{part: "alike", by: stopping("alike", noted(joined, "rm -rf /").with(denies), noted(echo, "git push").with(denies))},
	{part: "mention", by: stopping("mention", echo.with(denies), noted(rm, "remark").with(denies)), want: []string{"info false-alarm: it stops echo hello"}},
	{part: "mention", by: stopping("mention", echo.with(passes), noted(rm, "remark").with(denies))},
	{part: "mention", by: map[string][]fired{"search": {firing{event: "PreToolUse", tool: "Bash", command: "git commit -m x"}.with(denies)}, "mention": {echo.with(denies), noted(rm, "plain").with(denies)}}}, // it stops each commit
	{part: "ordinary", by: stopping("ordinary", echo.with(passes))},
	{part: "ordinary", by: stopping("ordinary", echo.with(denies)), want: []string{"info false-alarm: it stops echo hello"}}, // it may want another tool to be used
	{part: "ordinary", by: stopping("ordinary", echo.with(suites.Result{Effect: suites.Denied, Exit: 2, ModelSees: []string{"echo hello reads secrets"}})), want: []string{"warning false-alarm: it stops echo hello"}},
	{part: "ordinary", by: stopping("ordinary", echo.with(suites.Result{Effect: suites.Denied, Exit: 2, Stdout: []byte("a credential"), ModelSees: []string{"No stderr output"}})), want: []string{"warning false-alarm: it stops echo hello"}},
	{part: "ordinary", by: stopping("ordinary", firing{event: "PreToolUse", tool: "Bash", command: "cat secrets"}.with(suites.Result{Effect: suites.Denied, Exit: 2, Stdout: []byte("not cat secrets")})), want: []string{"info false-alarm: it stops cat secrets"}},
	{part: "disguised", by: stopping("disguised", noted(rm, "let through").with(passes)), want: []string{"warning fails-open: let through"}},
	{part: "disguised", by: stopping("disguised", noted(rm, "let through").with(denies))},

	{part: "decisions", text: "exit 2", by: at("search", rm.with(passes)), want: []string{"info no-deny: none of the inputs that guards stop was stopped"}},
	{part: "decisions", text: "echo", by: at("search", rm.with(passes))},
	{part: "decisions", text: "exit 2", hook: after, by: at("search", rm.with(passes))},
	{part: "decisions", text: "exit 2", by: stopsRm},
	{part: "decisions", text: "exit 2", by: onEcho(denies)}, // no such input was tried
	{part: "decisions", text: "exit 2", by: at("named", rm.with(denies))},
	{part: "decisions", text: "exit 2", by: map[string][]fired{}},
	{part: "decisions", text: "exit 2", by: onEcho(suites.Result{Effect: suites.Proceeds, EffectRule: string(client.Background)})},
	{part: "decisions", text: "exit 2", by: onEcho(passes), known: FindingOf("crash", "h", settings, "x"), want: []string{"error crash: x"}},
	{part: "decisions", text: "exit 2", by: onEcho(passes), known: FindingOf("let-through", "h", settings, "x", suites.Warning), want: []string{"warning let-through: x"}},
	{part: "decisions", text: "exit 2", by: onEcho(passes), known: FindingOf("slow", "h", settings, "x"), want: []string{"info slow: x", "info no-deny: none of the inputs that guards stop was stopped"}},
	{part: "decisions", text: "exit 2; jq .", lacks: "jq", by: map[string][]fired{"typical": {echo.with(passes)}, "absent": {echo.with(suites.Result{Files: map[string][]byte{lookedUp + "jq": nil}})}}, want: []string{"info absent-program: jq is not on this machine", "not judged: jq is not on this machine"}},
	{part: "decisions", of: unstarted, by: map[string][]fired{"typical": {echo.with(fails)}, "search": {rm.with(fails)}}, want: []string{
		"error exit-code-not-2: it stops nothing: it ends with 49 and prints nothing, whatever the input, and no statement of guard.sh is seen to run",
	}},
	{part: "decisions", of: failing, by: map[string][]fired{"typical": {echo.with(fails)}, "search": {rm.with(fails)}}, want: []string{"error exit-code-not-2: it stops nothing: it ends with 49 and prints nothing, whatever the input"}},
	{part: "decisions", of: unstarted, by: map[string][]fired{"typical": {echo.with(fails)}, "search": {rm.with(denies)}}},
	{part: "decisions", of: unstarted, by: map[string][]fired{"typical": {echo.with(fails)}, "search": {rm.with(said(48, "", ""))}}},
	{part: "decisions", of: unstarted, by: onEcho(said(49, "", "no"))},
	{part: "decisions", of: unstarted, text: "jq .", lacks: "jq", by: onEcho(fails)},
	{part: "decisions", of: &exploration{}, by: onEcho(fails)},
	{part: "decisions", of: waiting, by: map[string][]fired{"typical": {echo.with(fails)}, "search": {rm.with(fails)}}},
	{part: "decisions", hook: after, of: unstarted, by: onEcho(fails)},
	{part: "decisions", of: &exploration{errors: []explore.Failure{{What: "open: No such device or address: '/dev/stdin'"}}}, by: onEcho(suites.Result{Effect: suites.Proceeds, StdinUnread: true}), want: []string{"error stream-path: it opens /dev/stdin, which fails: the client's stdin is a socket, which no path opens"}},
}

// explored are findings of parts that other tests show, because they need a tree, or the record of an exploration.
var explored = []string{
	"typical fails-open", "named absent-program", "decisions absent-program", "changed unset-variable", "changed unknown-field",
	"decisions unknown-field", "decisions misread-pattern", "decisions misnamed-tool", "decisions constant-condition", "decisions inverted-condition", "decisions misnamed-file", "decisions misspelt-word",
	"decisions unreached", "decisions swallowed-error", "decisions ineffective",
}

// TestParts checks the findings of each part of an inspection, by results. Each part that judges has a row.
func TestParts(t *testing.T) {
	t.Parallel()
	for i, tt := range judgements {
		j := tt.judge(tt.results())
		var got []string
		for _, f := range j.findings {
			got = append(got, show(f))
			if f.Rule != tt.known.Rule && !client.Kind(f.Rule).Loses() && !slices.Contains(findsOf[tt.part], f.Rule) {
				t.Errorf("%d: %s finds %s, which it does not name", i, tt.part, f.Rule)
			}
		}
		if j.absent != "" {
			got = append(got, "not judged: "+j.absent)
		}
		if j.ends {
			got = append(got, "ends")
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%d, %s: %q, want %q", i, tt.part, got, tt.want)
		}
	}
	for _, p := range parts {
		for _, id := range findsOf[p.name] {
			finds := func(tt judged) bool {
				return tt.part == p.name && slices.ContainsFunc(tt.want, func(w string) bool { return strings.Contains(w, " "+id+":") || strings.Contains(w, " "+id+" at ") })
			}
			if !slices.ContainsFunc(judgements, finds) && !slices.Contains(explored, p.name+" "+id) {
				t.Errorf("no row shows that %s finds %s", p.name, id)
			}
		}
		if judges := p.judge != nil || p.conclude != nil; judges && p.name != "changed" && !slices.ContainsFunc(judgements, func(tt judged) bool { return tt.part == p.name && len(tt.want) > 0 }) {
			t.Errorf("no row shows what %s finds", p.name)
		}
	}
}

// TestAdvice checks the effects, the remedies and the output that findings have of their own.
func TestAdvice(t *testing.T) {
	t.Parallel()
	for i, tt := range []struct {
		judged
		effect, remedy, printed string // beginnings
	}{
		{judged{part: "harmless", by: at("harmless", later(echo.with(passes)))}, "the agent has to make its first call again", "", ""},
		{judged{part: "typical", by: typicalOf("WorktreeCreate", suites.Result{Exit: 1}), hook: only("WorktreeCreate", "")}, "WorktreeCreate fails when", "correct what fails", ""},
		{judged{part: "typical", by: typicalOf("WorktreeCreate", suites.Result{}), hook: only("WorktreeCreate", "")}, "", "Print the directory's path and nothing else.", ""},
		{judged{part: "typical", by: onEcho(crashes)}, "the call proceeds and the model sees nothing", "correct the script", ""},
		{judged{part: "typical", by: onEcho(said(2, "", unbound))}, "exit code 2", "correct the script", ""},
		{judged{part: "varied", by: at("varied", echo.with(suites.Result{Exit: 1, Stderr: []byte("x: Argument list too long")}))}, "the call proceeds", "pass it on stdin", ""},
		{judged{part: "typical", by: onEcho(said(1, "", ""))}, "Treats every exit code", "Exit 0 if there is nothing to report.", ""},
		{judged{part: "search", by: at("search", rm.with(said(1, "", "not now")))}, "Treats every exit code", "Exit 2 to block", "not now"},
		{judged{part: "search", by: at("search", rm.with(said(0, "log {\"decision\":\"block\"}", "err")))}, "", "", `log {"decision":"block"}`},
		{judged{part: "typical", hook: only("PreCompact", ""), by: typicalOf("PreCompact", suites.Result{Stdout: []byte(`{"hookSpecificOutput":{"hookEventName":"PreCompact","additionalContext":"keep this"}}`)})}, "The model reads the JSON as text", "", ""},
		{judged{part: "paced", by: at("paced", echo.with(timeout))}, "Cancels the hook", "Make it faster, or raise", ""},
		{judged{part: "paced", hook: discover.Hook{Event: "PreToolUse", Timeout: time.Hour}, by: at("paced", echo.with(timeout))}, "the session waits, and if", "make it faster", ""},
		{judged{part: "paced", hook: discover.Hook{Event: "SessionStart"}, by: at("paced", firing{event: "SessionStart"}.with(timeout))}, "Cancels the hook and drops what it printed; the session starts.", "Make it faster, or raise its timeout (seconds).", ""},
		{judged{part: "varied", hook: discover.Hook{Event: "SessionStart"}, by: at("varied", firing{event: "SessionStart"}.with(timeout))}, "Cancels the hook and drops what it printed; the session starts.", "Make it faster, or raise its timeout (seconds).", ""},
		{judged{part: "decisions", of: unstarted, by: onEcho(fails)}, "", "start the command by hand", ""},
		{judged{part: "decisions", of: failing, by: onEcho(fails)}, "", "Exit 0 if there is nothing to report.", ""},
		{judged{part: "typical", text: "# tool\nexit 2", by: onEcho(said(1, "", "Cannot find package 'tool'"))}, "the call proceeds without a warning", "deny if the package cannot be loaded", ""},
		{judged{part: "search", hook: after, by: at("search", rm.with(late))}, "nothing is stopped", "register it for PreToolUse", "blocked"},
	} {
		found := tt.judge(tt.results()).findings
		if len(found) == 0 {
			t.Errorf("%d: no finding", i)
			continue
		}
		f := found[len(found)-1]
		if !strings.HasPrefix(f.Effect, tt.effect) || !strings.HasPrefix(f.Remedy, tt.remedy) || !strings.HasPrefix(f.Printed, tt.printed) {
			t.Errorf("%d: %s: %q, %q, %q", i, show(f), f.Effect, f.Remedy, f.Printed)
		}
	}
}

// TestStreams checks which messages show that a hook opened a stream by its path.
func TestStreams(t *testing.T) {
	t.Parallel()
	for stderr, want := range map[string]string{
		"cat: /dev/stdin: No such device or address\n":                         "it opens /dev/stdin",
		"Error: ENXIO: no such device or address, open '/dev/stdin'\n":         "it opens /dev/stdin",
		"OSError: [Errno 6] No such device or address: '/dev/stdin'":           "it opens /dev/stdin",
		"g.sh: line 3: /dev/stderr: No such device or address\n":               "it opens /dev/stderr",
		"sh: cannot create /dev/stdout: No such device or address":             "it opens /dev/stdout",
		"cat: /dev/stdin2: No such device or address":                          "",
		"cat: /dev/stdin: Permission denied\nother: No such device or address": "",
	} {
		j := &judgement{of: subject{hook: discover.Hook{ID: "h", Event: "PreToolUse"}}}
		j.judgeStreams(suites.Result{Stderr: []byte(stderr)})
		if output := strings.Contains(stderr, "stdout") || strings.Contains(stderr, "stderr"); len(j.findings) > 0 != output || output && j.findings[0].Severity != suites.Warning {
			t.Errorf("%q, and the input was read: %+v", stderr, j.findings)
		}
		j.findings = nil
		j.judgeStreams(suites.Result{Stderr: []byte(stderr), StdinUnread: true})
		if got := whats(j.findings); want == "" && len(got) > 0 || want != "" && (len(got) != 1 || !strings.HasPrefix(got[0], want)) {
			t.Errorf("%q: %q, want %q", stderr, got, want)
		}
	}
}

// TestChanged checks that a hook which does more with another field is told from one that does not.
func TestChanged(t *testing.T) {
	t.Parallel()
	h := discover.Hook{ID: "h", Event: "PreToolUse", Matcher: "Bash"}
	explored := func(a *alternative, effects ...suites.Effect) *exploration {
		x := newExplorationOf(h, a, "a.sh")
		for _, e := range effects {
			x.effects[e] = true
		}
		x.sent = []firing{echo}
		return x
	}
	base := explored(nil, suites.Proceeds)
	base.reads = append(base.reads, readOf("a.sh", 2, "tool_input.cmd"))
	field, variable := &alternative{name: "tool_input.cmd", meant: "tool_input.command"}, &alternative{variable: "CLAUDE_TOOL_INPUT"}
	for _, tt := range []struct {
		changed *exploration
		want    string
	}{
		{explored(field, suites.Proceeds), ""},
		{explored(field, suites.Proceeds, suites.Denied), "unknown-field a.sh reads tool_input.cmd; the client sends tool_input.command; if the field is sent, it has the effect denied"},
		{explored(variable, suites.Denied), "unset-variable it reads $CLAUDE_TOOL_INPUT, which is never set; if it is set, it has the effect denied"},
	} {
		j := &judgement{of: subject{hook: h}}
		judgeChanged(&results{subject: j.of, exploration: base, changed: []*exploration{tt.changed}}, j)
		var got []string
		for _, f := range j.findings {
			got = append(got, f.Rule+" "+f.What)
		}
		if strings.Join(got, ";") != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

// TestRemedyForRewrite checks the advice about a client that does not take a replaced input.
func TestRemedyForRewrite(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ client, event, want string }{
		{"codex", "PreToolUse", `print "permissionDecision": "allow"`},
		{"gemini", "BeforeTool", "give Gemini CLI a hook of its own"},
	} {
		c, _ := clients.ByName(tt.client)
		if got := remedyForRewrite(c, tt.event, rewriting("true")); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s: %s, want %s", tt.client, got, tt.want)
		}
	}
}

// findsOf are the rules of the findings of each part of an inspection, besides the client's about lost output.
var findsOf = map[string][]string{
	"paced":       strings.Fields("timed-out slow"),
	"typical":     strings.Fields("absent-program timed-out syntax-error crash blocks-everything reason-on-stdout long-output left-behind drops-input echoes-input script-missing absent-package fails-open"),
	"equipped":    strings.Fields("absent-program crash"),
	"ruled":       strings.Fields("rewrite-hides-rule"),
	"again":       strings.Fields("stop-loop"),
	"varied":      strings.Fields("executes-input crash timed-out"),
	"named":       strings.Fields("let-through absent-program"),
	"harmless":    strings.Fields("blocks-everything"),
	"search":      strings.Fields("late-refusal crash drops-input reason-on-stdout no-reason"),
	"changed":     strings.Fields("unset-variable unknown-field"),
	"poorer":      strings.Fields("fails-open"),
	"cut":         strings.Fields("fails-open"),
	"other tools": strings.Fields("uncovered-tool unread-tool"),
	"mention":     strings.Fields("false-alarm"),
	"ordinary":    strings.Fields("false-alarm"),
	"alike":       strings.Fields("bypass"),
	"disguised":   strings.Fields("fails-open"),
	"decisions":   strings.Fields("stream-path no-deny absent-program unknown-field misread-pattern misnamed-tool constant-condition inverted-condition misnamed-file misspelt-word unreached swallowed-error ineffective"),
}
