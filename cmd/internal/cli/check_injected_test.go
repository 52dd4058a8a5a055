package cli

import (
	"encoding/json"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hookwatch/suites"
	"hookwatch/suites/bench"
	"hookwatch/suites/check"
	"hookwatch/suites/check/rounds"
	"hookwatch/suites/process/testdata/processtest"
)

// A healthy project: a guard, a linter, a stop hook, and a session start; and the
// same as a plugin. Neither has a finding.
var healthy = map[string]string{
	".claude/settings.json": `{"hooks": {
  "PreToolUse": [{"matcher": "Bash|PowerShell", "hooks": [{"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/guard.sh", "timeout": 10}]}],
  "PostToolUse": [{"matcher": "Edit|Write", "hooks": [{"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/lint.sh"}]}],
  "Stop": [{"hooks": [{"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/stop.sh"}]}],
  "SessionStart": [{"matcher": "startup|resume", "hooks": [{"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/start.sh"}]}]
}}`,
	".claude/hooks/guard.sh": healthyGuard,
	".claude/hooks/lint.sh":  "#!/bin/bash\ninput=$(cat)\ncase $input in *bad_name*) echo 'bad name' >&2; exit 2 ;; esac\nexit 0\n",
	".claude/hooks/stop.sh":  "#!/bin/bash\ninput=$(cat)\ncase $input in *'\"stop_hook_active\":true'*) exit 0 ;; esac\nif [ -e \"$CLAUDE_PROJECT_DIR/unfinished\" ]; then echo 'finish it' >&2; exit 2; fi\n",
	".claude/hooks/start.sh": "#!/bin/bash\ncat >/dev/null\necho '{\"hookSpecificOutput\":{\"hookEventName\":\"SessionStart\",\"additionalContext\":\"hello\"}}'\n",
}

const guardFile = ".claude/hooks/guard.sh"

const healthyGuard = `#!/bin/bash
input=$(cat)
case $input in
` + mentioned + `*'rm -rf'*) echo 'rm -rf is not allowed' >&2; exit 2 ;;
esac
exit 0
`

// mentioned allows a commit message that mentions the stopped command.
const mentioned = "*'\"git commit '*) exit 0 ;;\n"

// asPlugin is a project as a plugin's tree.
func asPlugin(project map[string]string) map[string]string {
	out := map[string]string{".claude-plugin/plugin.json": `{"name": "guards", "version": "1.0.0"}`}
	for name, content := range project {
		name = strings.Replace(strings.Replace(name, ".claude/settings.json", "hooks/hooks.json", 1), ".claude/hooks/", "scripts/", 1)
		out[name] = strings.NewReplacer("CLAUDE_PROJECT_DIR", "CLAUDE_PLUGIN_ROOT", "/.claude/hooks/", "/scripts/").Replace(content)
	}
	if stop, ok := project[".claude/hooks/stop.sh"]; ok {
		out["scripts/stop.sh"] = stop // what it looks at is the project's
	}
	return out
}

// concerned returns a changed project without the hooks that are still healthy, except one if all
// are: check fires the guard a hundred times, and TestHealthy covers the project as it is.
func concerned(files map[string]string) map[string]string {
	const settings = ".claude/settings.json"
	files = maps.Clone(files)
	lines, before := strings.Split(files[settings], "\n"), strings.Split(healthy[settings], "\n")
	if len(lines) != len(before) {
		return files
	}
	end := len(lines) - 1
	kept := lines[:1:1]
	for i := 1; i < end; i++ { // a line for each hook
		_, base, _ := strings.Cut(before[i], "/.claude/hooks/")
		base, _, _ = strings.Cut(base, `"`)
		script := ".claude/hooks/" + base
		sick := lines[i] != before[i] || files[script] != healthy[script] || files[script+" mode"] != ""
		if sick || i == end-1 && len(kept) == 1 {
			kept = append(kept, lines[i])
		} else {
			delete(files, script)
		}
	}
	kept[len(kept)-1] = strings.TrimSuffix(kept[len(kept)-1], ",")
	files[settings] = strings.Join(append(kept, lines[end]), "\n")
	return files
}

// An injected failure is a change to the healthy project with the expected finding. The number is
// its rank among the ways in which hooks of real projects failed.
type injected struct {
	number   int
	name     string
	change   func(files map[string]string)
	rule     string // "" is out of reach without the client, or a second machine
	severity string
	not      string // why it is out of reach
	project  bool   // it cannot befall a plugin
}

func guardIs(text string) func(map[string]string) {
	return func(f map[string]string) { f[guardFile] = text }
}

func replaced(old, with string) func(map[string]string) {
	return func(f map[string]string) {
		const name = ".claude/settings.json"
		f[name] = strings.Replace(f[name], old, with, 1)
	}
}

func scriptIs(base, text string) func(map[string]string) {
	return func(f map[string]string) { f[".claude/hooks/"+base] = text }
}

const silentHook = "#!/bin/bash\ncat >/dev/null\n"

// misnaming speaks of the event that a field of the input names, if it names one.
func misnaming(field string) string {
	return "e=$(jq -r '." + field + " // empty')\n[ -n \"$e\" ] && echo '{\"systemMessage\":\"seen\"}'\nexit 0\n"
}

// unloaded ends as node does if a script loads a missing module.
func unloaded(module string) string {
	return "printf \"Error: Cannot find module '" + module + "'\\nRequire stack:\\n- $(dirname \"$0\")/start.sh\\n\" >&2\nexit 1\n"
}

// unheard prints context that the client drops, and heard context that it uses.
const (
	unheard = "echo '{\"hookSpecificOutput\":{\"additionalContext\":\"a\"}}'\n"
	heard   = "echo '{\"hookSpecificOutput\":{\"hookEventName\":\"SessionStart\",\"additionalContext\":\"a\"}}'\n"
)

// waiting lets the start of a session wait for longer than the client does.
func waiting(then string) func(map[string]string) {
	return func(f map[string]string) {
		replaced(`start.sh"}`, `start.sh", "timeout": 1}`)(f)
		scriptIs("start.sh", silentHook+"for i in {1..20}; do [ -e ready ] && break; sleep 1; done\n"+then)(f)
	}
}

var injections = []injected{
	{1, "deny exits with 1", guardIs(strings.Replace(healthyGuard, "exit 2", "exit 1", 1)), "exit-code-not-2", "error", "", false},
	{2, "without jq the guard allows", guardIs("#!/bin/bash\nc=$(jq -r .tool_input.command 2>/dev/null)\ncase $c in *'rm -rf'*) echo no >&2; exit 2 ;; esac\nexit 0\n"), "fails-open", "warning", "", false},
	{3, "the script is missing", func(f map[string]string) { delete(f, guardFile) }, "script-missing", "error", "", false},
	{4, "the script is not executable", func(f map[string]string) { f[guardFile+" mode"] = "0644" }, "script-not-executable", "error", "", false},
	{5, "an interpreter without its script", replaced(`\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/guard.sh`, `python3 \"$CLAUDE_PROJECT_DIR\"/.claude/hooks/gone.py`), "script-missing", "error", "", false},
	{6, "one entry drops the file", replaced(`"timeout": 10`, `"timeout": "10"`), "settings-dropped", "error", "", false},
	{7, "a matcher that is a permission rule", replaced(`"matcher": "Bash|PowerShell"`, `"matcher": "Bash(rm *)"`), "dead-matcher", "error", "", false},
	{7, "a matcher in lower case", replaced(`"matcher": "Bash|PowerShell"`, `"matcher": "bash"`), "dead-matcher", "error", "", false},
	{7, "an MCP server without its tools", replaced(`"matcher": "Bash|PowerShell"`, `"matcher": "mcp__github"`), "dead-matcher", "error", "", false},
	{8, "registered nowhere", func(f map[string]string) { f[".claude/hooks/other.sh"] = silentHook }, "unregistered-script", "info", "", true},
	{8, "registered nowhere, next to the hooks of a plugin", func(f map[string]string) { f["hooks/session-end.sh"] = silentHook }, "unregistered-script", "info", "", false},
	{8, "registered in a file that is not read", func(f map[string]string) {
		f[".claude/hooks.json"] = `{"hooks": {"Stop": []}}`
	}, "file-not-read", "error", "", false},
	{8, "registered in the form of a plugin's hooks, without a plugin", func(f map[string]string) {
		f["hooks/hooks.json"] = f[".claude/settings.json"]
		delete(f, ".claude/settings.json")
	}, "file-not-read", "warning", "", true},
	{9, "the name of a tool of the past", replaced(`"matcher": "Bash|PowerShell"`, `"matcher": "MultiEdit"`), "old-tool", "warning", "", false},
	{10, "a path without quotes", replaced(`\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/guard.sh`, `$CLAUDE_PROJECT_DIR/.claude/hooks/guard.sh`), "unquoted-path", "warning", "", false},
	{11, "a relative path", replaced(`\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/guard.sh`, `.claude/hooks/guard.sh`), "relative-path", "warning", "", false},
	{12, "text before the JSON", scriptIs("guard.sh", silentHook+"echo checking\necho '{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"deny\",\"permissionDecisionReason\":\"no\"}}'\n"), "text-dropped", "error", "", false},
	{13, "two JSON documents", scriptIs("start.sh", silentHook+"echo '{\"hookSpecificOutput\":{\"hookEventName\":\"SessionStart\",\"additionalContext\":\"a\"}}'\necho '{\"continue\":true}'\n"), "not-one-document", "warning", "", false},
	{14, "the right words in the wrong place", scriptIs("guard.sh", silentHook+"echo '{\"permissionDecision\":\"deny\"}'\n"), "unknown-keys", "error", "", false},
	{14, "no hookEventName", scriptIs("start.sh", silentHook+"echo '{\"hookSpecificOutput\":{\"additionalContext\":\"a\"}}'\n"), "no-event-name", "warning", "", false},
	{15, "it prints its input", scriptIs("lint.sh", "#!/bin/bash\ncat\n"), "echoes-input", "info", "", false},
	{16, "it reads a variable that is never set", scriptIs("lint.sh", silentHook+"echo \"$CLAUDE_TOOL_INPUT\" >/dev/null\n"), "unset-variable", "warning", "", false},
	{16, "it reads a field that is not sent", scriptIs("lint.sh", "#!/bin/bash\njq -r '.tool_output' >/dev/null\nexit 0\n"), "unknown-field", "warning", "", false},
	{16, "it reads the name of an agent, which is sent as its type", scriptIs("lint.sh", "#!/bin/bash\njq -r '.agent_name // empty' >/dev/null\nexit 0\n"), "unknown-field", "warning", "", false},
	{16, "it reads the event under a name of its own", scriptIs("lint.sh", "#!/bin/bash\n"+misnaming("hook_event")), "unknown-field", "warning", "", false},
	{16, "it reads a field by which it would go on", scriptIs("lint.sh", "#!/bin/bash\ncheck() { :; }\n[ \"$(jq -r .hook_event)\" = PostToolUse ] && check\nexit 0\n"), "unknown-field", "warning", "", false},
	{17, "a timeout in milliseconds", replaced(`"timeout": 10`, `"timeout": 10000`), "long-timeout", "warning", "", false},
	{0, "a guard that opens its input by a path", guardIs(strings.Replace(healthyGuard, "input=$(cat)", "input=$(cat /dev/stdin)", 1)), "stream-path", "error", "", false},
	{18, "a guard that hangs", guardIs(strings.Replace(healthyGuard, "input=$(cat)", "input=$(cat); sleep 60", 1)), "timed-out", "error", "", false},
	{20, "it waits for the end of a stdin that stays open", nil, "", "", "whether the client closes stdin is not established; probes close it", false},
	{21, "it does not read stdin", nil, "", "", "the client was observed to keep the decision of a hook that does not read 1 MB", false},
	{22, "a child keeps running", scriptIs("start.sh", silentHook+"sleep 30 >/dev/null 2>&1 &\necho hello\n"), "left-behind", "info", "", false},
	{22, "a child keeps the output open", scriptIs("start.sh", silentHook+"sleep 30 &\necho hello\n"), "left-behind", "warning", "", false},
	{0, "a rule that is the wrong way round", guardIs("#!/bin/bash\nc=$(jq -r .tool_input.command)\nif [[ $c != *'rm -rf'* ]]; then\n  echo no >&2\n  exit 2\nfi\nexit 0\n"), "blocks-everything", "warning", "", false},
	{0, "a pattern in quotes", guardIs(strings.Replace(healthyGuard, "case $input", "[[ $(jq -r .tool_input.command <<<\"$input\") == \"mkfs*\" ]] && exit 2\ncase $input", 1)), "misread-pattern", "warning", "", false},
	{0, "a rule that waits for another year", guardIs(strings.Replace(healthyGuard, "case $input", "[ \"$(date +%Y)\" = 1999 ] && exit 2\ncase $input", 1)), "unreached", "info", "", false},
	{0, "plain text for one input alone", guardIs(strings.Replace(healthyGuard, ">&2; exit 2", "; exit 0", 1)), "text-dropped", "warning", "", false},
	{0, "a message on stderr and exit 0", guardIs(strings.Replace(healthyGuard, "exit 2", "exit 0", 1)), "stderr-dropped", "warning", "", false},
	{0, "a deny that is cut off", guardIs("#!/bin/bash\ncase $(cat) in *'rm -rf'*) printf '{\"decision\": \"block\", \"reason\": \"no' ;; esac\nexit 0 # not 2\nexit 2\n"), "text-dropped", "error", "", false},
	{0, "a part of the input is run", guardIs("#!/bin/bash\nc=$(jq -r .tool_input.command)\neval \"x=\\\"$c\\\"\"\nexit 0\n"), "executes-input", "error", "", false},
	{0, "an empty alternative", replaced(`"matcher": "Bash|PowerShell"`, `"matcher": "Bash||PowerShell"`), "empty-alternative", "warning", "", false},
	{0, "the home directory of one user", replaced(`\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/guard.sh`, `/home/alice-of-nowhere/hooks/guard.sh`), "home-path", "error", "", true},
	{0, "it fails, and looks for a program that is absent", scriptIs("lint.sh", silentHook+"command -v nothing-of-the-kind >/dev/null && nothing-of-the-kind\necho 'Error: no' >&2\nexit 1\n"), "exit-code-not-2", "warning", "", false},
	{0, "an interpreter that starts no script", func(f map[string]string) {
		f[".claude/hooks/interpreter.sh"] = "#!/bin/sh\nexit 49\n"
		replaced(`\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/guard.sh`, `\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/interpreter.sh \"$CLAUDE_PROJECT_DIR\"/.claude/hooks/guard.sh`)(f)
	}, "exit-code-not-2", "error", "", false},
	{0, "it fails on a harmless input", guardIs("#!/bin/bash\nset -eo pipefail\ncat | grep -q 'no such text'\nexit 2\n"), "exit-code-not-2", "warning", "", false},
	{0, "every call is denied", guardIs(silentHook + "echo no >&2\nexit 2\n"), "blocks-everything", "warning", "", false},
	{14, "a decision in a format of its own", guardIs("#!/bin/bash\ncase $(cat) in\n*'rm -rf'*) echo '{\"proceed\":false,\"message\":\"Blocked\"}' ;;\n*) echo '{\"proceed\":true}' ;;\nesac\n"), "unknown-keys", "error", "", false},
	{14, "a block in a format of its own", guardIs("#!/bin/bash\ncase $(cat) in\n*'rm -rf'*) echo '{\"block\": true}' ;;\nesac\nexit 0\n"), "unknown-keys", "error", "", false},
	{14, "a rewritten command under a key of its own", guardIs("#!/bin/bash\ncase $(cat) in\n*'rm -rf'*) echo '{\"tool_input\":{\"command\":\"echo BLOCKED\"}}' ;;\nesac\nexit 0\n"), "unknown-keys", "error", "", false},
	{0, "it sleeps for a second", scriptIs("lint.sh", silentHook+"sleep 1.5\n"), "slow", "warning", "", false},
	{0, "it sleeps for a second in Python", scriptIs("lint.sh", "#!/usr/bin/env python3\nimport time\nfor _ in range(6):\n    time.sleep(0.25)\n"), "slow", "warning", "", false},
	{0, "it sleeps for a second in Node", scriptIs("lint.sh", "#!/usr/bin/env node\nrequire('util').promisify(setTimeout)(1500).then(() => process.exit(0));\n"), "slow", "warning", "", false},
	{24, "a mention is stopped", guardIs(strings.Replace(healthyGuard, mentioned, "", 1)), "false-alarm", "info", "", false},
	{25, "a tool that does the same is left out", replaced(`"PostToolUse": [{"matcher": "Edit|Write"`, `"PreToolUse": [{"matcher": "Edit|Write"`), "uncovered-tool", "info", "", false},
	{27, "quotes in the input end the deny", guardIs("#!/bin/bash\ninput=$(cat)\nc=${input#*\\\"command\\\":\\\"}; c=${c%%\\\"*}\ncase $input in *'\\\"'*) exit 0 ;; esac\ncase $c in *'rm -rf'*) echo no >&2; exit 2 ;; esac\n"), "fails-open", "warning", "", false},
	{30, "GNU's grep", scriptIs("lint.sh", silentHook+"grep -P 'a' /dev/null\nexit 0\n"), "not-portable", "info", "", false},
	{30, "a bash that macOS lacks", guardIs(strings.Replace(healthyGuard, "case $input", "mapfile -t lines <<<\"$input\"\ncase $input", 1)), "not-portable", "warning", "", false},
	{33, "CLAUDE_PROJECT_DIR is not set", nil, "", "", "the client sets it for every hook, and a command that names it would not start", false},
	{1, "on an input that is cut short the guard allows", guardIs(strings.Replace(healthyGuard, "input=$(cat)", "input=$(cat); [ \"${input: -1}\" = '}' ] || exit 0", 1)), "fails-open", "info", "", false},
	{27, "quotes in the input crash it", scriptIs("lint.sh", "#!/bin/bash\nset -u\ninput=$(cat)\ncase $input in *\"it's\"*) echo \"$NOT_SET_BY_ANYBODY\" ;; esac\n"), "crash", "warning", "", false},
	{29, "a long input crashes it", scriptIs("lint.sh", "#!/bin/bash\nset -u\ninput=$(cat)\nif [ ${#input} -gt 100000 ]; then echo \"$NOT_SET_BY_ANYBODY\"; fi\nexit 0\n"), "crash", "warning", "", false},
	{29, "a long input is too long for the environment", scriptIs("lint.sh", "#!/bin/bash\nset -e\ninput=$(cat)\nINPUT=\"$input\" python3 -c ''\n"), "crash", "warning", "", false},
	{28, "context made of text breaks on quotes", scriptIs("lint.sh", "#!/bin/bash\nc=$(jq -r '.tool_input.new_string // empty')\necho \"{\\\"hookSpecificOutput\\\":{\\\"hookEventName\\\":\\\"PostToolUse\\\",\\\"additionalContext\\\":\\\"wrote $c\\\"}}\"\n"), "not-one-document", "warning", "", false},
	{35, "backslashes in the path", replaced(`\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/guard.sh`, `.claude\\hooks\\guard.sh`), "backslash-path", "error", "", false},
	{37, "two hooks rewrite one input", func(f map[string]string) {
		rewrite := silentHook + "echo '{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"updatedInput\":{\"command\":\"true\"}}}'\n"
		guardIs(rewrite)(f)
		scriptIs("second.sh", rewrite)(f)
		replaced(`"timeout": 10}`, `"timeout": 10}, {"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/second.sh"}`)(f)
	}, "input-race", "warning", "", false},
	{19, "the stop hook ignores stop_hook_active", scriptIs("stop.sh", silentHook+"echo 'go on' >&2\nexit 2\n"), "stop-loop", "warning", "", false},
	{23, "a deny that other words get around", guardIs(strings.Replace(healthyGuard, "*'rm -rf'*)", "*'\"command\":\"rm -rf'*)", 1)), "bypass", "warning", "", false},
	{26, "exit 2 with the reason on stdout", guardIs(strings.Replace(healthyGuard, ">&2; exit 2", "; exit 2", 1)), "reason-on-stdout", "warning", "", false},
	{28, "JSON made of text breaks on quotes", guardIs("#!/bin/bash\nc=$(jq -r .tool_input.command)\ncase $c in *'rm -rf'*) echo \"{\\\"hookSpecificOutput\\\":{\\\"hookEventName\\\":\\\"PreToolUse\\\",\\\"permissionDecision\\\":\\\"deny\\\",\\\"permissionDecisionReason\\\":\\\"not $c\\\"}}\" ;; esac\n"), "fails-open", "warning", "", false},
	{29, "a long input ends the deny", guardIs("#!/bin/bash\nset -o pipefail\ninput=$(jq -r .tool_input.command)\nif printf '%s' \"$input\" | grep -q 'rm -rf'; then echo no >&2; exit 2; fi\nexit 0\n"), "fails-open", "warning", "", false},
	{31, "CRLF", func(f map[string]string) { f[guardFile] = strings.ReplaceAll(healthyGuard, "\n", "\r\n") }, "bad-interpreter", "error", "", false},
	{31, "a byte order mark", guardIs("\xef\xbb\xbf" + healthyGuard), "bad-interpreter", "error", "", false},
	{32, "a trailing comma in the settings", replaced(`"timeout": 10}`, `"timeout": 10,}`), "settings-dropped", "error", "", false},
	{34, "a variable in single quotes", replaced(`\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/guard.sh`, `'$CLAUDE_PROJECT_DIR/.claude/hooks/guard.sh'`), "variable-not-expanded", "error", "", false},
	{34, "a variable as cmd.exe has it", replaced(`\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/guard.sh`, `\"%CLAUDE_PROJECT_DIR%\"/.claude/hooks/guard.sh`), "variable-not-expanded", "error", "", false},
	{36, "more text than the model gets", scriptIs("start.sh", silentHook+"t=$(printf 'a%.0s' {1..12000})\necho \"{\\\"hookSpecificOutput\\\":{\\\"hookEventName\\\":\\\"SessionStart\\\",\\\"additionalContext\\\":\\\"$t\\\"}}\"\n"), "long-output", "warning", "", false},
	{38, "updatedInput without the other fields", guardIs(silentHook + "echo '{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"updatedInput\":{\"description\":\"a\"}}}'\n"), "drops-input", "warning", "", false},
	{39, "it runs claude", scriptIs("lint.sh", silentHook+"if false; then\n  claude -p hello\nfi\n"), "starts-client", "info", "", false},
	{40, "a matcher where there is none", replaced(`"Stop": [{`, `"Stop": [{"matcher": "Bash", `), "matcher-ignored", "info", "", false},
	{41, "every hook is turned off", replaced(`{"hooks"`, `{"disableAllHooks": true, "hooks"`), "hooks-disabled", "warning", "", true},
	{0, "a syntax error", guardIs(strings.Replace(healthyGuard, "\n", "\nif true; then\n", 1)), "syntax-error", "error", "", false},
	{0, "its last program fails", scriptIs("start.sh", silentHook+"sed -n 1p no-such-notes.md\n"), "crash", "warning", "", false},
	{0, "it means to block the start of a session", scriptIs("start.sh", silentHook+"echo 'not on this branch' >&2\nexit 2\n"), "exit-2-ignored", "error", "", false},
	{0, "it crashes on what the client sends", scriptIs("lint.sh", "#!/bin/bash\nset -u\necho \"$NOT_SET_BY_ANYBODY\"\n"), "crash", "error", "", false},
	{16, "a command reads a variable made of a field's name", replaced(`\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/lint.sh`, `if [[ \"$CLAUDE_TOOL_INPUT_FILE_PATH\" == *.py ]]; then true; fi`), "unset-variable", "error", "", false},
	{0, "a guard in the background", replaced(`"timeout": 10`, `"async": true`), "background-too-late", "error", "", false},
	{0, "a key that the client does not know", scriptIs("start.sh", silentHook+"echo '{\"chat\": \"a\"}'\n"), "unknown-keys", "warning", "", false},
	{0, "a file loads a missing one", scriptIs("start.sh", silentHook+unloaded("./session")), "script-missing", "error", "", false},
	{0, "its output at the end of its waiting", waiting(unheard), "no-event-name", "warning", "", false},
	{1, "a program that does not exist", guardIs("#!/bin/bash\nc=$(jqq -r .tool_input.command)\ncase $c in *'rm -rf'*) echo no >&2; exit 2 ;; esac\nexit 0\n"), "swallowed-error", "error", "", false},
	{1, "a guard in Python catches an error of its own", guardIs("#!/usr/bin/env python3\nimport json, sys\ntry:\n    command = json.load(sys.stdin)['tool_input'].get('command', '')\n    if re.search('rm -rf', command):\n        print('no', file=sys.stderr)\n        sys.exit(2)\nexcept Exception:\n    pass\n"), "swallowed-error", "warning", "", false},
	{1, "a guard in Node catches an error of its own", guardIs("#!/usr/bin/env node\ntry {\n  const d = JSON.parse(require('fs').readFileSync(0, 'utf8'));\n  if (/rm -rf/.tests(d.tool_input.command)) { console.error('no'); process.exitCode = 2; }\n} catch {}\n"), "swallowed-error", "warning", "", false},
	{1, "a guard in Node catches that a file of its own is gone", guardIs("#!/usr/bin/env node\ntry {\n  if (require('./rules.js').bad.test('rm -rf')) { process.exit(2); }\n} catch {}\n"), "swallowed-error", "warning", "", false},
	{1, "a guard in Python catches that its input has no path", guardIs("#!/usr/bin/env python3\nimport json, sys\ntry:\n    command = json.load(open('/dev/stdin'))['tool_input'].get('command', '')\nexcept Exception:\n    sys.exit(0)\nif 'rm -rf' in command:\n    print('no', file=sys.stderr)\n    sys.exit(2)\n"), "stream-path", "error", "", false},
	{1, "a guard in Node catches that its input has no path", guardIs("#!/usr/bin/env node\ntry {\n  const d = JSON.parse(require('fs').readFileSync('/dev/stdin', 'utf8'));\n  if (/rm -rf/.test(d.tool_input.command)) { console.error('no'); process.exitCode = 2; }\n} catch {}\n"), "stream-path", "error", "", false},
	{2, "a filter that does not compile, its message thrown away", guardIs("#!/bin/bash\nc=$(jq -r '.tool_input[\"command\"' 2>/dev/null)\ncase $c in *'rm -rf'*) echo no >&2; exit 2 ;; esac\nexit 0\n"), "swallowed-error", "warning", "", false},
	{9, "the tool's name in lower case in the script", guardIs("#!/bin/bash\ninput=$(cat)\n[ \"$(jq -r .tool_name <<<\"$input\")\" = \"bash\" ] || exit 0\ncase $input in *'rm -rf'*) echo no >&2; exit 2 ;; esac\nexit 0\n"), "misnamed-tool", "error", "", false},
	{16, "the text of one of two tools", func(files map[string]string) {
		replaced(`"Bash|PowerShell"`, `"Edit|Write"`)(files)
		guardIs("#!/bin/bash\ntext=$(jq -r '.tool_input.content // empty')\ncase $text in *AKIAIOSFODNN7EXAMPLE*) echo no >&2; exit 2 ;; esac\nexit 0\n")(files)
	}, "unread-tool", "warning", "", false},
	{16, "a part of the tool's input under another name", guardIs("#!/bin/bash\nc=$(jq -r '.tool_input.cmd // empty')\ncase $c in *'rm -rf'*) echo no >&2; exit 2 ;; esac\nexit 0\n"), "unknown-field", "warning", "", false},
	{16, "a variable that is never set, with a default value", guardIs("#!/bin/bash\nc=$(jq -r '.command // empty' <<<\"${CLAUDE_TOOL_INPUT:-null}\")\ncase $c in *'rm -rf'*) echo no >&2; exit 2 ;; esac\nexit 0\n"), "unset-variable", "error", "", false},
	{0, "a misspelt variable", guardIs(strings.Replace(healthyGuard, "case $input", "case $imput", 1)), "unreached", "warning", "", false},
	{0, "a condition that asks for two tools at once", func(files map[string]string) {
		replaced(`"Bash|PowerShell"`, `"Bash|Write"`)(files)
		guardIs(strings.Replace(healthyGuard, "case $input", "t=$(jq -r .tool_name <<<\"$input\")\nif [ \"$t\" = \"Write\" ] && [ \"$t\" = \"Edit\" ]; then\n  exit 2\nfi\ncase $input", 1))(files)
	}, "constant-condition", "warning", "", false},
	{0, "a guard that stops what its pattern does not match", guardIs("#!/bin/bash\nc=$(jq -r .tool_input.command)\n[[ $c == *'rm -rf'* ]] || { echo no >&2; exit 2; }\n"), "inverted-condition", "warning", "", false},
	{0, "an exit in a subshell", guardIs("#!/bin/bash\nc=$(jq -r .tool_input.command)\necho \"$c\" | while read -r line; do\n  case $line in *'rm -rf'*) exit 2 ;; esac\ndone\nexit 0\n"), "ineffective", "warning", "", false},
	{0, "a refusal of a command that has run", func(files map[string]string) {
		replaced(`"PostToolUse"`, `"PostToolUseFailure"`)(files)
		replaced(`"PreToolUse"`, `"PostToolUse"`)(files)
		guardIs("#!/bin/bash\nc=$(jq -r .tool_input.command)\ncase $c in *'rm -rf'*) echo blocked >&2; exit 2 ;; esac\n")(files)
	}, "late-refusal", "warning", "", false},
	{0, "a timeout that no interpreter keeps", replaced(`"timeout": 10`, `"timeout": 0.02`), "short-timeout", "warning", "", false},
	{40, "a condition where there is no tool", replaced(`stop.sh"}`, `stop.sh", "if": "Bash(git *)"}`), "dead-condition", "error", "", false},
	{40, "a condition of another tool than the matcher's", func(f map[string]string) {
		replaced(`"timeout": 10`, `"if": "PowerShell(git *)"`)(f)
		replaced(`"matcher": "Bash|PowerShell"`, `"matcher": "Bash"`)(f)
	}, "dead-condition", "error", "", false},
	{7, "a matcher that no change of the settings has", replaced(`"Stop": [{"hooks"`, `"ConfigChange": [{"matcher": "settings.json", "hooks"`), "dead-matcher", "error", "", false},
	{38, "updatedInput of Write alone", func(f map[string]string) {
		replaced(`"matcher": "Bash|PowerShell"`, `"matcher": "Bash|Edit|Write"`)(f)
		guardIs("#!/bin/bash\ncase $(cat) in *'\"Write\"'*) echo '{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"updatedInput\":{\"file_path\":\"/a\"}}}' ;; esac\nexit 0\n")(f)
	}, "drops-input", "warning", "", false},
	{0, "an event that there is not", replaced(`"Stop"`, `"AfterStop"`), "entry-ignored", "error", "", false},
}

// porous is the rule that holds for every guard that looks for a text, as the healthy one does.
const porous = "bypass"

// TestHealthy checks that healthy hooks have no findings, not even remarks, so that the findings of
// injected failures are due to these.
func TestHealthy(t *testing.T) {
	t.Parallel()
	for name, files := range map[string]map[string]string{"project": healthy, "plugin": asPlugin(healthy)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := checked(t, files)
			for _, f := range doc.Findings {
				if f.Rule != porous {
					t.Errorf("%s %s: %s", f.Severity, f.Rule, f.What)
				}
			}
			if len(doc.Hooks) != 4 {
				t.Errorf("%d hooks, want 4", len(doc.Hooks))
			}
			if !slices.ContainsFunc(doc.Hooks, func(h checkedHook) bool { return h.Denies != "" }) {
				t.Error("the guard was not seen to deny anything")
			}
		})
	}
}

// nearFailures are changes without a finding, or with a remark only.
var nearFailures = []struct {
	name   string
	change func(map[string]string)
	only   string // the one rule that may alarm
	denies bool   // the guard has to be seen to deny
}{
	{"an interpreter is named", replaced(`\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/guard.sh`, `python3 \"$CLAUDE_PROJECT_DIR\"/.claude/hooks/guard.sh`), "", true},
	{"the first line names an interpreter", guardIs("#!/usr/bin/env python3\n" + pythonGuard), "", true},
	{"a tool of another agent next to one of ours", replaced(`"matcher": "Bash|PowerShell"`, `"matcher": "Bash|exec_command"`), "", true},
	{"a session that never starts so", func(f map[string]string) {
		replaced(`"matcher": "startup|resume"`, `"matcher": "init"`)(f)
		scriptIs("start.sh", silentHook+"echo '{\"hookSpecificOutput\":{\"hookEventName\":\"Setup\"}}'\n")(f)
	}, "dead-matcher", true},
	{"a guard with many texts", guardIs("#!/bin/bash\n# " + strings.Repeat("word ", 9) + "\nX=('" + strings.Join(manyWords, "' '") + "')\n" + strings.TrimPrefix(healthyGuard, "#!/bin/bash\n")), "", true},
	{"a package that is not installed", scriptIs("start.sh", silentHook+unloaded("some-package")), "absent-package", true},
	{"a wait for what does not come", waiting(heard), "timed-out", true},
	{"a name of its own next to the client's", scriptIs("lint.sh", "#!/bin/bash\n"+misnaming("hook_event // .hook_event_name")), "", true},
	{"a field of its own", scriptIs("lint.sh", "#!/bin/bash\n"+misnaming("turn_id")), "", true},
	{"a tool that another matcher of the same command covers", replaced(`"PreToolUse": [{"matcher": "Bash|PowerShell"`, `"PreToolUse": [{"matcher": "PowerShell", "hooks": [{"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/guard.sh"}]}, {"matcher": "Bash"`), "", true},
	{"a percent sign in a command", replaced(`/.claude/hooks/guard.sh\"`, `/.claude/hooks/guard.sh\" %s`), "", true},
	{"an error that a guard catches before it stops what it is for", guardIs("#!/usr/bin/env python3\nimport os\ntry:\n    os.environ['NOT_SET_BY_ANYBODY']\nexcept KeyError:\n    pass\n" + pythonGuard), "", true},
	{"a filter that finds nothing", guardIs(strings.Replace(healthyGuard, "input=$(cat)", "input=$(cat); jq -e .no_such_field <<<\"$input\" >/dev/null 2>&1", 1)), "", true},
	{"a program that is absent and would ask a server", scriptIs("start.sh", silentHook+"nothing-of-the-kind http://127.0.0.1:6334/\n"), "", true},
	{"a stop is approved", scriptIs("stop.sh", silentHook+"echo '{\"decision\":\"approve\"}'\n"), "", true},
	{"a message of a program that cannot take a long input", scriptIs("lint.sh", "#!/bin/bash\ninput=$(cat)\n/bin/true \"$input\"\nexit 0\n"), "", true},
	{"a variable of the user's environment", guardIs(strings.Replace(healthyGuard, "input=$(cat)", "input=$(cat); [ \"$SKIP_MY_GUARD\" = 1 ] && exit 0", 1)), "", true},
	{"a rule in another module, behind more texts than are tried", func(f map[string]string) {
		replaced(`\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/guard.sh`, `python3 \"$CLAUDE_PROJECT_DIR\"/.claude/hooks/guard.py`)(f)
		delete(f, guardFile)
		f[".claude/hooks/guard.py"] = importingGuard
		f[".claude/hooks/lib/rules.py"] = "import re\ndef forbidden(command):\n    return re.search(r'git pu' + 'sh --for' + 'ce', command)\n"
	}, "", true},
	{"all that a condition lets through is stopped", func(f map[string]string) {
		replaced(`"timeout": 10`, `"if": "Bash(git commit:*)"`)(f)
		guardIs(silentHook + "echo 'use the release script' >&2\nexit 2\n")(f)
	}, "uncovered-tool", true},
	{"a guard behind a condition", func(f map[string]string) {
		replaced(`"timeout": 10`, `"if": "Bash(git push *)"`)(f)
		guardIs("#!/bin/bash\ncase $(cat) in\n*'git push --mirror'*) echo no >&2; exit 2 ;;\n*'git push'*) exit 0 ;;\nesac\necho 'called for something else' >&2\nexit 2\n")(f)
	}, "uncovered-tool", true},
	{"a gate that stops once per session", guardIs("#!/bin/bash\nseen=$HOME/.seen-$(jq -r .session_id)\n[ -e \"$seen\" ] && exit 0\n: >\"$seen\"\necho 'explain first' >&2\nexit 2\n"), "", false},
	{"a log that speaks of what it logs", guardIs(silentHook + "echo '{\"logged\":true,\"note\":\"blocked calls are logged: rm -rf\"}'\n"), "unknown-keys", false},
	{"a package that npm would fetch, named by a shell within the command", replaced(`\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/stop.sh`, `bash -lc 'npx -y some-linter hook:stop'`), "", true},
	{"a script in Node that installs packages", func(f map[string]string) {
		f["package.json"] = `{"dependencies": {"left-pad": "1.3.0"}}`
		f[".claude/hooks/install.cjs"] = "require('child_process').execSync('npm install', { stdio: 'pipe' });\n"
		replaced(`\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/start.sh`, `node \"$CLAUDE_PROJECT_DIR\"/.claude/hooks/install.cjs`)(f)
	}, "", true},
	{"a program with a time limit in Python", lintsOne("#!/usr/bin/env python3\nimport subprocess, threading, time\nthreading.Thread(target=lambda: time.sleep(9), daemon=True).start()\nsubprocess.run(['sh', '-c', '" + busy + "'], timeout=20)\nchild = subprocess.Popen(['sh', '-c', '" + busy + "'])\nwhile child.poll() is None:\n    time.sleep(0.1)\n"), "", true},
	{"a program with a time limit in Node", lintsOne("#!/usr/bin/env node\nconst child = require('child_process').spawn('tail', ['-f', '/dev/null']);\nconst limit = setTimeout(() => { child.kill(); process.exit(0); }, 1500);\nchild.on('close', () => clearTimeout(limit));\n"), "", true},
	{"a wait for a program in a shell", lintsOne(silentHook + "{ " + busy + "; } &\nwhile kill -0 $! 2>/dev/null; do sleep 0.1; done\n"), "", true},
	{"a wait until a time", scriptIs("lint.sh", silentHook+"end=$(($(date +%s) + 2))\nwhile [ $(date +%s) -lt $end ]; do sleep 0.5; done\n"), "slow", true},
	{"a program that a shell looks for in vain", scriptIs("lint.sh", silentHook+"command -v nothing-of-the-kind >/dev/null || { echo 'Error: it is not installed' >&2; exit 1; }\n"), "", true},
	{"a program that a shell looks for in vain, and denies without it", guardIs(strings.Replace(healthyGuard, "input=$(cat)", "input=$(cat); command -v nothing-of-the-kind >/dev/null || { echo 'install it' >&2; exit 2; }", 1)), "", false},
	{"a program that Node looks for in vain", scriptIs("lint.sh", "#!/usr/bin/env node\nconst r = require('child_process').spawnSync('nothing-of-the-kind', ['--version']);\nif (r.error || r.status !== 0) { console.error('Error: it is not installed'); process.exit(1); }\n"), "", true},
	{"a program that a script looks for whose name is not known", func(f map[string]string) {
		f["tools/find.sh"] = "#!/bin/sh\ncommand -v nothing-of-the-kind >/dev/null || { echo 'Error: Nothing-of-the-kind not found' >&2; exit 1; }\n"
		scriptIs("lint.sh", silentHook+"f=find; \"$CLAUDE_PROJECT_DIR/tools/$f.sh\"\n")(f)
	}, "", true},
	{"an exit that has nothing to do with a deny", guardIs(silentHook + "command -v nothing-of-the-kind >/dev/null || exit 0\nexit 1\n"), "", false},
}

// busy lasts for longer than check allows a hook to sleep, without a sleep and without work for the processor.
const busy = "timeout 1.2 tail -f /dev/null; true"

// lintsOne lets the linter hear of one tool instead of two, so that a slow one runs half as often.
func lintsOne(text string) func(map[string]string) {
	return func(f map[string]string) {
		replaced(`"matcher": "Edit|Write"`, `"matcher": "Write"`)(f)
		scriptIs("lint.sh", text)(f)
	}
}

const pythonGuard = `import json, re, sys
command = json.load(sys.stdin)["tool_input"].get("command", "")
if re.search(r"\brm\s+-rf\b", command):
    print("rm -rf is not allowed", file=sys.stderr)
    sys.exit(2)
`

// importingGuard has its rule in a module that it imports, and many texts that it does not stop.
var importingGuard = `import json, os, sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
from rules import forbidden

shells = ("bash", "sh")
harmless = ["git", "ls a` + strings.Join(strings.Split("bcdefghijklmnopqrstuvwxyz", ""), `", "ls a`) + `"]
command = json.load(sys.stdin)["tool_input"].get("command", "")
if command not in harmless and forbidden(command):
    print("no", file=sys.stderr)
    sys.exit(2)
`

// manyWords are more texts than a guard is tried with.
var manyWords = func() (out []string) {
	for i := range 80 {
		out = append(out, "w"+strings.Repeat("x", i))
	}
	return out
}()

// TestHealthyNear checks that changes which only resemble a failure raise no alarm.
func TestHealthyNear(t *testing.T) {
	t.Parallel()
	for _, q := range processtest.Sample(nearFailures, 6) {
		t.Run(strings.ReplaceAll(q.name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			files := maps.Clone(healthy)
			q.change(files)
			needs(t, q.name, files)
			if strings.Contains(files[".claude/settings.json"], "python3") {
				files[guardFile] = pythonGuard
			}
			left := concerned(files)
			doc := judgeProject(t, left, false)
			for _, f := range doc.Findings {
				if f.Severity != "info" && f.Rule != q.only && f.Rule != porous {
					t.Errorf("%s %s: %s", f.Severity, f.Rule, f.What)
				}
			}
			if denies := slices.ContainsFunc(doc.Hooks, func(h checkedHook) bool { return h.Denies != "" }); denies != q.denies && left[guardFile] == files[guardFile] {
				t.Errorf("the guard was seen to deny: %v, want %v", denies, q.denies)
			}
		})
	}
}

// TestInjectedAll: each of the ways from 1 to 40 is injected, or its reason is given.
func TestInjectedAll(t *testing.T) {
	t.Parallel()
	const ways = 40
	for n := 1; n <= ways; n++ {
		all := slices.DeleteFunc(slices.Clone(injections), func(in injected) bool { return in.number != n })
		both := func(in injected) bool { return in.rule != "" && !in.project }
		if !slices.ContainsFunc(all, both) && !slices.ContainsFunc(all, func(in injected) bool { return in.not != "" }) {
			t.Errorf("way %d is injected into no project and plugin, and no reason is given", n)
		}
	}
	for _, in := range injections {
		if (in.rule == "") != (in.not != "") || (in.change == nil) != (in.rule == "") {
			t.Errorf("way %d, %s: either a rule and a change, or a reason", in.number, in.name)
		}
	}
}

// TestInjected puts each of the known ways in which hooks fail into a healthy project or a plugin,
// in turn. A way that files show is put into both, and looked for without firing, except the first of
// its rule. The check ends once the rule is found, because the rest of its firings is the same. By
// default the first way of every other rule is tried, but for those that only a long exploration finds;
// if the tests are exhaustive, all are, and the check is complete for the first of each rule.
func TestInjected(t *testing.T) {
	t.Parallel()
	first := map[string]int{} // the first injection of each rule
	for i, in := range slices.Backward(injections) {
		if in.rule != "" {
			first[in.rule] = i
		}
	}
	long := []string{porous, "unread-tool", "unreached", "constant-condition", "inverted-condition", "ineffective", "late-refusal"}
	quick := slices.DeleteFunc(slices.Sorted(maps.Values(first)), func(i int) bool { return slices.Contains(long, injections[i].rule) })
	quick = processtest.Sample(quick, 2)
	for i, in := range injections {
		if in.rule == "" || !processtest.Exhaustive() && !slices.Contains(quick, i) {
			continue
		}
		t.Run(strings.ReplaceAll(in.name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath("jq"); err != nil && slices.Contains([]int{2, 16, 28, 29}, in.number) {
				t.Skip("jq is absent")
			}
			files := maps.Clone(healthy)
			in.change(files)
			needs(t, in.name, files)
			files, severity := concerned(files), in.severity
			static := finds(judgeProject(t, files, true), in.rule, severity)
			fire := judgeProject
			if first[in.rule] != i || !processtest.Exhaustive() {
				fire = func(t *testing.T, files map[string]string, static bool) checkDocument {
					return judgeUntil(t, files, static, func(doc checkDocument) bool { return finds(doc, in.rule, severity) })
				}
			}
			if in.rule == porous || in.rule == "executes-input" {
				fire = func(t *testing.T, files map[string]string, _ bool) checkDocument { return checked(t, files) }
			}
			plugin := !in.project && (static || i%2 == 1)
			if !plugin || static {
				wants(t, fire(t, files, static && first[in.rule] != i), in.rule, severity)
			}
			if plugin {
				if in.rule == "relative-path" {
					severity = "error" // the session is in another project
				}
				wants(t, fire(t, asPlugin(files), static), in.rule, severity)
			}
		})
	}
}

// needs skips the tests whose hooks are in Node, or install packages by npm, where that cannot be.
func needs(t *testing.T, name string, files map[string]string) {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil && strings.Contains(files[guardFile], "env node") {
		t.Skip("node is absent")
	}
	if _, err := exec.LookPath("npm"); err != nil && strings.Contains(name, "packages") {
		t.Skip("npm is absent")
	}
}

func wants(t *testing.T, doc checkDocument, rule, severity string) {
	t.Helper()
	if !finds(doc, rule, severity) {
		t.Errorf("want %s %s, got %+v", severity, rule, doc.Findings)
	}
}

func finds(doc checkDocument, rule, severity string) bool {
	return slices.ContainsFunc(doc.Findings, func(f check.Finding) bool {
		return f.Rule == rule && string(f.Severity) == severity
	})
}

// lay writes the files of a project. A name that ends in " mode" sets the permissions of another.
func lay(t *testing.T, files map[string]string) (root string) {
	t.Helper()
	root = filepath.Join(t.TempDir(), "project")
	for name, content := range files {
		if strings.HasSuffix(name, " mode") {
			continue
		}
		path := filepath.Join(root, filepath.FromSlash(name))
		mode := os.FileMode(0o644)
		if strings.HasSuffix(name, ".sh") && files[name+" mode"] == "" {
			mode = 0o755
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// checked runs check on a project of these files.
func checked(t *testing.T, files map[string]string) checkDocument {
	t.Helper()
	_, out, diagnostics := call(t, lay(t, files), "", "check", "--format", "json")
	var doc checkDocument
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		t.Fatalf("%v: %s%s", err, out, diagnostics)
	}
	return doc
}

// judgeProject checks a project of these files without searching guards for ways around them. It fires
// no hook if static is set.
func judgeProject(t *testing.T, files map[string]string, static bool) checkDocument {
	t.Helper()
	return judgeUntil(t, files, static, nil)
}

// judgeUntil is judgeProject that fires no more once the reports of the hooks so far are enough, unless
// enough is nil.
func judgeUntil(t *testing.T, files map[string]string, static bool, enough func(checkDocument) bool) checkDocument {
	t.Helper()
	p := load(t, lay(t, files))
	c := rounds.Check{Tree: p.Tree(os.Environ())}
	if !static {
		fired, err := newTrial(newApp(Streams{Out: io.Discard, Err: io.Discard}), p)
		if err != nil {
			t.Fatal(err)
		}
		defer fired.close()
		fired.Reuse = true
		c = roundsOf(c.Tree, fired.Runner, bench.New(2, fired.Make))
	}
	if enough != nil && !static {
		for _, h := range c.Asked() {
			q := check.Inspect(c.Tree, h)
			for probes, first := q.Next(), true; len(probes) > 0; probes, first = q.Next(), false {
				for i, probe := range probes {
					o, err := c.Fire(t.Context(), suites.Request{Case: probe.Case, Trace: probe.Trace, Observed: first && i == 0})
					if err != nil {
						t.Fatal(err)
					}
					q.Take(probe, o)
				}
				if doc := newCheckDocument(p, nil, rounds.Result{Findings: q.Report().Findings}); enough(doc) {
					return doc
				}
			}
		}
	}
	res, err := c.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return newCheckDocument(p, nil, res)
}
