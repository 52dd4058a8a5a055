package discover

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/shell"
)

// A Hook is one registered hook.
type Hook struct {
	ID      string   `json:"id"` // readable, stable when entries are added or reordered, unique
	Event   string   `json:"event"`
	Matcher string   `json:"matcher,omitempty"`
	Type    string   `json:"type"` // command, http, prompt, agent or mcp_tool
	Command string   `json:"command,omitempty"`
	Args    []string `json:"args,omitempty"`    // not nil: started without a shell
	Scripts []string `json:"scripts,omitempty"` // project files that the command names, as slash paths from the root
	Scope   Scope    `json:"scope"`
	Plugin  string   `json:"plugin,omitempty"` // the plugin's name; "" for a hook of a settings file

	If         string          `json:"-"` // permission rule that the tool call must match as well
	Timeout    time.Duration   `json:"-"`
	Entry      client.Entry    `json:"-"` // as it is registered
	Source     suites.Position `json:"-"`
	Dead       bool            `json:"-"` // the client drops the file that registers it
	Session    string          `json:"-"` // absolute path of the directory where a session starts for it; "" is the root
	PluginRoot string          `json:"-"` // absolute path of the plugin
	Root       string          `json:"-"` // absolute path of the project
	Direct     []string        `json:"-"` // those of Scripts that it starts as programs: they need an execute bit
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

// identify makes a hook's ID: what a person recognises it by, and a hash of what
// makes it this hook. Neither its place among others nor the machine's paths
// count, nor do white space, quotes and the order of a matcher's names.
func identify(scope string, hook Hook, body string) string {
	matches := hook.Matcher
	if names := client.MatcherNames(matches); names != nil {
		matches = strings.Join(names, "|")
	}
	parts := append([]string{scope, hook.Event, matches, hook.Type, hook.If, normalise(hook.Command, hook.Root), body}, hook.Args...)
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hook.Event + "-" + hook.shortName() + "-" + hex.EncodeToString(sum[:4])
}

// normalise writes a command in one way: the project's own path as the variable
// that stands for it, no quotes, single spaces.
func normalise(command, root string) string {
	const variable = "$CLAUDE_PROJECT_DIR"
	command = strings.NewReplacer(
		root+string(filepath.Separator), variable+"/", "${CLAUDE_PROJECT_DIR}", variable, `"`, "", "'", "",
	).Replace(command)
	return strings.Join(strings.Fields(command), " ")
}

// scopeName names a settings file in an ID: by its path in the project, and by
// its last two elements when it lies outside, so that no home directory counts.
func scopeName(name string) string {
	if !filepath.IsAbs(filepath.FromSlash(name)) {
		return name
	}
	return "outside:" + path.Join(path.Base(path.Dir(name)), path.Base(name))
}

// A Scope tells in which sessions a hook is in force.
type Scope string

// The scopes of hooks that lie in a project's tree.
const (
	InProject   Scope = "project"      // settings of the project: every session in it
	InPlugin    Scope = "plugin"       // a plugin: every session of a person who installed it, in any project
	InHome      Scope = "home"         // the tree is kept to be installed as ~/.claude: every session
	InUser      Scope = "user"         // the person's own settings: every session
	InDirectory Scope = "directory"    // settings below the root: sessions that start in that directory
	InDocument  Scope = "frontmatter"  // of a skill, an agent or a command: while that one is active
	InGuess     Scope = "unregistered" // a script that nothing registers, and whose name tells an event
	InTemplate  Scope = "template"     // settings under a name that the client does not read
)

// Everywhere reports whether a hook of the scope is launched in a session that
// starts at the root of the project, or in any project when what lies in the tree
// is installed.
func (s Scope) Everywhere() bool {
	switch s {
	case InProject, InPlugin, InHome, InUser, "":
		return true
	default:
		return false
	}
}

// Foreign reports whether sessions with hooks of the scope usually run in another
// project than the one that the hooks lie in.
func (s Scope) Foreign() bool { return s == InPlugin || s == InHome || s == InGuess }

// A Source is a file that registers hooks.
type Source struct {
	File       string // absolute
	Scope      Scope
	Plugin     string // the plugin's name
	PluginRoot string // absolute path of the plugin
	Session    string // absolute path of the directory where a session starts; "" is the root
}

// settingsAtMost bounds a settings file, in bytes.
const settingsAtMost = 1 << 20

// within is the slash path of path from dir, if it lies in it.
func within(dir, path string) (string, bool) {
	relative, err := filepath.Rel(dir, path)
	if err != nil || relative == ".." || strings.HasPrefix(relative, ".."+string(filepath.Separator)) {
		return "", false
	}
	return filepath.ToSlash(relative), true
}

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
		if interpreter := shell.ByExtension(s); interpreter != "" {
			h.Command = interpreter + " " + h.Command
		}
		h.ID = identify("unregistered", h, "")
		r.Others = append(r.Others, h)
	}
}

// With adds what a person's own settings register: it fires before what the project
// registers. A command that both register under the same matcher is one hook, the
// project's, and where the project turns every hook off these are off, too. Whether
// the person's own disableAllHooks does so to a project's was not observed: it costs
// only their own.
func (r Registered) With(user Registered) Registered {
	same := func(a, b Hook) bool {
		return a.Event == b.Event && a.Matcher == b.Matcher && a.Type == "command" && a.runsAs() == b.runsAs()
	}
	var own []Hook
	for _, h := range user.Hooks {
		if !slices.ContainsFunc(r.Hooks, func(other Hook) bool { return same(h, other) }) {
			own = append(own, h)
		}
	}
	if r.DisabledBy.Line > 0 {
		own = nil
	} else {
		r.DisabledBy = user.DisabledBy
	}
	r.Hooks = append(own, r.Hooks...)
	r.Others = slices.Concat(user.Others, r.Others)
	r.Problems = slices.Concat(user.Problems, r.Problems)
	r.Dropped, r.Ignored = slices.Concat(user.Dropped, r.Dropped), slices.Concat(user.Ignored, r.Ignored)
	r.Files = slices.Concat(user.Files, r.Files)
	return r
}
