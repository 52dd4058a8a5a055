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

// TestHidden checks that a masked file is recognized by each of its names.
func TestHidden(t *testing.T) {
	t.Parallel()
	dir := maskTree(t, map[string]string{
		"home/.ssh/id_ed25519": "k", "home/.ssh/deep/er/and/deeper/key": "k", "home/.netrc": "k",
		"home/mine/key": "k", "home/.npmrc": "k", "home/keys/id": "k", "home/notes": "",
		"own/.aws/credentials": "k", "project/x": "", "project/.ssh/config": "", "tool/program": "",
		"home/.kube/cache/x": "", "etc/k3s.yaml": "k", "etc/dir/x": "",
	})
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, err := range []error{
		os.Symlink(at("home/.netrc"), at("project/link")),
		os.Symlink("../home", at("project/parent")),
		os.Symlink(at("home/.ssh/absent"), at("project/dangling")),
		os.Link(at("home/.ssh/id_ed25519"), at("project/hard")),
		os.Link(at("home/.ssh/deep/er/and/deeper/key"), at("project/deep hard")),
		os.Link(at("home/.netrc"), at("project/hard netrc")),
		os.Symlink("../keys/id", at("home/.ssh/id_rsa")),
		os.Chmod(at("tool/program"), 0o755),
		os.Symlink(at("tool/program"), at("home/.ssh/program")),
		os.Symlink(at("etc/k3s.yaml"), at("home/.kube/config")),
		os.Symlink(at("etc/dir"), at("home/.kube/dir")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	o := rules{Root: at("project"), Home: at("home"), OwnHome: at("own"), Mask: []string{"mine", "absent"}, Unmask: []string{".npmrc"}}
	hiding := o.Hiding()
	for name, want := range map[string]bool{
		"home/.ssh": true, "home/.ssh/id_ed25519": true, "home/.ssh/../.ssh/id_ed25519": true, "home/.netrc": true,
		"home/mine/key": true, "home/absent": true, "home/absent/x": true, "home/.aws": true, "own/.aws/credentials": true,
		"home/keys/id": true, "project/link": true, "project/parent/.netrc": true, "project/parent/.ssh/id_ed25519": true,
		"project/dangling": true, "project/hard": true, "project/deep hard": true, "project/hard netrc": true,
		"home": false, "home/notes": false, "home/.npmrc": false, "home/keys": false, "project/x": false,
		"project/.ssh/config": false, "project/parent/notes": false, "tool/program": false, "nowhere": false,
		"home/.kube/config": true, "etc/k3s.yaml": true, "etc/dir/x": false,
	} {
		if got := hiding.Hides(disk.Lead(at(name))); got != want {
			t.Errorf("%s is hidden: %v, want %v", name, got, want)
		}
	}
	o.Root = at("home/.ssh/deep")
	if o.Hiding().Hides(at("home/.ssh/deep/er/and/deeper/key")) {
		t.Error("the project itself is hidden")
	}
	if (rules{Root: at("project")}).Hiding().Hides(at("home/.netrc")) {
		t.Error("without a HOME something is hidden")
	}
}

func TestAliases(t *testing.T) {
	t.Parallel()
	all := []mount{
		{At: "/", Device: "8:1", Root: "/"}, {At: "/home", Device: "8:2", Root: "/@home"}, {At: "/again", Device: "8:2", Root: "/@home/u"},
		{At: "/top", Device: "8:2", Root: "/"}, {At: "/keys", Device: "8:2", Root: "/@home/u/.ssh/keys"}, {At: "/other", Device: "8:3", Root: "/@home"},
		{At: "/hidden", Device: "8:2", Root: "/@home/u"}, {At: "/hidden", Device: "8:4", Root: "/"},
	}
	for path, want := range map[string][]string{
		"/home/u/.ssh": {"/again/.ssh", "/top/@home/u/.ssh", "/keys"}, "/home/u/.netrc": {"/again/.netrc", "/top/@home/u/.netrc"}, "/etc/passwd": nil,
	} {
		if diff := cmp.Diff(want, aliases(all, path)); diff != "" {
			t.Error(path, "-want +got\n"+diff)
		}
	}
}
