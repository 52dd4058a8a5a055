package run

import (
	"cmp"
	"context"
	"os"

	"hookwatch/suites"
)

// A GitPlace is a directory in which a git state is built, with the functions to build it.
type GitPlace struct {
	At   string // the case's temporary project
	Main string // of a worktree: the path of the repository itself
	// Run runs a program there, with variables in addition to the case's.
	Run func(ctx context.Context, env map[string]string, at string, argv ...string) error
	// Write writes files to a directory of the case.
	Write func(dir string, files map[string]string) error
}

// gitEnv excludes the user's git configuration from the case, makes commits reproducible, and
// disables automatic maintenance, because each case would wait for it.
var gitEnv = map[string]string{
	"GIT_CONFIG_GLOBAL":   os.DevNull,
	"GIT_CONFIG_NOSYSTEM": "1",
	"GIT_CONFIG_COUNT":    "1", "GIT_CONFIG_KEY_0": "maintenance.auto", "GIT_CONFIG_VALUE_0": "false",
	"GIT_AUTHOR_NAME": "hookwatch", "GIT_AUTHOR_EMAIL": "hookwatch@localhost", "GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z",
	"GIT_COMMITTER_NAME": "hookwatch", "GIT_COMMITTER_EMAIL": "hookwatch@localhost", "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z",
}

// Build builds the git state of the case in its temporary project.
func (s GitPlace) Build(ctx context.Context, repo *suites.Repo) error {
	at, branch := s.At, cmp.Or(repo.Branch, "main")
	if repo.Worktree != "" {
		at = s.Main
		if err := s.Run(ctx, nil, "/", "mkdir", "-p", at); err != nil {
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
		if err := s.git(ctx, at, "worktree", "add", "--quiet", "-b", repo.Worktree, s.At); err != nil {
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

// sides splits the committed files into those that both branches share and those that only this
// branch has, because the merged branch contains them too and must conflict.
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

// beginMerge starts to merge a new branch into the given one and does not commit.
func (s GitPlace) beginMerge(ctx context.Context, branch string, ours, theirs map[string]string) error {
	const merged = "merged-by-the-case"
	if err := s.git(ctx, s.At, "checkout", "--quiet", "-b", merged); err != nil {
		return err
	}
	if err := s.commit(ctx, s.At, theirs); err != nil {
		return err
	}
	if err := s.git(ctx, s.At, "checkout", "--quiet", branch); err != nil {
		return err
	}
	if err := s.commit(ctx, s.At, ours); err != nil {
		return err
	}
	failed := s.git(ctx, s.At, "merge", "--quiet", "--no-commit", "--no-ff", merged)
	if noMerge := s.git(ctx, s.At, "rev-parse", "--quiet", "--verify", "MERGE_HEAD"); noMerge != nil {
		return cmp.Or(failed, noMerge)
	}
	return nil // git fails on a conflict, which is intended here
}

// change makes the changes that are not committed.
func (s GitPlace) change(ctx context.Context, repo *suites.Repo) error {
	if len(repo.Stage) > 0 {
		if err := s.Write(s.At, repo.Stage); err != nil {
			return err
		}
		if err := s.git(ctx, s.At, "add", "--all", "--force"); err != nil {
			return err
		}
	}
	if err := s.Write(s.At, repo.Modify); err != nil {
		return err
	}
	if len(repo.Delete) == 0 {
		return nil
	}
	return s.Run(ctx, nil, s.At, append([]string{"rm", "-rf", "--"}, repo.Delete...)...)
}

func (s GitPlace) commit(ctx context.Context, at string, files map[string]string) error {
	if err := s.Write(at, files); err != nil {
		return err
	}
	if err := s.git(ctx, at, "add", "--all", "--force"); err != nil {
		return err
	}
	return s.git(ctx, at, "commit", "--quiet", "--allow-empty", "--message=state of the case")
}

func (s GitPlace) git(ctx context.Context, at string, args ...string) error {
	return s.Run(ctx, gitEnv, at, append([]string{"git"}, args...)...)
}
