package discover

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/client/clients"
	"hookwatch/suites/disk"
)

// project writes files, by slash path, to a new directory and returns it.
func project(t testing.TB, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

const (
	shared = ".claude/settings.json"
	local  = ".claude/settings.local.json"
)

// settingsText returns a settings file with groups of hooks: event, matcher, commands.
func settingsText(groups ...[]string) string {
	events := map[string][]string{}
	var order []string
	for _, group := range groups {
		var hooks []string
		for _, command := range group[2:] {
			hooks = append(hooks, `{"type":"command","command":"`+command+`"}`)
		}
		if events[group[0]] == nil {
			order = append(order, group[0])
		}
		events[group[0]] = append(events[group[0]], `{"matcher":"`+group[1]+`","hooks":[`+strings.Join(hooks, ",")+`]}`)
	}
	var members []string
	for _, event := range order {
		members = append(members, `"`+event+`":[`+strings.Join(events[event], ",")+`]`)
	}
	return `{"hooks":{` + strings.Join(members, ",") + `}}`
}

func discovered(t testing.TB, files map[string]string) Registered {
	t.Helper()
	root := project(t, files)
	registered, err := Hooks(disk.Reader{}, root, []string{shared, local}, Find(disk.Reader{}, root, []string{filepath.Join(root, shared), filepath.Join(root, local)}, nil).Sources)
	if err != nil {
		t.Fatal(err)
	}
	return registered
}

func commands(hooks []Hook) (all []string) {
	for _, hook := range hooks {
		all = append(all, hook.Command)
	}
	return all
}

func TestFor(t *testing.T) {
	t.Parallel()
	registered := discovered(t, map[string]string{
		shared: settingsText([]string{"PreToolUse", "Bash", "a", "b"}, []string{"PreToolUse", "Edit|Write", "c", "a"}, []string{"PreToolUse", "", "a", "a "}, []string{"Stop", "Bash", "s"}),
		local:  settingsText([]string{"PreToolUse", "Bash", "b", "l"}),
	})
	for _, test := range []struct {
		event, value string
		want         []string
	}{
		{"PreToolUse", "Bash", []string{"a", "b", "a ", "l"}},
		{"PreToolUse", "Write", []string{"c", "a", "a "}},
		{"PreToolUse", "Read", []string{"a", "a "}},
		{"Stop", "", []string{"s"}},
		{"PostToolUse", "Bash", nil},
	} {
		if got := commands(registered.For(test.event, test.value)); !slices.Equal(got, test.want) {
			t.Errorf("%s %s: %q, want %q", test.event, test.value, got, test.want)
		}
	}
	if want := []string{shared, local}; !slices.Equal(registered.Files, want) {
		t.Errorf("read %q, want %q", registered.Files, want)
	}
}

// TestForRepeats checks that an equal command runs once in Claude Code, and as often as it is registered
// in Codex.
func TestForRepeats(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]int{"": 1, "codex": 2} {
		h := Hook{Event: "Stop", Type: "command", Command: "a", Client: name, ClientEvent: "Stop"}
		first, second := h, h
		first.ID, second.ID = "1", "2"
		if got := (Registered{Hooks: []Hook{first, second}}).For("Stop", ""); len(got) != want {
			t.Errorf("%q: %d hooks run, want %d", name, len(got), want)
		}
	}
}

// TestOfOrder checks that the hooks of another client are in the order in which it reads its files.
func TestOfOrder(t *testing.T) {
	t.Parallel()
	codex, _ := clients.ByName("codex")
	var r Registered
	for _, file := range []string{".codex/config.toml", ".codex/hooks.json"} {
		r.Elsewhere = append(r.Elsewhere, Hook{Client: "codex", Scope: InProject, Source: suites.Position{File: file}})
	}
	if first := r.Of(codex).Hooks[0].Source.File; first != ".codex/hooks.json" {
		t.Errorf("the first hook is of %s", first)
	}
}

// TestOfReads checks that another client reads Claude Code's files by its own rules: their hooks come after
// those of its files, of which events in Claude Code's form come last, and a mistake that Claude Code accepts
// drops a file.
func TestOfReads(t *testing.T) {
	t.Parallel()
	copilot, _ := clients.ByName("copilot")
	own := `{"version":1,"hooks":{"PreToolUse":[{"command":"b"}],"preToolUse":[{"command":"a","matcher":"*"},{"command":"a"},{"command":"a"}]}}`
	for name, tt := range map[string]struct{ claudes, want string }{
		"all":               {`{"hooks":{"PreToolUse":[{"matcher":"Edit|bash","hooks":[{"type":"command","command":"c"}]}]}}`, "preToolUse a, preToolUse a, PreToolUse b, PreToolUse c"},
		"an empty matcher":  {`{"hooks":{"PreToolUse":[{"matcher":"","hooks":[{"type":"command","command":"c"}]}]}}`, "preToolUse a, preToolUse a, PreToolUse b"},
		"no hooks anywhere": {`{"disableAllHooks":true}`, ""},
	} {
		var got []string
		found := discovered(t, map[string]string{".github/hooks/a.json": own, shared: tt.claudes}).Of(copilot)
		for _, h := range found.Hooks {
			got = append(got, h.ClientEvent+" "+h.Command)
		}
		if dropped := len(found.ElsewhereProblems) > 0; dropped != (name == "an empty matcher") {
			t.Errorf("%s: %v", name, found.ElsewhereProblems)
		}
		if all := strings.Join(got, ", "); all != tt.want {
			t.Errorf("%s: %s, want %s", name, all, tt.want)
		}
	}
}

func TestForConditions(t *testing.T) {
	t.Parallel()
	hook := `[{"hooks":[{"type":"command","command":"x","if":"Bash(git *)"}]}]`
	registered := discovered(t, map[string]string{shared: `{"hooks":{"PreToolUse":` + hook + `,"Stop":` + hook + `}}`})
	if got := len(registered.For("PreToolUse", "Bash")); got != 1 {
		t.Errorf("%d hooks before a tool, want 1", got)
	}
	if got := registered.For("Stop", ""); got != nil {
		t.Errorf("a hook with a condition runs at the stop: %v", got)
	}
}

func TestHookFields(t *testing.T) {
	t.Parallel()
	registered := discovered(t, map[string]string{
		".claude/hooks/x.sh": "", shared: "{\"hooks\":{\"PreToolUse\":[{\"matcher\":\"Bash\",\"hooks\":[\n" +
			`{"type":"command","command":".claude/hooks/x.sh","timeout":5},` + "\n" +
			`{"type":"command","command":"node","args":["${CLAUDE_PROJECT_DIR}/.claude/hooks/x.sh"],"async":true},` + "\n" +
			`{"type":"http","url":"http://127.0.0.1/"}]}]}}`,
	})
	if len(registered.Hooks) != 3 {
		t.Fatalf("hooks %+v", registered.Hooks)
	}
	first, second, third := registered.Hooks[0], registered.Hooks[1], registered.Hooks[2]
	if first.Timeout != 5*time.Second || first.Source.String() != shared+":2:1" || first.Entry.Async {
		t.Errorf("first hook %+v", first)
	}
	script := []string{".claude/hooks/x.sh"}
	if second.Timeout != 10*time.Minute || !second.Entry.Async || !slices.Equal(second.Scripts, script) || !slices.Equal(first.Scripts, script) {
		t.Errorf("hooks %+v and %+v", first, second)
	}
	if got := launchCommand(first, "/d"); !slices.Equal(got, []string{"/bin/sh", "-c", ".claude/hooks/x.sh"}) {
		t.Errorf("launched as %q", got)
	}
	if got := launchCommand(second, "/d"); !slices.Equal(got, []string{"node", first.Root + "/.claude/hooks/x.sh"}) {
		t.Errorf("launched as %q", got)
	}
	inBash := Hook{Type: "command", Command: "[[ x ]]", Entry: client.Entry{Shell: "bash"}}
	if got := launchCommand(inBash, "/d"); got[0] != "/bin/sh" {
		t.Errorf("an entry with shell bash starts %q", got)
	}
	if third.Type != "http" || launchCommand(third, "/d") != nil {
		t.Errorf("third hook %+v", third)
	}
}

func TestLaunchCommandExpandsNothingElse(t *testing.T) {
	t.Parallel()
	hook := Hook{Type: "command", Command: "x", Args: []string{"$HOME", "${HOME}", "${CLAUDE_PROJECT_DIR}", "${CLAUDE_PLUGIN_ROOT}"}, Root: "/p"}
	if got := launchCommand(hook, "/d"); !slices.Equal(got, []string{"x", "$HOME", "${HOME}", "/p", "${CLAUDE_PLUGIN_ROOT}"}) {
		t.Errorf("launched as %q", got)
	}
}

// TestLaunchCommandOfGemini checks that a variable is replaced by the directory, which is quoted if it has a
// blank, also within quotes.
func TestLaunchCommandOfGemini(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ root, command, want string }{
		{"/my project", "$CLAUDE_PROJECT_DIR/x", "'/my project'/x"},
		{"/my project", `"$CLAUDE_PROJECT_DIR"/x`, `"'/my project'"/x`},
		{"/my project", "${CLAUDE_PROJECT_DIR}/x", "${CLAUDE_PROJECT_DIR}/x"},
		{"/project", `"$CLAUDE_PROJECT_DIR"/x`, `"/project"/x`},
	} {
		argv := launchCommand(Hook{Type: "command", Client: "gemini", Root: tt.root, Command: tt.command}, "")
		if got := argv[len(argv)-1]; got != tt.want {
			t.Errorf("%s in %s: %s, want %s", tt.command, tt.root, got, tt.want)
		}
	}
}

// TestLaunchCommandOfPlugin checks the arguments of a plugin's hook.
func TestLaunchCommandOfPlugin(t *testing.T) {
	t.Parallel()
	hook := Hook{Type: "command", Command: "${CLAUDE_PLUGIN_ROOT}/x", Args: []string{"${CLAUDE_PLUGIN_DATA}/y", "$CLAUDE_PLUGIN_DATA"}, Root: "/p", PluginRoot: "/q"}
	if got := launchCommand(hook, "/d"); !slices.Equal(got, []string{"/q/x", "/d/y", "$CLAUDE_PLUGIN_DATA"}) {
		t.Errorf("launched as %q", got)
	}
}

// TestNamed checks how messages to the model name a command.
func TestNamed(t *testing.T) {
	t.Parallel()
	entry := client.Entry{Command: "${CLAUDE_PLUGIN_ROOT}/x", Args: []string{"a b", "$CLAUDE_PLUGIN_ROOT"}}
	for want, h := range map[string]Hook{
		"${CLAUDE_PLUGIN_ROOT}/x a b $CLAUDE_PLUGIN_ROOT": {Entry: entry},
		"/q/x a b $CLAUDE_PLUGIN_ROOT":                    {Entry: entry, PluginRoot: "/q"},
		`"/q"/x $CLAUDE_PLUGIN_ROOTS`:                     {Entry: client.Entry{Command: `"$CLAUDE_PLUGIN_ROOT"/x $CLAUDE_PLUGIN_ROOTS`}, PluginRoot: "/q"},
	} {
		if got := h.NamedEntry().Command; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestDisabled(t *testing.T) {
	t.Parallel()
	registered := discovered(t, map[string]string{
		shared: settingsText([]string{"Stop", "", "s"}), local: `{"disableAllHooks": true}`,
	})
	if len(registered.Hooks) > 0 || registered.DisabledBy.String() != local+":1:21" || len(registered.Problems) != 1 {
		t.Errorf("%+v", registered)
	}
	for _, tt := range []struct {
		user, project, local string
		want                 int // hooks in force, of two
	}{
		{"", "", "", 2},
		{"true", "", "", 0},
		{"", "true", "", 0},
		{"", "true", "false", 2},
		{"", "false", "true", 0},
		{"true", "false", "", 2},
		{"true", "", "false", 2},
		{"false", "true", "", 0},
	} {
		settings := func(disable, command string) string {
			if disable != "" {
				disable = `"disableAllHooks":` + disable + `,`
			}
			return `{` + disable + `"hooks":{"Stop":[{"hooks":[{"type":"command","command":"` + command + `"}]}]}}`
		}
		own := discovered(t, map[string]string{shared: settings(tt.project, "p"), local: `{"disableAllHooks":` + tt.local + `}`})
		if tt.local == "" {
			own = discovered(t, map[string]string{shared: settings(tt.project, "p")})
		}
		user := discovered(t, map[string]string{shared: settings(tt.user, "u")})
		if got := own.With(user); len(got.Hooks) != tt.want {
			t.Errorf("%+v: %d hooks", tt, len(got.Hooks))
		}
	}
}

// TestMarketplace checks that a plugin is not loaded whose entry names its hooks by a path.
func TestMarketplace(t *testing.T) {
	t.Parallel()
	for hooks, want := range map[string]int{``: 1, `,"hooks":"./hooks/hooks.json"`: 0, `,"hooks":["./hooks/hooks.json"]`: 0} {
		got := discovered(t, map[string]string{
			".claude-plugin/marketplace.json": "{\"plugins\":[\n{\"name\":\"p\",\"source\":\"./\"" + hooks + "}]}",
			".claude-plugin/plugin.json":      `{"name":"p"}`,
			"hooks/hooks.json":                settingsText([]string{"Stop", "", "${CLAUDE_PLUGIN_ROOT}/x.sh"}),
		})
		if len(got.Hooks) != want || len(got.Dropped) != 1-want {
			t.Errorf("%q: %+v", hooks, got)
		}
		if want == 0 && (got.Dropped[0].At.String() != ".claude-plugin/marketplace.json:2:1" || len(got.Others) != 1 || !got.Others[0].Dead) {
			t.Errorf("%q: %+v", hooks, got)
		}
	}
}

// TestServerTools checks the names of the tools of a plugin's own MCP servers.
func TestServerTools(t *testing.T) {
	t.Parallel()
	got := discovered(t, map[string]string{
		"p/.claude-plugin/plugin.json": `{"name":"track.er","mcpServers":{"two":{}}}`,
		"p/.mcp.json":                  `{"mcpServers":{"linear":{}}}`,
		"p/hooks/hooks.json":           settingsText([]string{"PreToolUse", "mcp__.*linear.*", "a"}, []string{"PreToolUse", "mcp__linear__x", "b"}),
	})
	if len(got.Hooks) != 2 || !slices.Equal(got.Hooks[0].Servers, []string{"linear", "two"}) {
		t.Fatalf("%+v", got.Hooks)
	}
	if name := got.Hooks[0].ServerTool("mcp__linear__x"); name != "mcp__plugin_track_er_linear__x" {
		t.Error(name)
	}
	for tool, want := range map[string]int{"mcp__plugin_track_er_linear__x": 1, "mcp__linear__x": 0, "mcp__other_linear__x": 1} {
		if n := len(got.For("PreToolUse", tool)); n != want {
			t.Errorf("%s fires %d hooks, want %d", tool, n, want)
		}
	}
}

// TestDroppedFile checks that an invalid entry disables the whole file under PreToolUse, and
// only itself under Stop.
func TestDroppedFile(t *testing.T) {
	t.Parallel()
	for event, want := range map[string]struct {
		hooks []string
		hint  string
	}{
		"PreToolUse": {[]string{"l"}, "its hook never runs"},
		"Stop":       {[]string{"s", "l"}, "the client ignores this one without a warning"},
	} {
		registered := discovered(t, map[string]string{
			shared: `{"hooks":{"` + event + `":[{"hooks":[{"type":"command","command":"s"},{"command":"t"}]}]}}`,
			local:  settingsText([]string{"Stop", "", "l"}),
		})
		if got := commands(registered.Hooks); !slices.Equal(got, want.hooks) {
			t.Errorf("%s: hooks %q, want %q", event, got, want.hooks)
		}
		if len(registered.Problems) != 1 || !strings.Contains(registered.Problems[0].Error(), want.hint) {
			t.Errorf("%s: problems %v", event, registered.Problems)
		}
	}
}

func TestPlugin(t *testing.T) {
	t.Parallel()
	registered := discovered(t, map[string]string{
		"plugin/.claude-plugin/plugin.json": `{"name":"guard"}`,
		"plugin/hooks/hooks.json":           settingsText([]string{"Stop", "", "${CLAUDE_PLUGIN_ROOT}/x.sh"}),
	})
	if len(registered.Hooks) != 1 {
		t.Fatalf("%+v", registered)
	}
	hook := registered.Hooks[0]
	if hook.Plugin != "guard" || !slices.Equal(hook.Scripts, []string{"plugin/x.sh"}) {
		t.Errorf("%+v", hook)
	}
	want := []string{"CLAUDE_PLUGIN_ROOT=" + hook.Root + "/plugin", "CLAUDE_PLUGIN_DATA=/data"}
	if got := pluginEnv(hook, "/data"); !slices.Equal(got, want) {
		t.Errorf("environment %q, want %q", got, want)
	}
	if pluginEnv(Hook{}, "/data") != nil {
		t.Error("a hook of a settings file got a plugin's variables")
	}
}

// TestEnvFile checks that hooks for PowerShell get no file for variables.
func TestEnvFile(t *testing.T) {
	t.Parallel()
	for shell, want := range map[string]bool{"": true, "bash": true, "powershell": false} {
		env := Hook{Root: "/p", Event: "SessionStart", Entry: client.Entry{Shell: shell}}.Env("s", "SessionStart", client.V332)
		if got := slices.Contains(env, "CLAUDE_ENV_FILE=/dev/null"); got != want {
			t.Errorf("shell %q: %t, want %t", shell, got, want)
		}
	}
}

// TestDirOfPlugin checks that a hook of a skill has the skill's directory where a plugin's has the
// plugin's, and one of a command has none.
func TestDirOfPlugin(t *testing.T) {
	t.Parallel()
	front := func(command string) string {
		return "---\nname: s\nhooks:\n  PreToolUse:\n    - hooks:\n        - type: command\n          command: '" + command + "'\n          args: [\"${CLAUDE_PLUGIN_ROOT}/x\"]\n---\n"
	}
	for name, tt := range map[string]struct {
		file, command string
		env           []string // below the root
		notStarted    string
	}{
		"skill":              {".claude/skills/s/SKILL.md", "${CLAUDE_PLUGIN_ROOT}/x.sh", []string{"CLAUDE_PLUGIN_ROOT=/.claude/skills/s"}, ""},
		"command":            {".claude/commands/s.md", "x.sh", nil, "it names ${CLAUDE_PLUGIN_ROOT}, which only a hook of a plugin or skill has"},
		"data of a skill":    {".claude/skills/s/SKILL.md", "${CLAUDE_PLUGIN_DATA}/x.sh", []string{"CLAUDE_PLUGIN_ROOT=/.claude/skills/s"}, "it names ${CLAUDE_PLUGIN_DATA}, which only a plugin's hook has"},
		"skill in a project": {"p/.claude/skills/s/SKILL.md", "x.sh", []string{"CLAUDE_PLUGIN_ROOT=/p/.claude/skills/s"}, ""},
	} {
		registered := discovered(t, map[string]string{tt.file: front(tt.command)})
		all := append(registered.Hooks, registered.Others...)
		if len(all) != 1 {
			t.Fatalf("%s: %+v", name, registered)
		}
		h := all[0]
		env := pluginEnv(h, "/data")
		for i := range env {
			env[i] = strings.ReplaceAll(env[i], h.Root, "")
		}
		if !slices.Equal(env, tt.env) || h.WhyNotStarted() != tt.notStarted {
			t.Errorf("%s: environment %q, %q", name, env, h.WhyNotStarted())
		}
		if argv := launchCommand(h, "/data"); tt.notStarted == "" && argv[1] != h.DirOfPlugin()+"/x" {
			t.Errorf("%s: %q", name, argv)
		}
	}
}

func TestUnreadable(t *testing.T) {
	t.Parallel()
	root := project(t, map[string]string{shared + "/x": ""}) // a directory in place of the file
	if _, err := Hooks(disk.Reader{}, root, []string{shared}, nil); err == nil {
		t.Error("no error for settings that cannot be read")
	}
}

// TestGuessNamed checks that a script which a file names is registered there, even if the client
// does not read that file.
func TestGuessNamed(t *testing.T) {
	t.Parallel()
	r := Registered{Others: []Hook{{Scope: InTemplate, Command: "node /Users/somebody/.claude/scripts/hooks/stop.js"}}}
	r.Guess("/p", []string{"scripts/hooks/stop.js", "hooks/session-start.sh"})
	if len(r.Others) != 2 || r.Others[1].Scripts[0] != "hooks/session-start.sh" {
		t.Errorf("%+v", r.Others)
	}
}

func TestClientEnv(t *testing.T) {
	t.Parallel()
	env := clientEnv("/p", "s1", "PreToolUse", client.V329)
	for _, want := range []string{"CLAUDE_PROJECT_DIR=/p", "CLAUDECODE=1", "CLAUDE_CODE_SESSION_ID=s1", "CLAUDE_CODE_ENTRYPOINT=sdk-cli"} {
		if !slices.Contains(env, want) {
			t.Errorf("%s is missing from %q", want, env)
		}
	}
	names := func(event string, version client.Version, prefix string) bool {
		return slices.ContainsFunc(clientEnv("/p", "s1", event, version), func(variable string) bool {
			return strings.HasPrefix(variable, prefix)
		})
	}
	for _, test := range []struct {
		event   string
		version client.Version
		prefix  string
		want    bool
	}{
		{"PreToolUse", client.V329, "CLAUDE_PID=", true},
		{"PreToolUse", client.V197, "CLAUDE_PID=", false},
		{"PreToolUse", client.V329, "CLAUDE_ENV_FILE=", false},
		{"SessionStart", client.V197, "CLAUDE_ENV_FILE=", true},
		{"SessionStart", client.V329, "ANTHROPIC", false},
		{"PreToolUse", client.V332, "CLAUDE_EFFORT=", true},
		{"SessionStart", client.V332, "CLAUDE_EFFORT=", false},
		{"Stop", client.V332, "CLAUDE_CODE_MESSAGING_SOCKET=", true},
		{"SessionEnd", client.V332, "CLAUDE_CODE_MESSAGING_SOCKET=", false},
		{"SessionEnd", client.V332, "CLAUDE_CODE_SESSION_ATTENDED=", true},
		{"PreToolUse", client.V329, "CLAUDE_CODE_SESSION_ATTENDED=", false},
	} {
		if got := names(test.event, test.version, test.prefix); got != test.want {
			t.Errorf("%s on %s has %s: %t", test.event, test.version, test.prefix, got)
		}
	}
}

func TestParseDocument(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text  string
		hooks int
		bad   int
	}{
		"an agent":               {agent, 1, 0},
		"with CRLF":              {strings.ReplaceAll(agent, "\n", "\r\n"), 1, 0},
		"other keys are no YAML": {strings.Replace(agent, "name: a", "description: Use: [it when", 1), 1, 0},
		"a key behind the hooks": {strings.Replace(agent, "\n---\nText", "\ntools: Read\n---\nText", 1), 1, 0},
		"hooks that are no YAML": {strings.Replace(agent, "  Stop:", "  Stop: [", 1), 0, 1},
	} {
		read, problems := parseDocument("a.md", []byte(tt.text))
		if len(read.Entries) != tt.hooks || len(problems) != tt.bad {
			t.Errorf("%s: %d hooks, %d problems %v; want %d and %d", name, len(read.Entries), len(problems), problems, tt.hooks, tt.bad)
		}
		for _, e := range read.Entries {
			if e.At.Line != 6 {
				t.Errorf("%s: line %d, want 6", name, e.At.Line)
			}
		}
	}
}

func FuzzDocument(f *testing.F) {
	f.Add([]byte(agent))
	f.Add([]byte("---\r\nhooks:\r\n  Stop: [\r\n---\r\n"))
	f.Add([]byte("---\nhooks: &a\n  Stop: [*a]\n---\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if text := documentHooks(data); text != nil && !json.Valid(text) {
			t.Errorf("%q is no JSON", text)
		}
		parseDocument("a.md", data)
	})
}

// TestGiven checks which variables of settings hooks get.
func TestGiven(t *testing.T) {
	t.Parallel()
	env := map[string]string{"FOO": "1", "HOME": "/x", "XDG_CONFIG_HOME": "/x", "OTEL_EXPORTER": "x", "TMPDIR": "/x"}
	for scope, want := range map[Scope][]string{InUser: {"FOO", "HOME", "TMPDIR", "XDG_CONFIG_HOME"}, InProject: {"FOO", "TMPDIR"}} {
		if got := slices.Sorted(maps.Keys(filterVariables(env, scope))); !slices.Equal(got, want) {
			t.Errorf("%v: %q, want %q", scope, got, want)
		}
	}
}

// TestConditionForms checks forms of rules that were measured one by one on client 2.1.332.
func TestConditionForms(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		rule, command string
		want          bool
	}{
		{`Bash(\*)`, "*", true},
		{`Bash(\*)`, "echo hi", false},
		{`Bash(echo \*)`, "echo '*'", true},
		{`Bash(echo \*)`, "echo hi", false},
		{`Bash(echo \(x\))`, `echo \(x\)`, true},
		{"Bash( echo:*)", "echo hi", false},
		{"Bash(git *)", "echo\u00a0hi", true},
		{"Bash(git *)", "echo hi \\", true},
		{"Bash(git *)", "echo é", false},
		{"Bash([[ *)", "[ -f x ]", true},
		{"Bash([ *)", "[ -f x ]", false},
		{"Bash(git*)", "echo $(ls)", false},
		{"Bash(l*)", "echo $(ls)", true},
		{"Bash(echo:*:*)", "echo $(ls)", false},
		{"Bash([e]cho *)", "echo $(ls)", true},
		{"Bash(echo  *)", "git push $(ls)", true},
		{"TaskCreate(text)", "", false},
		{"Read(/etc/hostname)", "/etc/hostname", true},
		{"Read(/etc/host)", "/etc/hostname", false},
		{"Read(src//a.txt)", "/p/src/a.txt", true},
		{"Read(//etc//hostname)", "/etc/hostname", true},
		{"Read([!R]EADME.md)", "/p/README.md", true},
		{"Read([^x]EADME.md)", "/p/README.md", false},
		{`Read(READ\*)`, "/p/README.md", true},
		{`Read(\*)`, "/etc/hostname", false},
		{`Read(src\/a.txt)`, "/p/src/a.txt", false},
		{"Read(#x)", "/p/#x", false},
	} {
		tool, _, _ := strings.Cut(tt.rule, "(")
		payload, err := json.Marshal(map[string]any{"cwd": "/p", "tool_name": tool, "tool_input": map[string]string{"command": tt.command, "file_path": tt.command}})
		if err != nil {
			t.Fatal(err)
		}
		if got := (Hook{Entry: client.Entry{If: tt.rule}, If: tt.rule}).Takes("", payload); got != tt.want {
			t.Errorf("%s on %q: %t", tt.rule, tt.command, got)
		}
	}
}

// TestTakes checks what the conditions do that were measured, and the calls that no rule excludes.
func TestTakes(t *testing.T) {
	t.Parallel()
	all := client.Conditions()
	const least = 1000
	if len(all) < least {
		t.Errorf("%d conditions, want at least %d", len(all), least)
	}
	for _, c := range all {
		if got := (Hook{If: c.If}).Takes(c.Tool, c.Example()); got != c.Runs {
			t.Errorf("%s: %v, want %v", c.ID(), got, c.Runs)
		}
	}
	home, err := os.UserHomeDir()
	if err != nil {
		t.Skip("no home directory")
	}
	for _, tt := range []struct {
		rule, tool, input string
		want              bool
	}{
		{"", "Bash", `{"command":"x"}`, true},
		{"Bash(git *)", "Bash", `{"command":1}`, true},
		{"Bash(git *)", "Edit", `{}`, false},
		{"Read(~/a)", "Read", `{"file_path":"` + home + `/a"}`, true},
		{"Read(~/a)", "Read", `{"file_path":"/elsewhere/a"}`, false},
		{"Skill(x)", "Skill", `{"skill":"y"}`, true}, // not observed
		{"Read(*/old.txt)", "Read", `{"file_path":"/p/src/old.txt"}`, true},
		{"Read(*/old.txt)", "Read", `{"file_path":"/elsewhere/old.txt"}`, true},
		{"Read(*.TXT)", "Read", `{"file_path":"/p/src/old.txt"}`, true},
		{"Read(*.TXT)", "Read", `{"file_path":"/elsewhere/old.txt"}`, false},
		{"Read(*.[t]xt)", "Read", `{"file_path":"/elsewhere/old.txt"}`, false},
		{"Read(src/**)", "Read", `{"file_path":"/p/src"}`, true},
		{"Read(**/src/**)", "Read", `{"file_path":"/p/src"}`, true},
		{"Read(src/)", "Read", `{"file_path":"/p/src"}`, false},
		{"Read(src/)", "Read", `{"file_path":"/p/src/old.txt"}`, true},
		{"Bash(echo *)", "Bash", `{"command":"time"}`, false},
	} {
		payload := `{"cwd":"/p","tool_name":"` + tt.tool + `","tool_input":` + tt.input + `}`
		if got := (Hook{If: tt.rule}).Takes("", []byte(payload)); got != tt.want {
			t.Errorf("%q for %s: %v, want %v", tt.rule, payload, got, tt.want)
		}
	}
	if !(Hook{If: "Bash(git *)"}).Takes("", []byte("{")) {
		t.Error("a payload that is no JSON excludes a hook")
	}
}

// TestLaunchOfEntry checks that a hook of Copilot CLI has the variables of its entry.
func TestLaunchOfEntry(t *testing.T) {
	t.Parallel()
	of, _ := clients.ByName("copilot")
	hooks, problems := of.Hooks(".github/hooks/x.json", []byte(`{"version": 1, "hooks": {"preToolUse": [{"type": "command", "bash": "x", "env": {"FOO": "own"}}]}}`))
	if len(hooks) != 1 || len(problems) > 0 || !slices.Equal(hooks[0].Entry.Env, []string{"FOO=own"}) {
		t.Fatalf("%+v, %+v", hooks, problems)
	}
	l, _ := Hook{Entry: hooks[0].Entry, Client: "copilot", Type: "command", Command: "x", Root: "/p"}.Launch(Call{Event: "PreToolUse"})
	if !slices.ContainsFunc(l.Env, func(v Variable) bool { return v.Name == "FOO" && v.Value == "own" }) {
		t.Errorf("%+v", l.Env)
	}
}
