package discover

import (
	"path/filepath"
	"strings"
	"testing"

	"hookwatch/suites/client"
	"hookwatch/suites/client/clients"
	"hookwatch/suites/disk"
)

// variablesOf returns the variables of a launch whose names begin with X_, with their origins.
func variablesOf(t *testing.T, h Hook) string {
	t.Helper()
	l, isCommand := h.Launch(Call{Event: h.Event, Session: "s", Version: client.Default, Data: "/data"})
	if !isCommand {
		t.Fatalf("%s is not launched", h.ID)
	}
	var all []string
	for _, v := range l.Env {
		if strings.HasPrefix(v.Name, "X_") || v.Name == "CLAUDE_PROJECT_DIR" && strings.HasSuffix(v.From, ".json") {
			all = append(all, v.Name+"="+v.Value+" from "+v.From)
		}
	}
	return strings.Join(all, "; ")
}

// TestVariables checks which settings set the variables of which hooks: the user's, overridden by
// the project's, overridden by the local ones, and those of a directory for sessions there. The
// client's own variables override all of them.
func TestVariables(t *testing.T) {
	t.Parallel()
	hook := func(command string) string {
		return `"hooks":{"Stop":[{"hooks":[{"type":"command","command":"` + command + `"}]}]}`
	}
	root := project(t, map[string]string{
		shared:                      `{"env":{"X_A":"p","X_B":1,"X_C":true,"X_BAD":null,"CLAUDE_PROJECT_DIR":"/elsewhere"},` + hook("$X_A/x.sh") + `}`,
		local:                       `{"env":{"X_A":"l"}}`,
		"sub/.claude/settings.json": `{"env":{"X_A":"sub"},` + hook("sub") + `}`,
		"plugin/hooks/hooks.json":   `{` + hook("plugin") + `}`,
		"l/x.sh":                    "",
	})
	found, err := Hooks(disk.Reader{Root: root}, root, []string{shared, local}, []Source{
		{File: filepath.Join(root, "sub/.claude/settings.json"), Scope: InDirectory, Session: filepath.Join(root, "sub")},
		{File: filepath.Join(root, "plugin/hooks/hooks.json"), Scope: InPlugin, Plugin: "p", PluginRoot: filepath.Join(root, "plugin")},
	})
	if err != nil || len(found.Hooks) != 2 || len(found.Others) != 1 {
		t.Fatalf("%+v, %v", found, err)
	}
	if scripts := found.Hooks[0].Scripts; len(scripts) != 1 || scripts[0] != "l/x.sh" {
		t.Errorf("the command names %v", scripts)
	}
	if got, want := variablesOf(t, found.Hooks[0]), "X_A=l from "+local+"; X_B=1 from "+shared+"; X_C=true from "+shared; got != want {
		t.Errorf("project: %s, want %s", got, want)
	}
	if got := variablesOf(t, found.Hooks[1]); got != "" {
		t.Errorf("plugin: %s", got)
	}
	if got, want := variablesOf(t, found.Others[0]), "X_A=sub from sub/.claude/settings.json"; got != want {
		t.Errorf("directory: %s, want %s", got, want)
	}
	userDir := project(t, map[string]string{"settings.json": `{"env":{"X_A":"u","X_U":"u"},` + hook("user") + `}`})
	user, err := Hooks(disk.Reader{Root: userDir}, root, nil, []Source{{File: filepath.Join(userDir, "settings.json"), Scope: InUser}})
	if err != nil {
		t.Fatal(err)
	}
	all := found.With(user)
	for i, h := range all.Hooks {
		got := variablesOf(t, h)
		if h.PluginRoot == "" && !strings.HasPrefix(got, "X_A=l ") || !strings.Contains(got, "X_U=u from ") {
			t.Errorf("with the user's, hook %d: %s", i, got)
		}
	}
	copilot, _ := clients.ByName("copilot")
	for _, h := range all.Of(copilot).Hooks {
		if got := variablesOf(t, h); got != "" {
			t.Errorf("another client: %s", got)
		}
	}
}

// TestDroppedVariables checks that a file which the client drops sets no variables.
func TestDroppedVariables(t *testing.T) {
	t.Parallel()
	found := discovered(t, map[string]string{shared: `{"env":{"X_A":"p"},"permissions":"x"}`, local: `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}}`})
	if len(found.Hooks) != 1 || len(found.Layers) != 0 || variablesOf(t, found.Hooks[0]) != "" {
		t.Errorf("%+v", found)
	}
}
