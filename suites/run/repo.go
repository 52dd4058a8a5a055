package run

import (
	"context"
	"errors"
	"fmt"
	"os"
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
	branch := repo.Branch
	if branch == "" {
		branch = "main"
	}
	if err := s.git(ctx, "init", "--quiet", "--initial-branch="+branch); err != nil {
		return err
	}
	if err := s.writeTree(repo.Commit); err != nil {
		return err
	}
	if err := s.git(ctx, "add", "--all", "--force"); err != nil {
		return err
	}
	if err := s.git(ctx, "commit", "--quiet", "--allow-empty", "--message=state of the case"); err != nil {
		return err
	}
	if len(repo.Stage) > 0 {
		if err := s.writeTree(repo.Stage); err != nil {
			return err
		}
		if err := s.git(ctx, "add", "--all", "--force"); err != nil {
			return err
		}
	}
	if err := s.writeTree(repo.Modify); err != nil {
		return err
	}
	if len(repo.Delete) == 0 {
		return nil
	}
	return s.tool(ctx, s.env, append([]string{"rm", "-rf", "--"}, repo.Delete...)...)
}

func (s *sandbox) git(ctx context.Context, args ...string) error {
	return s.tool(ctx, process.With(s.env, gitEnv), append([]string{"git"}, args...)...)
}

// tool runs a program that the case's preparation needs.
func (s *sandbox) tool(ctx context.Context, env []string, argv ...string) error {
	results, err := s.Run(ctx, process.Command{
		Argv: argv, Dir: s.project(), Env: env, Timeout: time.Minute,
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
