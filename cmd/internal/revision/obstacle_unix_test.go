//go:build unix

package revision

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestObstacle checks that no pipe or device of a stranger's repository keeps git waiting, wherever
// git would read it, and that the error names it.
func TestObstacle(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	pipe := func(path string) error {
		return errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), syscall.Mkfifo(path, 0o600))
	}
	for name, tt := range map[string]struct {
		prepare func(top, objects string) error
		want    string // "" if git reads the repository
	}{
		"none":          {func(string, string) error { return nil }, ""},
		"far from git":  {func(top, objects string) error { return errors.Join(pipe(objects+"/other/p"), pipe(top+"/p")) }, ""},
		"alternates":    {func(_, objects string) error { return pipe(objects + "/info/alternates") }, "info/alternates"},
		"commit graph":  {func(_, objects string) error { return pipe(objects + "/info/commit-graph") }, "info/commit-graph"},
		"an index":      {func(_, objects string) error { return pipe(objects + "/pack/multi-pack-index") }, "pack/multi-pack-index"},
		"ignored files": {func(top, _ string) error { return pipe(top + "/sub/.gitignore") }, "sub/.gitignore"},
		"a link": {func(top, objects string) error {
			return errors.Join(pipe(top+"/p"), os.Symlink(top+"/p", objects+"/info/alternates"))
		}, "info/alternates"},
		"another repository": {func(top, objects string) error {
			return errors.Join(os.WriteFile(objects+"/info/alternates", []byte("../../other\n"), 0o600), pipe(top+"/other/info/alternates"))
		}, "other/info/alternates"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			top, own := t.TempDir(), t.TempDir()
			commits(t, top, "one", 1)
			repository := filepath.Join(top, ".git")
			if err := tt.prepare(top, filepath.Join(repository, "objects")); err != nil {
				t.Fatal(err)
			}
			g, head, err := newIsolatedGit(top, own, repository, repository)
			if err != nil {
				t.Fatal(err)
			}
			g.patience = 0
			out, err := g.run(t.Context(), top, []string{"GIT_WORK_TREE=" + top}, "ls-files", "--others", "--exclude-standard")
			if err == nil {
				out, err = g.run(t.Context(), own, nil, "rev-list", "--all", head)
			}
			switch {
			case tt.want == "" && (err != nil || hash(out) != head):
				t.Errorf("%q, %v", out, err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want+", which is no file")):
				t.Errorf("%q, %v, want %s", out, err, tt.want)
			}
			if _, err := g.resolve(t.Context(), "HEAD", repository, repository); name == "alternates" && !errors.As(err, new(*obstacleError)) {
				t.Errorf("HEAD: %v", err)
			}
		})
	}
}
