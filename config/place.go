package config

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/adrg/xdg"
	"github.com/bmatcuk/doublestar/v4"
)

// Find looks for the configuration file in dir and the directories above it.
func Find(dir string) (path string, ok bool) {
	found := upwards(dir, func(d string) bool { return isFile(filepath.Join(d, FileName)) })
	if found == "" {
		return "", false
	}
	return filepath.Join(found, FileName), true
}

// root gives the project's root as the file at path says, else as the directory
// suggests, and reports one that does not exist.
func (s *source) root(dir, path string) string {
	if path == "" {
		return projectRoot(dir)
	}
	project, _ := s.values["project"].(string)
	root := filepath.Clean(filepath.FromSlash(project))
	if !filepath.IsAbs(root) {
		root = filepath.Join(filepath.Dir(path), root)
	}
	if n := s.nodes["project"]; n != nil && !isDir(root) {
		s.add(n, fmt.Sprintf("project: %q is no directory", project), "it is relative to the directory of this file")
		s.sort()
	}
	return root
}

// projectRoot guesses the root without a file: the nearest directory from dir
// upwards that git or the client treats as one, else dir.
func projectRoot(dir string) string {
	home, _ := os.UserHomeDir()
	root := upwards(dir, func(d string) bool {
		if _, err := os.Lstat(filepath.Join(d, ".git")); err == nil {
			return true
		}
		// The one in the home directory holds the client's own settings.
		return d != home && isDir(filepath.Join(d, ".claude"))
	})
	if root == "" {
		return dir
	}
	return root
}

// stateDir is where the records of a project go that has no configuration: the
// person's state folder, so that the project itself is left alone.
func stateDir(root string) string {
	return filepath.Join(xdg.StateHome, "hookwatch", projectKey(root), "results")
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
func (c *Config) Abs(path string) string {
	path = filepath.FromSlash(path)
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(c.Root, path)
}

// SpecFiles expands Specs to slash paths from the root, sorted. An entry
// without wildcards is listed even if no such file exists, so that whoever
// opens it notices.
func (c *Config) SpecFiles() ([]string, error) { return c.expand(c.Specs) }

// SuiteFiles expands Suites as SpecFiles does and tells whether the built-in
// suites are among them.
func (c *Config) SuiteFiles() (files []string, builtin bool, err error) {
	own := slices.DeleteFunc(slices.Clone(c.Suites), func(s string) bool { return s == Builtin })
	files, err = c.expand(own)
	return files, len(own) < len(c.Suites), err
}

func (c *Config) expand(patterns []string) ([]string, error) {
	var files []string
	for _, p := range patterns {
		if !strings.ContainsAny(p, `*?[{\`) {
			files = append(files, filepath.ToSlash(filepath.Clean(p)))
			continue
		}
		// The part before the first wildcard may lead out of the project.
		base, rest := doublestar.SplitPattern(p)
		found, err := doublestar.Glob(os.DirFS(c.Abs(base)), rest, doublestar.WithFilesOnly())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p, err)
		}
		for _, f := range found {
			files = append(files, filepath.ToSlash(filepath.Join(base, f)))
		}
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

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

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
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
