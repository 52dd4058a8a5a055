package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/adrg/xdg"
)

func TestRootWithoutFile(t *testing.T) {
	home := project(t, map[string]string{
		".claude/settings.json": "{}", "plain/sub/x": "",
		"repo/.git/HEAD": "", "repo/sub/deep/x": "",
		"repo/mono/.claude/settings.json": "{}", "repo/mono/src/x": "",
		"agent/.claude/settings.json": "{}", "agent/src/x": "",
		"worktree/.git": "gitdir: elsewhere", "worktree/src/x": "",
		"dotclaude/settings.json": `{"hooks": {}}`, "dotclaude/hooks/x": "", "editor/settings.json": "{}",
		"plugin/.claude-plugin/plugin.json": "{}", "plugin/hooks/x": "", "agent/copy/settings.json": `{"hooks": {}}`,
		"agent/.claude/hooks/x": "", "repo/copy/settings.json": `{"hooks": {}}`,
	})
	t.Setenv("HOME", home)
	for dir, want := range map[string]string{
		"repo/sub/deep":  "repo",
		"repo/mono/src":  "repo/mono",
		"agent/src":      "agent",
		"agent/.claude":  "agent",
		"worktree/src":   "worktree",
		"plain/sub":      "plain/sub", // not the home directory, whose .claude is the client's own
		"repo/sub/none1": "repo",
		// No repository, and not a part of the home directory or of a project above it.
		"dotclaude/hooks":     "dotclaude",
		"plugin/hooks":        "plugin",
		"agent/copy":          "agent/copy",
		"editor":              "editor",
		"agent/.claude/hooks": "agent",
		"repo/copy":           "repo",
	} {
		c, err := Load(LoadOptions{Dir: filepath.Join(home, dir), Env: noEnv})
		if err != nil {
			t.Fatal(err)
		}
		if c.Root != filepath.Join(home, want) || c.Path != "" {
			t.Errorf("%s: root %s, path %q; want %s and none", dir, c.Root, c.Path, want)
		}
	}
}

// TestRootInRepository checks a directory of hooks in a home directory that is a repository itself.
func TestRootInRepository(t *testing.T) {
	home := project(t, map[string]string{".git/HEAD": "", "dotclaude/settings.json": `{"hooks": {}}`, "notes/x": ""})
	t.Setenv("HOME", home)
	for dir, want := range map[string]string{"dotclaude": "dotclaude", "notes": ""} {
		if c, err := Load(LoadOptions{Dir: filepath.Join(home, dir), Env: noEnv}); err != nil || c.Root != filepath.Join(home, want) {
			t.Errorf("%s: root %s, %v", dir, c.Root, err)
		}
	}
}

func TestResultsDir(t *testing.T) {
	t.Parallel()
	a, b := t.TempDir(), t.TempDir()
	load := func(dir string, env func(string) (string, bool)) string {
		t.Helper()
		c, err := Load(LoadOptions{Dir: dir, Env: env})
		if err != nil {
			t.Fatal(err)
		}
		return c.ResultsDir
	}
	mine := load(a, noEnv)
	if !strings.HasPrefix(mine, filepath.Join(xdg.StateHome, "hookwatch", filepath.Base(a)+"-")) {
		t.Errorf("without a file: %s", mine)
	}
	if mine == load(b, noEnv) {
		t.Errorf("two projects share %s", mine)
	}
	link := filepath.Join(b, "link")
	if err := os.Symlink(a, link); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	if got := load(link, noEnv); filepath.Base(filepath.Dir(got)) != filepath.Base(filepath.Dir(mine)) {
		t.Errorf("one project by two paths: %s and %s", mine, got)
	}
	asked := load(a, func(name string) (string, bool) { return "out", name == "HOOKWATCH_RESULTS_DIR" })
	if asked != filepath.Join(a, "out") {
		t.Errorf("asked for: %s", asked)
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	dir := project(t, map[string]string{FileName: "", "a/b/x": "", "a/" + FileName + "/not-a-file": ""})
	if path, ok := findFile(filepath.Join(dir, "a", "b"), func(path string) string { return path }); !ok || path != filepath.Join(dir, FileName) {
		t.Errorf("got %q, %v", path, ok)
	}
}
