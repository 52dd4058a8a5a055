package depend

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hookwatch/suites"
)

// runGit runs git in a directory, without the user's configuration.
func runGit(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "HOME="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func writeFile(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestStaged checks, for each version of an index and both kinds of object IDs, that what is staged
// changes what staged returns, and that a renewal of times does not.
func TestStaged(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is absent")
	}
	for name, tt := range map[string]struct{ format, version string }{
		"version 2": {"sha1", "2"}, "version 4": {"sha1", "4"}, "SHA-256": {"sha256", "2"}, "SHA-256, version 4": {"sha256", "4"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			runGit(t, dir, "init", "-q", "--object-format", tt.format)
			files := []string{"a", "dir/long name", "dir/longer name", "dir/sub/x", "z"}
			for _, f := range files {
				writeFile(t, filepath.Join(dir, f), f)
			}
			runGit(t, dir, "add", ".")
			runGit(t, dir, "update-index", "--index-version", tt.version)
			read := func() (raw, entries []byte) {
				raw, err := os.ReadFile(filepath.Join(dir, ".git/index"))
				if err != nil {
					t.Fatal(err)
				}
				if entries, err = staged(raw); err != nil {
					t.Fatal(err)
				}
				return raw, entries
			}
			raw, before := read()
			if got := bytes.Count(before, []byte("\n")); got != len(files) {
				t.Fatalf("%d entries, want %d:\n%s", got, len(files), before)
			}
			for _, f := range files {
				if !bytes.Contains(before, []byte(`"`+f+`"`)) {
					t.Errorf("no %s in\n%s", f, before)
				}
			}
			if err := os.Chtimes(filepath.Join(dir, "a"), time.Time{}, time.Unix(1e9, 0)); err != nil {
				t.Fatal(err)
			}
			runGit(t, dir, "status")
			if renewed, entries := read(); bytes.Equal(renewed, raw) || !bytes.Equal(entries, before) {
				t.Errorf("the index was rewritten: %t; its entries are the same: %t", !bytes.Equal(renewed, raw), bytes.Equal(entries, before))
			}
			for _, change := range [][]string{
				{"rm", "-q", "--cached", "z"}, {"add", "z"}, {"update-index", "--chmod=+x", "a"}, {"update-index", "--assume-unchanged", "z"},
				{"update-index", "--skip-worktree", "dir/sub/x"}, {"add", "--intent-to-add", "new"},
			} {
				writeFile(t, filepath.Join(dir, "new"), "new")
				_, earlier := read()
				runGit(t, dir, change...)
				if _, entries := read(); bytes.Equal(entries, earlier) {
					t.Errorf("git %s changes nothing", strings.Join(change, " "))
				}
			}
		})
	}
}

// TestStagedRefuses checks that an index is not understood that is only a part of one, or that would
// take much memory.
func TestStagedRefuses(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is absent")
	}
	dir := t.TempDir()
	runGit(t, dir, "init", "-q")
	writeFile(t, filepath.Join(dir, "a"), "a")
	runGit(t, dir, "add", ".")
	runGit(t, dir, "update-index", "--split-index")
	split, err := os.ReadFile(filepath.Join(dir, ".git/index"))
	if err != nil {
		t.Fatal(err)
	}
	// Each name of version 4 is the one before it and some more.
	long := []byte("DIRC\x00\x00\x00\x04\x00\x00\x23\x28")
	for range 9000 {
		long = append(append(append(long, make([]byte, 62)...), 0), strings.Repeat("x", 40)+"\x00"...)
	}
	for name, index := range map[string][]byte{"split": split, "long": append(long, make([]byte, 20)...), "empty": nil, "cut off": split[:20]} {
		if out, err := staged(index); err == nil {
			t.Errorf("%s: %d bytes", name, len(out))
		}
	}
}

// TestRefs checks that the branch that is checked out is an input, however many others there are.
func TestRefs(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is absent")
	}
	root := t.TempDir()
	runGit(t, root, "init", "-q", "-b", "zz")
	runGit(t, root, "commit", "-q", "--allow-empty", "-m", "one")
	commit, err := os.ReadFile(filepath.Join(root, ".git/refs/heads/zz"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range mostRefs + 50 {
		writeFile(t, filepath.Join(root, ".git/refs/heads/a", strings.Repeat("b", i+1)), string(commit))
	}
	all := New(Project{Root: root}).repository("git status", "it runs git")
	if !slices.ContainsFunc(all, func(in suites.Input) bool { return in.Path == ".git/refs/heads/zz" && in.Digest != "" }) {
		t.Errorf("the branch is none of %d inputs", len(all))
	}
	if len(all) > mostRefs+50 {
		t.Errorf("%d inputs", len(all))
	}
}

// FuzzStaged checks that no index makes staged panic, and that it understands nothing else.
func FuzzStaged(f *testing.F) {
	f.Add([]byte("DIRC\x00\x00\x00\x02\x00\x00\x00\x01" + strings.Repeat("x", 100)))
	f.Add([]byte("DIRC\x00\x00\x00\x04\x00\x00\x00\x02" + strings.Repeat("\x00", 200)))
	f.Add([]byte("DIRC\x00\x00\x00\x03\xff\xff\xff\xff" + strings.Repeat("\xff", 100)))
	f.Fuzz(func(t *testing.T, index []byte) {
		if out, err := staged(index); err == nil && !bytes.HasPrefix(index, []byte("DIRC")) {
			t.Errorf("%q", out)
		}
	})
}

// TestLooksAround checks which commands of git may look at files of the work tree.
func TestLooksAround(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]bool{
		"git rev-parse HEAD": false, "git -C dir branch --show-current": false, "git -c a.b=c log -1": false, "git --no-pager show": false,
		"git diff --cached --name-only": false, "git diff-index --cached HEAD": false, "git --version": false,
		"git diff": true, "git status": true, "git ls-files -o": true, "git -C dir stash list": true, "git describe --dirty": true, "git grep x": true, "git " + expanded: true, "git": true, "git lg": true,
	} {
		if got := looksAround(strings.Fields(command)); got != want {
			t.Errorf("%s: %t", command, got)
		}
	}
}

// TestRepository finds the repository of a work tree, of a directory in it and of a linked one, but not
// one that does not name the work tree.
func TestRepository(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is absent")
	}
	top := t.TempDir()
	if real, err := filepath.EvalSymlinks(top); err == nil {
		top = real
	}
	root, linked := filepath.Join(top, "my project"), filepath.Join(top, "linked")
	writeFile(t, filepath.Join(root, "below/a"), "a")
	runGit(t, root, "init", "-q")
	runGit(t, root, "add", ".")
	runGit(t, root, "commit", "-q", "-m", "one")
	runGit(t, root, "worktree", "add", "-q", linked)
	below := filepath.Join(top, "super", "sub") // a submodule
	writeFile(t, filepath.Join(below, ".git"), "gitdir: ../.git/modules/sub\n")
	module := filepath.Join(top, "super/.git/modules/sub")
	writeFile(t, filepath.Join(module, "config"), "[core]\n\tbare = false\n\tworktree = ../../../sub\n")
	outer := filepath.Join(top, "outer/project") // whose repository says that its refs are above it
	writeFile(t, filepath.Join(outer, ".git/commondir"), "../..\n")
	own, stranger := filepath.Join(root, ".git"), filepath.Join(top, "stranger")
	writeFile(t, filepath.Join(stranger, ".git"), "gitdir: "+filepath.Join(own, "worktrees/linked")+"\n")
	for at, want := range map[string][2]string{
		root: {own, own}, filepath.Join(root, "below"): {own, own}, linked: {filepath.Join(own, "worktrees/linked"), own}, top: {}, stranger: {}, below: {module, module}, outer: {filepath.Join(outer, ".git"), filepath.Join(outer, ".git")},
	} {
		if dir, common := newIndex(Project{Root: at}).repository(); dir != want[0] || common != want[1] {
			t.Errorf("of %s: %q, %q; want %q", at, dir, common, want)
		}
	}
}
