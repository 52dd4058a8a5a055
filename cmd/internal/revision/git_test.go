package revision

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// git runs git in a directory, and returns its output.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_ALLOW_PROTOCOL=file",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com",
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// commits creates a repository with a number of commits, and returns the first.
func commits(t *testing.T, dir, message string, n int, init ...string) string {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	git(t, dir, append([]string{"init", "-q"}, init...)...)
	for range n {
		git(t, dir, "commit", "-q", "--allow-empty", "-m", message)
	}
	return git(t, dir, "rev-list", "--max-parents=0", "HEAD")
}

// TestFirstCommit checks that a repository keeps its identity when anything is added to
// it, and has none if it could be forged.
func TestFirstCommit(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	top := t.TempDir()
	at := func(name string) string { return filepath.Join(top, name) }
	first := commits(t, at("a"), "one", 3)
	other := commits(t, at("b"), "another", 1)
	if first == other {
		t.Fatal("two repositories with one first commit")
	}
	want := map[string]string{"a": first, "b": other, "none": "", "unborn": "", "clone": first, "a/sub": first}
	if err := errors.Join(os.Mkdir(at("none"), 0o755), os.Mkdir(at("unborn"), 0o755), os.Mkdir(at("a/sub"), 0o755)); err != nil {
		t.Fatal(err)
	}
	git(t, at("unborn"), "init", "-q")
	git(t, top, "clone", "-q", at("a"), at("clone"))
	git(t, at("clone"), "gc", "-q") // packed objects, packed refs

	// Another history merged in, and a detached HEAD.
	git(t, top, "clone", "-q", at("a"), at("merged"))
	git(t, at("merged"), "fetch", "-q", at("b"))
	git(t, at("merged"), "merge", "-q", "--allow-unrelated-histories", "-m", "merge", "FETCH_HEAD")
	git(t, at("merged"), "checkout", "-q", "--detach")
	want["merged"] = first

	// A shallow clone begins where it was cut.
	git(t, top, "clone", "-q", "--depth=2", "file://"+at("a"), at("shallow"))
	want["shallow"] = git(t, at("a"), "rev-parse", "HEAD~1")

	want["sha256"] = commits(t, at("sha256"), "long", 2, "--object-format=sha256")

	// Other ways to refer to the repository at a: a .git file, a link, links within.
	for _, name := range []string{"file", "link", "objects"} {
		want[name] = ""
		if err := os.Mkdir(at(name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(
		os.WriteFile(at("file/.git"), []byte("gitdir: "+at("a/.git")+"\n"), 0o644),
		os.Symlink(at("a/.git"), at("link/.git")),
		os.Mkdir(at("objects/.git"), 0o755), os.Symlink(at("a/.git/objects"), at("objects/.git/objects")),
		os.WriteFile(at("objects/.git/HEAD"), []byte(git(t, at("a"), "rev-parse", "HEAD")), 0o644),
	); err != nil {
		t.Fatal(err)
	}
	// A replacement and a graft that show a first commit of another history.
	git(t, top, "clone", "-q", at("b"), at("replaced"))
	git(t, at("replaced"), "fetch", "-q", at("a"))
	git(t, at("replaced"), "replace", other, first)
	if err := os.WriteFile(at("replaced/.git/info/grafts"), []byte(other+" "+first+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	want["replaced"] = other

	for name, want := range want {
		if got := FirstCommit(at(name)); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// TestFirstCommitStartsNothing checks that programs which the configuration of a
// stranger's repository names for git are not started.
func TestFirstCommitStartsNothing(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	top := t.TempDir()
	dir, ran := filepath.Join(top, "r"), filepath.Join(top, "ran")
	first := commits(t, dir, "one", 2)
	evil := filepath.Join(top, "evil")
	if err := os.WriteFile(evil, []byte("#!/bin/sh\ntouch '"+ran+"'\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, set := range [][2]string{
		{"core.fsmonitor", evil}, {"core.hooksPath", top}, {"core.pager", evil}, {"core.sshCommand", evil}, {"core.alternateRefsCommand", evil},
		{"protocol.allow", "always"}, {"core.repositoryformatversion", "1"}, {"extensions.partialClone", "origin"},
		{"remote.origin.url", "ext::" + evil}, {"remote.origin.promisor", "true"}, {"remote.origin.uploadpack", evil},
	} {
		git(t, dir, "config", set[0], set[1])
	}
	if got := FirstCommit(dir); got != first {
		t.Errorf("%q, want %q", got, first)
	}
	// Without its first commit, git would fetch it from the remote.
	if err := os.Remove(filepath.Join(dir, ".git", "objects", first[:2], first[2:])); err != nil {
		t.Fatal(err)
	}
	if got := FirstCommit(dir); got != "" {
		t.Errorf("%q of a repository that lacks its first commit", got)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("git started a program that the repository names")
	}
}
