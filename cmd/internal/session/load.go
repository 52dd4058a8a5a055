package session

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/bmatcuk/doublestar/v4"

	"hookwatch/config"
	"hookwatch/suites"
	"hookwatch/suites/catalog"
	"hookwatch/suites/depend"
	"hookwatch/suites/discover"
	"hookwatch/suites/disk"
	"hookwatch/suites/sandbox"
	"hookwatch/suites/verdict"
)

// Load reads a project. Recently saved files are read from pinned, which may be nil. The
// problems must be fixed by the user before anything runs.
func Load(cfg *config.Config, filter Filter, pinned *disk.Pinned) (*Project, []suites.Problem) {
	p := &loader{&Project{Config: cfg, Reader: newReader(cfg, pinned)}}
	if text := cfg.Notice(); text != "" {
		p.Warnings = append(p.Warnings, text)
	}
	problems := p.readHooks()
	problems = append(problems, p.readSuites()...)
	if len(problems) > 0 {
		return nil, problems
	}
	// Suites for another kind of project, and built-in ones whose hook the project does not have.
	p.Suites = slices.DeleteFunc(p.Suites, func(s suites.Suite) bool {
		if slices.ContainsFunc(s.AppliesTo, func(file string) bool { return !p.Exists(file) && !p.registers(file) }) {
			return true
		}
		return s.Builtin && !slices.ContainsFunc(s.Cases, func(c suites.Case) bool { return c.Hook == "" || p.has(c.Hook) })
	})
	p.addRegistered()
	p.arrange()
	p.Empty = p.filter(filter)
	p.entries = p.entryScripts()
	p.Graph = depend.New(depend.Project{
		Root: cfg.Root, Reader: p.Reader, HookDirs: cfg.Hooks, Settings: cfg.Settings, Registered: p.Registered, Specs: p.specs,
		Scripts: p.chainScripts, IDs: p.ids, Passing: temporary, Other: p.other,
	})
	p.Graph.Prepare(p.every)
	p.Unread = p.Graph.Unread(p.hookFiles())
	for _, err := range p.Graph.RefusedSpecs() {
		p.Unread = append(p.Unread, p.refusal("specs", err).Error())
	}
	p.Warnings = append(p.Warnings, p.Unread...)
	return p.Project, p.checkMarkers()
}

// A loader builds a project.
type loader struct{ *Project }

func (p *loader) readHooks() []suites.Problem {
	problems := p.checkDirs()
	if len(problems) > 0 {
		return problems
	}
	scripts, notes, err := discover.Scripts(p.Reader, p.Config.Root, p.Config.Hooks)
	if err != nil {
		return []suites.Problem{{What: err.Error()}}
	}
	p.scripts, p.Warnings = scripts, append(p.Warnings, notes...)
	found := p.registering()
	if p.Registered, err = discover.Hooks(p.Reader, p.Config.Root, p.Config.Settings, found.Sources); err != nil {
		return []suites.Problem{p.refusal("settings", err)}
	}
	p.Registered.Guess(p.Config.Root, found.Guessed)
	p.Foreign, p.Stray = found.Foreign, found.Unread
	for _, problem := range p.Registered.Problems {
		p.Warnings = append(p.Warnings, problem.Error())
	}
	specs, problems := p.expand("specs", p.Config.Specs)
	for _, s := range specs {
		p.specs = append(p.specs, p.Rel(s))
	}
	return problems
}

// registering finds files that register hooks in addition to the configured settings:
// plugins, trees that are installed as ~/.claude, and settings in subdirectories.
func (p *loader) registering() discover.Found {
	settings := make([]string, len(p.Config.Settings))
	for i, file := range p.Config.Settings {
		settings[i] = p.Config.Abs(file)
	}
	return discover.Find(p.Reader, p.Config.Root, settings, func(file string, dir bool) bool { return isIgnored(p.Config, file, dir) })
}

// ReadsSuite reports whether an entry of suites matches the file.
func (p *Project) ReadsSuite(file string) bool {
	return slices.ContainsFunc(p.Config.OwnSuites(), func(pattern string) bool {
		return doublestar.MatchUnvalidated(path.Clean(filepath.ToSlash(pattern)), filepath.ToSlash(p.Rel(file)))
	})
}

func (p *loader) readSuites() []suites.Problem {
	files, problems := p.expand("suites", p.Config.OwnSuites())
	for _, f := range files {
		p.sources = append(p.sources, p.Config.Abs(f))
	}
	names := slices.DeleteFunc(p.Config.BuiltinSuites(), func(name string) bool {
		hooks := catalog.HooksOf(name)
		return hooks != nil && !slices.ContainsFunc(hooks, p.has)
	})
	if len(names) > 0 {
		all, err := catalog.BuiltinFor(names)
		if err != nil {
			return []suites.Problem{{What: err.Error()}}
		}
		p.Suites = pickSuites(all, names)
	}
	left := int64(suitesAtMost)
	for _, file := range p.sources {
		data, err := p.Reader.ReadFile(file, min(suiteAtMost, left))
		if err != nil {
			problems = append(problems, p.refusal("suites", err))
			continue
		}
		left -= int64(len(data))
		suite, found := catalog.Load(p.Rel(file), data)
		problems = append(problems, found...)
		p.Suites = append(p.Suites, suite)
	}
	return append(problems, catalog.Check(p.Suites)...)
}

// has reports whether the project has a hook that a suite names.
func (p *loader) has(hook string) bool { return p.Exists(hook) || p.findScript(hook) != "" }

// arrange collects the cases in order, and applies the project's policy for gates.
func (p *loader) arrange() {
	p.controls = make(map[suites.Key]bool)
	p.various = make(map[*suites.Case]bool)
	places := p.places()
	var digests []byte
	for i := range p.Suites {
		if p.Suites[i].Builtin { // shared by all projects
			p.Suites[i].Cases = slices.Clone(p.Suites[i].Cases)
		}
		for j := range p.Suites[i].Cases {
			c := &p.Suites[i].Cases[j]
			c.Gates = p.resolveGates(c.Gates, places)
			p.locate(c)
			if c.Check == nil {
				c.Budget = cmp.Or(c.Budget, p.Config.Run.Budget)
			}
			c.Check = p.applyNeeds(c.Check)
			digests = p.appendConfigured(digests, c)
			p.every = append(p.every, c)
			if control, ok := verdict.ControlOf(c); ok {
				p.controls[control] = true
			}
			if slices.ContainsFunc(c.Steps, func(st suites.Step) bool { return st.Hook != "" }) {
				p.various[c] = true
			}
		}
	}
	p.byKey = make([]int32, len(p.every))
	for i := range p.byKey {
		p.byKey[i] = int32(i)
	}
	slices.SortFunc(p.byKey, func(a, b int32) int { return p.every[a].Key().Compare(p.every[b].Key()) })
	all := string(digests) // a single text for all cases, to save memory
	for i, c := range p.every {
		c.Digest = all[i*digestSize:][:digestSize]
	}
}

// digestSize is the length of the digest of a case's definition.
const digestSize = 16

// appendConfigured appends the digest of the case's definition and of the configuration
// that affects it. The timeout and the number of concurrent cases do not affect a case's
// meaning, so they are not included.
func (p *loader) appendConfigured(to []byte, c *suites.Case) []byte {
	added := fmt.Sprint(p.Config.Run.PassEnv)
	if c.Check != nil {
		added += string(c.Check.Need)
	}
	if c.Budget > 0 {
		added += c.Budget.String()
	}
	for i, g := range c.Gates {
		added += fmt.Sprint(i, g.Tool, g.Policy)
	}
	sum := sha256.Sum256([]byte(c.Digest + " " + added))
	return hex.AppendEncode(to, sum[:digestSize/2])
}

func (p *loader) resolveGates(gates []suites.Gate, places map[string][]string) []suites.Gate {
	out := slices.Clone(gates)
	for i := range out {
		if policy, ok := p.Config.Gates[out[i].Tool]; ok {
			out[i].Policy = suites.GatePolicy(policy)
		}
		if len(out[i].Places) == 0 {
			out[i].Places = places[out[i].Tool]
		}
	}
	return out
}

// places returns the places where hooks look for tools, from the checks for these tools: a
// tool that is only there is not absent. Advisory checks are excluded, because they are
// not about hooks.
func (p *loader) places() map[string][]string {
	places := make(map[string][]string)
	for i := range p.Suites {
		for j := range p.Suites[i].Cases {
			if c := p.Suites[i].Cases[j].Check; c != nil && c.Tool != "" && c.Need != suites.NeedAdvisory && c.Minimum == "" {
				places[c.Tool] = c.Places
			}
		}
	}
	return places
}

// A Filter selects cases of a project. The zero value selects all.
type Filter struct {
	Suites []string
	Text   string // part of an ID or name, or a glob for either
}

func (p *loader) filter(f Filter) error {
	f.Suites = p.members(f.Suites)
	for _, name := range f.Suites {
		if !slices.ContainsFunc(p.Suites, func(s suites.Suite) bool { return s.Name == name }) {
			return p.noSuite(name)
		}
	}
	for _, c := range p.every {
		if (len(f.Suites) == 0 || slices.Contains(f.Suites, c.Suite)) && f.Matches(c) {
			p.Cases = append(p.Cases, c)
		}
	}
	switch {
	case len(p.Cases) > 0:
		return nil
	case len(p.every) > 0:
		return errors.New("no case matches --suite and --filter (hookwatch list shows all)")
	default:
		looked := strings.Join(slices.Concat(p.Config.Hooks, p.Config.Settings), ", ")
		if p.IsGone() {
			return fmt.Errorf("there is no directory %s", p.Root())
		}
		if len(p.scripts)+len(p.Registered.Hooks) == 0 {
			return fmt.Errorf("no hooks found in %s: looked for %s, plugins, and settings below (hookwatch init --starter writes a project to begin with)", p.Root(), looked)
		}
		return fmt.Errorf("no cases for the %s of %s: looked for %s (hookwatch init writes a first suite)", Count(p.Hooks(), "hook"), p.Root(), strings.Join(p.Config.Suites, ", "))
	}
}

// members replaces the name of a family by those of its suites that are loaded.
func (p *loader) members(names []string) (all []string) {
	for _, name := range names {
		here := 0
		for _, s := range p.Suites {
			if family, ok := suites.InFamily(s.Name); ok && s.Builtin && family == name {
				all = append(all, s.Name)
				here++
			}
		}
		if here == 0 {
			all = append(all, name)
		}
	}
	return all
}

// noSuite returns the error for a requested suite that is not loaded.
func (p *loader) noSuite(name string) error {
	switch known := slices.Contains(suites.BuiltinEntries(), name) || slices.Contains(suites.BuiltinNames(), name); {
	case known && slices.ContainsFunc(p.Config.BuiltinSuites(), func(on string) bool {
		family, _ := suites.InFamily(on)
		return on == name || family == name
	}):
		return fmt.Errorf("--suite %s: the project has none of its hooks (hookwatch list --suites -v lists them)", name)
	case known:
		return fmt.Errorf("--suite %s: this built-in suite is not switched on: add builtin:%s to suites in .hookwatch.yaml", name, name)
	}
	return fmt.Errorf("--suite %s: no such suite here (there are %s)", name, p.suiteNames())
}

func (p *loader) suiteNames() string {
	var names []string
	for _, s := range p.Suites {
		names = append(names, s.Name)
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// Matches reports whether the filter's text selects a case.
func (f Filter) Matches(c *suites.Case) bool {
	if f.Text == "" {
		return true
	}
	for _, s := range []string{c.ID, c.Name} {
		glob, err := path.Match(strings.ToLower(f.Text), strings.ToLower(s))
		if (err == nil && glob) || strings.Contains(strings.ToLower(s), strings.ToLower(f.Text)) {
			return true
		}
	}
	return false
}

// suiteAtMost is the maximum size of a suite file in bytes: ten thousand plain cases take
// a third of it. suitesAtMost is the maximum for all files together.
const (
	suiteAtMost  = 4 << 20
	suitesAtMost = 32 << 20
)

// manyFiles is the maximum number of files that configured patterns may match.
const manyFiles = 10_000

// outsideHint explains how to make hookwatch read a file outside of the project.
const outsideHint = "copy it into the project, or name it in .hookwatch.yaml and agree to it with hookwatch trust"

// expand returns the files that match configured patterns, as slash paths from the root,
// sorted. A name without wildcards is returned even if the file does not exist, so that
// opening it reports the error.
func (p *loader) expand(key string, patterns []string) ([]string, []suites.Problem) {
	var files []string
	var problems []suites.Problem
	for _, pattern := range patterns {
		if !strings.ContainsAny(pattern, `*?[{\`) {
			files = append(files, path.Clean(filepath.ToSlash(pattern)))
			continue
		}
		base, rest := doublestar.SplitPattern(pattern)
		found, err := p.Reader.Find(disk.Search{Base: p.Config.Abs(base), Pattern: rest, Skip: func(file string, dir bool) bool {
			return isIgnored(p.Config, file, dir)
		}})
		if err != nil {
			problems = append(problems, p.refusal(key+": "+pattern, err))
		}
		for _, f := range found {
			files = append(files, path.Join(filepath.ToSlash(base), f))
		}
	}
	slices.Sort(files)
	if files = slices.Compact(files); len(files) > manyFiles {
		problems = append(problems, suites.Problem{
			What: fmt.Sprintf("%s names %d files, of which at most %d are read", key, len(files), manyFiles), Hint: "narrow the patterns"})
		files = nil
	}
	return files, problems
}

// refusal returns the problem for a configured file that is not read, with a hint.
func (p *loader) refusal(what string, err error) suites.Problem {
	problem := suites.Problem{At: suites.Position{File: p.Rel(configFile(p.Config))}, What: what + ": " + err.Error()}
	if p.Config.Path == "" {
		problem.At.File = ""
	}
	if disk.ReasonOf(err) == disk.Outside {
		problem.Hint = outsideHint
	}
	return problem
}

// checkDirs reports hook directories outside of the project, because their files would be
// listed and watched.
func (p *loader) checkDirs() (problems []suites.Problem) {
	for _, dir := range p.Config.Hooks {
		if _, err := p.Reader.Resolve(p.Config.Abs(dir)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			problems = append(problems, p.refusal("hooks: "+dir, err))
		}
	}
	return problems
}

// confinedReader returns a reader for files in the project and those that were agreed to. It
// does not exclude masked files.
func confinedReader(cfg *config.Config) disk.Reader {
	return disk.Reader{Root: cfg.Root, Agreed: cfg.Agreed}
}

// NewReader returns the reader of the files of a project with this configuration.
func NewReader(cfg *config.Config) disk.Reader { return newReader(cfg, nil) }

// newReader returns the only reader of a project. It does not read files that cases do not
// see; these are determined when the first file is read. Recently saved files
// are taken from pinned, which may be nil.
func newReader(cfg *config.Config, pinned *disk.Pinned) disk.Reader {
	world := sync.OnceValue(func() *sandbox.World {
		private := cfg.Run.Isolation == sandbox.Auto || sandbox.Describe(cfg.Run.Isolation).Private
		read := *cfg
		read.RunRoot = "" // cases see the files at Root, wherever these are kept
		return sandboxOptions(&read, os.Environ()).World(private, filepath.SplitList(os.Getenv("PATH")))
	})
	r := confinedReader(cfg)
	r.Pinned = pinned
	r.World = func(path string) disk.Reason { return world().Means(path) }
	return r
}

// inside reports whether the project's reader may read a path. If it does not exist, its
// nearest existing parent decides.
func inside(r disk.Reader, file string) bool {
	for up := filepath.Clean(file); ; up = filepath.Dir(up) {
		_, err := r.Resolve(up)
		if err == nil || !errors.Is(err, fs.ErrNotExist) || up == filepath.Dir(up) {
			return err == nil
		}
	}
}

// pickSuites returns the built-in suites with these names. It also includes cases of other
// suites that are controls of theirs.
func pickSuites(all []suites.Suite, names []string) []suites.Suite {
	cases := map[suites.Key]*suites.Case{}
	for i := range all {
		for j := range all[i].Cases {
			cases[all[i].Cases[j].Key()] = &all[i].Cases[j]
		}
	}
	controls := map[suites.Key]bool{}
	for _, c := range cases {
		if !slices.Contains(names, c.Suite) {
			continue
		}
		for c != nil && c.Control != "" && !controls[c.ControlKey()] {
			controls[c.ControlKey()] = true
			c = cases[c.ControlKey()]
		}
	}
	var out []suites.Suite
	for _, s := range all {
		if !slices.Contains(names, s.Name) {
			s.Cases = slices.DeleteFunc(slices.Clone(s.Cases), func(c suites.Case) bool { return !controls[c.Key()] })
		}
		if len(s.Cases) > 0 {
			out = append(out, s)
		}
	}
	return out
}

// AddUser adds the hooks of the user's own settings, in ~/.claude or CLAUDE_CONFIG_DIR,
// and returns warnings about problems in them.
func (p *Project) AddUser() (warnings []string, err error) {
	dir := os.Getenv("CLAUDE_CONFIG_DIR")
	if dir == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return nil, err
		}
		dir = filepath.Join(home, ".claude")
	}
	file := filepath.Join(dir, "settings.json")
	own, err := discover.Hooks(disk.Reader{}, p.Root(), nil, []discover.Source{{File: file, Scope: discover.InUser}})
	if err != nil {
		return nil, err
	}
	if len(own.Files) == 0 {
		if len(own.Problems) > 0 {
			return nil, errors.New("--user: " + own.Problems[0].What)
		}
		return nil, fmt.Errorf("--user: there is no %s", file)
	}
	for _, problem := range own.Problems {
		warnings = append(warnings, problem.Error())
	}
	p.Registered = p.Registered.With(own)
	return warnings, nil
}
