// Package revision reads commits of a repository that may be a stranger's: git starts no program, reads
// no configuration and writes nothing of it.
package revision

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
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

// FirstCommit returns the hash of the first commit in the history of the repository around
// dir: at the end of the first parents of HEAD or, in a shallow clone, where that was cut.
// It identifies the repository for consent, because it does not change when commits,
// branches and merges are added, and another repository can only share it by containing
// that commit. It returns "" if there is no repository, no commit or no git, and for a
// linked work tree or a submodule, whose .git file could name any repository.
func FirstCommit(dir string) string {
	top := sandbox.GitTop(disk.Real(dir))
	repository := filepath.Join(top, ".git")
	if fi, err := os.Lstat(repository); err != nil || !fi.IsDir() {
		return ""
	}
	own, err := os.MkdirTemp("", "hookwatch-git-")
	if err != nil {
		return ""
	}
	defer func() { _ = os.RemoveAll(own) }()
	g, head, err := newIsolatedGit(top, own, repository, repository)
	if err != nil || head == "" {
		return ""
	}
	first, err := g.run(context.Background(), own, nil, "rev-list", "--first-parent", "--max-parents=0", head, "--")
	if err != nil {
		return ""
	}
	return hash(first)
}

const (
	historyTime   = 30 * time.Second // git takes 10 for a million commits
	historyMemory = 1 << 30
	largestRefs   = 16 << 20
	largestRef    = 4096
)

// An isolatedGit runs git in an empty repository of hookwatch's own that reads the objects of
// another one, because that may be a stranger's. Its configuration can make git start programs
// (core.fsmonitor, a remote to fetch missing objects from), and its replacements and grafts can
// make git show another history.
type isolatedGit struct {
	program, own, objects string
	patience              time.Duration // after which a command that has not ended is examined; see obstacle
}

// newIsolatedGit creates the repository in the directory own, for the work tree at top, whose git
// directory is dir and whose repository is common. It also returns the hash that HEAD points to, "" if
// there is none.
func newIsolatedGit(top, own, dir, common string) (g *isolatedGit, head string, err error) {
	env := os.Environ()
	git, err := process.LookPath("git", "/", env)
	if machine := run.NewMachine(top, env); err != nil || !machine.Has(git) {
		return nil, "", errors.New("git is not on this machine: install it")
	}
	head = headCommit(dir, common)
	if err := emptyRepository(own, common, len(head)); err != nil {
		return nil, "", err
	}
	objects := filepath.Join(common, "objects")
	if fi, err := os.Lstat(objects); err != nil || !fi.IsDir() {
		return nil, "", fmt.Errorf("%s is no directory", objects) // a link could lead to any repository
	}
	return &isolatedGit{git, own, objects, time.Second}, head, nil
}

// run runs a git command in a directory and returns what it prints.
func (g *isolatedGit) run(ctx context.Context, dir string, env []string, args ...string) ([]byte, error) {
	box, err := process.Open(process.Setup{Limits: process.Limits{Memory: historyMemory}})
	if err != nil {
		return nil, err
	}
	defer box.Close()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer time.AfterFunc(g.patience, func() {
		if found := g.obstacle(dir); found != "" {
			cancel(&obstacleError{found})
		}
	}).Stop()
	results, err := box.Run(ctx, process.Command{
		Argv: append([]string{g.program}, args...), Dir: dir, Timeout: historyTime, Limit: largestList,
		Env: append([]string{
			"LC_ALL=C", "HOME=" + g.own, "GIT_DIR=" + g.own, "GIT_OBJECT_DIRECTORY=" + g.objects,
			"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_NO_REPLACE_OBJECTS=1",
			"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "GIT_TERMINAL_PROMPT=0",
		}, env...),
	})
	if err = cmp.Or(context.Cause(ctx), err); err != nil {
		return nil, err
	}
	switch r := results[0]; {
	case r.StartError != nil:
		return nil, r.StartError
	case r.TimedOut:
		return nil, fmt.Errorf("git %s had not ended after %s", args[0], historyTime)
	case r.Exit != 0:
		return nil, fmt.Errorf("git %s: %s", args[0], bytes.TrimSpace(r.Stderr.Bytes))
	default:
		return r.Stdout.Bytes, nil
	}
}

// obstacle returns a pipe, socket or device among the files that git reads without hookwatch: objects,
// those of other repositories that they name, and the .gitignore files below dir. It returns "" if there
// is none. Git waits for ever for a pipe that no one writes to.
func (g *isolatedGit) obstacle(dir string) (found string) {
	stores := []string{g.objects}
	for i := 0; i < min(len(stores), mostStores) && found == ""; i++ {
		found = special(stores[i], func(dir string) bool { return storeDirs().MatchString(dir) }, "")
		named, _ := (disk.Reader{}).ReadFile(filepath.Join(stores[i], "info", "alternates"), largestRefs)
		for line := range strings.Lines(string(named)) {
			other := strings.TrimSpace(line)
			if !filepath.IsAbs(other) {
				other = filepath.Join(stores[i], other)
			}
			stores = append(stores, disk.Real(other))
		}
	}
	if found == "" {
		found = special(dir, func(string) bool { return true }, ".gitignore")
	}
	return found
}

// An obstacleError names what git would wait for.
type obstacleError struct{ path string }

func (e *obstacleError) Error() string {
	return fmt.Sprintf("git would wait for %s, which is no file", e.path)
}

// mostStores limits the repositories whose objects are examined.
const mostStores = 20

// storeDirs matches the directories in which git keeps objects.
var storeDirs = pattern.Lazy(`^(\.|info|info/commit-graphs|pack|[0-9a-f]{2})$`)

// special returns a file below the top directory that a program cannot simply read, or "". enters
// selects directories by their slash path from the top; name is that of the files, "" for all.
func special(top string, enters func(dir string) bool, name string) (found string) {
	_ = filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		switch rel, _ := filepath.Rel(top, path); {
		case err != nil: // git reports what it cannot read
		case d.IsDir() && !enters(filepath.ToSlash(rel)):
			return filepath.SkipDir
		case d.IsDir() || name != "" && name != d.Name():
		default:
			if info, err := os.Stat(path); err == nil && !info.IsDir() && !info.Mode().IsRegular() { // the target of a link
				found = path
				return filepath.SkipAll
			}
		}
		return nil
	})
	return found
}

// emptyRepository creates a repository without refs, with the hash algorithm and the
// shallow boundary of another one.
func emptyRepository(dir, other string, hashLength int) error {
	files := map[string][]byte{"HEAD": []byte("ref: refs/heads/none\n"), "config": configOf(hashLength)}
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

// configOf returns the configuration of a repository with hashes of this length.
func configOf(hashLength int) []byte {
	if hashLength == sha256Length {
		return []byte("[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectformat = sha256\n")
	}
	return []byte("[core]\n\trepositoryformatversion = 0\n\tbare = true\n")
}

// headCommit returns the hash of the commit that HEAD of a git directory points to, whose branches
// are in repository. It returns "" if there is none or refs are not stored in files.
func headCommit(dir, repository string) string {
	door := disk.Reader{Root: repository}
	head, err := disk.Reader{Root: dir}.ReadFile(filepath.Join(dir, "HEAD"), largestRef)
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
