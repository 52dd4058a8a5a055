package revision

import (
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// contents returns the mode and digest of everything below a directory.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		all[rel] = info.Mode().String()
		switch {
		case info.Mode().IsRegular():
			content, err := os.ReadFile(path)
			sum := sha256.Sum256(content)
			all[rel] += string(sum[:])
			return err
		case info.Mode()&fs.ModeSymlink != 0:
			to, err := os.Readlink(path)
			all[rel] += to
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestCheckOut checks that every usual name of a commit gives its files, and leaves the repository
// and the work tree as they are.
func TestCheckOut(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	top := t.TempDir()
	dir := filepath.Join(top, "r")
	write := func(name, content string, mode os.FileMode) {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(content), mode), os.Chmod(file, mode)); err != nil {
			t.Fatal(err)
		}
	}
	commits(t, dir, "empty", 1, "--initial-branch=main")
	write("sub/hook.sh", "first", 0o755)
	write("sub/gone.sh", "gone", 0o644)
	write("eol.txt", "a\r\nb\n", 0o644)
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "sub/link")); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-q", "-m", "first")
	git(t, dir, "tag", "-a", "-m", "x", "v1")
	first := git(t, dir, "rev-parse", "HEAD")
	git(t, dir, "rm", "-q", "sub/gone.sh")
	write("sub/hook.sh", "second", 0o644)
	git(t, dir, "commit", "-q", "-a", "-m", "second")
	second := git(t, dir, "rev-parse", "HEAD")
	git(t, dir, "branch", "side/one", first)
	git(t, dir, "update-ref", "refs/remotes/origin/main", first)
	git(t, dir, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
	git(t, dir, "worktree", "add", "-q", "-b", "linked", filepath.Join(top, "w"), first)
	write(".gitignore", "ignored\n", 0o644)
	write("sub/ignored", "x", 0o644)
	write("sub/new.sh", "x", 0o644)
	write("sub/hook.sh", "not committed", 0o644)
	before := contents(t, top)

	check := func(project, name, want string) {
		t.Helper()
		r, err := CheckOut(t.Context(), filepath.Join(top, project), name)
		if err != nil {
			t.Errorf("%s %s: %v", project, name, err)
			return
		}
		defer r.Close()
		hook, _ := os.ReadFile(filepath.Join(r.Root, "hook.sh"))
		wanted := map[string]string{first: "first", second: "second"}[want]
		if r.Commit != want || string(hook) != wanted {
			t.Errorf("%s %s: commit %s with %q, want %s", project, name, r.Commit, hook, want)
		}
		info, err := os.Stat(filepath.Join(r.Root, "hook.sh"))
		if err != nil || info.Mode().Perm()&0o100 != 0 != (want == first) {
			t.Errorf("%s %s: mode %v %v", project, name, info, err)
		}
		if _, err := os.Stat(filepath.Join(r.Root, "gone.sh")); err == nil != (want == first) {
			t.Errorf("%s %s: a deleted file: %v", project, name, err)
		}
		added, err := r.AddedFiles(t.Context())
		if got := strings.Join(added, " "); err != nil || project == "r/sub" && got != "new.sh" {
			t.Errorf("%s %s: added %q %v", project, name, got, err)
		}
	}
	for name, want := range map[string]string{
		"HEAD": second, "@": second, "HEAD~1": first, "HEAD^": first, "main": second, "main~1": first, "v1": first, "side/one": first, "refs/heads/main": second,
		"heads/main": second, "origin/main": first, "origin": first, first: first, first[:8]: first, "linked": first,
	} {
		check("r/sub", name, want)
	}
	check("w/sub", "HEAD", first)
	check("w/sub", "main", second)
	git(t, dir, "pack-refs", "--all")
	git(t, dir, "gc", "-q")
	git(t, top, "clone", "-q", "--depth=1", "file://"+dir, "shallow")
	check("r/sub", "main", second)
	check("r/sub", "v1", first)
	check("shallow/sub", "HEAD", second)
	for name, words := range map[string]string{
		"": "name a commit", "--all": "name a commit", "HEAD@{1}": "reflogs", "none": "no such commit", "HEAD~9": "no such commit", "../x": "no such", "main:sub": "no such", "HEAD~2": "there is no directory sub",
	} {
		if _, err := CheckOut(t.Context(), filepath.Join(dir, "sub"), name); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%q: %v, want %q", name, err, words)
		}
	}
	for file, sum := range contents(t, top) {
		if old, known := before[file]; known && old != sum && !strings.Contains(file, ".git") {
			t.Errorf("%s was changed", file)
		}
	}
}

// TestCheckOutStartsNothing checks that a stranger's repository can make git neither start a
// program nor write outside of the directory, and is not changed.
func TestCheckOutStartsNothing(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	top := t.TempDir()
	dir, ran := filepath.Join(top, "r"), filepath.Join(top, "ran")
	commits(t, dir, "one", 1)
	evil := filepath.Join(top, "evil")
	hooks := filepath.Join(dir, ".git", "hooks")
	script := []byte("#!/bin/sh\ntouch '" + ran + "'\ncat\n")
	all := []error{
		os.WriteFile(evil, script, 0o755), os.WriteFile(filepath.Join(dir, ".gitattributes"), []byte("* filter=evil diff=evil merge=evil\nhook.sh export-ignore\n"), 0o644),
		os.WriteFile(filepath.Join(dir, "hook.sh"), []byte("x\n"), 0o755), os.MkdirAll(hooks, 0o755),
	}
	for _, name := range []string{"post-checkout", "post-index-change", "reference-transaction", "pre-auto-gc"} {
		all = append(all, os.WriteFile(filepath.Join(hooks, name), script, 0o755))
	}
	if err := errors.Join(all...); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "-c", "core.hooksPath=/none", "add", "hook.sh")
	git(t, dir, "-c", "core.hooksPath=/none", "commit", "-q", "-m", "two")
	for _, set := range [][2]string{
		{"core.fsmonitor", evil}, {"core.hooksPath", hooks}, {"core.pager", evil}, {"core.sshCommand", evil}, {"core.alternateRefsCommand", evil}, {"filter.evil.smudge", evil},
		{"filter.evil.clean", evil}, {"filter.evil.process", evil}, {"filter.evil.required", "true"}, {"diff.evil.textconv", evil}, {"diff.external", evil}, {"core.worktree", "/"},
		{"core.excludesFile", evil}, {"protocol.allow", "always"}, {"remote.origin.url", "ext::" + evil}, {"remote.origin.promisor", "true"},
	} {
		git(t, dir, "config", set[0], set[1])
	}
	_ = os.Remove(ran)
	before := contents(t, dir)
	r, err := CheckOut(t.Context(), dir, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.AddedFiles(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(r.Root, "hook.sh")); err != nil {
		t.Error(err)
	}
	r.Close()
	if _, err := os.Stat(r.Root); err == nil {
		t.Error("the files of the revision were left behind")
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("git started a program that the repository names")
	}
	after := contents(t, dir)
	for file, sum := range before {
		if after[file] != sum {
			t.Errorf("%s was changed", file)
		}
	}
	if len(after) != len(before) {
		t.Errorf("%d files before, %d after", len(before), len(after))
	}
}

// TestCheckOutIndex checks that the index gives the files of the next commit, also in the forms that it has
// seldom, and that the repository and the work tree stay as they are.
func TestCheckOutIndex(t *testing.T) { //nolint:paralleltest // it sets a variable
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	read := func(dir string) string {
		t.Helper()
		before := contents(t, dir)
		rev, err := CheckOutIndex(t.Context(), dir)
		if err != nil {
			return err.Error()
		}
		defer rev.Close()
		for name, state := range contents(t, dir) {
			if before[name] != state {
				t.Errorf("%s differs", name)
			}
			delete(before, name)
		}
		if len(before) > 0 {
			t.Errorf("gone: %v", before)
		}
		var files []string
		for name, state := range contents(t, rev.Tree) {
			if strings.HasPrefix(state, "-") {
				text, _ := os.ReadFile(filepath.Join(rev.Tree, name))
				files = append(files, name+"="+string(text))
			}
		}
		slices.Sort(files)
		return strings.Join(files, " ")
	}
	for _, format := range []string{"sha1", "sha256"} {
		dir := filepath.Join(t.TempDir(), "my r")
		write := func(name, content string) {
			t.Helper()
			if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		check := func(what, want string) {
			t.Helper()
			if got := read(dir); !strings.Contains(got, want) || !strings.Contains(want, ":") && got != want {
				t.Errorf("%s, %s: %s, want %s", format, what, got, want)
			}
		}
		git(t, filepath.Dir(dir), "init", "-q", "--initial-branch=main", "--object-format="+format, dir)
		check("no index", "the index: ")
		write("a", "1")
		write("b", "1")
		git(t, dir, "add", "a")
		write("a", "2")
		check("no commit", "a=1")
		git(t, dir, "commit", "-q", "-m", "one")
		git(t, dir, "add", "-N", "b")
		check("only the intent to add", "a=1")
		git(t, dir, "update-index", "--split-index")
		git(t, dir, "add", "b")
		check("a split index", "a=1 b=1")
		git(t, dir, "update-index", "--skip-worktree", "a")
		check("a file that is not in the work tree", "a=1 b=1")
		git(t, dir, "update-index", "--no-skip-worktree", "a")
		git(t, dir, "update-index", "--no-split-index")
		git(t, dir, "rm", "-q", "--cached", "-f", "b")
		check("the usual one", "a=1")
		t.Setenv("GIT_INDEX_FILE", filepath.Join(dir, ".git", "other"))
		text, err := os.ReadFile(filepath.Join(dir, ".git/index"))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, ".git/other"), text, 0o644)
		}
		git(t, dir, "add", "b") // to the usual one
		check("another one", "a=1")
		t.Setenv("GIT_INDEX_FILE", filepath.Join(dir, "absent"))
		check("one that does not exist", "the index: ")
		_ = os.Unsetenv("GIT_INDEX_FILE") // Setenv restores it
		hash := git(t, dir, "hash-object", "-w", "b")
		conflict := exec.Command("git", "-C", dir, "update-index", "--index-info")
		conflict.Stdin = strings.NewReader("100644 " + hash + " 1\tc\n100644 " + hash + " 2\tc\n")
		if out, err2 := conflict.CombinedOutput(); err != nil || err2 != nil {
			t.Fatalf("%v %v %s", err, err2, out)
		}
		check("a conflict", "c: unmerged")
	}
	if got := read(t.TempDir()); !strings.Contains(got, "there is no git repository around") {
		t.Error(got)
	}
}
