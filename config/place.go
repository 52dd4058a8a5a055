package config

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/adrg/xdg"
	"github.com/bmatcuk/doublestar/v4"

	"hookwatch/suites/disk"
	"hookwatch/suites/yamlform"
)

// findFile looks for the configuration file in dir and the directories above it. Above dir,
// directories with that name are ignored. read returns where a path is read.
func findFile(dir string, read func(path string) string) (path string, ok bool) {
	start, err := filepath.Abs(dir)
	if err != nil {
		return "", false
	}
	found := upwards(start, func(d string) bool {
		file := read(filepath.Join(d, FileName))
		return exists(file) && (d == start || !isDir(file))
	})
	if found == "" {
		return "", false
	}
	return filepath.Join(found, FileName), true
}

// root returns the project's root from the file at path, or else the one guessed from dir.
func (s *source) root(dir, path string) string {
	if path == "" {
		return projectRoot(dir)
	}
	return from(filepath.Dir(path), s.text("project"))
}

// checkRoot reports a root that does not exist.
func (s *source) checkRoot(root string) {
	if n := s.nodes["project"]; n != nil && !isDir(root) {
		s.Add(n, fmt.Sprintf("project: %s is no directory", yamlform.Quote(s.text("project"), shownText)), "it is relative to the directory of this file")
		s.Sort()
	}
}

// projectRoot guesses the root without a file: the nearest directory from dir upwards that
// git or the client treats as one, or else dir. A directory with hooks that is no repository,
// such as a copy of a plugin, is not part of the home directory, or of a project above it.
func projectRoot(dir string) string {
	home, _ := os.UserHomeDir()
	root := upwards(dir, func(d string) bool {
		if git := filepath.Join(d, ".git"); exists(git) && mayRule(dir, git) {
			return true
		}
		// The one in the home directory has the client's own settings.
		claude := filepath.Join(d, ".claude")
		return d != home && isDir(claude) && mayRule(dir, claude)
	})
	if root == "" || disk.Within(root, home) || !exists(filepath.Join(root, ".git")) {
		if own := upwards(dir, func(d string) bool { return registersHooks(d, dir, home) }); len(own) > len(root) {
			return own
		}
	}
	if root == "" {
		return dir
	}
	return root
}

// registersHooks reports whether a directory is the root of a plugin or of a ~/.claude by its files.
// from is the directory in which the user works.
func registersHooks(dir, from, home string) bool {
	if filepath.Base(dir) == ".claude" && filepath.Dir(dir) != home {
		return false // that of a project
	}
	for _, name := range []string{".claude-plugin/plugin.json", ".claude-plugin/marketplace.json", "hooks/hooks.json"} {
		if file := filepath.Join(dir, filepath.FromSlash(name)); exists(file) && mayRule(from, file) {
			return true
		}
	}
	settings := filepath.Join(dir, "settings.json")
	text, err := disk.Reader{Root: dir}.ReadFile(settings, settingsAtMost)
	return err == nil && bytes.Contains(text, []byte(`"hooks"`)) && mayRule(from, settings)
}

// settingsAtMost limits the size of a settings file in bytes.
const settingsAtMost = 1 << 20

// StateFolder returns the system's folder for the state of the user's programs.
func StateFolder() string { return xdg.StateHome }

// stateDir returns the directory for records of a project without configuration. It is in
// the user's state folder, so that the project itself is not changed.
func stateDir(state, root string) string {
	return filepath.Join(state, "hookwatch", projectKey(root), "results")
}

// CorpusDir returns the directory for payloads recorded in sessions of the project. It is in the
// user's state folder.
func (c *Config) CorpusDir() string {
	return filepath.Join(filepath.Dir(stateDir(c.State, c.At())), "corpus")
}

// FiringsDir returns the directory for the outcomes of earlier firings of the project. It is in the user's
// state folder.
func (c *Config) FiringsDir() string {
	return filepath.Join(filepath.Dir(stateDir(c.State, c.At())), "firings")
}

// projectKey returns the name of a project's folder among those of all projects.
func projectKey(root string) string {
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	sum := sha256.Sum256([]byte(root))
	return filepath.Base(root) + "-" + hex.EncodeToString(sum[:4])
}

// At returns the absolute path of the project, where its hooks run.
func (c *Config) At() string { return cmp.Or(c.RunRoot, c.Root) }

// Abs returns the absolute path of a path from the project's root.
func (c *Config) Abs(path string) string { return from(c.Root, path) }

// mayRule reports whether a file may configure hookwatch for a user who works in dir. Its
// owner must be the user, root, or the owner of dir, who could write to dir anyway;
// otherwise any user could leave a file in /tmp.
func mayRule(dir, file string) bool {
	who, known := owners(file)
	if !known {
		return true
	}
	of, _ := owners(dir)
	return !slices.ContainsFunc(who, func(uid int) bool {
		return uid != 0 && uid != os.Geteuid() && (len(of) == 0 || uid != of[len(of)-1])
	})
}

// upwards returns the nearest directory from dir to the root for which is returns true.
func upwards(dir string, is func(string) bool) string {
	dir, err := filepath.Abs(dir)
	for err == nil {
		if is(dir) {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			break
		}
		dir = parent
	}
	return ""
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// from returns the absolute path of a path from a directory.
func from(dir, path string) string {
	path = filepath.FromSlash(path)
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// displayPath returns the path for messages: relative to dir if it is within dir.
func displayPath(dir, path string) string {
	if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

// literalPrefix returns the part of a pattern in front of wildcards.
func literalPrefix(pattern string) string {
	if !strings.ContainsAny(pattern, `*?[{\`) {
		return pattern
	}
	base, _ := doublestar.SplitPattern(pattern)
	return base
}

// pathKeys are the lists of paths to read, relative to the project's root.
var pathKeys = []string{"hooks", "settings", "specs", "suites"}

// reach resolves the paths of a file, and the defaults of those that it does not set.
// Paths without a lead are in the project.
func (s *source) reach(root string) facts {
	f := facts{processors: runtime.NumCPU(), leads: map[entry]lead{}}
	real := disk.Lead(root)
	for _, key := range pathKeys {
		for _, path := range s.list(key) {
			if to := disk.Lead(from(root, literalPrefix(path))); !(key == "suites" && isBuiltin(path)) && !disk.Within(real, to) {
				f.leads[entry{key, path}] = lead{to: to}
			}
		}
	}
	dir := s.text("results.dir")
	if l := s.recordsLead(root, real, from(root, dir)); l != (lead{}) {
		f.leads[entry{"results.dir", dir}] = l
	}
	return f
}

// recordsLead returns why records must not be in a directory of the project, or its target
// outside of the project.
func (s *source) recordsLead(root, real, dir string) lead {
	to := disk.Lead(dir)
	rel, err := filepath.Rel(real, to)
	if err != nil || !filepath.IsLocal(rel) {
		return lead{to: to}
	}
	if plain, err := filepath.Rel(root, dir); err != nil || plain != rel {
		return lead{to: to, why: "leads through a link, to " + to}
	}
	for part := range strings.SplitSeq(rel, string(filepath.Separator)) {
		if strings.EqualFold(part, ".git") {
			return lead{to: to, why: "is git's own directory"}
		}
	}
	for _, hooks := range s.list("hooks") {
		if h := disk.Lead(from(root, hooks)); h != real && disk.Within(h, to) {
			return lead{to: to, why: "is a directory of hooks"}
		}
	}
	return lead{}
}

// projectLead returns the target of the root that a file names, if that is neither below
// the file, nor below the directory that the user started in, nor in the git work tree of
// the file.
func projectLead(root, file, start string) lead {
	to := disk.Lead(root)
	own := filepath.Dir(disk.Lead(file))
	for _, place := range []string{own, disk.Lead(start), workTree(own)} {
		if place != "" && disk.Within(place, to) {
			return lead{}
		}
	}
	return lead{to: to}
}

// workTree returns the top of the git work tree of a real directory. It returns "" if
// there is none, or if it contains the user's whole HOME.
func workTree(dir string) string {
	top := upwards(dir, func(d string) bool { return exists(filepath.Join(d, ".git")) })
	if home, err := os.UserHomeDir(); top == "" || err == nil && disk.Within(top, disk.Lead(home)) {
		return ""
	}
	return top
}

// expandHome replaces a ~ at the start of a path by the user's HOME, as a shell does,
// because no project means a directory of that name.
func (s *source) expandHome() {
	for _, key := range append([]string{"project", "results.dir"}, pathKeys...) {
		switch v := s.values[key].(type) {
		case string:
			s.values[key] = s.inHome(key, v)
		case []string:
			for i := range v {
				v[i] = s.inHome(key, v[i])
			}
		}
	}
}

func (s *source) inHome(key, path string) string {
	below, ok := strings.CutPrefix(path, "~")
	if !ok || below != "" && below[0] != '/' {
		return path
	}
	dir, err := os.UserHomeDir()
	if err != nil {
		s.Add(s.nodes[key], key+": ~ stands for nothing here: HOME is not set", "write the whole path")
		return path
	}
	return filepath.ToSlash(dir) + below
}

// placeResults sets the directory for records, and its parent below which no link is
// followed.
func (c *Config) placeResults(state string, chosen, configured bool) {
	c.ResultsDir = c.Abs(c.Results.Dir)
	i := slices.IndexFunc(c.Asks, func(a Ask) bool { return a.Key == "results.dir" })
	switch {
	case chosen && disk.Within(c.Root, c.ResultsDir):
		c.ResultsBase = c.Root
	case chosen:
		c.ResultsBase = disk.Existing(c.ResultsDir)
	case i >= 0 && c.Asks[i].Agreed:
		c.ResultsDir = c.Asks[i].To
		c.ResultsBase = disk.Existing(c.ResultsDir)
	case !configured, c.strays(c.Results.Dir):
		c.ResultsDir = stateDir(state, c.Root)
		c.ResultsBase = disk.Existing(state)
	default:
		c.ResultsBase = c.Root
	}
}

// strays reports whether the default must not be used for records here.
func (c *Config) strays(dir string) bool {
	none := newSource("")
	none.values["hooks"] = c.Hooks
	return none.recordsLead(c.Root, disk.Lead(c.Root), c.Abs(dir)) != lead{}
}

// checkResults returns an error if the results directory contains other files than
// records, because everything in it is ignored by git and by the watcher.
func (c *Config) checkResults() error {
	own := disk.Lead(c.ResultsDir)
	for _, source := range c.sources() {
		if disk.Within(own, disk.Lead(source)) {
			return fmt.Errorf("%s holds the project or its hooks, settings, suites or documents", c.ResultsDir)
		}
	}
	other, err := stranger(c.ResultsDir)
	if err == nil && other != "" {
		err = fmt.Errorf("%s holds other things than records, such as %s", c.ResultsDir, other)
	}
	return err
}

// sources returns the paths of the configured parts of the project.
func (c *Config) sources() []string {
	out := []string{c.Root}
	if c.Path != "" {
		out = append(out, c.Path)
	}
	for _, list := range [][]string{c.Hooks, c.Settings, c.Specs, c.OwnSuites()} {
		for _, path := range list {
			out = append(out, c.Abs(literalPrefix(path)))
		}
	}
	return out
}

// Names in a directory of records, and names that may be in any directory.
var (
	recordNames = []string{
		"*.jsonl", "rolling", "archive", "traces", "contents", ".lock", ".origin", "running.json", "inputs.json", "environment.json", "runs.json",
		"RESULTS.md", "COMPARISON.md", "registrations.json",
	}
	neutralNames = []string{".gitignore", ".gitkeep", ".keep", "README.md", ".DS_Store"}
)

// mostEntries is the maximum number of names to check: a directory of records has few.
const mostEntries = 1000

// stranger returns the name of an entry that is not a record, if the directory has no
// records at all. It returns "" if there is none, or no such directory.
func stranger(dir string) (string, error) {
	if fi, err := os.Stat(dir); err != nil || !fi.IsDir() {
		return "", nil // creating it reports the error
	}
	d, err := os.Open(dir)
	if err != nil {
		return "", nil
	}
	defer d.Close()
	entries, err := d.ReadDir(mostEntries)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("%s: %w", dir, err)
	}
	other := ""
	for _, e := range entries {
		switch {
		case matches(recordNames, e):
			return "", nil
		case !matches(neutralNames, e) && other == "":
			other = e.Name()
		}
	}
	return other, nil
}

func matches(patterns []string, e fs.DirEntry) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		ok, _ := filepath.Match(p, e.Name())
		return ok
	})
}
