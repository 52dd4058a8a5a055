package check

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/client/clients"
	"hookwatch/suites/discover"
	"hookwatch/suites/disk"
)

// A Tree is the subject of the checks: the registered hooks and the scripts.
type Tree struct {
	Root       string // absolute: where files are read
	At         string // absolute: where the hooks run, if the files are those of a revision; otherwise ""
	Reader     disk.Reader
	Registered discover.Registered
	Scripts    []string      // of the hook directories, as slash paths
	Stray      []string      // files with hooks that the client does not read
	Denies     []suites.Deny // the user's list of inputs that hooks must stop
	Installed  func(program string) bool
	Named      string        // a part of the IDs, commands or scripts of the hooks to judge; "" for all
	Timeout    time.Duration // the time limit of a probe; 0 for the usual one
	PlainShell bool          // /bin/sh does not understand bash
	Newer      []string      // events of the installed client that hookwatch's model lacks
	// Clients are those other than Claude Code whose hooks are judged and compared; AskedClients
	// are the names of those that the user asked for.
	Clients      []clients.Client
	CallBudget   time.Duration // the longest that all hooks of a call may take; 0 for any time
	AskedClients []string
}

// IsPlainShell reports whether this machine's /bin/sh does not understand bash.
func IsPlainShell() bool {
	real, err := filepath.EvalSymlinks("/bin/sh")
	return err == nil && filepath.Base(real) != "bash" && filepath.Base(real) != "zsh"
}

// scriptAtMost is the maximum number of bytes read of a script.
const scriptAtMost = 1 << 20

func (t Tree) path(slash string) string { return filepath.Join(t.Root, filepath.FromSlash(slash)) }

// read returns a script's text; "" if it cannot be read.
func (t Tree) read(slash string) string {
	data, err := t.Reader.ReadFile(t.path(slash), scriptAtMost)
	if err != nil {
		return ""
	}
	return string(data)
}

// Asks reports whether a hook is to be judged.
func (t Tree) Asks(h discover.Hook) bool {
	return t.Named == "" || h.Answers(t.Named) || strings.Contains(h.ID, t.Named)
}

// Asked returns the hooks to fire: those that are to be judged of all that some session runs.
func (t Tree) Asked() []discover.Hook {
	hooks := slices.Concat(t.Registered.Hooks, t.Registered.Others, t.Elsewhere())
	return slices.DeleteFunc(hooks, func(h discover.Hook) bool { return !t.Asks(h) })
}

// About returns the findings about at least one hook that is to be judged.
func (t Tree) About(all []Finding) []Finding {
	if t.Named == "" {
		return all
	}
	asked := map[string]bool{}
	for _, h := range slices.Concat(t.Registered.Hooks, t.Registered.Others, t.Registered.Elsewhere) {
		asked[h.ID] = t.Asks(h)
	}
	return slices.DeleteFunc(all, func(f Finding) bool {
		return !slices.ContainsFunc(f.Hooks, func(id string) bool { return asked[id] })
	})
}

// hooks returns the hooks that some session launches.
func (t Tree) hooks() []discover.Hook {
	all := slices.Concat(t.Registered.Hooks, t.Registered.Others)
	return slices.DeleteFunc(all, func(h discover.Hook) bool { return h.Dead || h.Scope == discover.InTemplate })
}

// lacks reports whether a program is known to be absent from this machine.
func (t Tree) lacks(program string) bool { return t.Installed != nil && !t.Installed(program) }

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}
