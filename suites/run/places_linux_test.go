package run_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/process"
	"hookwatch/suites/run"
	"hookwatch/suites/sandbox"
	"hookwatch/suites/verdict"
)

// committing is a hook that only works in an independent repository.
const committing = `#!/usr/bin/env bash
set -euo pipefail
cd "$CLAUDE_PROJECT_DIR"
echo more >>tracked.txt
echo new >untracked.txt
git add --all .
git -c user.name=n -c user.email=e@localhost commit --quiet --message=mine
git log --oneline | wc -l
git status --short
git stash list
cat tracked.txt
`

// layouts are possible locations of a project. Each gets an empty directory and returns the
// project, as named.
var layouts = map[string]func(t *testing.T, dir string) string{
	"a repository": repository,
	"a path with spaces and signs": func(t *testing.T, dir string) string {
		return repository(t, filepath.Join(dir, `a b,c:d\e`))
	},
	"through a link": func(t *testing.T, dir string) string {
		project := repository(t, filepath.Join(dir, "real"))
		link := filepath.Join(dir, "link")
		if err := os.Symlink(project, link); err != nil {
			t.Fatal(err)
		}
		return link
	},
	"a directory of a repository": func(t *testing.T, dir string) string {
		top := repository(t, dir)
		return filepath.Join(top, "part")
	},
	"a linked work tree": func(t *testing.T, dir string) string {
		top := repository(t, filepath.Join(dir, "main"))
		git(t, top, "worktree", "add", "--quiet", filepath.Join(dir, "linked"))
		return filepath.Join(dir, "linked")
	},
	"a submodule": func(t *testing.T, dir string) string {
		part := repository(t, filepath.Join(dir, "part"))
		top := repository(t, filepath.Join(dir, "top"))
		git(t, top, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", part, "sub")
		return filepath.Join(top, "sub")
	},
	"with a submodule": func(t *testing.T, dir string) string {
		part := repository(t, filepath.Join(dir, "part"))
		top := repository(t, filepath.Join(dir, "top"))
		git(t, top, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", part, "sub")
		git(t, top, "reset", "--quiet", "--hard")
		return top
	},
}

// repository creates a repository with a commit. The project may be all of it or the directory
// "part".
func repository(t *testing.T, dir string) string {
	t.Helper()
	for _, at := range []string{"", "part"} {
		write(t, filepath.Join(dir, at, ".claude/hooks/commit.sh"), committing)
		write(t, filepath.Join(dir, at, "tracked.txt"), "first\n")
		if err := os.Chmod(filepath.Join(dir, at, ".claude/hooks/commit.sh"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	git(t, dir, "init", "--quiet", "--initial-branch=main")
	git(t, dir, "add", "--all")
	git(t, dir, "commit", "--quiet", "--message=first")
	return dir
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=n", "-c", "user.email=e@localhost"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// TestLayouts checks that a hook can do everything as in place, wherever the project is, and that
// the user's repository does not change.
func TestLayouts(t *testing.T) {
	t.Parallel()
	for name, layout := range layouts {
		for _, mode := range []string{"namespaces", "copy"} {
			for _, where := range []string{"in /tmp", "elsewhere"} {
				t.Run(strings.Join([]string{name, mode, where}, ", "), func(t *testing.T) {
					t.Parallel()
					dir := t.TempDir()
					if where == "elsewhere" {
						dir = newPublicDir(t)
					}
					h := &hostile{t: t, world: dir}
					root := layout(t, dir)
					before := h.digest()
					o, v := commit(t, root, mode)
					if v.Status != suites.Pass {
						t.Errorf("%+v\nstdout %s\nstderr %s", v, o.Last().Stdout, o.Last().Stderr)
					}
					if after := h.digest(); len(after) != len(before) {
						t.Errorf("%d files before, %d after", len(before), len(after))
					} else {
						for path, was := range before {
							if mode == "copy" && strings.Contains(path, ".git/") && strings.Contains(path, "/objects/") {
								// Git renews the time of an existing object instead of writing it.
								was, after[path] = withoutTime(was), withoutTime(after[path])
							}
							if after[path] != was {
								t.Errorf("%s was %s, is %s", path, was, after[path])
							}
						}
					}
				})
			}
		}
	}
}

func withoutTime(text string) string {
	fields := strings.Fields(text) // mode, time, content
	return strings.Join(append(fields[:1], fields[2:]...), " ")
}

func commit(t *testing.T, root string, mode string) (suites.Outcome, suites.Verdict) {
	t.Helper()
	home := t.TempDir()
	o := run.Options{
		Root: root, Temp: t.TempDir(), Timeout: time.Minute,
		Env: process.With(run.Environment(os.Environ(), nil), map[string]string{"HOME": home}),
	}
	choice, err := sandbox.Choose(mode, sandbox.Options{Root: root, Home: home, Size: 64 << 20, Processes: 500}, o.Temp)
	if err != nil {
		t.Fatal(err)
	}
	o.Isolation = choice
	c := &suites.Case{Suite: "s", ID: "A", Hook: ".claude/hooks/commit.sh", Steps: []suites.Step{{
		Event: "PreToolUse", Tool: "Bash", Expect: suites.Expectation{
			Exit:   code(0),
			Stdout: &suites.TextExpectation{Matches: []string{`\A2\nfirst\nmore\n\z`}},
			Files: []suites.FileExpectation{
				{Path: "{project}/tracked.txt", Change: suites.Changed},
				{Path: "{project}/untracked.txt", Change: suites.Created},
				{Path: "{project}/*.md", Change: suites.Untouched},
				{Path: "{project}/untracked.txt", Text: suites.TextExpectation{Contains: []string{"new"}}},
			},
		},
	}}}
	r := run.New(o)
	out, err := r.Case(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	v := verdict.Judge(c, out, o.Timeout)
	if err := r.Remove(out); err != nil {
		t.Error(err)
	}
	return out, v
}

// TestSteps checks that the steps of a case have the same parent and /tmp and see each other's
// changes, and that another case sees none of them.
func TestSteps(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.write("hook.sh", "#!/bin/bash\necho parent $PPID\ncat /tmp/state-of-steps \"$HOME\"/state-of-steps 2>/dev/null\necho seen >/tmp/state-of-steps\necho seen >\"$HOME\"/state-of-steps\n", 0o755)
	home := t.TempDir()
	o := run.Options{
		Root: p.root, Temp: p.temp, Timeout: time.Minute,
		Env: process.With(run.Environment(os.Environ(), nil), map[string]string{"HOME": home}),
	}
	choice, err := sandbox.Choose(sandbox.Auto, sandbox.Options{Root: p.root, Home: home, Size: 8 << 20, Processes: 100}, p.temp)
	if err != nil || choice.Describe().Name != "namespaces" {
		t.Fatalf("%v, %v", choice, err)
	}
	o.Isolation = choice
	r := run.New(o)
	step := suites.Step{Event: "PreToolUse", Tool: "Bash"}
	for range 2 {
		c := &suites.Case{Suite: "s", ID: "A", Hook: "hook.sh", Steps: []suites.Step{step, step}}
		out, err := r.Case(context.Background(), c)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(out.Results[0].Stdout); got != "parent 1\n" {
			t.Errorf("the first step saw %q", got)
		}
		if got := string(out.Results[1].Stdout); got != "parent 1\nseen\nseen\n" {
			t.Errorf("the second step saw %q", got)
		}
		if err := r.Remove(out); err != nil {
			t.Error(err)
		}
	}
	if entries, err := os.ReadDir(home); err != nil || len(entries) != 0 {
		t.Errorf("HOME holds %v, %v", entries, err)
	}
}
