package project

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"hookwatch/config"
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
