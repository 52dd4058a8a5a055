// Package project is what is loaded of a project: configuration, suites, hooks and
// documents, and what its cases depend on. It is frozen once loaded.
package project

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"hookwatch/config"
	"hookwatch/suites"
	"hookwatch/suites/depend"
	"hookwatch/suites/discover"
	"hookwatch/suites/disk"
	"hookwatch/suites/record"
)

// A Project is everything that was read of one: configuration, suites, hooks
// and what depends on what. It is not changed once loaded; a change of its shape
// gives another one.
type Project struct {
	Config     *config.Config
	Suites     []suites.Suite
	Cases      []*suites.Case // those the filter lets through
	Registered discover.Registered
	Foreign    []string // hook files of other agents, as slash paths
	Stray      []string // files with hooks that the client does not read
	Graph      *depend.Graph
	Stops      *Stops // what its hooks were seen to stop
	Warnings   []string
	Unread     []string // of the warnings: those about files that were not read
	Empty      error    // why there is nothing to run; nil when there is

	Reader   disk.Reader    // of everything that is read of it
	every    []*suites.Case // without the filter
	byKey    []int32        // numbers of every, in the order of keys
	groups   *toolGroups    // made when it is asked for
	controls map[suites.Key]bool
	various  map[*suites.Case]bool // those whose steps run hooks of their own
	alone    bool                  // it has no case but those that are made of what it registers
	scripts  []string
	entries  map[string]bool // scripts that are run as hooks
	specs    []string
	sources  []string // suite files
}

// hookFiles lists the scripts of the hooks, registered or not.
func (p *Project) hookFiles() []string {
	names := slices.Clone(p.scripts)
	for _, h := range p.Registered.Hooks {
		names = append(names, h.Scripts...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// registers reports whether a settings file names the script: one that is gone
// leaves a hook that is dead, and its cases say so. A name alone is of a script that
// lies anywhere.
func (p *Project) registers(script string) bool {
	anywhere := !strings.Contains(script, "/")
	return slices.ContainsFunc(p.Registered.Hooks, func(h discover.Hook) bool {
		return slices.ContainsFunc(h.Scripts, func(s string) bool { return s == script || anywhere && path.Base(s) == script })
	})
}

// Exists reports whether a file of the project exists.
func (p *Project) Exists(slash string) bool {
	_, err := os.Stat(p.Config.Abs(slash))
	return !errors.Is(err, fs.ErrNotExist)
}

// RecordsPlace is where a project's records are. Restored says that they are the
// person's own, wherever they were made. Those in the person's state folder can
// have come from nowhere else.
func RecordsPlace(cfg *config.Config, restored bool) record.Place {
	state := filepath.Join(cfg.State, "hookwatch")
	p := record.Place{Dir: cfg.ResultsDir, Base: cfg.ResultsBase, Restored: restored}
	if !disk.Within(state, p.Dir) {
		p.Marks = filepath.Join(state, "made-here")
	}
	return p
}

// ConfigFile is the configuration file, or where it would be.
func ConfigFile(cfg *config.Config) string {
	if cfg.Path != "" {
		return cfg.Path
	}
	return filepath.Join(cfg.Root, config.FileName)
}
