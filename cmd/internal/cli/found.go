package cli

import (
	"hookwatch/cmd/internal/cli/firstsuite"
	"hookwatch/cmd/internal/project"
	"hookwatch/config"
)

// hooksFor lists the hooks of the project that dir lies in.
func (a *app) hooksFor(dir string) (hooks []firstsuite.Hook, root string, err error) {
	cfg, err := config.Load(config.LoadOptions{Dir: dir, Path: a.path, Flags: a.flags.PersistentFlags()})
	if err != nil {
		return nil, "", err
	}
	a.ask(cfg)
	p, problems := project.Load(cfg, project.Filter{}, nil)
	if len(problems) > 0 {
		return nil, "", problemsError(problems)
	}
	return firstsuite.Hooks(p), cfg.Root, nil
}
