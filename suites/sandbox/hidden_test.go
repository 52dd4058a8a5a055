package sandbox

import (
	"os"
	"path/filepath"
	"testing"

	"hookwatch/suites/disk"
)

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
