package cli

import (
	"errors"
	"path/filepath"

	"github.com/spf13/pflag"

	"hookwatch/cmd/internal/revision"
	"hookwatch/cmd/internal/session"
	"hookwatch/config"
	"hookwatch/suites"
	"hookwatch/suites/client/clients"
	"hookwatch/suites/disk"
	"hookwatch/suites/record"
)

// globals are the flags that all commands share. A command gets a copy when it runs.
type globals struct {
	program
	settings      *pflag.FlagSet // with the flags of configuration keys
	filter        session.Filter
	shuffle       uint64
	strict        bool
	restored      bool
	judgesMarkers bool // the command itself does, and not the session

	workDir string             // absolute: the directory to which relative arguments refer
	pinned  *disk.Pinned       // contents of the project's files when they were read or saved
	index   *revision.Revision // with --staged: where the project is read
	warn    func([]string)
}

// in returns the flags for another directory, "" for the working directory. The absolute path is
// kept because the directory may be renamed or replaced while hookwatch watches.
func (g globals) in(dir string) globals {
	g.Dir, g.workDir = dir, dir
	if abs, err := filepath.Abs(dir); err == nil { // otherwise loading fails
		g.workDir = abs
	}
	return g
}

// relative returns the path of a file that the user names.
func (g globals) relative(file string) string {
	if filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(g.workDir, file)
}

// hookName returns a path of the project's files as registrations have it, and any other name of a hook as it is.
func (g globals) hookName(p *session.Project, name string) string {
	if within := p.RelFrom(g.workDir, name); name != "" && p.Exists(within) {
		return within
	}
	return name
}

// allCases reports whether no flag limits the cases.
func (g globals) allCases() bool { return len(g.filter.Suites) == 0 && g.filter.Text == "" }

// loadToRun loads configuration and project for a command that runs cases; with live, for the real
// client, another one than Claude Code if it is named. Its error names every problem.
func (g globals) loadToRun(live bool, client string) (*session.Project, error) {
	cfg, err := g.loadConfig()
	if err != nil {
		return nil, err
	}
	p, problems := g.loadProject(cfg)
	switch {
	case len(problems) > 0:
		err = &config.Error{Problems: problems}
	default:
		err = p.Empty
	}
	var of clients.Client
	if err == nil {
		of, err = liveClient(client)
	}
	if err == nil {
		err = useClient(p, of)
	}
	if err == nil && live {
		p.GoLive()
	}
	if err != nil {
		g.ask(cfg) // values without consent may be the cause
	}
	return p, err
}

// loadCases loads a project for a command that has no view of a session.
func (g globals) loadCases() (*session.Project, error) {
	p, err := g.loadHooks()
	if err != nil {
		return nil, err
	}
	return p, p.Empty
}

// loadHooks is loadCases for commands that need no cases.
func (g globals) loadHooks() (*session.Project, error) {
	cfg, err := g.loadConfig()
	if err != nil {
		return nil, err
	}
	g.ask(cfg)
	p, problems := g.loadProject(cfg)
	if len(problems) > 0 {
		return nil, &config.Error{Problems: problems}
	}
	return p, nil
}

// loadWithUser loads the project and, if user is set, adds the hooks of the user's own settings.
func (g globals) loadWithUser(user bool) (*session.Project, error) {
	p, err := g.loadHooks()
	if err != nil || !user {
		return p, err
	}
	warnings, err := p.AddUser()
	g.warn(warnings)
	return p, err
}

// loadLive loads the hooks for their real client, another one than Claude Code if it is named.
func (g globals) loadLive(client string) (*session.Project, error) {
	other, err := liveClient(client)
	if err != nil {
		return nil, err
	}
	p, err := g.loadHooks()
	if err != nil {
		return nil, err
	}
	return p, useClient(p, other)
}

// tryLoad loads the project, or returns every problem.
func (g globals) tryLoad() (*session.Project, []suites.Problem) {
	cfg, err := g.loadConfig()
	var configured *config.Error
	switch {
	case errors.As(err, &configured):
		return nil, configured.Problems
	case err != nil:
		return nil, []suites.Problem{{What: err.Error()}}
	}
	return g.loadProject(cfg)
}

// ask warns of values in the configuration to which the user has not consented.
func (g globals) ask(cfg *config.Config) {
	if text := cfg.Notice(); text != "" {
		g.warn([]string{text})
	}
}

func (g globals) loadProject(cfg *config.Config) (*session.Project, []suites.Problem) {
	if g.index != nil {
		return g.loadStaged(cfg)
	}
	return session.Load(cfg, g.filter, g.pinned)
}

func (g globals) loadConfig() (*config.Config, error) {
	o := config.LoadOptions{Dir: g.workDir, Path: g.Path, Flags: g.settings, FirstCommit: revision.FirstCommit}
	if g.index != nil {
		o.Read = g.index.In
	}
	cfg, err := config.Load(o)
	if err == nil && g.judgesMarkers {
		cfg.Verify = config.VerifyOff
	}
	return cfg, err
}

// recordsPlace returns the place of a project's records.
func (g globals) recordsPlace(cfg *config.Config) record.Place {
	return session.RecordsPlace(cfg, g.restored)
}

// reader opens the project's records for reading, and returns their directory.
func (g globals) reader() (r *record.Reader, dir string, err error) {
	cfg, err := g.loadConfig()
	if err != nil {
		return nil, "", err
	}
	g.ask(cfg)
	r, err = record.OpenReader(g.recordsPlace(cfg))
	return r, cfg.ResultsDir, err
}
