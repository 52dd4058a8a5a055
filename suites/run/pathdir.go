package run

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// PathDirs replaces a directory of a search path that contains a tool with directories of links to
// all its other programs.
type PathDirs struct {
	Dir string     // where the directories are created
	mu  sync.Mutex // one case creates them, the others wait
}

// parts is the number of directories that replace one; a hash of its name assigns each program to
// one. Those in which no tool is missing are shared, because a directory may contain a thousand
// programs, and creating links takes time.
const parts = 4

// Path returns the search path without the tools.
func (h *PathDirs) Path(search string, tools []string) (string, error) {
	if len(tools) == 0 {
		return search, nil
	}
	var dirs, replaced []string
	for _, d := range filepath.SplitList(search) {
		if !slices.ContainsFunc(tools, func(t string) bool { return exists(filepath.Join(d, t)) }) {
			dirs = append(dirs, d)
			continue
		}
		real, err := filepath.EvalSymlinks(d)
		if err != nil {
			return "", err
		}
		if slices.Contains(replaced, real) {
			continue // for example /bin as a link to /usr/bin: it adds nothing
		}
		replaced = append(replaced, real)
		links, err := h.without(d, tools)
		if err != nil {
			return "", err
		}
		dirs = append(dirs, links...)
	}
	return strings.Join(dirs, string(filepath.ListSeparator)), nil
}

// without returns the directories that replace dir, and makes those that do not exist.
func (h *PathDirs) without(dir string, tools []string) (dirs []string, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var missing [parts][]string
	for _, t := range tools {
		missing[part(t)] = append(missing[part(t)], t)
	}
	var entries []os.DirEntry
	for i, tools := range missing {
		sum := sha256.Sum256([]byte(fmt.Sprint(dir, "\x00", i, "\x00", strings.Join(tools, "\x00"))))
		at := filepath.Join(h.Dir, "path-"+hex.EncodeToString(sum[:8]))
		dirs = append(dirs, at)
		if exists(at) {
			continue
		}
		if entries == nil {
			if entries, err = os.ReadDir(dir); err != nil {
				return nil, err
			}
		}
		if err := link(dir, at, entries, func(name string) bool { return part(name) == i && !slices.Contains(tools, name) }); err != nil {
			return nil, err
		}
	}
	return dirs, nil
}

// part returns the index of the part to which a program is assigned.
func part(name string) int {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(name))
	return int(sum.Sum32() % parts)
}

// link creates a directory of links to some entries of another one. It appears only when complete.
func link(dir, at string, entries []os.DirEntry, wanted func(name string) bool) error {
	building := at + ".new"
	if err := os.MkdirAll(building, 0o755); err != nil {
		return err
	}
	for _, e := range entries {
		if !wanted(e.Name()) {
			continue
		}
		if err := os.Symlink(filepath.Join(dir, e.Name()), filepath.Join(building, e.Name())); err != nil && !os.IsExist(err) {
			return err
		}
	}
	return os.Rename(building, at)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
