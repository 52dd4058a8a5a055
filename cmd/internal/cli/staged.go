package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"hookwatch/cmd/internal/compare"
	"hookwatch/cmd/internal/revision"
	"hookwatch/cmd/internal/session"
	"hookwatch/config"
	"hookwatch/suites"
	"hookwatch/suites/sandbox"
)

// readsIndex is the annotation of commands that --staged goes with.
const readsIndex = "reads the index"

// openIndex writes the files of the index around a directory to a temporary one, which the program
// removes at its end.
func openIndex(cmd *cobra.Command, a *app, dir string) (*revision.Revision, error) {
	once, _ := cmd.Flags().GetBool("once")
	live, _ := cmd.Flags().GetBool("live")
	switch _, reads := cmd.Annotations[readsIndex]; {
	case !reads, cmd == cmd.Root() && !once:
		return nil, errors.New("--staged goes with --once, run and check: the index is what git commits")
	case live:
		return nil, errors.New("--staged does not go with --live: the real client reads the work tree")
	}
	a.cleanup.needed.Store(true)
	index, err := revision.CheckOutIndex(cmd.Context(), dir)
	if err != nil {
		return nil, fmt.Errorf("--staged: %w", err)
	}
	a.atEnd = append(a.atEnd, index.Close)
	return index, nil
}

// loadStaged loads the project as it is in the index. Its hooks run at its own path, in a copy in which
// these files replace those of the work tree.
func (g globals) loadStaged(cfg *config.Config) (*session.Project, []suites.Problem) {
	p, left, problems, err := compare.Load(context.Background(), cfg, g.filter, g.index)
	switch {
	case err != nil:
		return nil, []suites.Problem{{What: "--staged: " + err.Error()}}
	case p == nil:
		return nil, problems
	case sandbox.Describe(cfg.Run.Isolation).InPlace:
		return nil, []suites.Problem{{What: "--staged runs hooks in a copy of the project only, not with isolation " + cfg.Run.Isolation}}
	case left > 0:
		g.warn([]string{fmt.Sprintf("%s far from any hook are as in the work tree, because too many differ from the index", session.Count(left, "file"))})
	}
	for _, h := range p.Registered.Hooks {
		for _, script := range h.Scripts {
			if slices.Contains(p.Instead.Removed, script) {
				g.warn([]string{fmt.Sprintf("%s: %s is not in the index, so the commit lacks it: git add %s", h.Source, script, quote(script))})
			}
		}
	}
	return p, problems
}
