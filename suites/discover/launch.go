package discover

import (
	"cmp"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"hookwatch/suites/client"
	"hookwatch/suites/client/clients"
	"hookwatch/suites/pattern"
	"hookwatch/suites/shell"
)

// A Launch is what a client starts for a hook.
type Launch struct {
	Argv    []string
	Env     []Variable // in addition to the client's own environment, each name once
	Dir     string     // absolute; "" is the directory of the session
	Stdin   []byte
	Timeout time.Duration // after which the client ends it
}

// A Variable is a variable that a hook gets, and where it comes from.
type Variable struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	From  string `json:"from"` // a settings file, a client or a plugin
}

// A Call is the event for which a hook is launched.
type Call struct {
	Event   string
	Session string // its ID
	Payload []byte // Claude Code's
	Version client.Version
	Data    string // the directory that a plugin may write to
}

// Launch returns what the client of a hook starts for a call, and false for a hook that is no
// command. Variables of the client override those of settings, which override its environment
// (observed on 2.1.330).
func (h Hook) Launch(c Call) (Launch, bool) {
	argv := launchCommand(h, c.Data)
	if argv == nil {
		return Launch{}, false
	}
	set := map[string]Variable{}
	for _, layer := range h.Layers {
		for name, value := range layer.Env {
			set[name] = Variable{name, value, layer.File}
		}
	}
	add := func(from string, env []string) {
		for _, kv := range env {
			name, value, _ := strings.Cut(kv, "=")
			set[name] = Variable{name, value, from}
		}
	}
	add(cmp.Or(h.Client, clients.Claude), h.Env(c.Session, c.Event, c.Version))
	from := h.Source.File
	if h.PluginRoot != "" {
		from = "plugin " + h.Plugin
	}
	add(from, pluginEnv(h, c.Data))
	add(from, h.Entry.Env)
	l := Launch{Argv: argv, Dir: h.Session, Stdin: h.Payload(c.Payload), Timeout: h.Timeout}
	for _, name := range slices.Sorted(maps.Keys(set)) {
		l.Env = append(l.Env, set[name])
	}
	return l, true
}

// A Layer is a settings file that sets variables for the hooks of a session.
type Layer struct {
	File    string // slash path from the root, or absolute
	Env     map[string]string
	scope   Scope
	session string // absolute path of the directory where the session starts; "" is the root
}

// withheld are variables that settings do not set for hooks, and ofUser those that only the user's settings do;
// observed on client 2.1.332.
var (
	withheld = pattern.Lazy(`^(?:OTEL_\w+|CLAUDE_CODE_(?:ENABLE_TELEMETRY|REMOTE|REMOTE_SESSION_ID|CONTAINER_ID))$`)
	ofUser   = pattern.Lazy(`^(?:HOME|TMP|TEMP|XDG_(?:CONFIG|CACHE|DATA)_HOME|XDG_RUNTIME_DIR|CDPATH|GITHUB_ACTIONS|MCP_TIMEOUT|CLAUDE_CODE_TMPDIR|APPDATA|COMSPEC|HOMEDRIVE|HOMEPATH|PATHEXT|SystemRoot|USERPROFILE)$`)
)

// filterVariables returns the variables of a settings file that hooks get.
func filterVariables(env map[string]string, scope Scope) map[string]string {
	all := maps.Clone(env)
	maps.DeleteFunc(all, func(name, _ string) bool {
		users := scope == InUser || scope == InHome
		return withheld().MatchString(name) || !users && ofUser().MatchString(name)
	})
	return all
}

// layersOf returns the layers of the sessions in which a hook is launched. A plugin's hook is
// launched in other projects. Other clients do not set the variables of Claude Code's settings.
func layersOf(all []Layer, h Hook) (own []Layer) {
	for _, l := range all {
		switch {
		case h.Client != "":
		case l.scope == InUser, l.scope == InHome,
			l.scope == InProject && h.Session == "" && !h.Scope.IsForeign(),
			l.scope == InDirectory && l.session == h.Session:
			own = append(own, l)
		}
	}
	return own
}

// Variables returns the variables that settings set for the hook.
func (h Hook) Variables() map[string]string {
	all := map[string]string{}
	for _, l := range h.Layers {
		maps.Copy(all, l.Env)
	}
	return all
}

// launchCommand returns the arguments with which the client starts the hook: `/bin/sh -c
// COMMAND`, also if the entry's shell is bash (observed on client 2.1.332), or the command with its
// args, in which only ${CLAUDE_PROJECT_DIR} (for a skill or plugin also ${CLAUDE_PLUGIN_ROOT}, for a
// plugin ${CLAUDE_PLUGIN_DATA} by data) is replaced. It is nil for a hook that is no command.
func launchCommand(h Hook, data string) (argv []string) {
	switch {
	case h.Type != "command":
		return nil
	case h.Client != "":
		of, _ := clients.ByName(h.Client)
		command, dir := h.Command, h.Start()
		if needsQuotes().MatchString(dir) {
			dir = shell.Quote(dir)
		}
		for _, name := range of.Launch.Expands {
			command = strings.ReplaceAll(command, "$"+name, dir)
		}
		return of.Command(command)
	case h.Args == nil:
		return []string{"/bin/sh", "-c", h.Command}
	}
	variables := []string{"${CLAUDE_PROJECT_DIR}", h.Start()}
	for _, kv := range pluginEnv(h, data) {
		name, value, _ := strings.Cut(kv, "=")
		variables = append(variables, "${"+name+"}", value)
	}
	expand := strings.NewReplacer(variables...)
	for _, word := range append([]string{h.Command}, h.Args...) {
		argv = append(argv, expand.Replace(word))
	}
	return argv
}

// needsQuotes matches a character for which some clients quote a directory.
var needsQuotes = pattern.Lazy(`[^/._\-+@%:,=~0-9A-Za-z\x{7f}-\x{10FFFF}]`)

// NamedEntry returns the entry with the command as messages to the model name it: with its arguments, and
// for a plugin with its directory (observed on client 2.1.332).
func (h Hook) NamedEntry() client.Entry {
	e := h.Entry
	if h.Client != "" {
		return e
	}
	e.Command = strings.Join(append([]string{e.Command}, e.Args...), " ")
	if h.PluginRoot != "" {
		e.Command = h.NameIn(h.PluginRoot, e.Command)
	}
	return e
}

// NameIn returns the command of a plugin's hook with the plugin's directory, as reports of the client name
// it: in place of either form of the variable, in the exec form of the one with braces only (observed on
// client 2.1.332).
func (h Hook) NameIn(dir, command string) string {
	if h.Entry.Args != nil {
		return strings.ReplaceAll(command, "${CLAUDE_PLUGIN_ROOT}", dir)
	}
	return rootOfPlugin.ReplaceAllLiteralString(command, dir)
}

var rootOfPlugin = regexp.MustCompile(`\$\{CLAUDE_PLUGIN_ROOT\}|\$CLAUDE_PLUGIN_ROOT\b`)

// WhyNotStarted returns why the client cannot start a command, "" if it can. It names a directory in a
// form that the client fills in, and that the hook does not have (observed on client 2.1.332).
func (h Hook) WhyNotStarted() string {
	if h.Type != "command" || h.PluginRoot != "" || h.Client != "" {
		return ""
	}
	for _, text := range append([]string{h.Command}, h.Args...) {
		switch {
		case strings.Contains(text, "${CLAUDE_PLUGIN_ROOT}") && h.DirOfPlugin() == "":
			return "it names ${CLAUDE_PLUGIN_ROOT}, which only a hook of a plugin or skill has"
		case strings.Contains(text, "${CLAUDE_PLUGIN_DATA}"):
			return "it names ${CLAUDE_PLUGIN_DATA}, which only a plugin's hook has"
		}
	}
	return ""
}

// DirOfPlugin returns the absolute path that the hook has as CLAUDE_PLUGIN_ROOT, that of its plugin
// or of its skill; "" if it has none, as one of a command's front (observed on client 2.1.332).
func (h Hook) DirOfPlugin() string {
	if h.PluginRoot == "" && h.Scope == InDocument && filepath.Base(h.Source.File) == "SKILL.md" {
		return filepath.Join(h.Root, filepath.FromSlash(filepath.Dir(h.Source.File)))
	}
	return h.PluginRoot
}

// noProcess is a process ID that no process has, so that a hook which sends a signal to the client
// has no effect.
const noProcess = "2147483647"

// clientEnv returns the variables, as NAME=value, that a client of this version adds to a hook's
// environment, as observed. Except for the project and the session, the values are placeholders. The
// events with CLAUDE_EFFORT, and that SessionEnd has no messaging, were observed on client 2.1.332.
func clientEnv(root, session string, event string, version client.Version) []string {
	env := []string{
		"CLAUDE_PROJECT_DIR=" + root,
		"CLAUDECODE=1",
		"CLAUDE_CODE_SESSION_ID=" + session,
		"CLAUDE_CODE_ENTRYPOINT=sdk-cli",
		"CLAUDE_CODE_CHILD_SESSION=1",
		"AI_AGENT=claude-code",
	}
	about, _ := client.EventByName(event)
	add := func(is bool, more ...string) {
		if is {
			env = append(env, more...)
		}
	}
	newer := version.Since(client.V329)
	add(about.EnvFile, "CLAUDE_ENV_FILE=/dev/null")
	add(newer, "CLAUDE_PID="+noProcess)
	add(newer && about.Effort, "CLAUDE_EFFORT=high")
	add(newer && !about.Last, "CLAUDE_CODE_MESSAGING_SOCKET=/dev/null", "CLAUDE_CODE_MESSAGING_TOKEN=placeholder")
	add(version.Since(client.V332), "CLAUDE_CODE_CHILD_NOTES_DIR=/dev/null", "CLAUDE_CODE_SESSION_ATTENDED=0",
		"COREPACK_ENABLE_AUTO_PIN=0", "NoDefaultCurrentDirectoryInExePath=1")
	return env
}

// Env returns the variables that the client of a hook adds to its environment.
func (h Hook) Env(session, event string, version client.Version) []string {
	if h.Client != "" {
		of, _ := clients.ByName(h.Client)
		return of.Env(h.Start(), h.Source.File)
	}
	env := clientEnv(h.Start(), session, event, version)
	if h.Entry.Shell == "powershell" { // also if its args keep it from a shell (observed on 2.1.332)
		env = slices.DeleteFunc(env, func(kv string) bool { return strings.HasPrefix(kv, "CLAUDE_ENV_FILE=") })
	}
	return env
}

// Payload returns Claude Code's payload of an event as the client of a hook sends it.
func (h Hook) Payload(payload []byte) []byte {
	if h.Client == "" {
		return payload
	}
	of, _ := clients.ByName(h.Client)
	return of.Payload(h.ClientEvent, payload)
}

// pluginEnv returns the variables that a hook of a plugin or skill receives in addition to clientEnv;
// data is the directory that a plugin may write to. It is empty for a hook of a settings file.
func pluginEnv(h Hook, data string) []string {
	dir := h.DirOfPlugin()
	if dir == "" {
		return nil
	}
	env := []string{"CLAUDE_PLUGIN_ROOT=" + dir}
	if h.PluginRoot != "" {
		env = append(env, "CLAUDE_PLUGIN_DATA="+filepath.Clean(data))
	}
	return env
}

// ExitWithout returns the exit code of a command without a script; 0 if it is unknown.
func (h Hook) ExitWithout(s string) int {
	fields := strings.Fields(h.Command)
	for inner := shell.Inner(fields); inner > 0; inner = shell.Inner(fields) {
		fields = fields[inner:]
	}
	switch {
	case slices.Contains(h.Direct, s):
		return 127
	case len(fields) == 0:
		return 0
	case strings.Trim(fields[0], `"'`) == s:
		return 127
	}
	return shell.ProgramOf(fields[0]).Missing
}
