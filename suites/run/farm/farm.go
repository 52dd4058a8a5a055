// Package farm makes search paths on which some tools are absent.
package farm

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Farms replace a directory of a search path that holds a tool by links to all the
// rest of it.
type Farms struct {
	Dir string     // where they are made
	mu  sync.Mutex // one case builds a farm, the others wait for it
}

// Path is the search path without the tools.
func (h *Farms) Path(search string, tools []string) (string, error) {
	if len(tools) == 0 {
		return search, nil
	}
	dirs := filepath.SplitList(search)
	for i, d := range dirs {
		if !slices.ContainsFunc(tools, func(t string) bool { return exists(filepath.Join(d, t)) }) {
			continue
		}
		farm, err := h.farm(d, tools)
		if err != nil {
			return "", err
		}
		dirs[i] = farm
	}
	return strings.Join(dirs, string(filepath.ListSeparator)), nil
}

func (h *Farms) farm(dir string, tools []string) (string, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	sum := sha256.Sum256([]byte(dir + "\x00" + strings.Join(tools, "\x00")))
	farm := filepath.Join(h.Dir, "path-"+hex.EncodeToString(sum[:8]))
	if exists(farm) {
		return farm, nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	building := farm + ".new"
	if err := os.MkdirAll(building, 0o755); err != nil {
		return "", err
	}
	for _, e := range entries {
		if slices.Contains(tools, e.Name()) {
			continue
		}
		if err := os.Symlink(filepath.Join(dir, e.Name()), filepath.Join(building, e.Name())); err != nil && !os.IsExist(err) {
			return "", err
		}
	}
	return farm, os.Rename(building, farm)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
