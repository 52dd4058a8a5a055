package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/process"
)

// gitEnv keeps the person's own git configuration out of the case, and makes
// commits the same every time.
var gitEnv = map[string]string{
	"GIT_CONFIG_GLOBAL":   os.DevNull,
	"GIT_CONFIG_NOSYSTEM": "1",
	"GIT_AUTHOR_NAME":     "hookwatch", "GIT_AUTHOR_EMAIL": "hookwatch@localhost", "GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z",
	"GIT_COMMITTER_NAME": "hookwatch", "GIT_COMMITTER_EMAIL": "hookwatch@localhost", "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z",
}

// buildRepo makes the git state that the case asks for in its temporary project.
func (s *sandbox) buildRepo(ctx context.Context, repo *suites.Repo) error {
	at, branch := s.override, cmp.Or(repo.Branch, "main")
	if repo.Worktree != "" {
		at = filepath.Join(s.tmp, "main-worktree")
		if err := s.tool(ctx, s.env, s.cwd, "mkdir", "-p", at); err != nil {
			return err
		}
	}
	if err := s.git(ctx, at, "init", "--quiet", "--initial-branch="+branch); err != nil {
		return err
	}
	ours, theirs := sides(repo)
	if err := s.commit(ctx, at, theirs); err != nil {
		return err
	}
	if repo.Worktree != "" {
		if err := s.git(ctx, at, "worktree", "add", "--quiet", "-b", repo.Worktree, s.override); err != nil {
			return err
		}
		branch = repo.Worktree
	}
	if len(repo.Merge) > 0 {
		if err := s.beginMerge(ctx, branch, ours, repo.Merge); err != nil {
			return err
		}
	}
	return s.change(ctx, repo)
}

// sides splits what is committed into what only this branch has, because the merged one
// brings it as well, and what both have.
func sides(repo *suites.Repo) (ours, both map[string]string) {
	ours, both = map[string]string{}, map[string]string{}
	for name, content := range repo.Commit {
		if _, conflicting := repo.Merge[name]; conflicting {
			ours[name] = content
		} else {
			both[name] = content
		}
	}
	return ours, both
}

// beginMerge merges a branch of its own into the given one, and leaves it at that.
func (s *sandbox) beginMerge(ctx context.Context, branch string, ours, theirs map[string]string) error {
	const merged = "merged-by-the-case"
	if err := s.git(ctx, s.override, "checkout", "--quiet", "-b", merged); err != nil {
		return err
	}
	if err := s.commit(ctx, s.override, theirs); err != nil {
		return err
	}
	if err := s.git(ctx, s.override, "checkout", "--quiet", branch); err != nil {
		return err
	}
	if err := s.commit(ctx, s.override, ours); err != nil {
		return err
	}
	failed := s.git(ctx, s.override, "merge", "--quiet", "--no-commit", "--no-ff", merged)
	if begun := s.git(ctx, s.override, "rev-parse", "--quiet", "--verify", "MERGE_HEAD"); begun != nil {
		return cmp.Or(failed, begun)
	}
	return nil // a conflict makes git fail, and is what was asked for
}

// change leaves what is not committed.
func (s *sandbox) change(ctx context.Context, repo *suites.Repo) error {
	if len(repo.Stage) > 0 {
		if err := s.writeTree(s.override, repo.Stage); err != nil {
			return err
		}
		if err := s.git(ctx, s.override, "add", "--all", "--force"); err != nil {
			return err
		}
	}
	if err := s.writeTree(s.override, repo.Modify); err != nil {
		return err
	}
	if len(repo.Delete) == 0 {
		return nil
	}
	return s.tool(ctx, s.env, s.override, append([]string{"rm", "-rf", "--"}, repo.Delete...)...)
}

func (s *sandbox) commit(ctx context.Context, at string, files map[string]string) error {
	if err := s.writeTree(at, files); err != nil {
		return err
	}
	if err := s.git(ctx, at, "add", "--all", "--force"); err != nil {
		return err
	}
	return s.git(ctx, at, "commit", "--quiet", "--allow-empty", "--message=state of the case")
}

func (s *sandbox) git(ctx context.Context, at string, args ...string) error {
	return s.tool(ctx, process.With(s.env, gitEnv), at, append([]string{"git"}, args...)...)
}

// tool runs, in a directory, a program that the case's preparation needs.
func (s *sandbox) tool(ctx context.Context, env []string, at string, argv ...string) error {
	results, err := s.Run(ctx, process.Command{
		Argv: argv, Dir: at, Env: env, Timeout: time.Minute,
	})
	if err != nil {
		return err
	}
	res := results[0]
	switch {
	case res.StartError != nil:
		return fmt.Errorf("the case is prepared with %s: %w", argv[0], res.StartError)
	case res.Exit != 0:
		return errors.New(strings.Join(argv[:2], " ") + ": " + strings.TrimSpace(string(res.Stderr.Bytes)))
	}
	return nil
}
