package depend

import (
	"path/filepath"
	"testing"

	"hookwatch/suites"
	"hookwatch/suites/discover"
	"hookwatch/suites/disk"
)

// registering loads the registrations of a project as a session does.
func registering(t *testing.T, root string) discover.Registered {
	t.Helper()
	files := []string{".claude/settings.json", ".claude/settings.local.json"}
	plugin := discover.Source{File: filepath.Join(root, "hooks/hooks.json"), Scope: discover.InPlugin, Plugin: "p", PluginRoot: root}
	found, err := discover.Hooks(disk.Reader{Root: root}, root, files, []discover.Source{plugin})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestRegistrations checks that an edit of a hook's registration affects only the cases of that
// hook that fire it by its registration, and that an edit of anything else in the file affects
// none.
func TestRegistrations(t *testing.T) {
	t.Parallel()
	const (
		settings = ".claude/settings.json"
		guard    = `{"matcher": "Bash", "hooks": [{"type": "command", "command": ".claude/hooks/guard.sh", "timeout": 5}]}`
		stop     = `"Stop": [{"hooks": [{"type": "command", "command": ".claude/hooks/stop.sh"}]}]`
	)
	files := map[string]string{
		".claude/hooks/guard.sh": "#!/bin/bash\n", ".claude/hooks/stop.sh": "#!/bin/bash\n", ".claude/hooks/lone.sh": "#!/bin/bash\n",
		settings: `{"hooks": {"PreToolUse": [` + guard + `], ` + stop + `}}`, "hooks/hooks.json": `{"hooks": {}}`,
	}
	step := []suites.Step{{Event: "PreToolUse", Tool: "Bash"}}
	own := &suites.ProjectOverride{} // they do not depend on the settings as a file
	all := []suites.Case{
		{ID: "script", Hook: ".claude/hooks/guard.sh", Steps: step, Project: own},
		{ID: "named", Hook: ".claude/hooks/guard.sh", Registered: "guard.sh", Steps: step, Project: own},
		{ID: "chain", Chain: true, Steps: step, Project: own},
		{ID: "other", Hook: ".claude/hooks/stop.sh", Steps: []suites.Step{{Event: "Stop"}}, Project: own},
		{ID: "unregistered", Hook: ".claude/hooks/lone.sh", Steps: step, Project: own},
	}
	const itsOwn = "chain named"
	with := func(pre string) string { return `{"hooks": {"PreToolUse": [` + pre + `], ` + stop + `}}` }
	for name, tt := range map[string]struct{ file, content, want string }{
		"matcher":        {settings, with(`{"matcher": "Edit", "hooks": [{"type": "command", "command": ".claude/hooks/guard.sh", "timeout": 5}]}`), itsOwn},
		"timeout":        {settings, with(`{"matcher": "Bash", "hooks": [{"type": "command", "command": ".claude/hooks/guard.sh", "timeout": 0.001}]}`), itsOwn},
		"condition":      {settings, with(`{"matcher": "Bash", "hooks": [{"type": "command", "command": ".claude/hooks/guard.sh", "timeout": 5, "if": "Bash(ls)"}]}`), itsOwn},
		"command":        {settings, with(`{"matcher": "Bash", "hooks": [{"type": "command", "command": ".claude/hooks/guard.sh || true", "timeout": 5}]}`), itsOwn},
		"removed":        {settings, with(""), itsOwn},
		"dropped file":   {settings, with(guard + `, {"matcher": "Edit", "hooks": [{"type": "comand", "command": "x"}]}`), "chain named"},
		"syntax":         {settings, with(guard + `,`), "chain named"},
		"one more":       {settings, with(guard + `, {"matcher": "Edit", "hooks": [{"type": "command", "command": "true"}]}`), "chain"},
		"switched off":   {settings, `{"disableAllHooks": true, "hooks": {}}`, "chain named"},
		"off, elsewhere": {".claude/settings.local.json", `{"disableAllHooks": true}`, "chain named"},
		"twice":          {".claude/settings.local.json", `{"hooks": {"PreToolUse": [` + guard + `]}}`, itsOwn},
		"by a plugin":    {"hooks/hooks.json", `{"hooks": {"PreToolUse": [` + guard + `]}}`, itsOwn},
		"permissions":    {settings, `{"permissions": {"allow": ["Bash(ls)"]}, "hooks": {"PreToolUse": [` + guard + `], ` + stop + `}}`, ""},
		"white space":    {settings, with(" \n " + guard), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			write(t, root, files)
			graph := func() *Graph {
				return New(Project{
					Root: root, HookDirs: []string{".claude/hooks"}, Settings: []string{settings, ".claude/settings.local.json"},
					Registered: registering(t, root), Scripts: func(*suites.Case) []string { return []string{".claude/hooks/guard.sh"} },
				})
			}
			before := digests(graph(), all)
			write(t, root, map[string]string{tt.file: tt.content})
			if got := affected(before, digests(graph(), all)); got != tt.want {
				t.Errorf("affected %q, want %q", got, tt.want)
			}
		})
	}
}
