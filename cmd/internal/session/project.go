package session

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

// A Project is a loaded project: configuration, suites, hooks and dependencies. It does
// not change once loaded; if its configuration or suites change, another one is loaded.
type Project struct {
	Config     *config.Config
	Suites     []suites.Suite
	Cases      []*suites.Case // those that the filter selects
	Registered discover.Registered
	Foreign    []string // hook files of other agents, as slash paths
	Stray      []string // files with hooks that the client does not read
	Graph      *depend.Graph
	Stops      *Stops // inputs that its hooks were seen to stop
	Warnings   []string
	Unread     []string // the warnings about files that were not read
	Empty      error    // why there is nothing to run, or nil

	Reader   disk.Reader    // for all files of the project
	every    []*suites.Case // without the filter
	byKey    []int32        // indexes into every, in the order of keys
	groups   *toolGroups    // made when first needed
	controls map[suites.Key]bool
	various  map[*suites.Case]bool // those whose steps run hooks of their own
	alone    bool                  // its only cases are those made of registered hooks
	scripts  []string
	entries  map[string]bool // scripts that are run as hooks
	specs    []string
	sources  []string // suite files
}

// hookFiles returns the scripts of the hooks, registered or not.
func (p *Project) hookFiles() []string {
	names := slices.Clone(p.scripts)
	for _, h := range p.Registered.Hooks {
		names = append(names, h.Scripts...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// registers reports whether a settings file names the script. The script may be missing:
// then the hook is dead, and its cases report that. A name without a directory matches
// scripts in all directories.
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

// RecordsPlace returns the place of a project's records. If restored is set, they count as
// the user's own, wherever they were made. Records in the user's state folder always do,
// because they cannot come from elsewhere.
func RecordsPlace(cfg *config.Config, restored bool) record.Place {
	state := filepath.Join(cfg.State, "hookwatch")
	p := record.Place{Dir: cfg.ResultsDir, Base: cfg.ResultsBase, Restored: restored}
	if !disk.Within(state, p.Dir) {
		p.Marks = filepath.Join(state, "made-here")
	}
	return p
}

// ConfigFile returns the path of the configuration file, which may not exist.
func ConfigFile(cfg *config.Config) string {
	if cfg.Path != "" {
		return cfg.Path
	}
	return filepath.Join(cfg.Root, config.FileName)
}
