package config

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"

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

// mayRule reports whether a file may say what the person who works in a directory
// does there: their own, root's, or that of whoever owns the directory, and so
// could write to it. Anybody can leave a file in /tmp.
func mayRule(dir, file string) bool {
	who, known := owners(file)
	if !known {
		return true
	}
	of, _ := owners(dir)
	return !slices.ContainsFunc(who, func(uid int) bool {
		return uid != 0 && uid != os.Geteuid() && (len(of) == 0 || uid != of[len(of)-1])
	})
}
