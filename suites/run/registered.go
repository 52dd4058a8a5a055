package run

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"hookwatch/suites/discover"
	"hookwatch/suites/shell"
)

// placed is a hook as it lies in the sandbox: in the case's copy of the project
// where there is one, and in a session of the case's own project if it has one.
func (s *sandbox) placed(h discover.Hook) discover.Hook {
	h.Root, h.PluginRoot, h.Session = s.moved(h.Root), s.moved(h.PluginRoot), s.moved(h.Session)
	if s.override != "" {
		h.Session = s.override
		if h.Scope == discover.InProject {
			h.Command, h.Args = s.found(h, h.Command), s.allFound(h)
		}
	}
	if _, own := s.c.Env["HOME"]; own && h.Scope != discover.InHome {
		home := variables(s.o.Env)["HOME"]
		h.Command = homePath.ReplaceAllStringFunc(h.Command, func(old string) string {
			return homePath.FindStringSubmatch(old)[1] + shell.Quote(home) + "/.claude/"
		})
	}
	if h.Scope == discover.InHome {
		h.Command = discover.WrittenHome().ReplaceAllString(h.Command, s.home()+"/.claude/")
	}
	return h
}

// homePath matches a path in the user's ~/.claude at the start of a word. A case with a
// HOME of its own still runs the scripts of the real one.
var homePath = regexp.MustCompile(`(^|[\s=;&|(])(?:~|"?\$HOME"?|"?\$\{HOME\}"?)/\.claude/`)

// found is a part of a hook's command in a case that has a project of its own: that
// stands for the person's in all but the hook's scripts, which are those of the real one.
func (s *sandbox) found(h discover.Hook, text string) string {
	for _, script := range h.Scripts {
		named := regexp.MustCompile(`(^|[\s"'=;&|(])(?:\$CLAUDE_PROJECT_DIR|\$\{CLAUDE_PROJECT_DIR\})("?/)` + regexp.QuoteMeta(script))
		text = named.ReplaceAllStringFunc(text, func(old string) string {
			part := named.FindStringSubmatch(old)
			return part[1] + s.root + part[2] + script
		})
		relative := regexp.MustCompile(`(^|[\s"'=;&|(])(?:\./)?` + regexp.QuoteMeta(script))
		text = relative.ReplaceAllStringFunc(text, func(old string) string {
			return relative.FindStringSubmatch(old)[1] + s.root + "/" + script
		})
	}
	return text
}

// allFound are the hook's arguments, found; nil stays nil.
func (s *sandbox) allFound(h discover.Hook) []string {
	if h.Args == nil {
		return nil
	}
	args := []string{}
	for _, arg := range h.Args {
		args = append(args, s.found(h, arg))
	}
	return args
}

// moved is where a path of the project lies in the sandbox.
func (s *sandbox) moved(path string) string {
	rest, below := strings.CutPrefix(path, s.o.Root)
	if s.root == s.o.Root || !below || rest != "" && rest[0] != filepath.Separator {
		return path
	}
	return s.root + rest
}

// home is the HOME of a case whose hooks lie in a tree that is kept to be
// installed as ~/.claude.
func (s *sandbox) home() string { return filepath.Join(s.tmp, "home") }

// installed has such a tree seen as ~/.claude.
func (s *sandbox) installed(hooks []discover.Hook) error {
	if !slices.ContainsFunc(hooks, func(h discover.Hook) bool { return h.Scope == discover.InHome }) {
		return nil
	}
	return s.LinkOwn("tmp/home/.claude", s.root)
}
