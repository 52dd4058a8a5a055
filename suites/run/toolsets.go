package run

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"hookwatch/suites"
)

// ToolSets contains the tools of each set that verdicts depend on, by the digest of the set. A set
// without an entry is unknown.
type ToolSets map[string]map[string]string // digest of the set -> name -> digest of the tool

// Add records a set, unless the tools do not have the digest.
func (s ToolSets) Add(set string, tools []suites.Tool) {
	if suites.ToolsDigest(tools) != set {
		return
	}
	digests := make(map[string]string, len(tools))
	for _, t := range tools {
		digests[t.Name] = t.Digest
	}
	s[set] = digests
}

// Recall adds the recorded sets. earlier returns the earlier environments, latest last. It is called
// only if env does not explain all its sets.
func (s ToolSets) Recall(env suites.Environment, earlier func() []suites.Environment) {
	lacking := make(map[string][]string)
	for set, names := range env.CaseTools {
		if s.Add(set, env.ToolSet(names)); s[set] == nil {
			lacking[set] = names
		}
	}
	if len(lacking) == 0 {
		return
	}
	for _, then := range slices.Backward(earlier()) {
		for set, names := range lacking {
			if s.Add(set, then.ToolSet(names)); s[set] != nil {
				delete(lacking, set)
			}
		}
	}
}

// ChangedTools returns the tools in both sets whose digests differ. A tool that only one set contains
// does not count, because it comes from an edit of the hook.
func (s ToolSets) ChangedTools(before, now string) []string {
	var changed []string
	for name, digest := range s[before] {
		if other, both := s[now][name]; both && other != digest {
			changed = append(changed, name)
		}
	}
	slices.Sort(changed)
	return changed
}

// MayDiffer reports whether a tool changed between two sets. An unknown set may differ.
func (s ToolSets) MayDiffer(before, now string) bool {
	return s[before] == nil || s[now] == nil || len(s.ChangedTools(before, now)) > 0
}

// A ToolLook caches the tools of the machine at the start of a run or for one selection: a tool is
// looked up once and does not change afterwards.
type ToolLook struct {
	box    *Toolbox
	sets   ToolSets
	found  map[string]suites.Tool // by name
	byKey  map[string]string      // digest of the set
	byName map[string]string      // digest of the set, by its names
	names  map[string][]string    // of a set
	last   struct{ key, set string }
}

// NewToolLook begins a look; the sets that it finds are added to sets.
func NewToolLook(box *Toolbox, sets ToolSets) *ToolLook {
	return &ToolLook{
		box: box, sets: sets, found: make(map[string]suites.Tool),
		byKey: make(map[string]string), byName: make(map[string]string), names: make(map[string][]string),
	}
}

// Set returns the digest of the set of tools with these names, which must be sorted. Cases with the
// same key have the same set; "" is not a key.
func (l *ToolLook) Set(key string, names func() []string) string {
	if key == "" {
		return l.set(names())
	}
	if key == l.last.key {
		return l.last.set // because the cases of a hook usually follow each other
	}
	set, known := l.byKey[key]
	if !known {
		set = l.set(names())
		l.byKey[key] = set
	}
	l.last.key, l.last.set = key, set
	return set
}

func (l *ToolLook) set(names []string) string {
	memo := strings.Join(names, " ")
	if set, known := l.byName[memo]; known {
		return set
	}
	tools := make([]suites.Tool, len(names))
	for i, n := range names {
		tools[i] = l.tool(n)
	}
	set := suites.ToolsDigest(tools)
	l.byName[memo], l.names[set] = set, names
	l.sets.Add(set, tools)
	return set
}

func (l *ToolLook) tool(name string) suites.Tool {
	t, known := l.found[name]
	if !known {
		t = l.box.FindOne(name)
		l.found[name] = t
	}
	return t
}

// Sets returns the names of the tools in each set returned so far, by its digest.
func (l *ToolLook) Sets() map[string][]string { return maps.Clone(l.names) }

// Names returns the names of all tools looked up so far, sorted.
func (l *ToolLook) Names() []string { return slices.Sorted(maps.Keys(l.found)) }

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
		links, err := h.replacements(d, tools)
		if err != nil {
			return "", err
		}
		dirs = append(dirs, links...)
	}
	return strings.Join(dirs, string(filepath.ListSeparator)), nil
}

// replacements returns the directories that replace dir, and makes those that do not exist.
func (h *PathDirs) replacements(dir string, tools []string) (dirs []string, err error) {
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
