// Package gitstate makes the state of a git repository that a case asks for: commits,
// what is staged and changed, a linked work tree, a merge under way.
package gitstate

import (
	"cmp"
	"context"
	"os"

	"hookwatch/suites"
)

// environment keeps the person's own git configuration out of the case, and makes
// commits the same every time.
var environment = map[string]string{
	"GIT_CONFIG_GLOBAL":   os.DevNull,
	"GIT_CONFIG_NOSYSTEM": "1",
	"GIT_AUTHOR_NAME":     "hookwatch", "GIT_AUTHOR_EMAIL": "hookwatch@localhost", "GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z",
	"GIT_COMMITTER_NAME": "hookwatch", "GIT_COMMITTER_EMAIL": "hookwatch@localhost", "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z",
}

// A Builder makes the state with what a case's surroundings can do.
type Builder struct {
	Project string // the directory that becomes the repository, or its linked work tree
	Main    string // where the main work tree lies when Project is a linked one
	// Run runs a program in a directory, with variables over those of the case.
	Run func(ctx context.Context, env map[string]string, dir string, argv ...string) error
	// Write makes files below a directory, by their slash paths.
	Write func(dir string, files map[string]string) error
}

// Build makes the git state that a case asks for.
func (b Builder) Build(ctx context.Context, repo *suites.Repo) error {
	at, branch := b.Project, cmp.Or(repo.Branch, "main")
	if repo.Worktree != "" {
		at = b.Main
		if err := b.Run(ctx, nil, b.Project, "mkdir", "-p", at); err != nil {
			return err
		}
	}
	if err := b.git(ctx, at, "init", "--quiet", "--initial-branch="+branch); err != nil {
		return err
	}
	ours, theirs := sides(repo)
	if err := b.commit(ctx, at, theirs); err != nil {
		return err
	}
	if repo.Worktree != "" {
		if err := b.git(ctx, at, "worktree", "add", "--quiet", "-b", repo.Worktree, b.Project); err != nil {
			return err
		}
		branch = repo.Worktree
	}
	if len(repo.Merge) > 0 {
		if err := b.beginMerge(ctx, branch, ours, repo.Merge); err != nil {
			return err
		}
	}
	return b.change(ctx, repo)
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
func (b Builder) beginMerge(ctx context.Context, branch string, ours, theirs map[string]string) error {
	const merged = "merged-by-the-case"
	if err := b.git(ctx, b.Project, "checkout", "--quiet", "-b", merged); err != nil {
		return err
	}
	if err := b.commit(ctx, b.Project, theirs); err != nil {
		return err
	}
	if err := b.git(ctx, b.Project, "checkout", "--quiet", branch); err != nil {
		return err
	}
	if err := b.commit(ctx, b.Project, ours); err != nil {
		return err
	}
	failed := b.git(ctx, b.Project, "merge", "--quiet", "--no-commit", "--no-ff", merged)
	if begun := b.git(ctx, b.Project, "rev-parse", "--quiet", "--verify", "MERGE_HEAD"); begun != nil {
		return cmp.Or(failed, begun)
	}
	return nil // a conflict makes git fail, and is what was asked for
}

// change leaves what is not committed.
func (b Builder) change(ctx context.Context, repo *suites.Repo) error {
	if len(repo.Stage) > 0 {
		if err := b.Write(b.Project, repo.Stage); err != nil {
			return err
		}
		if err := b.git(ctx, b.Project, "add", "--all", "--force"); err != nil {
			return err
		}
	}
	if err := b.Write(b.Project, repo.Modify); err != nil {
		return err
	}
	if len(repo.Delete) == 0 {
		return nil
	}
	return b.Run(ctx, nil, b.Project, append([]string{"rm", "-rf", "--"}, repo.Delete...)...)
}

func (b Builder) commit(ctx context.Context, at string, files map[string]string) error {
	if err := b.Write(at, files); err != nil {
		return err
	}
	if err := b.git(ctx, at, "add", "--all", "--force"); err != nil {
		return err
	}
	return b.git(ctx, at, "commit", "--quiet", "--allow-empty", "--message=state of the case")
}

func (b Builder) git(ctx context.Context, at string, args ...string) error {
	return b.Run(ctx, environment, at, append([]string{"git"}, args...)...)
}
