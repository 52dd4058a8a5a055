package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"hookwatch/suites/disk"
	"hookwatch/suites/pattern"
	"hookwatch/suites/process"
	"hookwatch/suites/run"
	"hookwatch/suites/sandbox"
)

// firstCommit returns the hash of the first commit in the history of the repository around
// dir: at the end of the first parents of HEAD or, in a shallow clone, where that was cut.
// It identifies the repository for consent, because it does not change when commits,
// branches and merges are added, and another repository can only share it by containing
// that commit. It returns "" if there is no repository, no commit or no git, and for a
// linked work tree or a submodule, whose .git file could name any repository.
//
// The repository may be a stranger's. Its configuration can make git start programs
// (core.fsmonitor, a remote to fetch missing objects from), and its replacements and
// grafts can make git show another history. Therefore git does not see them: it works in
// an empty repository of hookwatch's own that reads the objects of this one.
func firstCommit(dir string) string {
	top := sandbox.GitTop(disk.Real(dir))
	repository := filepath.Join(top, ".git")
	if fi, err := os.Lstat(repository); err != nil || !fi.IsDir() {
		return ""
	}
	env := os.Environ()
	git, err := process.LookPath("git", "/", env)
	if machine := run.NewMachine(top, env); err != nil || !machine.Has(git) {
		return ""
	}
	head := headCommit(repository)
	if head == "" {
		return ""
	}
	own, err := os.MkdirTemp("", "hookwatch-git-")
	if err != nil {
		return ""
	}
	defer func() { _ = os.RemoveAll(own) }()
	if err := emptyRepository(own, repository, len(head)); err != nil {
		return ""
	}
	objects := filepath.Join(repository, "objects")
	if fi, err := os.Lstat(objects); err != nil || !fi.IsDir() {
		return "" // a link could lead to any repository
	}
	return firstOf(git, own, objects, head)
}

const (
	historyTime   = 10 * time.Second // git takes about that for a million commits
	historyMemory = 1 << 30
	largestRefs   = 16 << 20
	largestRef    = 4096
)

// firstOf runs git to follow the first parents of a commit to the end.
func firstOf(git, repository, objects, commit string) string {
	box, err := process.Open(process.Setup{Limits: process.Limits{Memory: historyMemory}})
	if err != nil {
		return ""
	}
	defer box.Close()
	results, err := box.Run(context.Background(), process.Command{
		Argv: []string{git, "rev-list", "--first-parent", "--max-parents=0", commit, "--"},
		Dir:  repository, Timeout: historyTime, Limit: largestRef,
		Env: []string{
			"LC_ALL=C", "HOME=" + repository, "GIT_DIR=" + repository, "GIT_OBJECT_DIRECTORY=" + objects,
			"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_NO_REPLACE_OBJECTS=1",
			"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "GIT_TERMINAL_PROMPT=0",
		},
	})
	if err != nil || results[0].StartError != nil || results[0].TimedOut || results[0].Exit != 0 {
		return ""
	}
	return hash(results[0].Stdout.Bytes)
}

// emptyRepository creates a repository without refs, with the hash algorithm and the
// shallow boundary of another one.
func emptyRepository(dir, other string, hashLength int) error {
	config := "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"
	if hashLength == sha256Length {
		config = "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectformat = sha256\n"
	}
	files := map[string][]byte{"HEAD": []byte("ref: refs/heads/none\n"), "config": []byte(config)}
	if shallow, err := (disk.Reader{Root: other}).ReadFile(filepath.Join(other, "shallow"), largestRefs); err == nil {
		files["shallow"] = shallow
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			return err
		}
	}
	return os.Mkdir(filepath.Join(dir, "refs"), 0o700)
}

// headCommit returns the hash of the commit that a repository's HEAD points to. It returns
// "" if there is none or refs are not stored in files.
func headCommit(repository string) string {
	door := disk.Reader{Root: repository}
	head, err := door.ReadFile(filepath.Join(repository, "HEAD"), largestRef)
	if err != nil {
		return ""
	}
	name, symbolic := strings.CutPrefix(strings.TrimSpace(string(head)), "ref: ")
	switch {
	case !symbolic:
		return hash(head)
	case !strings.HasPrefix(name, "refs/") || !filepath.IsLocal(name):
		return ""
	}
	if loose, err := door.ReadFile(filepath.Join(repository, filepath.FromSlash(name)), largestRef); err == nil {
		return hash(loose)
	}
	packed, err := door.ReadFile(filepath.Join(repository, "packed-refs"), largestRefs)
	if err != nil {
		return ""
	}
	for line := range bytes.Lines(packed) {
		if commit, ref, ok := strings.Cut(strings.TrimSpace(string(line)), " "); ok && ref == name {
			return hash([]byte(commit))
		}
	}
	return ""
}

const sha256Length = 64

var hashPattern = pattern.Lazy(`^([0-9a-f]{40}|[0-9a-f]{64})$`)

// hash returns text if it is exactly one hash, or "".
func hash(text []byte) string {
	if text = bytes.TrimSpace(text); hashPattern().Match(text) {
		return string(text)
	}
	return ""
}
