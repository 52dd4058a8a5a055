package discover

import (
	"path/filepath"
	"slices"
	"testing"

	"hookwatch/suites/disk"
)

const (
	someHooks   = `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}`
	pluginsHook = `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "\"${CLAUDE_PLUGIN_ROOT}\"/x.sh"}]}]}}`
	homeHook    = `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "~/.claude/hooks/x.sh"}]}]}}`
	agent       = "---\nname: a\nhooks:\n  Stop:\n    - hooks:\n        - type: command\n          command: \"true\"\n---\nText.\n"
)

// TestFind checks in which places each kind of file registers hooks.
func TestFind(t *testing.T) {
	t.Parallel()
	type sources map[string]Scope
	for name, tt := range map[string]struct {
		files   map[string]string
		want    sources
		foreign []string
		unread  []string
		guessed []string
	}{
		"a plugin by its manifest":        {files: map[string]string{manifestName: `{"name": "p"}`, pluginHooks: pluginsHook}, want: sources{pluginHooks: InPlugin}},
		"a plugin without a manifest":     {files: map[string]string{"sub/" + pluginHooks: pluginsHook}, want: sources{"sub/" + pluginHooks: InPlugin}},
		"hooks in the form of a plugin's": {files: map[string]string{pluginHooks: someHooks, "sub/" + pluginHooks: someHooks}, want: sources{pluginHooks: InTemplate, "sub/" + pluginHooks: InTemplate}},
		"a hooks.json of something else":  {files: map[string]string{"sub/" + pluginHooks: `{"hooks": {"onSave": []}}`, "git/" + pluginHooks: `{"hooks": ["pre-commit"]}`}},
		"a plugin and what it is built from": {files: map[string]string{
			"plugins/p/" + manifestName: `{"name": "p"}`, "plugins/p/" + pluginHooks: pluginsHook, "src/" + pluginHooks: pluginsHook, "old/" + pluginHooks: pluginsHook + "\n",
		}, want: sources{"plugins/p/" + pluginHooks: InPlugin, "old/" + pluginHooks: InPlugin}},
		"a manifest names its file":      {files: map[string]string{manifestName: `{"name": "p", "hooks": "./other.json"}`, "other.json": pluginsHook}, want: sources{"other.json": InPlugin}},
		"a manifest names several files": {files: map[string]string{manifestName: `{"name": "p", "hooks": ["a.json", "./b.json"]}`}, want: sources{"a.json": InPlugin, "b.json": InPlugin}},
		"a manifest has hooks in it":     {files: map[string]string{manifestName: `{"name": "p", "hooks": {"Stop": []}}`}, want: sources{manifestName: InPlugin}},
		"a marketplace with two plugins": {files: map[string]string{
			marketplaceName:            `{"plugins": [{"name": "a", "source": "./plugins/a"}, {"name": "b", "source": "./plugins/b"}, {"name": "c", "source": {"source": "github", "repo": "o/c"}}]}`,
			"plugins/a/" + pluginHooks: someHooks, "plugins/b/" + pluginHooks: pluginsHook,
		}, want: sources{"plugins/a/" + pluginHooks: InPlugin, "plugins/b/" + pluginHooks: InPlugin}},
		"a marketplace with a root of plugins": {files: map[string]string{
			marketplaceName: `{"metadata": {"pluginRoot": "./all"}, "plugins": [{"name": "a", "source": "a"}]}`, "all/a/" + pluginHooks: someHooks,
		}, want: sources{"all/a/" + pluginHooks: InPlugin}},
		"a marketplace that leaves the tree": {files: map[string]string{marketplaceName: `{"plugins": [{"name": "a", "source": "./../other"}]}`}},
		"a ~/.claude repository":             {files: map[string]string{"settings.json": homeHook}, want: sources{"settings.json": InHome}},
		"settings of something else":         {files: map[string]string{"settings.json": someHooks}, want: sources{"settings.json": InTemplate}},
		"settings below":                     {files: map[string]string{"web/.claude/settings.json": someHooks}, want: sources{"web/.claude/settings.json": InDirectory}},
		"settings of tests":                  {files: map[string]string{"tests/.claude/settings.json": someHooks}, want: sources{"tests/.claude/settings.json": InTemplate}},
		"settings under another name":        {files: map[string]string{".claude/settings.json.example": someHooks}, want: sources{".claude/settings.json.example": InTemplate}},
		"settings without hooks":             {files: map[string]string{"web/.claude/settings.json": `{"permissions": {}}`}},
		"an agent":                           {files: map[string]string{".claude/agents/a.md": agent}, want: sources{".claude/agents/a.md": InDocument}},
		"a skill of a plugin":                {files: map[string]string{manifestName: `{"name": "p"}`, "skills/s/SKILL.md": agent}, want: sources{"skills/s/SKILL.md": InDocument}},
		"an agent without hooks":             {files: map[string]string{".claude/agents/a.md": "---\nname: a\n---\nhooks:\n"}},
		"a skill of another client":          {files: map[string]string{".factory/skills/s/SKILL.md": agent, "web/.pi/skills/s/SKILL.md": agent, "web/.claude/skills/s/SKILL.md": agent}, want: sources{"web/.claude/skills/s/SKILL.md": InDocument}},
		"a document elsewhere":               {files: map[string]string{"notes/a.md": agent}},
		"other clients": {files: map[string]string{".codex/hooks.json": someHooks, ".cursor/hooks.json": someHooks, ".github/hooks/a.json": someHooks, ".windsurf/hooks.json": someHooks},
			want:    sources{".codex/hooks.json": InProject, ".cursor/hooks.json": InProject, ".github/hooks/a.json": InProject},
			foreign: []string{".codex/hooks.json", ".cursor/hooks.json", ".github/hooks/a.json", ".windsurf/hooks.json"}},
		"other clients below": {files: map[string]string{"web/.gemini/settings.json": someHooks, "tests/.codex/hooks.json": someHooks, ".codex/config.toml": "model = \"hooks\"\n", "a/.codex/config.toml": "[[hooks.Stop]]\n", ".clinerules/hooks/PreToolUse": "#!/bin/sh\n"},
			want:    sources{"web/.gemini/settings.json": InDirectory, "tests/.codex/hooks.json": InTemplate, "a/.codex/config.toml": InDirectory},
			foreign: []string{".clinerules/hooks", "a/.codex/config.toml", "tests/.codex/hooks.json", "web/.gemini/settings.json"}},
		"a file that is never read": {files: map[string]string{".claude/hooks.json": someHooks, "p/.claude-plugin/hooks.json": someHooks}, unread: []string{".claude/hooks.json", "p/.claude-plugin/hooks.json"}},
		"scripts named by events": {files: map[string]string{"hooks/pre-tool-use.sh": "", "hooks/stop.py": "", "hooks/helper.sh": "", "docs/hooks/stop.sh": "", ".cursor/hooks/stop.js": ""},
			guessed: []string{"hooks/pre-tool-use.sh", "hooks/stop.py"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := project(t, tt.files)
			found := Find(disk.Reader{}, root, nil, nil)
			got := sources{}
			for _, s := range found.Sources {
				slash, _ := relativeTo(root, s.File)
				got[slash] = s.Scope
			}
			if len(got) != len(tt.want) {
				t.Errorf("%v, want %v", got, tt.want)
			}
			for file, scope := range tt.want {
				if got[file] != scope {
					t.Errorf("%s is %q, want %q", file, got[file], scope)
				}
			}
			for kind, both := range map[string][2][]string{
				"foreign": {found.Foreign, tt.foreign}, "unread": {found.Unread, tt.unread}, "guessed": {found.Guessed, tt.guessed},
			} {
				slices.Sort(both[0])
				if !slices.Equal(both[0], both[1]) {
					t.Errorf("%s: %q, want %q", kind, both[0], both[1])
				}
			}
		})
	}
}

// TestFindNames checks that a plugin has the name in its manifest and the place in its
// marketplace.
func TestFindNames(t *testing.T) {
	t.Parallel()
	root := project(t, map[string]string{marketplaceName: `{"plugins": [{"name": "shown", "source": "./p"}]}`, "p/" + pluginHooks: pluginsHook})
	found := Find(disk.Reader{}, root, nil, nil)
	if len(found.Sources) != 1 || found.Sources[0].Plugin != "shown" || found.Sources[0].PluginRoot != filepath.Join(root, "p") {
		t.Errorf("%+v", found.Sources)
	}
}

func TestEventOf(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]string{
		"hooks/pre-tool-use.sh": "PreToolUse", "hooks/PreToolUse.py": "PreToolUse", "hooks/post_tool_use_failure.js": "PostToolUseFailure",
		"hooks/subagent-stop.sh": "SubagentStop", "hooks/stop.sh": "Stop", "hooks/stop-notify.sh": "Stop", "hooks/nonstop.sh": "",
		"hooks/user-prompt-submit.py": "UserPromptSubmit", "stop/helper.sh": "", "hooks/guard.sh": "",
	} {
		if got := EventOf(script); got != want {
			t.Errorf("%s: %q, want %q", script, got, want)
		}
	}
}
