//go:build unix

package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hookwatch/suites/disk"
)

const otherUser = 54321

// repositoryAt creates a directory that git accepts as a repository.
func repositoryAt(t *testing.T, dir string) {
	t.Helper()
	for _, d := range []string{"objects", "refs"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

// TestGitTop checks that a repository above the project counts only if it belongs to the user.
func TestGitTop(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		plant func(t *testing.T, top string) error
		want  string // of the project at top/a/b
	}{
		"none":                {func(*testing.T, string) error { return nil }, "a/b"},
		"its own":             {func(_ *testing.T, top string) error { return os.Mkdir(filepath.Join(top, "a/b/.git"), 0o755) }, "a/b"},
		"the user's above":    {func(_ *testing.T, top string) error { return os.Mkdir(filepath.Join(top, ".git"), 0o755) }, "."},
		"the user's, between": {func(_ *testing.T, top string) error { return os.Mkdir(filepath.Join(top, "a/.git"), 0o755) }, "a"},
		"where every user may write": {func(_ *testing.T, top string) error {
			return firstError(os.Mkdir(filepath.Join(top, ".git"), 0o755), os.Chmod(top, 0o1777))
		}, "a/b"},
		"below where every user may": {func(_ *testing.T, top string) error {
			return firstError(os.Mkdir(filepath.Join(top, "a/.git"), 0o755), os.Chmod(top, 0o1777))
		}, "a"},
		"another user's": {func(t *testing.T, top string) error {
			return firstError(os.Mkdir(filepath.Join(top, ".git"), 0o755), give(t, filepath.Join(top, ".git")))
		}, "a/b"},
		"in another user's directory": {func(t *testing.T, top string) error {
			return firstError(os.Mkdir(filepath.Join(top, ".git"), 0o755), give(t, top))
		}, "a/b"},
		"all of another user's, by root": {func(t *testing.T, top string) error {
			return firstError(os.Mkdir(filepath.Join(top, ".git"), 0o755), give(t, top), give(t, filepath.Join(top, ".git")), give(t, filepath.Join(top, "a/b")))
		}, "."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			top := disk.Real(t.TempDir())
			if err := os.MkdirAll(filepath.Join(top, "a/b"), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := firstError(os.Chmod(top, 0o755), tt.plant(t, top)); err != nil {
				t.Fatal(err)
			}
			if got, want := GitTop(filepath.Join(top, "a/b")), filepath.Join(top, tt.want); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		})
	}
}

// give changes the owner of a file to another user.
func give(t *testing.T, path string) error {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("absent: root, who alone gives files to others")
	}
	return os.Lchown(path, otherUser, otherUser)
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// TestGitCommon checks that a repository named in the file .git counts only if it names the work
// tree in turn.
func TestGitCommon(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		files map[string]string // TOP is replaced by the directory that contains everything
		want  string            // "": none
		err   string
	}{
		"none":                    {map[string]string{"w/x": ""}, "", ""},
		"a directory":             {map[string]string{"w/.git/HEAD": ""}, "", ""},
		"in the work tree":        {map[string]string{"w/.git": "gitdir: sub/g\n", "w/sub/g/objects/x": "", "w/sub/g/refs/x": ""}, "", ""},
		"a linked work tree":      {map[string]string{"w/.git": "gitdir: TOP/m/.git/worktrees/w\n", "m/.git/worktrees/w/commondir": "../..\n", "m/.git/worktrees/w/gitdir": "TOP/w/.git\n"}, "m/.git", ""},
		"by relative paths":       {map[string]string{"w/.git": "gitdir: ../m/.git/worktrees/w\n", "m/.git/worktrees/w/commondir": "../..\n", "m/.git/worktrees/w/gitdir": "../../../../w/.git\n"}, "m/.git", ""},
		"a submodule":             {map[string]string{"w/.git": "gitdir: ../m/.git\n", "m/.git/config": "[core]\n\tworktree = ../../w\n"}, "m/.git", ""},
		"one that names another":  {map[string]string{"w/.git": "gitdir: TOP/m/.git\n", "m/.git/config": "[core]\n\tworktree = ../../v\n"}, "", "does not name"},
		"one that names none":     {map[string]string{"w/.git": "gitdir: TOP/m/.git\n"}, "", "does not name"},
		"no repository":           {map[string]string{"w/.git": "gitdir: TOP/plain\n", "plain/x": ""}, "", "is no repository"},
		"a work tree of another":  {map[string]string{"w/.git": "gitdir: TOP/m/.git/worktrees/w\n", "m/.git/worktrees/w/commondir": "TOP/other\n", "m/.git/worktrees/w/gitdir": "TOP/w/.git\n", "other/x": ""}, "", "is no work tree of"},
		"through the machine":     {map[string]string{"w/.git": "gitdir: /proc/self/root/tmp\n"}, "", "is no repository"},
		"the root directory":      {map[string]string{"w/.git": "gitdir: /\n"}, "", "is no repository"},
		"one that is not there":   {map[string]string{"w/.git": "gitdir: TOP/gone\n"}, "", ""},
		"a link to somewhere":     {map[string]string{"w/.git": "gitdir: TOP/link\n"}, "", "is no repository"},
		"its own, through itself": {map[string]string{"w/.git": "gitdir: TOP/w\n"}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			top := disk.Real(t.TempDir())
			repositoryAt(t, filepath.Join(top, "m/.git"))
			_ = os.Symlink("/tmp", filepath.Join(top, "link"))
			for file, content := range tt.files {
				path := filepath.Join(top, file)
				if err := firstError(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(strings.ReplaceAll(content, "TOP", top)), 0o644)); err != nil {
					t.Fatal(err)
				}
			}
			want := tt.want
			if want != "" {
				want = filepath.Join(top, want)
			}
			got, err := gitCommon(filepath.Join(top, "w"))
			if got != want || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%q, %v; want %q, %q", got, err, want, tt.err)
			}
		})
	}
}
