package config

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// upwards gives the nearest directory from dir to the top for which is holds.
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

// from gives the absolute path of a path from a directory.
func from(dir, path string) string {
	path = filepath.FromSlash(path)
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// displayPath is how messages name a file: from dir when it lies within.
func displayPath(dir, path string) string {
	if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

// fixed is the part of a pattern that is no pattern.
func fixed(pattern string) string {
	if !strings.ContainsAny(pattern, `*?[{\`) {
		return pattern
	}
	base, _ := doublestar.SplitPattern(pattern)
	return base
}
