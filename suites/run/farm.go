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

// Farms replace a directory of a search path that holds a tool by links to all the
// rest of it.
type Farms struct {
	Dir string     // where they are made
	mu  sync.Mutex // one case builds a farm, the others wait for it
}

// parts is how many directories a farm is made of, each with the programs whose names
// fall to it. Those in which no tool is missing serve every farm: a directory of a
// machine holds a thousand programs, and a link is not free.
const parts = 4

// Path is the search path without the tools.
func (h *Farms) Path(search string, tools []string) (string, error) {
	if len(tools) == 0 {
		return search, nil
	}
	var dirs, farmed []string
	for _, d := range filepath.SplitList(search) {
		if !slices.ContainsFunc(tools, func(t string) bool { return exists(filepath.Join(d, t)) }) {
			dirs = append(dirs, d)
			continue
		}
		real, err := filepath.EvalSymlinks(d)
		if err != nil {
			return "", err
		}
		if slices.Contains(farmed, real) {
			continue // /bin, where that is /usr/bin: nothing more is found in it
		}
		farmed = append(farmed, real)
		farm, err := h.farm(d, tools)
		if err != nil {
			return "", err
		}
		dirs = append(dirs, farm...)
	}
	return strings.Join(dirs, string(filepath.ListSeparator)), nil
}

// farm gives the directories that stand for one, made where they are not there yet.
func (h *Farms) farm(dir string, tools []string) (farm []string, err error) {
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
		farm = append(farm, at)
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
	return farm, nil
}

// part is the one that a program falls to.
func part(name string) int {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(name))
	return int(sum.Sum32() % parts)
}

// link makes a directory of links to some entries of another. It is there when all of
// them are.
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
