package discover

import (
	"bytes"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"hookwatch/suites/disk"
	"hookwatch/suites/pattern"
)

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

// A finder sorts the files of a tree.
type finder struct {
	reader disk.Reader
	root   string
	names  []string // slash paths from the root
	read   []string // absolute paths of files that are sources already
	out    Found
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

// add notes a source, each file once.
func (f *finder) add(s Source) {
	if !slices.Contains(f.read, s.File) {
		f.read = append(f.read, s.File)
		f.out.Sources = append(f.out.Sources, s)
	}
}

// An agent's hook files lie at known places.
var foreignFiles = pattern.Lazy(`(^|/)(\.github/hooks/[^/]+\.json|\.codex/hooks\.json|\.cursor/hooks\.json|\.gemini/settings\.json|\.copilot/hooks/[^/]+\.json|\.factory/(settings|hooks)\.json)$`)

// Settings in a directory of examples are not meant for the client as they stand.
var exampleDirs = pattern.Lazy(`(^|/)(tests?|__tests__|testdata|fixtures?|examples?|templates?|samples?|docs?|archive|backups?)(/|$)`)

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

// WrittenHome matches a person's ~/.claude in a command that names it in full.
var WrittenHome = pattern.Lazy(`/(?:Users|home)/[\w.-]+/\.claude/`)

// homePaths are how commands name what lies in ~/.claude.
var homePaths = pattern.Lazy(`(~|\$HOME|\$\{HOME\}|%USERPROFILE%)["']?/\.claude/`)

// namesHome reports whether a settings file speaks of ~/.claude, as one does that
// is kept to be installed there.
func (f *finder) namesHome(file string) bool {
	data, err := f.reader.ReadFile(file, settingsAtMost)
	if err != nil {
		return false
	}
	return WrittenHome().Match(data) || homePaths().Match(bytes.ReplaceAll(data, []byte(`\"`), []byte(`"`)))
}

// registers reports whether a JSON file has hooks in it, by its text: one that
// cannot be parsed may have some as well.
func (f *finder) registers(file string) bool {
	data, err := f.reader.ReadFile(file, settingsAtMost)
	return err == nil && bytes.Contains(data, []byte(`"hooks"`))
}
