package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"hookwatch/suites/mutate"
)

// replay takes the last commits that touched a hook one by one: every case runs
// on the version before and on the one after, within the project as it is.
func (b *measurement) replay(ctx context.Context) error {
	dir, name, ok := strings.Cut(b.history, ":")
	if !ok {
		return errors.New("-history wants GITDIR:path")
	}
	log, err := git(ctx, dir, "log", "--no-merges", "--format=%h", fmt.Sprintf("-%d", b.commits), "--", name)
	if err != nil {
		return err
	}
	file := b.sameFile(name)
	if file == "" {
		return fmt.Errorf("-history: no hook of the cases is %s", name)
	}
	full := filepath.Join(b.lab.root, filepath.FromSlash(file))
	now, err := os.ReadFile(full)
	if err != nil {
		return err
	}
	for _, commit := range strings.Fields(string(log)) {
		if err := b.commit(ctx, dir, name, file, full, commit); err != nil {
			return errors.Join(err, write(full, now))
		}
	}
	return write(full, now)
}

// sameFile is the hook of the cases that a path in a repository means.
func (b *measurement) sameFile(name string) string {
	for _, c := range b.lab.cases {
		if c.Hook == name || strings.HasSuffix(c.Hook, "/"+name) {
			return c.Hook
		}
	}
	return ""
}

func (b *measurement) commit(ctx context.Context, dir, name, file, full, commit string) error {
	after, err := git(ctx, dir, "show", commit+":"+name)
	if err != nil {
		return nil // the commit took it away
	}
	before, err := git(ctx, dir, "show", commit+"^:"+name)
	if err != nil {
		return nil // the commit brought it
	}
	m := mutate.Mutant{Operator: "history", File: file, What: "commit " + commit, Line: 1, Original: before, Content: after}
	if err := write(full, before); err != nil {
		return err
	}
	c := comparison{Mutant: m, path: full, skip: b.flaky, standing: b.rule.now(file)}
	if c.before, err = b.lab.outcomes(ctx); err != nil {
		return err
	}
	if c.traces, _, err = b.lab.traces(ctx); err != nil {
		return err
	}
	if err := write(full, after); err != nil {
		return err
	}
	c.pick(b)
	if c.after, err = b.lab.edited(ctx, c.before, c.selected, b.far(c)); err != nil {
		return err
	}
	return b.compare(ctx, c)
}

func git(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"--git-dir", dir}, args...)...)
	cmd.Stderr = os.Stderr
	return cmd.Output()
}
