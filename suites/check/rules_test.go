package check

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/client/clients"
)

// A fileRow is a row of TestRules: a registration for PreToolUse, and the files of a project, in which a rule finds
// something, or nothing.
type fileRow struct {
	id    string
	files map[string]string
	found bool
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

func denying(hook string) func(*Tree) {
	return func(t *Tree) { t.Denies = []suites.Deny{{Hook: hook, Command: "rm -rf /"}} }
}

func withCodex(t *Tree) {
	codex, _ := clients.ByName("codex")
	t.Clients, t.AskedClients = []clients.Client{codex}, []string{"codex"}
}

var fileRows = []fileRow{
	{id: "settings-dropped", files: map[string]string{".claude/settings.json": `{"hooks":{},}`}, found: true},
	{id: "settings-dropped", files: withCommand(plain)},
	{id: "entry-ignored", files: settingsOf("AfterStop", "", `"command":"x"`), found: true},
	{id: "entry-ignored", files: withCommand(plain)},
	{id: "hooks-disabled", files: map[string]string{".claude/settings.json": `{"disableAllHooks":true,"hooks":{"Stop":[{"hooks":[{"type":"command","command":"true"}]}]}}`}, found: true},
	{id: "hooks-disabled", files: withCommand(plain)},
	{id: "file-not-read", files: withCommand(plain), also: func(t *Tree) { t.Stray = []string{".claude/hooks.json"} }, found: true},
	{id: "file-not-read", files: withCommand(plain)},
	{id: "matcher-not-evaluated", files: withMatcher(`^((\w+)+)+!$`), found: true},
	{id: "matcher-not-evaluated", files: withMatcher("^Bash$")},
	{id: "matcher-ignored", files: settingsOf("Stop", "Bash", `"command":"x"`), found: true},
	{id: "matcher-ignored", files: withMatcher("Bash")},
	{id: "dead-matcher", files: settingsOf("SessionStart", "begin", `"command":"x"`), found: true},
	{id: "dead-matcher", files: withMatcher("Bash(rm *)"), found: true},
	{id: "dead-matcher", files: withMatcher("^bash$"), found: true},
	{id: "dead-matcher", files: withMatcher("bash"), found: true},
	{id: "dead-matcher", files: withMatcher("MultiEdit")},
	{id: "dead-matcher", files: settingsOf("SessionStart", "resume", `"command":"x"`)},
	{id: "empty-alternative", files: withMatcher("Bash||Edit"), found: true},
	{id: "empty-alternative", files: withMatcher("(Bash|Edit)")},
	{id: "old-tool", files: withMatcher("MultiEdit"), found: true},
	{id: "old-tool", files: withMatcher("Edit|Task")},
	{id: "uncovered-tool", files: withMatcher("Bash"), found: true},
	{id: "uncovered-tool", files: withMatcher("Bash|PowerShell")},
	{id: "uncovered-tool", files: withKeys(`"if":"Bash(git *)"`), found: true},
	{id: "short-timeout", files: withKeys(`"timeout":0.02`), found: true},
	{id: "short-timeout", files: withKeys(`"timeout":0.02,"async":true`)},
	{id: "short-timeout", files: withKeys(`"timeout":0.5`)},
	{id: "long-timeout", files: withKeys(`"timeout":5000`), found: true},
	{id: "long-timeout", files: withKeys(`"timeout":120000`), found: true},
	{id: "long-timeout", files: withKeys(`"timeout":3600`)},
	{id: "long-timeout", files: withKeys(`"timeout":999`)},
	{id: "dead-condition", files: withKeys(`"if":"Edit(*.ts)"`), found: true},
	{id: "dead-condition", files: withKeys(`"if":"Bash(git *)"`)},
	{id: "wrong-root", files: withCommand(`"${CLAUDE_PLUGIN_ROOT}"/x.sh`), found: true},
	{id: "wrong-root", files: withCommand(`"$CLAUDE_PROJECT_ROOT"/x.sh`), found: true},
	{id: "wrong-root", files: withCommand(plain)},
	{id: "home-path", files: withCommand("/home/nobody-of-that-name/x.sh"), found: true},
	{id: "home-path", files: withCommand("[ -x /home/nobody-of-that-name/x.sh ] && /home/nobody-of-that-name/x.sh")},
	{id: "backslash-path", files: withCommand(`.claude\hooks\x.sh`), found: true},
	{id: "backslash-path", files: withCommand(plain)},
	{id: "variable-not-expanded", files: withCommand(`"%CLAUDE_PROJECT_DIR%"/x.sh`), found: true},
	{id: "variable-not-expanded", files: withCommand(`'$CLAUDE_PROJECT_DIR/x.sh'`), found: true},
	{id: "variable-not-expanded", files: withCommand(`"~/x.sh"`), found: true},
	{id: "variable-not-expanded", files: withCommand(`bash -c '$CLAUDE_PROJECT_DIR/x.sh'`)},
	{id: "shell-syntax", files: withCommand("if; then"), found: true},
	{id: "shell-syntax", files: withCommand("[[ a == b ]] && true"), found: true},
	{id: "shell-syntax", files: withCommand("[ a = b ] && true")},
	{id: "unset-variable", files: withCommand(`echo "$CLAUDE_TOOL_INPUT"`), found: true},
	{id: "unset-variable", files: withCommand(`CLAUDE_TOOL_INPUT=$(cat); echo "$CLAUDE_TOOL_INPUT"`)},
	{id: "unset-variable", files: withScript("y.sh", "#!/bin/sh\necho \"$CLAUDE_FILE_PATH\"\n"), found: true},
	{id: "unset-variable", files: withScript("y.sh", "#!/bin/sh\n# $CLAUDE_FILE_PATH\n")},
	{id: "unquoted-path", files: withCommand("$CLAUDE_PROJECT_DIR/x.sh"), found: true},
	{id: "unquoted-path", files: withCommand(plain)},
	{id: "relative-path", files: withCommand("bash ./x.sh"), found: true},
	{id: "relative-path", files: withCommand("./x.sh"), found: true},
	{id: "relative-path", files: withCommand(`cd "$CLAUDE_PROJECT_DIR" && ./x.sh`)},
	{id: "script-missing", files: withCommand(`"$CLAUDE_PROJECT_DIR"/gone.sh`), found: true},
	{id: "script-missing", files: withCommand(plain)},
	{id: "script-not-executable", files: withScript("y0644.sh", "#!/bin/sh\n"), found: true},
	{id: "script-not-executable", files: withCommand(plain)},
	{id: "bad-interpreter", files: withScript("y.sh", "#!/bin/sh\r\n"), found: true},
	{id: "bad-interpreter", files: withScript("y.sh", "\xef\xbb\xbf#!/bin/sh\n"), found: true},
	{id: "bad-interpreter", files: withScript("y.sh", "#!/opt/nowhere/sh\n"), found: true},
	{id: "bad-interpreter", files: withScript("y.ps1", "exit 2\n"), found: true},
	{id: "bad-interpreter", files: withScript("y.sh", "#!/bin/sh\n")},
	{id: "not-portable", files: withScript("y.sh", "#!/bin/bash\nmapfile -t x\n"), found: true},
	{id: "not-portable", files: withScript("y.sh", "#!/bin/sh\ntac x\n"), found: true},
	{id: "not-portable", files: withScript("y.sh", "#!/bin/sh\nuname; tac x\n")},
	{id: "starts-client", files: withScript("y.sh", "#!/bin/sh\nclaude -p hello\n"), found: true},
	{id: "starts-client", files: withScript("y.sh", "#!/bin/sh\n# claude -p hello\n")},
	{id: "unregistered-script", files: withCommand(plain), also: func(t *Tree) { t.Scripts = []string{"idle.sh"} }, found: true},
	{id: "unregistered-script", files: withCommand(plain), also: func(t *Tree) { t.Scripts = []string{"x.sh", "lib/y.sh", "test_z.sh"} }},
	{id: "let-through", files: withCommand(plain), also: denying("y.sh"), found: true},
	{id: "let-through", files: settingsOf("PreToolUse", "Edit", `"command":"./x.sh"`), also: denying("x.sh"), found: true},
	{id: "let-through", files: withCommand(plain), also: denying("x.sh")},
	{id: "client-entry", files: withKeys(`"if":"Bash(git *)"`), also: withCodex, found: true},
	{id: "client-entry", files: withCommand("./x.sh"), also: withCodex},
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
		shown[row.id][row.found] = true
		if got := findIn(tree, row.id); (len(got) > 0) != row.found {
			t.Errorf("%d, %s: %q, want a finding: %t", i, row.id, whats(got), row.found)
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
var elsewhere = strings.Fields("one-client input-race overruled slow-call bypass hidden-file stream-path client-differs")
