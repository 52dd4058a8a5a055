package conform

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/discover"
	"hookwatch/suites/disk"
)

// A Tree is what there is to judge: what is registered, and the scripts.
type Tree struct {
	Root       string // absolute
	Reader     disk.Reader
	Registered discover.Registered
	Scripts    []string      // of the hook directories, as slash paths
	Stray      []string      // files with hooks that the client does not read
	Denies     []suites.Deny // what a person says that hooks must stop
	Installed  func(program string) bool
	Named      string        // a part of the IDs, commands or scripts of the hooks to judge; "" for all
	Timeout    time.Duration // that a probe may take at most; 0 for the usual one
	PlainShell bool          // /bin/sh is none that understands bash
}

// IsPlainShell reports whether this machine's /bin/sh is none that understands bash.
func IsPlainShell() bool {
	real, err := filepath.EvalSymlinks("/bin/sh")
	return err == nil && filepath.Base(real) != "bash" && filepath.Base(real) != "zsh"
}

// scriptAtMost bounds what is read of a script, in bytes.
const scriptAtMost = 1 << 20

func (t Tree) path(slash string) string { return filepath.Join(t.Root, filepath.FromSlash(slash)) }

// agents are the names of those that the tree, or one of its plugins, defines.
func (t Tree) agents(plugin string) (names []string) {
	dirs := []string{t.path(".claude/agents"), t.path("agents")}
	if plugin != "" {
		dirs = append(dirs, filepath.Join(plugin, "agents"))
	}
	for _, dir := range dirs {
		real, err := t.Reader.Resolve(dir)
		if err != nil {
			continue // most trees have none
		}
		entries, _ := os.ReadDir(real)
		for _, e := range entries {
			if name, document := strings.CutSuffix(e.Name(), ".md"); document {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// read gives a script's text, "" when it cannot be read.
func (t Tree) read(slash string) string {
	data, err := t.Reader.ReadFile(t.path(slash), scriptAtMost)
	if err != nil {
		return ""
	}
	return string(data)
}

// Asks reports whether a hook is one of those to judge.
func (t Tree) Asks(h discover.Hook) bool { return t.Named == "" || h.Answers(t.Named) }

// About leaves out the findings that are only about hooks that are not to be judged.
func (t Tree) About(all []Finding) []Finding {
	if t.Named == "" {
		return all
	}
	asked := map[string]bool{}
	for _, h := range slices.Concat(t.Registered.Hooks, t.Registered.Others) {
		asked[h.ID] = t.Asks(h)
	}
	return slices.DeleteFunc(all, func(f Finding) bool {
		return !slices.ContainsFunc(f.Hooks, func(id string) bool { return asked[id] })
	})
}

// hooks are those that some session launches.
func (t Tree) hooks() []discover.Hook {
	all := slices.Clone(t.Registered.Hooks)
	for _, h := range t.Registered.Others {
		if h.Scope != discover.InTemplate && !h.Dead {
			all = append(all, h)
		}
	}
	return all
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}
