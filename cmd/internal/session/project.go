package session

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"hookwatch/config"
	"hookwatch/suites"
	"hookwatch/suites/check"
	"hookwatch/suites/client/clients"
	"hookwatch/suites/depend"
	"hookwatch/suites/discover"
	"hookwatch/suites/disk"
	"hookwatch/suites/markers"
	"hookwatch/suites/record"
	"hookwatch/suites/run"
)

// A Project is a loaded project: configuration, suites, hooks and dependencies. It does
// not change once loaded; if its configuration or suites change, another one is loaded.
type Project struct {
	Config     *config.Config
	Suites     []suites.Suite
	Cases      []*suites.Case // those that the filter selects
	Registered discover.Registered
	Live       bool           // the client fires every case
	LiveOf     clients.Client // the client that fires the hooks of layer 2; the zero value is Claude Code
	Foreign    []string       // hook files of other agents, as slash paths
	Stray      []string       // files with hooks that the client does not read
	Graph      *depend.Graph
	Stops      *Stops // inputs that its hooks were seen to stop
	// Registrations are those to keep on record: where the scripts of cases are registered, or were.
	Registrations []record.Registration
	Warnings      []string
	Unread        []string // the warnings about files that were not read
	Empty         error    // why there is nothing to run, or nil

	Reader   disk.Reader    // for all files of the project
	Instead  run.Instead    // of the files where hooks run, if those that were read are of a revision
	every    []*suites.Case // without the filter
	byKey    []int32        // indexes into every, in the order of keys
	groups   *toolGroups    // made when first needed
	controls map[suites.Key]bool
	various  map[*suites.Case]bool // those whose steps run hooks of their own
	alone    bool                  // its only cases are those made of registered hooks
	started  map[[2]string]bool    // scripts and events that cases start themselves
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
func (p *loader) registers(script string) bool {
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

// configFile returns the path of the configuration file, which may not exist.
func configFile(cfg *config.Config) string {
	if cfg.Path != "" {
		return cfg.Path
	}
	return filepath.Join(cfg.Root, config.FileName)
}

// Root returns the project's absolute path, where its hooks run.
func (p *Project) Root() string { return p.Config.At() }

// IsGone reports whether the project's directory does not exist any more, because it was
// deleted or renamed.
func (p *Project) IsGone() bool {
	fi, err := os.Stat(p.Root())
	return err != nil || !fi.IsDir()
}

// Name returns the display name of the project.
func (p *Project) Name() string { return filepath.Base(p.Root()) }

// Hooks returns the number of the project's hooks: scripts, and registered commands
// without a script.
func (p *Project) Hooks() int {
	scripts := slices.Clone(p.scripts)
	n := 0
	for _, h := range p.Registered.Hooks {
		if len(h.Scripts) == 0 {
			n++
			continue
		}
		scripts = append(scripts, h.Scripts[0])
	}
	slices.Sort(scripts)
	return n + len(slices.Compact(scripts))
}

// Scripts returns the hook scripts as slash paths from the root.
func (p *Project) Scripts() []string { return p.scripts }

// Every returns all cases, including those that the filter excludes.
func (p *Project) Every() []*suites.Case { return p.every }

// NoSuite reports whether the only cases are those made of registered hooks.
func (p *Project) NoSuite() bool { return p.alone && len(p.every) > 0 }

// Agent returns the agent of a suite.
func (p *Project) Agent(suite string) string { return p.Agents()[suite] }

// Agents returns the agents by suite.
func (p *Project) Agents() map[string]string {
	m := make(map[string]string, len(p.Suites))
	for _, s := range p.Suites {
		m[s.Name] = s.Agent
	}
	return m
}

// Rel returns the slash path from the root of a file, given as an absolute path or as one
// from the root.
func (p *Project) Rel(file string) string { return p.RelFrom(p.Config.Root, file) }

// RelFrom is like Rel for a path that the user names in directory dir. A path that exists
// relative to the root has priority.
func (p *Project) RelFrom(dir, file string) string {
	abs := filepath.FromSlash(file)
	if !filepath.IsAbs(abs) {
		if p.Exists(file) {
			return filepath.ToSlash(filepath.Clean(abs))
		}
		abs = filepath.Join(dir, abs)
	}
	rel, err := filepath.Rel(p.Config.Root, abs)
	if err != nil || !filepath.IsLocal(rel) {
		return filepath.ToSlash(abs)
	}
	return filepath.ToSlash(rel)
}

// Find returns the case of a key, or nil if there is none.
func (p *Project) Find(k suites.Key) *suites.Case {
	if i, ok := p.number(k); ok {
		return p.every[i]
	}
	return nil
}

// number returns the position of a key's case among all cases.
func (p *Project) number(k suites.Key) (int, bool) {
	at, ok := slices.BinarySearchFunc(p.byKey, k, func(i int32, k suites.Key) int { return p.every[i].Key().Compare(k) })
	if !ok {
		return 0, false
	}
	return int(p.byKey[at]), true
}

// FindAll returns the cases of keys, without the keys that have none.
func (p *Project) FindAll(keys []suites.Key) []*suites.Case {
	var out []*suites.Case
	for _, k := range keys {
		if c := p.Find(k); c != nil {
			out = append(out, c)
		}
	}
	return out
}

// Order returns the position of a case among all.
func (p *Project) Order(k suites.Key) int {
	i, _ := p.number(k)
	return i
}

func (p *Project) IsControl(k suites.Key) bool { return p.controls[k] }

func (p *Project) ids() []string {
	ids := make([]string, len(p.every))
	for i, c := range p.every {
		ids[i] = c.ID
	}
	return ids
}

// Ambiguous reports whether cases of several suites have the ID.
func (p *Project) Ambiguous(id string) bool {
	n := 0
	for _, c := range p.every {
		if strings.EqualFold(c.ID, id) {
			n++
		}
	}
	return n > 1
}

// IsInterpreted reports whether every registered command that names the script starts it
// through an interpreter.
func (p *Project) IsInterpreted(hook string) bool {
	found := false
	for _, h := range p.Registered.Hooks {
		if !slices.Contains(h.Scripts, hook) {
			continue
		}
		found = true
		if slices.Contains(h.Direct, hook) {
			return false
		}
	}
	return found
}

// chainScripts returns the scripts that a chain case can fire.
func (p *Project) chainScripts(c *suites.Case) []string {
	var out []string
	for _, h := range p.Registered.Hooks {
		for i := range c.Steps {
			if h.Event == c.Steps[i].Event {
				out = append(out, h.Scripts...)
			}
		}
	}
	return out
}

// ToolsOf returns the programs that the case's hooks can reach.
func (p *Project) ToolsOf(c *suites.Case) []string {
	if c.Check != nil {
		return c.Check.Programs()
	}
	var names []string
	for _, hook := range p.hooksOf(c) {
		names = append(names, p.Graph.Tools(hook)...)
	}
	return names
}

// Callers returns, by program, the hook scripts and the positions of registered commands
// that start it or look for it, for display.
func (p *Project) Callers() map[string][]string {
	callers := make(map[string][]string)
	add := func(names []string, by string) {
		for _, name := range names {
			if !slices.Contains(callers[name], by) {
				callers[name] = append(callers[name], by)
			}
		}
	}
	scripts := slices.Clone(p.scripts)
	for _, h := range p.Registered.Hooks {
		if h.Type != "command" {
			continue
		}
		add(depend.CalledBy(strings.Join(append([]string{h.Command}, h.Args...), " ")), h.Source.String())
		scripts = append(scripts, h.Scripts...)
	}
	for _, script := range scripts {
		for by, names := range p.Graph.Called(script) {
			add(names, by)
		}
	}
	for _, by := range callers {
		slices.Sort(by)
	}
	return callers
}

// ToolKey is equal for cases with the same ToolNames. It is "" for cases that are not
// plain.
func (p *Project) ToolKey(c *suites.Case) string {
	if c.Chain || c.Check != nil || p.various[c] {
		return ""
	}
	key := cmp.Or(c.Hook, "\x00")
	if c.Layer == suites.Live {
		key += "\x01"
	}
	for _, g := range c.Gates {
		key += "\x00" + g.Tool
	}
	return key
}

// ToolNames returns, sorted, the programs that the case's hooks can reach and those that
// it is gated by.
func (p *Project) ToolNames(c *suites.Case) []string {
	names := slices.Clone(p.ToolsOf(c))
	if c.Layer == suites.Live {
		names = append(names, p.Client())
	}
	for _, g := range c.Gates {
		names = append(names, (&suites.Check{Tool: g.Tool, Places: g.Places}).Programs()...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Client returns the program that fires the hooks of layer 2.
func (p *Project) Client() string { return p.live().Program() }

func (p *Project) live() run.Live {
	l := run.Live{Client: p.Config.Live.Client, Timeout: p.Config.Live.Timeout}
	l.Use(p.LiveOf)
	return l
}

// FiredScripts returns the scripts that the first steps of a case start.
func (p *Project) FiredScripts(c *suites.Case, steps int) []string {
	if c.Chain {
		return p.chainScripts(c)
	}
	var hooks []string
	for i := range steps {
		if hook := cmp.Or(c.Steps[i].Hook, c.Hook); !slices.Contains(hooks, hook) {
			hooks = append(hooks, hook)
		}
	}
	return hooks
}

func (p *Project) hooksOf(c *suites.Case) []string {
	switch {
	case c.Check != nil:
		return nil
	case c.Chain:
		return p.chainScripts(c)
	}
	hooks := []string{c.Hook}
	for i := range c.Steps {
		if h := c.Steps[i].Hook; h != "" && !slices.Contains(hooks, h) {
			hooks = append(hooks, h)
		}
	}
	return hooks
}

// Shapes reports whether a file defines the parts of the project, rather than being run by
// its cases.
func (p *Project) Shapes(file string) bool {
	if file == configFile(p.Config) || file == p.Config.TrustFile() || slices.Contains(p.sources, file) {
		return true
	}
	rel := p.Rel(file)
	if slices.Contains(p.Registered.Files, rel) {
		return true
	}
	globs := slices.Concat(p.Config.Settings, p.Config.Specs, p.Config.OwnSuites())
	return slices.ContainsFunc(globs, func(glob string) bool {
		ok, err := doublestar.Match(glob, rel)
		return err == nil && ok
	})
}

// Matters reports whether a change of the file should be reported even if no case depends
// on it.
func (p *Project) Matters(rel string) bool {
	abs := p.Config.Abs(rel)
	if abs == p.Config.TrustFile() {
		return false // its effect is reported
	}
	return p.Shapes(abs) || slices.Contains(p.scripts, rel) || path.Base(rel) == "config.json"
}

// A Marker is one reference of a case, and its resolution.
type Marker struct {
	Source  string `json:"source"`
	Section string `json:"section,omitempty"`
	At      string `json:"at"` // file:line; "" if it does not resolve
	Why     string `json:"why,omitempty"`
}

// Ref formats the marker as "source §section".
func (m Marker) Ref() string { return markers.Ref{Source: m.Source, Section: m.Section}.String() }

// unknown returns the IDs that no suite has.
func (p *Project) unknown(ids []string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		if suite, bare, qualified := strings.Cut(id, "/"); qualified {
			return p.Find(suites.Key{Suite: suite, ID: bare}) != nil
		}
		return slices.ContainsFunc(p.every, func(c *suites.Case) bool { return c.ID == id })
	})
}

// Tree returns the project as the subject of checks. env is the environment in which programs are
// looked up.
func (p *Project) Tree(env []string) check.Tree {
	t := p.tree()
	t.Denies, t.CallBudget = p.Config.Denies, p.Config.Budget.Call
	t.Installed = func(program string) bool { _, err := run.LookPath(p.Reader, program, p.Root(), env); return err == nil }
	return t
}
