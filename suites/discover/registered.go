package discover

import (
	"path"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/shell"
)

// Registered is what the settings files and plugins of a project register.
type Registered struct {
	// Hooks are those in force, files in the order given and plugins after them.
	// The same command may stand there twice, under two matchers; see For.
	Hooks []Hook
	// Problems are what keeps hooks from being in force: entries that make the
	// client drop their whole file, parts that it leaves out, disableAllHooks.
	Problems []suites.Problem
	// Dropped are those of the Problems that cost all hooks of their file, Ignored
	// those that cost a part of it.
	Dropped, Ignored []suites.Problem
	// Others are hooks that are not in force in a session that starts at the root:
	// those of a file that the client drops, of a directory below, of a document, or
	// of a file that it does not read.
	Others []Hook
	// Files are the settings files that exist and were read.
	Files []string
	// DisabledBy is the setting that turns every hook off; Hooks is empty then.
	DisabledBy suites.Position
}

// For lists the hooks that fire when the event's matched field holds value, in
// order. Identical commands run once, as the client has it. A hook with an `if`
// is taken to fire on a tool event, whose call it may match, and never elsewhere.
// One whose matcher is not evaluated is among them: see Hook.MatcherError.
func (r Registered) For(event, value string) []Hook {
	about, _ := client.EventByName(event)
	seen := map[string]bool{}
	var firing []Hook
	for _, hook := range r.Hooks {
		if hook.Event != event || hook.If != "" && !about.Tool || !client.Match(event, hook.Matcher, value) && hook.MatcherError() == nil {
			continue
		}
		if same := hook.runsAs(); !seen[same] {
			seen[same] = true
			firing = append(firing, hook)
		}
	}
	return firing
}

// ByID gives a hook by its ID, in force or not.
func (r Registered) ByID(id string) (Hook, bool) {
	for _, hooks := range [][]Hook{r.Hooks, r.Others} {
		for _, hook := range hooks {
			if hook.ID == id {
				return hook, true
			}
		}
	}
	return Hook{}, false
}

// Named gives the one hook of an event that is meant by its ID, or by a part of its
// command or of its script's path.
func (r Registered) Named(event, name string) (Hook, bool) {
	if h, ok := r.ByID(name); ok {
		return h, true
	}
	var meant []Hook
	for _, h := range r.Hooks {
		if h.Event == event && h.Answers(name) {
			meant = append(meant, h)
		}
	}
	if len(meant) != 1 {
		return Hook{}, false
	}
	return meant[0], true
}

// Guess adds hooks for scripts that no hook of those registered runs.
func (r *Registered) Guess(root string, scripts []string) {
	for _, s := range scripts {
		named := func(h Hook) bool { // an installed copy has the same path below another directory
			return slices.Contains(h.Scripts, s) || h.Scope == InTemplate && strings.Contains(h.Command, "/"+s)
		}
		if slices.ContainsFunc(r.Hooks, named) || slices.ContainsFunc(r.Others, named) {
			continue
		}
		event := EventOf(s)
		h := Hook{
			Event: event, Type: "command", Command: `"${CLAUDE_PLUGIN_ROOT}"/` + shell.Quote(s), Root: root, PluginRoot: root, Scope: InGuess,
			Timeout: client.DefaultTimeout(event, "command"), Source: suites.Position{File: s}, Scripts: []string{s},
		}
		if interpreter := map[string]string{".sh": "bash", ".py": "python3", ".js": "node", ".mjs": "node"}[path.Ext(s)]; interpreter != "" {
			h.Command = interpreter + " " + h.Command
		}
		h.ID = identify("unregistered", h, "")
		r.Others = append(r.Others, h)
	}
}
