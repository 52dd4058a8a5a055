package project

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"hookwatch/config"
	"hookwatch/suites/disk"
)

// ignored keeps the watcher from what hookwatch itself writes, from what is
// nobody's source, and from what the person names.
func ignored(cfg *config.Config, file string, isDir bool) bool {
	if file == cfg.ResultsDir || strings.HasPrefix(file, cfg.ResultsDir+string(filepath.Separator)) {
		return true
	}
	if own := filepath.Join(os.TempDir(), "hookwatch-"); strings.HasPrefix(file, own) && strings.HasPrefix(own, cfg.Root+string(filepath.Separator)) {
		return true // the sandboxes of cases, in a project that keeps its temporary files
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
