package project

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"hookwatch/config"
	"hookwatch/suites/disk"
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
	for _, f := range slices.Concat(p.Graph.Files(), p.Registered.Files) {
		i.Files = append(i.Files, p.Config.Abs(f))
	}
	return i
}

// Late lists the files that cases depend on and that FirstInterest does not cover:
// only Interest brings them into a watcher's sight, so that what was read of them
// before may be old. Slash paths from the root.
func (p *Project) Late() []string {
	first := FirstInterest(p.Config)
	var late []string
	for _, f := range p.Graph.Files() {
		abs := p.Config.Abs(f)
		below := func(dir string) bool { return strings.HasPrefix(abs, dir+string(filepath.Separator)) }
		if !slices.Contains(first.Files, abs) && !slices.ContainsFunc(first.Dirs, below) {
			late = append(late, f)
		}
	}
	return late
}

// ignored keeps the watcher from what hookwatch itself writes, from what is
// nobody's source, and from what the person names.
func ignored(cfg *config.Config, file string, isDir bool) bool {
	if file == cfg.ResultsDir || strings.HasPrefix(file, cfg.ResultsDir+string(filepath.Separator)) {
		return true
	}
	if !isDir && temporary(filepath.Base(file)) {
		return true
	}
	if isDir && disk.IgnoredDir(filepath.Base(file)) {
		return true
	}
	if isDir && leadsOutside(cfg, file) {
		return true
	}
	if len(cfg.Watch.Ignore) == 0 {
		return false
	}
	rel, err := filepath.Rel(cfg.Root, file)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(cfg.Watch.Ignore, func(glob string) bool {
		ok, err := doublestar.Match(glob, filepath.ToSlash(rel))
		return err == nil && ok
	})
}

// leadsOutside reports whether a directory is a link that leaves the project.
func leadsOutside(cfg *config.Config, dir string) bool {
	fi, err := os.Lstat(dir)
	if err != nil || fi.Mode()&os.ModeSymlink == 0 {
		return false
	}
	_, err = confined(cfg).Resolve(dir)
	return disk.IsRefused(err)
}

// temporaries are names that editors give to files on their way.
var temporaries = []string{"*~", "*.swp", "*.swx", "*.swo", "4913", ".#*", "#*#", "*___jb_tmp___", "*___jb_old___", "sed??????", "*.tmp"}

func temporary(name string) bool {
	return slices.ContainsFunc(temporaries, func(glob string) bool {
		ok, err := filepath.Match(glob, name)
		return err == nil && ok
	})
}

// configFile is the configuration, or where it would be.
func ConfigFile(cfg *config.Config) string {
	if cfg.Path != "" {
		return cfg.Path
	}
	return filepath.Join(cfg.Root, config.FileName)
}
