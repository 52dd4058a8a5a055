package check

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/client/clients"
	"hookwatch/suites/discover"
)

// A fileRow is a row of TestRules: a registration for PreToolUse, and the files of a project, in which a rule finds
// something, or nothing.
type fileRow struct {
	id    string
	files map[string]string
	want  string      // the findings as written by show, without the rule
	also  func(*Tree) // another change of the tree
}

const ofProject = `\"$CLAUDE_PROJECT_DIR\"/x.sh`

// settingsOf returns the settings that register an entry for an event.
func settingsOf(event, matcher, entry string) map[string]string {
	return map[string]string{".claude/settings.json": fmt.Sprintf(`{"hooks":{%q:[{"matcher":%q,"hooks":[{"type":"command",%s}]}]}}`, event, matcher, entry), "x.sh": "#!/bin/sh\n"}
}

// withMatcher returns the settings with a matcher, withCommand with a command, withKeys with more keys of the entry.
func withMatcher(matcher string) map[string]string {
	return settingsOf("PreToolUse", matcher, `"command":"`+ofProject+`"`)
}
func withCommand(command string) map[string]string {
	text, _ := json.Marshal(command) // text always encodes
	return settingsOf("PreToolUse", "Bash|PowerShell", `"command":`+string(text))
}
func withKeys(keys string) map[string]string {
	return settingsOf("PreToolUse", "Bash|PowerShell", `"command":"`+ofProject+`",`+keys)
}

// withScript returns a project whose hook runs a script.
func withScript(name, text string) map[string]string {
	files := withCommand(`"$CLAUDE_PROJECT_DIR"/` + name)
	files[name] = text
	return files
}

// plain is the command of a healthy hook.
const plain = `"$CLAUDE_PROJECT_DIR"/x.sh`

// denied is the place of an input that a hook must stop.
var denied = suites.Position{File: ".hookwatch.yaml", Line: 2}

func denying(hook string) func(*Tree) {
	return func(t *Tree) { t.Denies = []suites.Deny{{Hook: hook, Command: "rm -rf /", At: denied}} }
}

func withCodex(t *Tree) {
	codex, _ := clients.ByName("codex")
	t.Clients, t.AskedClients = []clients.Client{codex}, []string{"codex"}
}

// withClient judges the files of a client that is not asked for.
func withClient(name string) func(*Tree) {
	return func(t *Tree) {
		c, _ := clients.ByName(name)
		t.Clients = []clients.Client{c}
	}
}

// elsewhereIn registers a hook for a client in a file of its own.
func elsewhereIn(name, event, inert string, timeout time.Duration, command ...string) func(*Tree) {
	return func(t *Tree) {
		withClient(name)(t)
		h := discover.Hook{ID: "e", Client: name, Event: event, ClientEvent: event, Type: "command", Command: strings.Join(command, " "), Source: settings}
		h.Entry.Timeout, h.Inert = timeout, strings.Fields(inert)
		t.Registered.Elsewhere, t.Registered.Hooks = []discover.Hook{h}, nil
	}
}

// loose registers a hook in a file that the client does not read by itself.
func loose(scope discover.Scope, file string) func(*Tree) {
	return func(t *Tree) {
		h := discover.Hook{ID: "o", Event: "Stop", Scope: scope, Source: suites.Position{File: file}, Scripts: []string{"idle.sh"}}
		t.Registered.Others = []discover.Hook{h, h}
	}
}

// inFile makes the registration one of another file.
func inFile(scope discover.Scope, file string) func(*Tree) {
	return func(t *Tree) {
		h := &t.Registered.Hooks[0]
		h.Scope, h.Source.File = scope, file
	}
}

// inPlugin makes the registration one of a plugin that has a script.
func inPlugin(script string) func(*Tree) {
	return func(t *Tree) {
		h := &t.Registered.Hooks[0]
		h.Scope, h.Plugin, h.PluginRoot = discover.InPlugin, "p", t.path("p")
		writing("p/"+script, "")(t)
	}
}

// ofClient makes the registration one of another client.
func ofClient(name string) func(*Tree) {
	return func(t *Tree) { t.Registered.Hooks[0].Client = name }
}

// writing adds a file to the tree, which cannot be executed.
func writing(name, text string) func(*Tree) {
	return func(t *Tree) {
		if err := errors.Join(os.MkdirAll(filepath.Dir(t.path(name)), 0o755), os.WriteFile(t.path(name), []byte(text), 0o644)); err != nil {
			panic(err)
		}
	}
}

var fileRows = []fileRow{
	{id: "settings-dropped", files: map[string]string{".claude/settings.json": `{"hooks":{},}`}, want: "error at .claude/settings.json:1:12: not valid JSON: invalid character '}' looking for beginning of object key string"},
	{id: "settings-dropped", files: withCommand(plain)},
	{id: "entry-ignored", files: settingsOf("AfterStop", "", `"command":"x"`), want: "error at .claude/settings.json:1:11: no event is called AfterStop: its hooks never run"},
	{id: "entry-ignored", files: withCommand(plain)},
	{id: "hooks-disabled", files: map[string]string{".claude/settings.json": `{"disableAllHooks":true,"hooks":{"Stop":[{"hooks":[{"type":"command","command":"true"}]}]}}`}, want: "warning at .claude/settings.json:1:20: disableAllHooks is true"},
	{id: "hooks-disabled", files: withCommand(plain)},
	{id: "file-not-read", files: withCommand(plain), also: func(t *Tree) { t.Stray = []string{".claude/hooks.json"} }, want: "error at .claude/hooks.json: hooks stand in .claude/hooks.json"},
	{id: "file-not-read", files: withCommand(plain)},
	{id: "matcher-not-evaluated", files: withMatcher(`^((\w+)+)+!$`), want: `error: matcher "^((\\w+)+)+!$" could not be evaluated: the pattern takes exponential time, in the client as well`},
	{id: "matcher-not-evaluated", files: withMatcher("^Bash$")},
	{id: "matcher-ignored", files: settingsOf("Stop", "Bash", `"command":"x"`), want: `info: matcher "Bash" on Stop, which has none`},
	{id: "matcher-ignored", files: withMatcher("Bash")},
	{id: "dead-matcher", files: settingsOf("SessionStart", "begin", `"command":"x"`), want: `error: matcher "begin" never matches: SessionStart has startup, resume, clear, compact, fork`},
	{id: "dead-matcher", files: withMatcher("Bash(rm *)"), want: `error: matcher "Bash(rm *)" is a permission rule; a matcher is a tool's name: Bash`},
	{id: "dead-matcher", files: withMatcher("^bash$"), want: `error: matcher "^bash$" is a regular expression that matches no tool`},
	{id: "dead-matcher", files: withMatcher("bash"), want: `error: matcher "bash": bash is no tool: names are case-sensitive, Bash`},
	{id: "dead-matcher", files: withMatcher("MultiEdit")},
	{id: "dead-matcher", files: settingsOf("SessionStart", "resume", `"command":"x"`)},
	{id: "empty-alternative", files: withMatcher("Bash||Edit"), want: `warning: matcher "Bash||Edit" has an empty alternative`},
	{id: "empty-alternative", files: withMatcher("(Bash|Edit)")},
	{id: "old-tool", files: withMatcher("MultiEdit"), want: `warning: matcher "MultiEdit": MultiEdit (today Edit)`},
	{id: "old-tool", files: withMatcher("Edit|Task")},
	{id: "uncovered-tool", files: withMatcher("Bash"), want: `info: matcher "Bash" leaves out PowerShell`},
	{id: "uncovered-tool", files: withMatcher("Bash|PowerShell")},
	{id: "uncovered-tool", files: withKeys(`"if":"Bash(git *)"`), want: `warning: "if": "Bash(git *)" lets only calls of Bash through, and the matcher names PowerShell as well`},
	{id: "short-timeout", files: withKeys(`"timeout":0.02`), want: "warning: timeout 0.02 is 20ms"},
	{id: "short-timeout", files: withKeys(`"timeout":0.02,"async":true`)},
	{id: "short-timeout", files: withKeys(`"timeout":0.5`)},
	{id: "long-timeout", files: withKeys(`"timeout":5000`), want: "warning: timeout 5000 is 1h23m20s"},
	{id: "long-timeout", files: withKeys(`"timeout":120000`), want: "warning: timeout 120000 is 33h20m0s"},
	{id: "long-timeout", files: withKeys(`"timeout":3600`)},
	{id: "long-timeout", files: withKeys(`"timeout":999`)},
	{id: "dead-condition", files: withKeys(`"if":"Edit(*.ts)"`), want: `error: "if": "Edit(*.ts)" lets only calls of Edit through, and the matcher "Bash|PowerShell" does not take that tool`},
	{id: "dead-condition", files: withKeys(`"if":"Bash(git *)"`)},
	{id: "wrong-root", files: withCommand(`"${CLAUDE_PLUGIN_ROOT}"/x.sh`), want: "error: ${CLAUDE_PLUGIN_ROOT} in settings that are no plugin's"},
	{id: "wrong-root", files: withCommand(`"$CLAUDE_PROJECT_ROOT"/x.sh`), want: "error: $CLAUDE_PROJECT_ROOT is never set: the client sets CLAUDE_PROJECT_DIR"},
	{id: "wrong-root", files: withCommand(plain)},
	{id: "home-path", files: withCommand("/home/nobody-of-that-name/x.sh"), want: "error: the command names /home/nobody-of-that-name/x.sh, which this machine does not have"},
	{id: "home-path", files: withCommand("[ -x /home/nobody-of-that-name/x.sh ] && /home/nobody-of-that-name/x.sh")},
	{id: "backslash-path", files: withCommand(`.claude\hooks\x.sh`), want: "error: the command names a path with backslashes: the shell looks for .claudehooksx.sh"},
	{id: "backslash-path", files: withCommand(plain)},
	{id: "variable-not-expanded", files: withCommand(`"%CLAUDE_PROJECT_DIR%"/x.sh`), want: "error: %CLAUDE_PROJECT_DIR% is how cmd.exe names a variable: a shell takes it as it stands"},
	{id: "variable-not-expanded", files: withCommand(`'$CLAUDE_PROJECT_DIR/x.sh'`), want: "error: '$CLAUDE_PROJECT_DIR/x.sh' is taken as it stands"},
	{id: "variable-not-expanded", files: withCommand(`"~/x.sh"`), want: "error: ~ is not expanded in quotes"},
	{id: "variable-not-expanded", files: withCommand(`bash -c '$CLAUDE_PROJECT_DIR/x.sh'`)},
	{id: "shell-syntax", files: withCommand("if; then"), want: "error: the command does not parse: 1:1: `if` must be followed by a statement list"},
	{id: "shell-syntax", files: withCommand("[[ a == b ]] && true"), want: "warning: [[ ... ]] is bash, and the client runs /bin/sh"},
	{id: "shell-syntax", files: withCommand("[ a = b ] && true")},
	{id: "unset-variable", files: withCommand(`echo "$CLAUDE_TOOL_INPUT"`), want: "error: $CLAUDE_TOOL_INPUT is never set"},
	{id: "unset-variable", files: withCommand(`CLAUDE_TOOL_INPUT=$(cat); echo "$CLAUDE_TOOL_INPUT"`)},
	{id: "unset-variable", files: withScript("y.sh", "#!/bin/sh\necho \"$CLAUDE_FILE_PATH\"\n"), want: "warning at y.sh:2:7: y.sh reads CLAUDE_FILE_PATH, which is never set"},
	{id: "unset-variable", files: withScript("y.sh", "#!/bin/sh\n# $CLAUDE_FILE_PATH\n")},
	{id: "unquoted-path", files: withCommand("$CLAUDE_PROJECT_DIR/x.sh"), want: "warning: $CLAUDE_PROJECT_DIR stands outside of quotes"},
	{id: "unquoted-path", files: withCommand(plain)},
	{id: "relative-path", files: withCommand("bash ./x.sh"), want: "warning: ./x.sh is named from the current directory"},
	{id: "relative-path", files: withCommand("./x.sh"), want: "warning: ./x.sh is named from the current directory"},
	{id: "relative-path", files: withCommand(`cd "$CLAUDE_PROJECT_DIR" && ./x.sh`)},
	{id: "script-missing", files: withCommand(`"$CLAUDE_PROJECT_DIR"/gone.sh`), want: "error: gone.sh does not exist"},
	{id: "script-missing", files: withCommand(plain)},
	{id: "script-not-executable", files: withScript("y0644.sh", "#!/bin/sh\n"), want: "error: y0644.sh is not executable"},
	{id: "script-not-executable", files: withCommand(plain)},
	{id: "bad-interpreter", files: withScript("y.sh", "#!/bin/sh\r\n"), want: "error at y.sh:1: y.sh has CRLF line ends: its interpreter does not exist"},
	{id: "bad-interpreter", files: withScript("y.sh", "\xef\xbb\xbf#!/bin/sh\n"), want: "error at y.sh:1: y.sh begins with a byte order mark: its #! line is not seen"},
	{id: "bad-interpreter", files: withScript("y.sh", "#!/opt/nowhere/sh\n"), want: "error at y.sh:1: y.sh names /opt/nowhere/sh, which this machine does not have"},
	{id: "bad-interpreter", files: withScript("y.ps1", "exit 2\n"), want: "error: y.ps1 is PowerShell, and has no #! line: the shell would read it as its own script"},
	{id: "bad-interpreter", files: withScript("y.sh", "#!/bin/sh\n")},
	{id: "not-portable", files: withScript("y.sh", "#!/bin/bash\nmapfile -t x\n"), want: "warning at y.sh:2:1: y.sh uses mapfile, which macOS's bash 3.2 does not have"},
	{id: "not-portable", files: withScript("y.sh", "#!/bin/sh\ntac x\n"), want: "info at y.sh:2:1: y.sh uses tac"},
	{id: "not-portable", files: withScript("y.sh", "#!/bin/sh\nuname; tac x\n")},
	{id: "starts-client", files: withScript("y.sh", "#!/bin/sh\nclaude -p hello\n"), want: "info at y.sh:2:1: y.sh runs claude"},
	{id: "not-portable", files: withScript("y.sh", "#!/bin/sh\n\n# why\n  x=$(timeout 5 y)\n"), want: "info at y.sh:4:7: y.sh uses timeout 5"},
	{id: "not-portable", files: withScript("y.sh", "#!/bin/sh\n\ntac x || tac y\n")},
	{id: "not-portable", files: withScript("y.sh", "#!/bin/sh\nx=1\ndate -d @1\n"), want: "info at y.sh:3:1: y.sh uses date -d"},
	{id: "starts-client", files: withScript("y.sh", "#!/bin/sh\n\nx=$(nohup claude -p hello)\n"), want: "info at y.sh:3:11: y.sh runs claude"},
	{id: "starts-client", files: withScript("y.sh", "#!/bin/sh\n# claude -p hello\n")},
	{id: "unregistered-script", files: withCommand(plain), also: func(t *Tree) { t.Scripts = []string{"idle.sh"} }, want: "warning at idle.sh: idle.sh is registered nowhere"},
	{id: "unregistered-script", files: withCommand(plain), also: func(t *Tree) { t.Scripts = []string{"x.sh", "lib/y.sh", "test_z.sh"} }},
	{id: "let-through", files: withCommand(plain), also: denying("y.sh"), want: "error at .hookwatch.yaml:2: no registered hook is meant by y.sh"},
	{id: "let-through", files: settingsOf("PreToolUse", "Edit", `"command":"./x.sh"`), also: denying("x.sh"), want: "error at .hookwatch.yaml:2: x.sh does not run for rm -rf /"},
	{id: "let-through", files: withCommand(plain), also: denying("x.sh")},
	{id: "client-entry", files: withKeys(`"if":"Bash(git *)"`), also: withCodex, want: "warning: Codex ignores if; warning: Codex does not set CLAUDE_PROJECT_DIR"},
	{id: "client-entry", files: withCommand("./x.sh"), also: withCodex},
	{id: "file-not-read", files: withCommand(plain), also: loose(discover.InTemplate, "p/hooks/hooks.json"), want: "warning at p/hooks/hooks.json: p/hooks/hooks.json has the form of a plugin's hooks, but p/.claude-plugin/plugin.json does not exist"},
	{id: "file-not-read", files: withCommand(plain), also: loose(discover.InGuess, "p/hooks/hooks.json")},
	{id: "file-not-read", files: withCommand(plain), also: loose(discover.InTemplate, "p/settings.json")},
	{id: "matcher-not-evaluated", files: settingsOf("FutureEvent", `^((\w+)+)+!$`, `"command":"x"`)},
	{id: "matcher-ignored", files: settingsOf("Stop", "*", `"command":"x"`)},
	{id: "matcher-ignored", files: settingsOf("Stop", "", `"command":"x"`)},
	{id: "dead-matcher", files: withMatcher("mcp__github"), want: `error: matcher "mcp__github": mcp__github names a server: its tools are mcp__github__.*`},
	{id: "dead-matcher", files: withMatcher("Bash,bash"), want: `error: matcher "Bash,bash": bash is no tool: names are case-sensitive, Bash`},
	{id: "dead-matcher", files: withMatcher("Bash|Newer"), want: `info: matcher "Bash|Newer": Newer is no tool`},
	{id: "dead-matcher", files: withMatcher("Newer"), want: `warning: matcher "Newer": Newer is no tool`},
	{id: "dead-matcher", files: withMatcher("^(Bash|Nothing)$")},
	{id: "dead-matcher", files: withMatcher("mcp__.*__x")},
	{id: "empty-alternative", files: withMatcher("Bash|.^|"), want: `warning: matcher "Bash|.^|" has an empty alternative, which takes every tool`},
	{id: "empty-alternative", files: withMatcher("|Bash"), want: `warning: matcher "|Bash" has an empty alternative`},
	{id: "empty-alternative", files: withMatcher("Bash|Edit")},
	{id: "old-tool", files: withMatcher("MultiEdit|Edit"), want: `info: matcher "MultiEdit|Edit": MultiEdit (today Edit)`},
	{id: "old-tool", files: withMatcher("MultiEdit|bash"), want: `warning: matcher "MultiEdit|bash": MultiEdit (today Edit)`},
	{id: "uncovered-tool", files: settingsOf("PostToolUse", "Bash", `"command":"x"`)},
	{id: "uncovered-tool", files: withMatcher("Edit|Write"), want: `info: matcher "Edit|Write" leaves out NotebookEdit`},
	{id: "uncovered-tool", files: withMatcher("Edit|Write|NotebookEdit")},
	{id: "uncovered-tool", files: withMatcher("Read")},
	{id: "uncovered-tool", files: withKeys(`"if":"Read(x)"`)},
	{id: "short-timeout", files: withKeys(`"timeout":0.49`), want: "warning: timeout 0.49 is 490ms"},
	{id: "long-timeout", files: withKeys(`"timeout":1800`)},
	{id: "long-timeout", files: withKeys(`"timeout":1000`), want: "warning: timeout 1000 is 16m40s"},
	{id: "long-timeout", files: withKeys(`"timeout":86460`), want: "warning: timeout 86460 is 24h1m0s"},
	{id: "long-timeout", files: withKeys(`"timeout":86400`)},
	{id: "dead-condition", files: settingsOf("Stop", "", `"command":"x","if":"Bash"`), want: `error: "if": "Bash" on Stop, which has no tool`},
	{id: "dead-condition", files: withKeys(`"if":"Bash (git *)"`), want: `error: "if": "Bash (git *)" is no rule: write TOOL or TOOL(ARGUMENTS), without blanks around it`},
	{id: "dead-condition", files: withKeys(`"if":"MultiEdit(x)"`), want: `error: "if": "MultiEdit(x)" is for a tool that current clients do not have`},
	{id: "dead-condition", files: withKeys(`"if":"mcp__github"`), want: `error: "if": "mcp__github" is compared with the whole name of a tool, and names a server`},
	{id: "dead-condition", files: withKeys(`"if":"Newer(x)"`)},
	{id: "wrong-root", files: withCommand(`[ -f "$CLAUDE_PROJECT_ROOT"/x.sh ] && "$CLAUDE_PROJECT_ROOT"/x.sh`), want: "warning: $CLAUDE_PROJECT_ROOT is never set: the client sets CLAUDE_PROJECT_DIR"},
	{id: "wrong-root", files: withCommand(`"${CLAUDE_PLUGIN_ROOT:-.}"/x.sh`)},
	{id: "wrong-root", files: withCommand(`"$CLAUDE_CODE_DIR"/x.sh`)},
	{id: "wrong-root", files: withCommand(`bash "$CLAUDE_PROJECT_DIR"/hooks/x.sh`), also: inPlugin("hooks/x.sh"), want: "error: a plugin's hook names ${CLAUDE_PROJECT_DIR}/hooks/x.sh, which is in the project that uses the plugin; the plugin has it"},
	{id: "wrong-root", files: withCommand(`bash "$CLAUDE_PROJECT_DIR"/hooks/x.sh`), also: inPlugin("x.sh"), want: "warning: a plugin's hook names ${CLAUDE_PROJECT_DIR}/hooks/x.sh, which is in the project that uses the plugin"},
	{id: "wrong-root", files: withCommand(`[ -f "$CLAUDE_PROJECT_DIR"/hooks/x.sh ] && bash "$CLAUDE_PROJECT_DIR"/hooks/x.sh`), also: inPlugin("hooks/x.sh")},
	{id: "wrong-root", files: withCommand(`bash "$CLAUDE_PLUGIN_ROOT"/hooks/x.sh "$CLAUDE_PROJECT_DIR"`), also: inPlugin("hooks/x.sh")},
	{id: "wrong-root", files: withCommand(`"$CLAUDE_PLUGINS_ROOT"/x.sh`), also: inPlugin("x.sh"), want: "error: $CLAUDE_PLUGINS_ROOT is never set: the client sets CLAUDE_PLUGIN_ROOT"},
	{id: "wrong-root", files: withCommand(`"$CLAUDE_PROJECTS_DIR"/x.sh`), also: inPlugin("x.sh"), want: "error: $CLAUDE_PROJECTS_DIR is never set: the client sets CLAUDE_PROJECT_DIR"},
	{id: "wrong-root", files: withCommand(`"$CLAUDE_PROJECTS_DIR"/x.sh`), also: ofClient("codex")},
	{id: "home-path", files: settingsOf("PostToolUse", "Bash", `"command":"/Users/nobody-of-that-name/x.sh"`), want: "warning: the command names /Users/nobody-of-that-name/x.sh, which this machine does not have"},
	{id: "home-path", files: withCommand("/home/nobody-of-that-name/x.sh"), also: inFile(discover.InProject, ".claude/settings.local.json")},
	{id: "home-path", files: withCommand("/home/nobody-of-that-name/x.sh"), also: inFile(discover.InProject, "/home/nobody/.claude/settings.json")},
	{id: "home-path", files: withCommand("/home/nobody-of-that-name/x.sh"), also: inFile(discover.InPlugin, "hooks/hooks.json"), want: "error: the command names /home/nobody-of-that-name/x.sh, which this machine does not have"},
	{id: "home-path", files: withCommand("/home/nobody-of-that-name/x.sh"), also: inFile(discover.InHome, "settings.json"), want: "error: the command names /home/nobody-of-that-name/x.sh, which this machine does not have"},
	{id: "home-path", files: withCommand("/home/nobody-of-that-name/x.sh"), also: inFile(discover.InHome, "/settings.json")},
	{id: "home-path", files: withCommand("/home/nobody-of-that-name/x.sh"), also: inFile(discover.InUser, "settings.json")},
	{id: "backslash-path", files: withCommand(`"$CLAUDE_PROJECT_DIR\.claude\x.sh"`), want: "warning: the command names a path with backslashes: $CLAUDE_PROJECT_DIR\\.claude\\x.sh"},
	{id: "variable-not-expanded", files: withCommand(`'./x.sh' '$HOME/x'`)},
	{id: "variable-not-expanded", files: withCommand(`source '$HOME/x.sh'`), want: "error: '$HOME/x.sh' is taken as it stands"},
	{id: "variable-not-expanded", files: withCommand(`nice bash '$HOME/x.sh'`), want: "error: '$HOME/x.sh' is taken as it stands"},
	{id: "variable-not-expanded", files: withCommand(`~/x.sh "~x"`)},
	{id: "shell-syntax", files: withCommand("[[ a == b ]] && true"), also: func(t *Tree) { t.PlainShell = true }, want: "error: [[ ... ]] is bash, and the client runs /bin/sh"},
	{id: "shell-syntax", files: withKeys(`"shell":"bash"`), also: func(t *Tree) { t.Registered.Hooks[0].Command = "[[ a == b ]]" }, want: `warning: [[ ... ]] is bash, and the client runs /bin/sh although the entry's shell is "bash"`},
	{id: "shell-syntax", files: withCommand(`%CLAUDE_PROJECT_DIR%; if`)},
	{id: "unset-variable", files: withCommand(`echo "${CLAUDE_TOOL_INPUT:-x}" "$CLAUDE_PROJECT_DIR"`)},
	{id: "unset-variable", files: withCommand(`echo "$CLAUDE_TOOL_INPUT"; CLAUDE_TOOL_INPUT=1`), want: "error: $CLAUDE_TOOL_INPUT is never set"},
	{id: "unset-variable", files: withScript("y.md", "echo \"$CLAUDE_FILE_PATH\"\n")},
	{id: "unquoted-path", files: withCommand(`bash $CLAUDE_PROJECT_DIR/x.sh "$CLAUDE_PROJECT_DIR"`), want: "warning: $CLAUDE_PROJECT_DIR stands outside of quotes"},
	{id: "unquoted-path", files: withCommand(`python3 $CLAUDE_PROJECT_DIR/x.py`), want: "warning: $CLAUDE_PROJECT_DIR stands outside of quotes"},
	{id: "unquoted-path", files: withCommand(`python3 $CLAUDE_PROJECT_DIR/x.py`), also: func(t *Tree) { t.Registered.Hooks[0].Root = "/my project" }, want: "error: $CLAUDE_PROJECT_DIR stands outside of quotes"},
	{id: "unquoted-path", files: withCommand(`echo $HOME`)},
	{id: "relative-path", files: withCommand("bash ./x.sh"), also: inFile(discover.InPlugin, "hooks/hooks.json"), want: "error: ./x.sh is named from the current directory, which is another project's"},
	{id: "relative-path", files: withCommand("echo ./x.sh")},
	{id: "script-missing", files: withCommand(`"$CLAUDE_PROJECT_DIR"/dist/gone.sh`), want: "info: dist/gone.sh does not exist: it is built or installed first, it seems"},
	{id: "script-missing", files: withCommand(`[ -f gone.sh ] && bash ./gone.sh`)},
	{id: "script-not-executable", files: withCommand(`bash "$CLAUDE_PROJECT_DIR"/y0644.sh`), also: writing("y0644.sh", "#!/bin/sh\n")},
	{id: "script-not-executable", files: withScript("y0644.ps1", "exit 2\n")},
	{id: "bad-interpreter", files: withScript("y.sh", "#!\n")},
	{id: "bad-interpreter", files: withScript("y.sh", "#!/usr/bin/env absent\n"), want: "warning at y.sh:1: y.sh names absent, which this machine does not have"},
	{id: "bad-interpreter", files: withScript("y.sh", "echo\r\n")},
	{id: "not-portable", files: withScript("y.py", "#!/usr/bin/python3\ntac x\n")},
	{id: "not-portable", files: withScript("y.sh", "#!/usr/bin/env bash\nmapfile -t x\n"), want: "info at y.sh:2:1: y.sh uses mapfile, which macOS's bash 3.2 does not have; another bash may be the first in PATH there"},
	{id: "starts-client", files: withScript("y.sh", "#!/bin/sh\nx; exec claude --print hello\n"), want: "info at y.sh:2:9: y.sh runs claude"},
	{id: "starts-client", files: withScript("y.sh", "#!/bin/sh\necho claude -p; claude --version\n")},
	{id: "starts-client", files: withScript("y.py", "claude -p\n")},
	{id: "unregistered-script", files: map[string]string{"idle.sh": ""}, also: func(t *Tree) { t.Scripts, t.Registered.Hooks = []string{"idle.sh"}, nil }, want: "warning at idle.sh: idle.sh is registered nowhere"},
	{id: "unregistered-script", files: withCommand(plain), also: func(t *Tree) { t.Scripts = []string{"idle.sh", "x.sh"} }, want: "info at idle.sh: idle.sh is registered nowhere"},
	{id: "unregistered-script", files: withCommand(plain), also: loose(discover.InGuess, "idle.sh"), want: "info at idle.sh: idle.sh is registered nowhere: that it is for Stop is a guess; info at idle.sh: idle.sh is registered nowhere: that it is for Stop is a guess"},
	{id: "let-through", files: withCommand(plain), also: func(t *Tree) { t.Denies = []suites.Deny{{Hook: "x.sh", Prompt: "p", At: denied}} }, want: "error at .hookwatch.yaml:2: x.sh does not run for p"},
	{id: "client-entry", files: withCommand("./x.sh"), also: elsewhereIn("codex", "Gone", "", 0)},
	{id: "client-entry", files: withCommand("./x.sh"), also: elsewhereIn("gemini", "BeforeTool", "", 60*time.Millisecond), want: "warning: Gemini CLI: a timeout of 60ms, because it is in milliseconds"},
	{id: "client-entry", files: withCommand("./x.sh"), also: elsewhereIn("gemini", "BeforeTool", "", time.Minute)},
	{id: "client-entry", files: withCommand("./x.sh"), also: elsewhereIn("codex", "PreToolUse", "", 60*time.Millisecond)},
	{id: "client-entry", files: withCommand("./x.sh"), also: elsewhereIn("gemini", "BeforeTool", "if", 0), want: "warning: Gemini CLI ignores if"},
	{id: "client-entry", files: withCommand("./x.sh"), also: elsewhereIn("codex", "PreToolUse", "", 0, `"$CLAUDE_PROJECT_DIR"/x.sh`), want: "error: Codex does not set CLAUDE_PROJECT_DIR"},
	{id: "client-entry", files: settingsOf("TaskCreated", "", `"command":"x"`), also: withClient("copilot"), want: "info: Copilot CLI has no event TaskCreated"},
	{id: "client-entry", files: settingsOf("PreToolUse", "", `"command":"x"`), also: withClient("copilot"), want: "error at .claude/settings.json:1:36: Copilot CLI: matcher is no non-empty text"},
	{id: "client-entry", files: settingsOf("PreToolUse", "", `"command":"x"`)},
	{id: "client-entry", files: settingsOf("PreToolUse", "Bash", `"command":"x"`), also: withClient("copilot")},
}

// TestRules checks what each rule finds in files. Each rule has a row in which it finds something, and one in which
// it does not.
func TestRules(t *testing.T) {
	t.Parallel()
	shown := map[string]map[bool]bool{}
	for i, row := range fileRows {
		tree := treeOf(t, row.files)
		if row.also != nil {
			row.also(&tree)
		}
		if shown[row.id] == nil {
			shown[row.id] = map[bool]bool{}
		}
		shown[row.id][row.want != ""] = true
		var got []string
		for _, f := range findIn(tree, row.id) {
			if len(tree.Registered.Hooks) > 0 && f.Where == tree.Registered.Hooks[0].Source {
				f.Where = settings // which is not shown
			}
			got = append(got, strings.Replace(show(f), " "+row.id, "", 1))
		}
		if got := strings.Join(got, "; "); got != row.want {
			t.Errorf("%d, %s: %s, want %s", i, row.id, got, row.want)
		}
	}
	for _, r := range rules {
		if len(shown[r.id]) < 2 {
			t.Errorf("%s: no row in which it finds something, or none in which it does not", r.id)
		}
	}
}

// TestIDs checks that the table of rules, the parts of an inspection and the other places where check finds something
// name exactly the rules that the client's table explains, and that no other rule is named.
func TestIDs(t *testing.T) {
	t.Parallel()
	ids := slices.Clone(elsewhere)
	for _, r := range rules {
		ids = append(ids, r.id)
	}
	for _, p := range parts {
		ids = append(ids, findsOf[p.name]...)
	}
	source, err := os.ReadFile("../client/rules.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range regexp.MustCompile(`(?m)^\t\{"([a-z-]+)", suites`).FindAllSubmatch(source, -1) { // other tables have constants
		if !slices.Contains(ids, string(row[1])) {
			t.Errorf("%s: nothing finds it", row[1])
		}
	}
	for _, id := range ids {
		if !slices.ContainsFunc(client.Rules(), func(r suites.Rule) bool { return r.ID == id }) {
			t.Errorf("%s: it has no texts", id)
		}
	}
}

// elsewhere are the rules of findings that neither the table nor a part of an inspection has: those of whole calls, of
// the search for ways around a guard, and of all firings.
var elsewhere = strings.Fields("one-client input-race overruled slow-call bypass hidden-file not-finished stream-path client-differs")
