package discover

import (
	"bytes"
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/client/clients"
	"hookwatch/suites/disk"
	"hookwatch/suites/pattern"
)

// Find searches a tree for files that register hooks, other than the given settings, which are
// absolute paths and read anyway. It does not search the paths for which skip is true; if skip
// is nil, it searches everything. Unreadable places are ignored.
func Find(r disk.Reader, root string, settings []string, skip func(path string, isDir bool) bool) Found {
	f := &finder{reader: r, root: root, read: slices.Clone(settings)}
	names, err := r.Find(disk.Search{Base: root, Pattern: "**/*.{json,md,sh,py,js,mjs,toml}*", Skip: skip})
	if err != nil {
		names = nil // the tree is too large, but files at known places are still found
	}
	f.names = append(names, f.findKnown(names)...)
	f.plugins()
	f.addUnregistered()
	for _, name := range f.names {
		f.file(name)
	}
	return f.out
}

// findKnown returns the files at the usual places that the search did not list.
func (f *finder) findKnown(listed []string) (more []string) {
	for _, name := range append(clineHooks(f.root), manifestName, marketplaceName, pluginHooks, "settings.json", "settings.local.json") {
		if !slices.Contains(listed, name) && exists(filepath.Join(f.root, name)) {
			more = append(more, name)
		}
	}
	return more
}

// clineHooks returns a directory whose files are hooks of a client by their place alone.
func clineHooks(root string) []string {
	if exists(filepath.Join(root, ".clinerules", "hooks")) {
		return []string{".clinerules/hooks"}
	}
	return nil
}

// isForeign reports whether a file has hooks of clients other than Claude Code, by its place.
func (f *finder) isForeign(name string) bool {
	return clients.IsHookFile(name) && len(clients.ReadBy(name)) > 0 || name == ".clinerules/hooks"
}

func (f *finder) file(name string) {
	dir, base := path.Split(name)
	absolute := f.makeAbsolute(name)
	switch {
	case f.isForeign(name):
		if f.registersElsewhere(name, absolute) {
			f.out.Foreign = append(f.out.Foreign, name)
			f.addElsewhere(name, absolute)
		}
	case base == "settings.json", base == "settings.local.json":
		f.settings(name, absolute)
	case strings.HasPrefix(base, "settings") && strings.Contains(base, ".json") || strings.HasSuffix(base, "-settings.json"):
		if f.registers(absolute) {
			f.add(Source{File: absolute, Scope: InTemplate})
		}
	case base == "hooks.json" && slices.Contains(unreadDirs, path.Base(dir)) || name == ".claude/hooks/hooks.json":
		if !slices.Contains(f.read, absolute) && f.registers(absolute) {
			f.out.Unread = append(f.out.Unread, name)
		}
	case strings.HasSuffix(base, ".md"):
		f.document(name, absolute)
	}
}

// unreadDirs are directories in which hooks.json is misplaced: a plugin's is in hooks, next to
// .claude-plugin.
var unreadDirs = []string{".claude", ".claude-plugin"}

// settings classifies a settings file by its place.
func (f *finder) settings(name, absolute string) {
	parent, dir := path.Dir(path.Dir(name)), path.Base(path.Dir(name))
	if !f.registers(absolute) {
		return
	}
	switch {
	case exampleDirs().MatchString(path.Dir(name)):
		f.add(Source{File: absolute, Scope: InTemplate})
	case dir == ".claude" && parent != ".":
		f.add(Source{File: absolute, Scope: InDirectory, Session: filepath.Join(f.root, filepath.FromSlash(parent))})
	case path.Dir(name) == "." && f.namesHome(absolute):
		f.add(Source{File: absolute, Scope: InHome})
	case dir != ".claude":
		f.add(Source{File: absolute, Scope: InTemplate})
	}
}

// A finder classifies the files of a tree.
type finder struct {
	reader disk.Reader
	root   string
	names  []string // slash paths from the root
	read   []string // absolute paths of files that are sources already
	out    Found
	// refused are the reasons why the client does not load plugins, by their absolute paths.
	refused map[string]suites.Problem
}

// add adds a source, each file only once.
func (f *finder) add(s Source) {
	if !slices.Contains(f.read, s.File) {
		f.read = append(f.read, s.File)
		f.out.Sources = append(f.out.Sources, s)
	}
}

// registers reports whether the text of a JSON file contains hooks. It does not parse the file,
// because an invalid one may register hooks too.
func (f *finder) registers(file string) bool {
	return bytes.Contains(f.content(file), []byte(`"hooks"`))
}

// content returns the content of a file, nil if it cannot be read.
func (f *finder) content(file string) []byte {
	data, err := f.reader.ReadFile(file, settingsAtMost)
	if err != nil {
		return nil
	}
	return data
}

func (f *finder) addElsewhere(name, absolute string) {
	for _, c := range clients.ReadBy(name) {
		if c.NamedOnly {
			continue
		}
		source := Source{File: absolute, Scope: InProject, Client: c.Name}
		dir := c.Home(name)
		switch {
		case exampleDirs().MatchString(dir):
			source.Scope = InTemplate
		case dir != "":
			source.Scope, source.Session = InDirectory, f.makeAbsolute(dir)
		}
		f.add(source)
		return
	}
}

// registersElsewhere reports whether a file of another client contains hooks.
func (f *finder) registersElsewhere(name, file string) bool {
	if path.Ext(name) == ".json" {
		return f.registers(file)
	}
	return name == ".clinerules/hooks" || tomlHooks().Match(f.content(file))
}

// tomlHooks matches the tables in which a TOML file has hooks.
var tomlHooks = pattern.Lazy(`(?m)^\s*\[+\s*hooks[\].]`)

// namesHome reports whether a settings file refers to ~/.claude, as it does if it is to be
// installed there.
func (f *finder) namesHome(file string) bool {
	data := f.content(file)
	return WrittenHome().Match(data) || homePaths().Match(bytes.ReplaceAll(data, []byte(`\"`), []byte(`"`)))
}

func (f *finder) makeAbsolute(slash string) string {
	return filepath.Join(f.root, filepath.FromSlash(slash))
}

func (f *finder) decode(name string, into any) bool {
	return json.Unmarshal(f.content(f.makeAbsolute(name)), into) == nil
}

// homePaths matches paths of files in ~/.claude in commands.
var homePaths = pattern.Lazy(`(~|\$HOME|\$\{HOME\}|%USERPROFILE%)["']?/\.claude/`)

// WrittenHome matches the ~/.claude of any user as an absolute path in a command.
var WrittenHome = pattern.Lazy(`/(?:Users|home)/[\w.-]+/\.claude/`)

// The descriptions of a plugin and a marketplace, from their own root.
const (
	manifestName    = ".claude-plugin/plugin.json"
	marketplaceName = ".claude-plugin/marketplace.json"
	pluginHooks     = "hooks/hooks.json"
)

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// isAt reports whether a file is at a known place in some directory.
func isAt(name, place string) bool { return strings.HasSuffix("/"+name, "/"+place) }

// Found lists the places in a tree where hooks are registered.
type Found struct {
	Sources []Source
	// Foreign are hook files of clients other than Claude Code, as slash paths.
	Foreign []string
	// Unread are files that seem to register hooks but that the client never reads, as slash
	// paths.
	Unread []string
	// Guessed are scripts that nothing in the tree registers and whose names contain an event,
	// as slash paths.
	Guessed []string
}

// exampleDirs matches directories of examples, whose settings are not meant for the client
// unchanged.
var exampleDirs = pattern.Lazy(`(^|/)(tests?|__tests__|testdata|fixtures?|examples?|templates?|samples?|docs?|archive|backups?)(/|$)`)

var wordBreaks = pattern.Lazy(`[-_. ]`)

// gitHooks are the hooks of git, which git runs and not an agent.
var gitHooks = []string{
	"applypatch-msg", "pre-applypatch", "post-applypatch", "pre-commit", "pre-merge-commit", "prepare-commit-msg", "commit-msg", "post-commit",
	"pre-rebase", "post-checkout", "post-merge", "pre-push", "pre-receive", "update", "post-receive", "post-update", "pre-auto-gc", "post-rewrite",
}

// IsOfGit reports whether a script has the name of a git hook.
func IsOfGit(script string) bool {
	return slices.Contains(gitHooks, strings.TrimSuffix(path.Base(script), path.Ext(script)))
}

// EventOf returns the event in a script's name, "" if there is none.
func EventOf(script string) string {
	name := strings.ToLower(wordBreaks().ReplaceAllString(path.Base(script), ""))
	base := strings.TrimSuffix(path.Base(script), path.Ext(script))
	found := ""
	for _, event := range client.Events() {
		spelled := strings.ToLower(event.Name)
		named := strings.Contains(name, spelled)
		if event.FirstInNames {
			rest, begins := strings.CutPrefix(base, spelled)
			named = begins && (rest == "" || strings.IndexByte("-_", rest[0]) >= 0)
		}
		if event.InNames && named && len(event.Name) > len(found) {
			found = event.Name // the longest, because one name may contain another
		}
	}
	return found
}

// foreignDirs matches the directories of other agents, whose scripts are not tested.
var foreignDirs = pattern.Lazy(`(^|/)\.(?:github|codex|cursor|gemini|copilot|factory|opencode|windsurf|kiro)/`)

// addUnregistered adds scripts that nothing in the tree registers if their names contain the event,
// because an installer or the user registers them elsewhere.
func (f *finder) addUnregistered() {
	for _, name := range f.names {
		ext := path.Ext(name)
		if path.Base(path.Dir(name)) != "hooks" || !slices.Contains([]string{".sh", ".py", ".js", ".mjs"}, ext) || strings.HasPrefix(name, ".git") {
			continue
		}
		if EventOf(name) != "" && !foreignDirs().MatchString(name) && !exampleDirs().MatchString(path.Dir(name)) {
			f.out.Guessed = append(f.out.Guessed, name)
		}
	}
}

// supporting are directories of libraries and tests, which hooks or users run.
var supporting = []string{"lib", "libs", "common", "utils", "shared", "test", "tests", "examples"}

// IsHookScript reports whether a script of a hook directory may be a hook.
func IsHookScript(s string) bool {
	supports := func(dir string) bool { return slices.Contains(supporting, dir) }
	if IsOfGit(s) || slices.ContainsFunc(strings.Split(path.Dir(s), "/"), supports) {
		return false
	}
	return !support().MatchString(path.Base(s))
}

var support = pattern.Lazy(`^_|test|\.md$`)
