package config

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"

	"github.com/adrg/xdg"

	"hookwatch/suites/yamlform"
)

// Find looks for the configuration file in dir and the directories above it. In
// those above, a directory of that name is passed over.
func Find(dir string) (path string, ok bool) {
	start, err := filepath.Abs(dir)
	if err != nil {
		return "", false
	}
	found := upwards(start, func(d string) bool {
		file := filepath.Join(d, FileName)
		return exists(file) && (d == start || !isDir(file))
	})
	if found == "" {
		return "", false
	}
	return filepath.Join(found, FileName), true
}

// root gives the project's root as the file at path says, else as the directory
// suggests.
func (s *source) root(dir, path string) string {
	if path == "" {
		return projectRoot(dir)
	}
	return from(filepath.Dir(path), s.text("project"))
}

// checkRoot reports a root that does not exist.
func (s *source) checkRoot(root string) {
	if n := s.nodes["project"]; n != nil && !isDir(root) {
		s.Add(n, fmt.Sprintf("project: %s is no directory", yamlform.Quoted(s.text("project"), shownText)), "it is relative to the directory of this file")
		s.Sort()
	}
}

// projectRoot guesses the root without a file: the nearest directory from dir
// upwards that git or the client treats as one, else dir.
func projectRoot(dir string) string {
	home, _ := os.UserHomeDir()
	root := upwards(dir, func(d string) bool {
		if git := filepath.Join(d, ".git"); exists(git) && mayRule(dir, git) {
			return true
		}
		// The one in the home directory holds the client's own settings.
		claude := filepath.Join(d, ".claude")
		return d != home && isDir(claude) && mayRule(dir, claude)
	})
	if root == "" {
		return dir
	}
	return root
}

// StateFolder is where programs keep what is a person's own, by the system's rules.
func StateFolder() string { return xdg.StateHome }

// stateDir is where the records of a project go that has no configuration: the
// person's state folder, so that the project itself is left alone.
func stateDir(state, root string) string {
	return filepath.Join(state, "hookwatch", projectKey(root), "results")
}

// projectKey names a project's folder among those of all projects.
func projectKey(root string) string {
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	sum := sha256.Sum256([]byte(root))
	return filepath.Base(root) + "-" + hex.EncodeToString(sum[:4])
}

// Abs gives the absolute path of a path from the project's root.
func (c *Config) Abs(path string) string { return from(c.Root, path) }

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

// displayPath is how messages name a file: from dir when it lies within.
func displayPath(dir, path string) string {
	if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}
