package sandbox

import (
	"os"
	"path/filepath"
	"testing"

	"hookwatch/suites/disk"
)

// TestWorld checks what paths mean for cases with private views and without, in a project and a HOME
// that are themselves below a private directory.
func TestWorld(t *testing.T) {
	t.Parallel()
	dir := maskTree(t, map[string]string{
		"home/.ssh/id": "k", "home/.claude/hooks/a.sh": "", "home/.claude/history.jsonl": "k", "home/.config/tool/x": "k", "home/.gitconfig": "k",
		"home/.codex/sessions/a": "k", "home/bin/tool": "", "home/lib.sh": "k", "home/shown/x": "", "home/src/project/x": "", "home/src/other/x": "k",
		"home/dotfiles/hooks/b.sh": "", "home/dotfiles/x": "k", "elsewhere/x": "", "tools/bin/program": "", "tools/lib/x": "", "state/x": "k",
	})
	at := func(name string) string { return filepath.Join(dir, name) }
	for link, to := range map[string]string{
		"home/.claude/scripts": "../dotfiles/hooks", "home/src/project/out": at("elsewhere/x"), "home/src/project/key": "../../.ssh/id",
		"home/src/project/mine": "../../lib.sh", "home/src/project/in": "x", "elsewhere/back": at("home/src/project/x"), "named": "home/src/project",
	} {
		if err := os.Symlink(to, at(link)); err != nil {
			t.Fatal(err)
		}
	}
	o := Options{Root: at("named"), Home: at("home"), Unmask: []string{"shown"}, Private: []string{at("state")}}
	search := []string{at("home/bin"), at("tools/bin"), "/usr/bin"}
	private, all := o.World(listMounts() != nil, search), o.World(false, search)
	for name, want := range map[string]struct{ private, all disk.Reason }{
		"home/src/project/x": {}, "home/src/project/in": {}, "named/x": {}, "home/shown/x": {}, "home/bin/tool": {}, "home/.claude/hooks/a.sh": {},
		"home/.claude/scripts/b.sh": {}, "home/dotfiles/hooks/b.sh": {}, "tools/bin/program": {}, "tools/lib/x": {},
		"home/.ssh/id": {disk.Hidden, disk.Hidden}, "home/src/project/key": {disk.Hidden, disk.Hidden}, "home/.claude/history.jsonl": {disk.Hidden, disk.Hidden},
		"home/.codex/sessions/a": {disk.Hidden, disk.Hidden}, "home/.config/tool/x": {disk.Hidden, 0}, "home/.gitconfig": {disk.Hidden, 0},
		"home/lib.sh": {disk.Hidden, 0}, "home/src/project/mine": {disk.Hidden, 0}, "home/src/other/x": {disk.Hidden, 0}, "home/dotfiles/x": {disk.Hidden, 0},
		"elsewhere/x": {disk.Absent, 0}, "home/src/project/out": {disk.Absent, 0}, "elsewhere/back": {disk.Absent, 0}, "state/x": {disk.Absent, 0},
	} {
		_, err := disk.Reader{World: private.Means}.ReadFile(at(name), 100)
		if got := disk.ReasonOf(err); got != want.private && listMounts() != nil {
			t.Errorf("%s with private views: %v, want reason %d", name, err, want.private)
		}
		if _, err = (disk.Reader{World: all.Means}).ReadFile(at(name), 100); disk.ReasonOf(err) != want.all {
			t.Errorf("%s without private views: %v, want reason %d", name, err, want.all)
		}
	}
	if _, err := (disk.Reader{World: private.Means}).ReadFile("/etc/passwd", 1<<20); err != nil {
		t.Error(err)
	}
}
