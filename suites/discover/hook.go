package discover

import (
	"cmp"
	"encoding/json"
	"path"
	"slices"
	"strings"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/client"
)

// A Hook is one registered hook.
type Hook struct {
	ID         string // readable, stable when entries are added or reordered, unique
	Event      string
	Matcher    string
	Type       string // command, http, prompt, agent or mcp_tool
	Command    string
	Args       []string // not nil: started without a shell
	If         string   // permission rule that the tool call must match as well
	Timeout    time.Duration
	Entry      client.Entry // as it is registered
	Source     suites.Position
	Scope      Scope
	Dead       bool     // the client drops the file that it stands in
	Session    string   // absolute path of the directory where a session starts for it; "" is the root
	Plugin     string   // the plugin's name; "" for a hook of a settings file
	PluginRoot string   // absolute path of the plugin
	Root       string   // absolute path of the project
	Scripts    []string // project files that the command names, as slash paths from the root
	Direct     []string // those of Scripts that it starts as programs: they need an execute bit
}

// runsAs is equal for hooks of one event of which the client runs only one.
func (h Hook) runsAs() string {
	if h.Type != "command" {
		return h.ID
	}
	raw, _ := json.Marshal([]any{h.Plugin, h.Command, h.Args, h.If}) // strings always encode
	return string(raw)
}

// Start is the absolute path of the directory where a session starts in which the
// hook is in force, as far as it lies in the tree.
func (h Hook) Start() string { return cmp.Or(h.Session, h.Root) }

// AtHome reports whether the tree that it lies in is kept to be ~/.claude.
func (h Hook) AtHome() bool { return h.Scope == InHome }

// Answers reports whether a person means the hook by a name: its ID, or a part of its
// command or of its script's path.
func (h Hook) Answers(name string) bool {
	return h.ID == name || strings.Contains(h.Command, name) || slices.ContainsFunc(h.Scripts, func(s string) bool { return strings.Contains(s, name) })
}

// NotRun says why hookwatch does not run a hook; "" when it does.
func (h Hook) NotRun() string {
	switch {
	case h.Type != "command":
		return "a hook of type " + h.Type + " has no command"
	case h.Entry.Shell == "powershell":
		return "it is for PowerShell"
	case h.Dead:
		return "the client drops the file that it stands in"
	case h.Scope == InTemplate:
		return "the client does not read " + h.Source.File
	}
	if err := h.MatcherError(); err != nil {
		return "its matcher could not be evaluated: " + err.Error()
	}
	return ""
}

// MatcherError is the reason why the matcher is not evaluated: for which values the
// client fires the hook is not known then.
func (h Hook) MatcherError() error { return client.MatcherError(h.Event, h.Matcher) }

// shortName is the base name of the hook's script, or of its command's first word.
func (h Hook) shortName() string {
	name := h.Type
	switch words := strings.Fields(h.Command); {
	case len(h.Scripts) > 0:
		name = path.Base(h.Scripts[0])
	case len(words) > 0:
		name = path.Base(strings.Trim(words[0], `"'`))
	}
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '.', r == '_', r == '-':
			return r
		default:
			return '_'
		}
	}, name)
}
