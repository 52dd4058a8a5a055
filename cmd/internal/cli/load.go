package cli

import (
	"errors"
	"strings"

	"github.com/spf13/pflag"

	"hookwatch/cmd/internal/project"
	"hookwatch/config"
	"hookwatch/suites"
	"hookwatch/suites/client/clients"
	"hookwatch/suites/record"
)

// load loads configuration and project for a command that runs cases, including warnings. Its
// error names every problem.
func (a *app) load() (*project.Project, error) {
	cfg, err := a.loadConfig()
	if err != nil {
		return nil, err
	}
	p, problems := a.loadProject(cfg)
	switch {
	case len(problems) > 0:
		err = ProblemsError(problems)
	default:
		err = p.Empty
	}
	if err == nil && a.live {
		p.GoLive()
	}
	if err != nil {
		a.ask(cfg) // values without consent may be the cause
	}
	return p, err
}

// loadShown loads a project for a command that has no view of a session.
func (a *app) loadShown() (*project.Project, error) {
	p, err := a.loadHooks()
	if err != nil {
		return nil, err
	}
	return p, p.Empty
}

// loadHooks is loadShown for commands that need no cases.
func (a *app) loadHooks() (*project.Project, error) {
	cfg, err := a.loadConfig()
	if err != nil {
		return nil, err
	}
	a.ask(cfg)
	p, problems := a.loadProject(cfg)
	if len(problems) > 0 {
		return nil, ProblemsError(problems)
	}
	return p, nil
}

// loadWithUser loads the project and, if user is set, adds the hooks of the user's own settings.
func (a *app) loadWithUser(user bool) (*project.Project, error) {
	p, err := a.loadHooks()
	if err != nil || !user {
		return p, err
	}
	warnings, err := p.AddUser()
	a.warn(warnings)
	return p, err
}

// withUser adds the flag --user.
func withUser(f *pflag.FlagSet, user *bool) {
	f.BoolVar(user, "user", false, "also what your own settings register (~/.claude/settings.json)")
}

// withClients adds the flag --client.
func withClients(f *pflag.FlagSet, names *string) {
	f.StringVar(names, "client", "", "as these clients do, `NAME[,NAME]`, such as claude,codex (see hookwatch help clients)")
}

// clientsOf returns the clients that the flag or the configuration names; without either, Claude
// Code and those whose own files in the project register hooks. asked reports that they were named.
func clientsOf(p *project.Project, names string) (all []clients.Client, asked bool, err error) {
	if names == "" {
		names = strings.Join(p.Config.Clients, ",")
	}
	others := p.Registered.Clients()
	if names == "" && len(others) == 0 {
		return nil, false, nil // Claude Code alone: the facts of others need not be read
	}
	if names == "" {
		claude, _ := clients.Named(clients.Claude)
		return append([]clients.Client{claude}, others...), false, nil
	}
	all, err = clients.Parse(names)
	return all, true, err
}

// ask warns of values in the configuration to which the user has not consented.
func (a *app) ask(cfg *config.Config) {
	if text := cfg.Notice(); text != "" {
		a.warn([]string{text})
	}
}

func (a *app) loadProject(cfg *config.Config) (*project.Project, []suites.Problem) {
	return project.Load(cfg, project.Filter{Suites: a.suites, Text: a.filter}, &a.pinned)
}

// loadConfig loads only the configuration.
func (a *app) loadConfig() (*config.Config, error) {
	dir, err := a.workDir()
	if err != nil {
		return nil, err
	}
	return config.Load(config.LoadOptions{Dir: dir, Path: a.path, Flags: a.flags.PersistentFlags(), FirstCommit: firstCommit})
}

// records returns the place of a project's records.
func (a *app) records(cfg *config.Config) record.Place { return project.RecordsPlace(cfg, a.restored) }

// reader opens the project's records for reading, and returns their directory.
func (a *app) reader() (r *record.Reader, dir string, err error) {
	cfg, err := a.loadConfig()
	if err != nil {
		return nil, "", err
	}
	a.ask(cfg)
	r, err = record.OpenReader(a.records(cfg))
	return r, cfg.ResultsDir, err
}

func (a *app) tryLoad() (*project.Project, []suites.Problem, error) {
	cfg, err := a.loadConfig()
	if err != nil {
		return nil, configProblems(err), err
	}
	p, problems := a.loadProject(cfg)
	return p, problems, nil
}

func configProblems(err error) []suites.Problem {
	var cerr *config.Error
	if !errors.As(err, &cerr) {
		return []suites.Problem{{What: err.Error()}}
	}
	return cerr.Problems
}
