package run

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/process"
	"hookwatch/suites/run/gitstate"
)

// buildRepo makes the git state that the case asks for in its temporary project.
func (s *sandbox) buildRepo(ctx context.Context, repo *suites.Repo) error {
	b := gitstate.Builder{Project: s.override, Main: filepath.Join(s.tmp, "main-worktree"), Run: s.tool, Write: s.writeTree}
	return b.Build(ctx, repo)
}

// tool runs, with variables of its own and in a directory, a program that the case's preparation needs.
func (s *sandbox) tool(ctx context.Context, env map[string]string, at string, argv ...string) error {
	results, err := s.Run(ctx, process.Command{
		Argv: argv, Dir: at, Env: process.With(s.env, env), Timeout: time.Minute,
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
