package discover

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

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
