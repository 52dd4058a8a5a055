package discover

import (
	"path"
	"slices"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/pattern"
	"hookwatch/suites/shell"
)

// guessed are events by what the name of a script holds, the longer first.
var guessed = []struct{ in, event string }{
	{"posttoolusefailure", "PostToolUseFailure"}, {"userpromptsubmit", "UserPromptSubmit"}, {"permissionrequest", "PermissionRequest"},
	{"subagentstart", "SubagentStart"}, {"subagentstop", "SubagentStop"}, {"sessionstart", "SessionStart"}, {"sessionend", "SessionEnd"},
	{"pretooluse", "PreToolUse"}, {"posttooluse", "PostToolUse"}, {"precompact", "PreCompact"}, {"notification", "Notification"},
}

var wordBreaks = pattern.Lazy(`[-_. ]`)

// EventOf is the event that a script's name speaks of; "" if none.
func EventOf(script string) string {
	name := strings.ToLower(wordBreaks().ReplaceAllString(path.Base(script), ""))
	for _, g := range guessed {
		if strings.Contains(name, g.in) {
			return g.event
		}
	}
	if base := strings.TrimSuffix(path.Base(script), path.Ext(script)); base == "stop" || strings.HasPrefix(base, "stop-") || strings.HasPrefix(base, "stop_") {
		return "Stop"
	}
	return ""
}

// unregistered adds scripts that nothing in the tree registers, where their names
// tell the event: an installer or a person registers them elsewhere.
func (f *finder) unregistered() {
	for _, name := range f.names {
		ext := path.Ext(name)
		if path.Base(path.Dir(name)) != "hooks" || !slices.Contains([]string{".sh", ".py", ".js", ".mjs"}, ext) || strings.HasPrefix(name, ".git") {
			continue
		}
		if EventOf(name) != "" && !exampleDirs().MatchString(path.Dir(name)) {
			f.out.Guessed = append(f.out.Guessed, name)
		}
	}
}

// Guess adds hooks for scripts that no hook of those registered runs.
func (r *Registered) Guess(root string, scripts []string) {
	for _, s := range scripts {
		named := func(h Hook) bool { return slices.Contains(h.Scripts, s) }
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
