package cli

import (
	"hookwatch/cmd/internal/project"
	"hookwatch/config"
)

// hooksFor lists the hooks of the project that dir lies in, and those for which
// there is to be no case, with the reason.
func (a *app) hooksFor(dir string) (hooks []firstHook, notRun []string, root string, err error) {
	cfg, err := config.Load(config.LoadOptions{Dir: dir, Path: a.path, Flags: a.flags.PersistentFlags(), FirstCommit: project.FirstCommit})
	if err != nil {
		return nil, nil, "", err
	}
	a.ask(cfg)
	p, problems := project.Load(cfg, project.Filter{}, nil)
	if len(problems) > 0 {
		return nil, nil, "", ProblemsError(problems)
	}
	hooks, notRun = firstHooks(p)
	return hooks, notRun, cfg.Root, nil
}
