package discover

import (
	"bytes"
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"hookwatch/suites/client"
	"hookwatch/suites/disk"
	"hookwatch/suites/pattern"
)

// Find looks through a tree for what registers hooks beside the settings that are
// read anyway, which are given as absolute paths. Skip says what is passed over; nil
// is nothing. What cannot be looked through is left out.
func Find(r disk.Reader, root string, settings []string, skip func(path string, isDir bool) bool) Found {
	f := &finder{reader: r, root: root, read: slices.Clone(settings)}
	names, err := r.Find(disk.Search{Base: root, Pattern: "**/*.{json,md,sh,py,js,mjs}*", Skip: skip})
	if err != nil {
		names = nil // too much to search: what lies at known places is found all the same
	}
	f.names = append(names, f.known(names)...)
	f.plugins()
	f.unregistered()
	for _, name := range f.names {
		f.file(name)
	}
	return f.out
}

// known are the files at the usual places that a search did not list.
func (f *finder) known(listed []string) (more []string) {
	for _, name := range []string{manifestName, marketplaceName, pluginHooks, "settings.json", "settings.local.json"} {
		if !slices.Contains(listed, name) && exists(filepath.Join(f.root, name)) {
			more = append(more, name)
		}
	}
	return more
}

// An agent's hook files lie at known places.
var foreignFiles = pattern.Lazy(`(^|/)(\.github/hooks/[^/]+\.json|\.codex/hooks\.json|\.cursor/hooks\.json|\.gemini/settings\.json|\.copilot/hooks/[^/]+\.json|\.factory/(settings|hooks)\.json)$`)

func (f *finder) file(name string) {
	dir, base := path.Split(name)
	absolute := filepath.Join(f.root, filepath.FromSlash(name))
	switch {
	case foreignFiles().MatchString(name):
		if f.registers(absolute) {
			f.out.Foreign = append(f.out.Foreign, name)
		}
	case base == "settings.json" || base == "settings.local.json":
		f.settings(name, absolute)
	case strings.HasPrefix(base, "settings") && strings.Contains(base, ".json") || strings.HasSuffix(base, "-settings.json"):
		if f.registers(absolute) {
			f.add(Source{File: absolute, Scope: InTemplate})
		}
	case base == "hooks.json" && path.Base(dir) == ".claude" || name == ".claude/hooks/hooks.json":
		if !slices.Contains(f.read, absolute) && f.registers(absolute) {
			f.out.Unread = append(f.out.Unread, name)
		}
	case strings.HasSuffix(base, ".md"):
		f.document(name, absolute)
	}
}

// settings sorts a settings file by where it lies.
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

// A finder sorts the files of a tree.
type finder struct {
	reader disk.Reader
	root   string
	names  []string // slash paths from the root
	read   []string // absolute paths of files that are sources already
	out    Found
}

// add notes a source, each file once.
func (f *finder) add(s Source) {
	if !slices.Contains(f.read, s.File) {
		f.read = append(f.read, s.File)
		f.out.Sources = append(f.out.Sources, s)
	}
}

// registers reports whether a JSON file has hooks in it, by its text: one that
// cannot be parsed may have some as well.
func (f *finder) registers(file string) bool {
	data, err := f.reader.ReadFile(file, settingsAtMost)
	return err == nil && bytes.Contains(data, []byte(`"hooks"`))
}

// namesHome reports whether a settings file speaks of ~/.claude, as one does that
// is kept to be installed there.
func (f *finder) namesHome(file string) bool {
	data, err := f.reader.ReadFile(file, settingsAtMost)
	if err != nil {
		return false
	}
	return WrittenHome().Match(data) || homePaths().Match(bytes.ReplaceAll(data, []byte(`\"`), []byte(`"`)))
}

func (f *finder) absolute(slash string) string {
	return filepath.Join(f.root, filepath.FromSlash(slash))
}

func (f *finder) decode(name string, into any) bool {
	data, err := f.reader.ReadFile(f.absolute(name), settingsAtMost)
	return err == nil && json.Unmarshal(data, into) == nil
}

// homePaths are how commands name what lies in ~/.claude.
var homePaths = pattern.Lazy(`(~|\$HOME|\$\{HOME\}|%USERPROFILE%)["']?/\.claude/`)

// WrittenHome matches a person's ~/.claude in a command that names it in full.
var WrittenHome = pattern.Lazy(`/(?:Users|home)/[\w.-]+/\.claude/`)

// Where a plugin and a marketplace say what they are, from their own root.
const (
	manifestName    = ".claude-plugin/plugin.json"
	marketplaceName = ".claude-plugin/marketplace.json"
	pluginHooks     = "hooks/hooks.json"
)

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// inside reports whether a file lies at a known place below some directory.
func inside(name, place string) bool { return name == place || strings.HasSuffix(name, "/"+place) }

// Found is where hooks are registered in a tree.
type Found struct {
	Sources []Source
	// Foreign are hook files of other agents, as slash paths: not Claude Code's.
	Foreign []string
	// Unread are files that look as if they registered hooks and that the client
	// never reads, as slash paths.
	Unread []string
	// Guessed are scripts that nothing registers where they lie, whose names tell an
	// event, as slash paths.
	Guessed []string
}

// Settings in a directory of examples are not meant for the client as they stand.
var exampleDirs = pattern.Lazy(`(^|/)(tests?|__tests__|testdata|fixtures?|examples?|templates?|samples?|docs?|archive|backups?)(/|$)`)

var wordBreaks = pattern.Lazy(`[-_. ]`)

// gitHooks are the hooks of git, which it runs and no agent does.
var gitHooks = []string{
	"applypatch-msg", "pre-applypatch", "post-applypatch", "pre-commit", "pre-merge-commit", "prepare-commit-msg", "commit-msg", "post-commit",
	"pre-rebase", "post-checkout", "post-merge", "pre-push", "pre-receive", "update", "post-receive", "post-update", "pre-auto-gc", "post-rewrite",
}

// IsOfGit reports whether a script is called as a hook of git is.
func IsOfGit(script string) bool {
	return slices.Contains(gitHooks, strings.TrimSuffix(path.Base(script), path.Ext(script)))
}

// EventOf is the event that a script's name speaks of; "" if none.
func EventOf(script string) string {
	name := strings.ToLower(wordBreaks().ReplaceAllString(path.Base(script), ""))
	base := strings.TrimSuffix(path.Base(script), path.Ext(script))
	found := ""
	for _, event := range client.Events() {
		spelled := strings.ToLower(event.Name)
		named := strings.Contains(name, spelled)
		if event.FirstInNames {
			named = base == spelled || strings.HasPrefix(base, spelled+"-") || strings.HasPrefix(base, spelled+"_")
		}
		if event.InNames && named && len(event.Name) > len(found) {
			found = event.Name // the longest, because one name may hold another
		}
	}
	return found
}

// foreignDirs are the directories of other agents: their scripts are not ours to judge.
var foreignDirs = pattern.Lazy(`(^|/)\.(?:github|codex|cursor|gemini|copilot|factory|opencode|windsurf|kiro)/`)

// unregistered adds scripts that nothing in the tree registers, where their names
// tell the event: an installer or a person registers them elsewhere.
func (f *finder) unregistered() {
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
