package project

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"hookwatch/config"
	"hookwatch/suites/depend"
	"hookwatch/watcher"
)

// FirstInterest says what to follow before the project is read: the places in
// which the configuration says that its parts are.
func FirstInterest(cfg *config.Config) watcher.Interest {
	r := newReader(cfg, nil)
	i := watcher.Interest{
		Files:  []string{ConfigFile(cfg)},
		Ignore: func(file string, dir bool) bool { return ignored(cfg, file, dir) },
		Unread: func(real string) bool { return r.Hidden(real) },
	}
	if len(cfg.Asks) > 0 { // a person may agree to them meanwhile
		i.Files = append(i.Files, cfg.TrustFile())
	}
	for _, f := range cfg.Settings {
		i.Files = append(i.Files, cfg.Abs(f))
	}
	for _, d := range cfg.Hooks {
		i.Dirs = append(i.Dirs, cfg.Abs(d))
	}
	for _, glob := range slices.Concat(cfg.Specs, cfg.OwnSuites()) {
		base, pattern := doublestar.SplitPattern(glob)
		switch {
		case strings.ContainsAny(pattern, "*?[{"):
			i.Dirs = append(i.Dirs, cfg.Abs(base))
		default:
			i.Files = append(i.Files, cfg.Abs(glob))
		}
	}
	// What lies elsewhere is not read, and so not followed either.
	i.Dirs = slices.DeleteFunc(i.Dirs, func(dir string) bool { return !inside(confined(cfg), dir) })
	return i
}

// Interest says which files to follow: the places above, and every file that a
// case depends on.
func (p *Project) Interest() watcher.Interest {
	i := FirstInterest(p.Config)
	elsewhere := false
	for _, f := range slices.Concat(p.Graph.Files(), p.Registered.Files) {
		if f == depend.Elsewhere {
			elsewhere = true
			continue
		}
		i.Files = append(i.Files, p.Config.Abs(f))
	}
	if elsewhere {
		p.addElsewhere(&i)
	}
	return i
}

// addElsewhere adds all of the project but what is ignored and what is too much. Of a
// file that no analysis places only size and time are compared, so that the watcher
// reads none of them: the graph does.
func (p *Project) addElsewhere(i *watcher.Interest) {
	first, ignore, unread := i.Dirs, i.Ignore, i.Unread
	placed := make(map[string]bool, len(i.Files))
	for _, f := range i.Files {
		placed[f] = true
	}
	in := func(dirs []string, file string) bool {
		return slices.ContainsFunc(dirs, func(dir string) bool {
			return file == dir || strings.HasPrefix(file, dir+string(filepath.Separator))
		})
	}
	var beyond []string
	for _, dir := range p.Graph.Beyond() {
		beyond = append(beyond, p.Config.Abs(dir))
	}
	leadsTo := func(dir string) bool {
		return slices.ContainsFunc(first, func(f string) bool { return strings.HasPrefix(f, dir+string(filepath.Separator)) })
	}
	i.Dirs = append(slices.Clone(first), p.Config.Root)
	i.Ignore = func(file string, dir bool) bool {
		return ignore(file, dir) || in(beyond, file) && !in(first, file) && !placed[file] && !(dir && leadsTo(file))
	}
	i.Unread = func(real string) bool {
		return unread(real) || !placed[real] && !in(first, real)
	}
}

// other reports whether a path is a file, or a directory, that hooks may read of which
// is unknown what they read. What makes the project what it is, is placed, and so is
// a script that is run as a hook.
func (p *Project) other(rel string, isDir bool) bool {
	abs := p.Config.Abs(rel)
	if isDir {
		return !ignored(p.Config, abs, true)
	}
	return !p.entries[rel] && !slices.Contains(outputs, path.Ext(rel)) && !ignored(p.Config, abs, false) && !p.Shapes(abs)
}

// outputs are the extensions of files that programs write and no hook decides by.
var outputs = []string{".log", ".pyc"}

// entryScripts are the scripts that are run as hooks.
func (p *Project) entryScripts() map[string]bool {
	entries := make(map[string]bool)
	for _, h := range p.Registered.Hooks {
		for _, s := range h.Scripts {
			entries[s] = true
		}
	}
	for _, c := range p.every {
		for _, s := range p.hooksOf(c) {
			entries[s] = true
		}
	}
	return entries
}

// Late lists the files that cases depend on and that FirstInterest does not cover:
// only Interest brings them into a watcher's sight, so that what was read of them
// before may be old. Slash paths from the root.
func (p *Project) Late() []string {
	first := FirstInterest(p.Config)
	var late []string
	for _, f := range p.Graph.Files() {
		if f == depend.Elsewhere {
			continue
		}
		abs := p.Config.Abs(f)
		below := func(dir string) bool { return strings.HasPrefix(abs, dir+string(filepath.Separator)) }
		if !slices.Contains(first.Files, abs) && !slices.ContainsFunc(first.Dirs, below) {
			late = append(late, f)
		}
	}
	return late
}
