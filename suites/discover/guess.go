package discover

import (
	"path"
	"slices"
	"strings"

	"hookwatch/suites/pattern"
)

// guessed are events by what the name of a script holds, the longer first.
var guessed = []struct{ in, event string }{
	{"posttoolusefailure", "PostToolUseFailure"}, {"userpromptsubmit", "UserPromptSubmit"}, {"permissionrequest", "PermissionRequest"},
	{"subagentstart", "SubagentStart"}, {"subagentstop", "SubagentStop"}, {"sessionstart", "SessionStart"}, {"sessionend", "SessionEnd"},
	{"pretooluse", "PreToolUse"}, {"posttooluse", "PostToolUse"}, {"precompact", "PreCompact"}, {"notification", "Notification"},
}

var wordBreaks = pattern.Lazy(`[-_. ]`)

// gitHooks are the hooks of git, which it runs and no agent does.
var gitHooks = []string{
	"applypatch-msg", "pre-applypatch", "post-applypatch", "pre-commit", "pre-merge-commit", "prepare-commit-msg", "commit-msg", "post-commit",
	"pre-rebase", "post-checkout", "post-merge", "pre-push", "pre-receive", "update", "post-receive", "post-update", "pre-auto-gc", "post-rewrite",
}

// IsOfGit reports whether a script is called as a hook of git is.
func IsOfGit(script string) bool {
	return slices.Contains(gitHooks, strings.TrimSuffix(path.Base(script), path.Ext(script)))
}

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

// foreignDirs are the directories of other agents: their scripts are not ours to judge.
var foreignDirs = pattern.Lazy(`(^|/)\.(?:github|codex|cursor|gemini|copilot|factory|opencode|windsurf|kiro)/`)

// unregistered adds scripts that nothing in the tree registers, where their names
// tell the event: an installer or a person registers them elsewhere.
func (f *finder) unregistered() {
	for _, name := range f.names {
		ext := path.Ext(name)
		if path.Base(path.Dir(name)) != "hooks" || !slices.Contains([]string{".sh", ".py", ".js", ".mjs"}, ext) || strings.HasPrefix(name, ".git") {
			continue
		}
		if EventOf(name) != "" && !foreignDirs().MatchString(name) && !exampleDirs().MatchString(path.Dir(name)) {
			f.out.Guessed = append(f.out.Guessed, name)
		}
	}
}
