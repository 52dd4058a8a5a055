package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hookwatch/suites/disk"
)

// maskTree creates files in a new directory without symbolic links in its path.
func maskTree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := disk.Real(t.TempDir())
	for name, content := range files {
		at := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, []byte(content), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestMasks(t *testing.T) {
	t.Parallel()
	dir := maskTree(t, map[string]string{
		"home/.ssh/id_ed25519": "k", "home/.ssh/known_hosts": "k", "home/.ssh/a/b/c/d": "k",
		"home/.netrc": "k", "home/.config/gh/hosts.yml": "k", "home/.config/tool/x": "",
		"home/.npmrc": "k", "home/mine/key": "k", "dotfiles/aws/credentials": "k", "project/x": "",
	})
	home := filepath.Join(dir, "home")
	if err := os.Symlink(filepath.Join(dir, "dotfiles/aws"), filepath.Join(home, ".aws")); err != nil {
		t.Fatal(err)
	}
	o := rules{Root: filepath.Join(dir, "project"), Home: home, Mask: []string{"mine", "absent"}, Unmask: []string{".npmrc"}}
	got := make(map[string][]string)
	for _, m := range o.Find(false) {
		got[strings.TrimPrefix(m.Path, dir+"/")] = m.Names
	}
	want := map[string][]string{
		"home/.ssh":       {"a/", "a/b/", "a/b/c/", "id_ed25519", "known_hosts"},
		"home/.netrc":     nil,
		"home/.config/gh": {"hosts.yml"},
		"home/mine":       {"key"},
		"dotfiles/aws":    {"credentials"}, // the target of the link
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error("-want +got\n" + diff)
	}
	o.Root = filepath.Join(home, ".config/gh")
	if slices.ContainsFunc(o.Find(false), func(m mask) bool { return disk.Within(m.Path, o.Root) }) {
		t.Error("the project itself is masked")
	}
}
