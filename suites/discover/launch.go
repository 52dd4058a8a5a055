package discover

import (
	"path/filepath"
	"strings"

	"hookwatch/suites/client"
	"hookwatch/suites/client/clients"
)

// LaunchCommand returns the arguments with which the client starts the hook: `/bin/sh -c
// COMMAND`, or bash if the entry requires it, or the command with its args, in which only
// ${CLAUDE_PROJECT_DIR} (for a plugin also ${CLAUDE_PLUGIN_ROOT}) is replaced. It is nil for a
// hook that is no command.
func LaunchCommand(h Hook) (argv []string) {
	switch {
	case h.Type != "command":
		return nil
	case h.Client != "":
		of, _ := clients.Named(h.Client)
		return of.Command(h.Command)
	case h.Args == nil && h.Entry.Shell == "bash":
		return []string{"bash", "-c", h.Command}
	case h.Args == nil:
		return []string{"/bin/sh", "-c", h.Command}
	}
	variables := []string{"${CLAUDE_PROJECT_DIR}", h.Start()}
	if h.PluginRoot != "" {
		variables = append(variables, "${CLAUDE_PLUGIN_ROOT}", h.PluginRoot)
	}
	expand := strings.NewReplacer(variables...)
	for _, word := range append([]string{h.Command}, h.Args...) {
		argv = append(argv, expand.Replace(word))
	}
	return argv
}

// noProcess is a process ID that no process has, so that a hook which sends a signal to the client
// has no effect.
const noProcess = "2147483647"

// ClientEnv returns the variables, as NAME=value, that a client of this version adds to a hook's
// environment, as observed. Except for the project and the session, the values are placeholders.
func ClientEnv(root, session string, event string, version client.Version) []string {
	env := []string{
		"CLAUDE_PROJECT_DIR=" + root,
		"CLAUDECODE=1",
		"CLAUDE_CODE_SESSION_ID=" + session,
		"CLAUDE_CODE_ENTRYPOINT=sdk-cli",
		"CLAUDE_CODE_CHILD_SESSION=1",
		"AI_AGENT=claude-code",
	}
	if about, _ := client.EventByName(event); about.EnvFile {
		env = append(env, "CLAUDE_ENV_FILE=/dev/null")
	}
	if version.Since(client.V329) {
		env = append(env,
			"CLAUDE_PID="+noProcess,
			"CLAUDE_EFFORT=high",
			"CLAUDE_CODE_MESSAGING_SOCKET=/dev/null",
			"CLAUDE_CODE_MESSAGING_TOKEN=placeholder",
		)
	}
	return env
}

// Env returns the variables that the client of a hook adds to its environment.
func (h Hook) Env(session, event string, version client.Version) []string {
	if h.Client != "" {
		of, _ := clients.Named(h.Client)
		return of.Env(h.Start())
	}
	return ClientEnv(h.Start(), session, event, version)
}

// Payload returns Claude Code's payload of an event as the client of a hook sends it.
func (h Hook) Payload(payload []byte) []byte {
	if h.Client == "" {
		return payload
	}
	of, _ := clients.Named(h.Client)
	return of.Payload(h.ClientEvent, payload)
}

// PluginEnv returns the variables that a plugin's hook receives in addition to ClientEnv; data
// is the directory that the plugin may write to. It is empty for a hook of a settings file.
func PluginEnv(h Hook, data string) []string {
	if h.PluginRoot == "" {
		return nil
	}
	return []string{"CLAUDE_PLUGIN_ROOT=" + h.PluginRoot, "CLAUDE_PLUGIN_DATA=" + filepath.Clean(data)}
}
