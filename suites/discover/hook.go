package discover

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/client/clients"
	"hookwatch/suites/pattern"
	"hookwatch/suites/shell"
)

// A Hook is one registered hook.
type Hook struct {
	ID      string   `json:"id"` // readable, stable when entries are added or reordered, unique
	Event   string   `json:"event"`
	Matcher string   `json:"matcher,omitempty"`
	Type    string   `json:"type"` // command, http, prompt, agent or mcp_tool
	Command string   `json:"command,omitempty"`
	Args    []string `json:"args,omitempty"`    // if not nil, started without a shell
	Scripts []string `json:"scripts,omitempty"` // project files in the command, as slash paths from the root
	Scope   Scope    `json:"scope"`
	Plugin  string   `json:"plugin,omitempty"` // the plugin's name; "" for a hook of a settings file
	// Client is the client whose own file registers the hook; "" is Claude Code. ClientEvent and
	// ClientMatcher are as its file has them; Event and Matcher are Claude Code's of the same meaning.
	Client        string `json:"client,omitempty"`
	ClientEvent   string `json:"client_event,omitempty"`
	ClientMatcher string `json:"client_matcher,omitempty"`

	If         string          `json:"-"` // permission rule that the tool call must match as well
	Timeout    time.Duration   `json:"-"`
	Entry      client.Entry    `json:"-"` // as registered
	Source     suites.Position `json:"-"`
	Dead       bool            `json:"-"` // the client drops the file that registers it
	Session    string          `json:"-"` // absolute path of the directory where a session for it starts; "" is the root
	PluginRoot string          `json:"-"` // absolute path of the plugin
	Root       string          `json:"-"` // absolute path of the project
	Inert      []string        `json:"-"` // keys of the entry that its client ignores
	Servers    []string        `json:"-"` // of its plugin
	Direct     []string        `json:"-"` // those of Scripts that it starts as programs, which need an execute bit
	Layers     []Layer         `json:"-"` // whose variables its session has; a later one counts
}

// runsAs returns equal texts for hooks of one event of which the client runs only one.
func (h Hook) runsAs() string {
	of, other := clients.ByName(h.Client)
	if h.Type != "command" || other && of.Launch.Repeats {
		return h.ID
	}
	raw, _ := json.Marshal([]any{h.Plugin, h.Command, h.Args, h.If}) // strings always encode
	return string(raw)
}

// Start returns the absolute path of the directory where a session with the hook starts, if that
// is in the tree.
func (h Hook) Start() string { return cmp.Or(h.Session, h.Root) }

// AtHome reports whether the tree of the hook is to be installed as ~/.claude.
func (h Hook) AtHome() bool { return h.Scope == InHome }

// Answers reports whether a name refers to the hook: its ID, or a part of its command or of its
// script's path.
func (h Hook) Answers(name string) bool {
	return h.ID == name || strings.Contains(h.Command, name) || slices.ContainsFunc(h.Scripts, func(s string) bool { return strings.Contains(s, name) })
}

// ForPowerShell reports whether the client starts the hook by PowerShell. A command with arguments has
// no shell; observed on client 2.1.332.
func (h Hook) ForPowerShell() bool { return h.Entry.Shell == "powershell" && h.Args == nil }

// WhyNotRun returns the reason why hookwatch does not run a hook, "" if it does.
func (h Hook) WhyNotRun() string {
	switch {
	case h.Type != "command":
		return "a hook of type " + h.Type + " has no command: only the client runs it"
	case h.ForPowerShell():
		return "it is for PowerShell, which hookwatch does not start"
	case h.Client != "" && h.Event == "":
		return "hookwatch has no input for " + h.ClientEvent + ": only the client fires it"
	case h.Dead:
		return "the client drops the file that it stands in: it never runs"
	case h.Scope == InTemplate:
		return "the client does not read " + h.Source.File
	}
	if err := h.MatcherError(); err != nil {
		return "its matcher could not be evaluated: " + err.Error()
	}
	return ""
}

// Matches reports whether the client of the hook runs it for a value of its event's matched field:
// Claude Code's name of a tool, or another value.
func (h Hook) Matches(value string) bool {
	if h.Client == "" {
		return client.Match(h.Event, h.Matcher, value) && h.ServerTool(value) == value
	}
	of, _ := clients.ByName(h.Client)
	return of.Match(h.ClientEvent, h.ClientMatcher, value)
}

// ServerTool returns the name of a tool as the client sends it: those of a plugin's own MCP servers
// have the plugin in their names; observed on client 2.1.332.
func (h Hook) ServerTool(tool string) string {
	if words := strings.SplitN(tool, "__", 3); words[0] == "mcp" && len(words) == 3 && slices.Contains(h.Servers, words[1]) {
		return "mcp__plugin_" + serverName(h.Plugin) + "_" + serverName(words[1]) + "__" + words[2]
	}
	return tool
}

// serverName returns a name as it occurs in names of tools.
func serverName(name string) string { return notInNames().ReplaceAllString(name, "_") }

var (
	notInNames = pattern.Lazy(`[^A-Za-z0-9_-]`)
	notInIDs   = pattern.Lazy(`[^A-Za-z0-9._-]`)
)

// MatcherError returns the reason why the matcher is not evaluated. If it is not nil, the values
// for which the client fires the hook are unknown.
func (h Hook) MatcherError() error { return client.MatcherError(h.Event, h.Matcher) }

// shortName returns the base name of the hook's script, or of its command's first word.
func (h Hook) shortName() string {
	name := h.Type
	switch words := strings.Fields(h.Command); {
	case len(h.Scripts) > 0:
		name = path.Base(h.Scripts[0])
	case len(words) > 0:
		name = path.Base(strings.Trim(words[0], `"'`))
	}
	return notInIDs().ReplaceAllString(name, "_")
}

// identify returns a hook's ID: a readable part and a hash of its identity. The ID does not
// depend on the order of hooks, on paths of the machine, or on white space, quotes and the order
// of a matcher's names.
func identify(scope string, hook Hook, body string) string {
	matches := hook.Matcher
	if names := client.MatcherNames(matches); names != nil {
		matches = strings.Join(names, "|")
	}
	parts := append([]string{scope, hook.Event, matches, hook.Type, hook.If, normalise(hook.Command, hook.Root), body}, hook.Args...)
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hook.Event + "-" + hook.shortName() + "-" + hex.EncodeToString(sum[:4])
}

// normalise returns a command in a canonical form: the variable in place of the project's own
// path, no quotes, single spaces.
func normalise(command, root string) string {
	const variable = "$CLAUDE_PROJECT_DIR"
	command = strings.NewReplacer(
		root+string(filepath.Separator), variable+"/", "${CLAUDE_PROJECT_DIR}", variable, `"`, "", "'", "",
	).Replace(command)
	return strings.Join(strings.Fields(command), " ")
}

// scopeName returns the name of a settings file in an ID: its path in the project, or the last
// two elements of a path outside it, so that IDs do not depend on a home directory.
func scopeName(name string) string {
	if !filepath.IsAbs(filepath.FromSlash(name)) {
		return name
	}
	return "outside:" + path.Join(path.Base(path.Dir(name)), path.Base(name))
}

// A Scope describes the sessions in which a hook is active.
type Scope string

// The scopes of hooks in a project's tree.
const (
	InProject   Scope = "project"      // settings of the project: every session in it
	InPlugin    Scope = "plugin"       // a plugin: every session of a user who installed it, in any project
	InHome      Scope = "home"         // the tree is to be installed as ~/.claude: every session
	InUser      Scope = "user"         // the user's own settings: every session
	InDirectory Scope = "directory"    // settings below the root: sessions that start in that directory
	InDocument  Scope = "frontmatter"  // of a skill, an agent or a command: while that is active
	InGuess     Scope = "unregistered" // a script that nothing registers and whose name contains an event
	InTemplate  Scope = "template"     // settings with a name that the client does not read
)

// IsEverywhere reports whether a hook of the scope is launched in a session that starts at the
// root of the project, or in any project after the tree is installed.
func (s Scope) IsEverywhere() bool {
	switch s {
	case InProject, InPlugin, InHome, InUser, "":
		return true
	default:
		return false
	}
}

// IsForeign reports whether sessions with hooks of the scope usually run in a project other than
// the one that contains the hooks.
func (s Scope) IsForeign() bool { return s == InPlugin || s == InHome || s == InGuess }

// A Source is a file that registers hooks.
type Source struct {
	File       string // absolute
	Scope      Scope
	Plugin     string // the plugin's name
	PluginRoot string // absolute path of the plugin
	Client     string // the client that alone reads the file; "" is Claude Code
	Session    string // absolute path of the directory where a session starts; "" is the root
	// Servers are the names of a plugin's own MCP servers.
	Servers []string
	// Refused is the reason why the client does not load the plugin; its What is "" if it does.
	Refused suites.Problem
}

// settingsAtMost limits the size of a settings file in bytes.
const settingsAtMost = 1 << 20

// relativeTo returns the slash path of path from dir, if it is in dir.
func relativeTo(dir, path string) (string, bool) {
	relative, err := filepath.Rel(dir, path)
	const separator = string(filepath.Separator)
	if err != nil || strings.HasPrefix(relative+separator, ".."+separator) {
		return "", false
	}
	return filepath.ToSlash(relative), true
}

// Registered describes the hooks that the settings files and plugins of a project register.
type Registered struct {
	// Hooks are the active ones, files in the given order and plugins after them. The same
	// command may occur twice, under two matchers; see For.
	Hooks []Hook
	// Problems are the reasons why hooks are not active: entries for which the client drops the
	// whole file, parts that it ignores, disableAllHooks.
	Problems []suites.Problem
	// Dropped are the Problems that disable all hooks of their file, Ignored those that disable
	// a part of it.
	Dropped, Ignored []suites.Problem
	// Others are hooks that are not active in a session that starts at the root: those of a file
	// that the client drops, of a directory below, of a document, or of a file that it does not
	// read.
	Others []Hook
	// Elsewhere are the hooks that the files of other clients register.
	Elsewhere []Hook
	// ElsewhereProblems are the parts of those files that have no effect.
	ElsewhereProblems []suites.Problem
	// Files are the settings files that exist and were read.
	Files []string
	// Layers are the settings files that set variables, the user's before the project's.
	Layers []Layer
	// DisabledBy is the setting that disables every hook; Hooks is empty then. EnablesHooks reports
	// that a file sets it to false.
	DisabledBy   suites.Position
	EnablesHooks bool
	disabled     []Hook // by that setting
	root         string
	runsAt       string   // see RunAt; "" if it is root
	claudes      []parsed // the files of Claude Code, which other clients may read as well
	// Rules are the permission rules of the settings that deny calls or ask about them.
	Rules []client.PermissionRule
}

// For returns the hooks that fire if the event's matched field is value, in order. Identical
// commands run once, as in the client. A hook with an `if` is included for a tool event, because
// it may match the call, and for no other. A hook whose matcher is not evaluated is included:
// see Hook.MatcherError.
func (r Registered) For(event, value string) (firing []Hook) {
	for _, e := range r.entries(event, value) {
		if e.notRun == "" {
			firing = append(firing, e.Hook)
		}
	}
	return firing
}

// An Entry is a registered hook of an event, and whether the client fires it for a value.
type Entry struct {
	Hook   Hook
	notRun string
}

// WhyNotRun returns the reason why the client does not fire the entry, "" if it does.
func (e Entry) WhyNotRun() string { return e.notRun }

// WhyNotStarted returns the reason why the client starts nothing for a payload, "" if it starts the
// hook: that of WhyNotRun, its `if`, or its command. tool replaces the name in the payload unless it is "".
func (e Entry) WhyNotStarted(tool string, payload []byte) string {
	if e.notRun == "" && !e.Hook.Takes(tool, payload) {
		return e.Hook.WhyPassedOver()
	}
	return cmp.Or(e.notRun, e.Hook.WhyNotStarted())
}

// Entries returns all hooks that are registered for an event, those that the client never fires in
// a session at the root last.
func (r Registered) Entries(event, value string) []Entry {
	all := r.entries(event, value)
	for _, h := range r.Others {
		if h.Event == event {
			all = append(all, Entry{h, r.idle(h)})
		}
	}
	return all
}

func (r Registered) entries(event, value string) (all []Entry) {
	about, _ := client.EventByName(event)
	seen := map[string]string{}
	for _, h := range r.Hooks {
		if h.Event != event {
			continue
		}
		e := Entry{Hook: h}
		switch same := h.runsAs(); {
		case h.If != "" && !about.Tool:
			e.notRun = "an entry with \"if\" runs only for tools"
		case !h.Matches(value) && h.MatcherError() == nil:
			e.notRun = fmt.Sprintf("its matcher %q does not match %q", h.Matcher, value)
		case seen[same] != "":
			e.notRun = "the client runs the same command once, as " + seen[same]
		default:
			seen[same] = h.ID
		}
		all = append(all, e)
	}
	return all
}

// idle returns the reason why a session that starts at the root does not have one of Others.
func (r Registered) idle(h Hook) string {
	switch {
	case h.Dead:
		return "the client drops " + h.Source.File + ", which registers it"
	case h.Scope == InTemplate:
		return "the client does not read " + h.Source.File
	case h.Scope == InDirectory:
		return "only sessions that start in " + h.Session + " have it"
	case h.Scope == InDocument:
		return "it runs only while " + h.Source.File + " is active"
	case h.Scope == InGuess:
		return "no settings register it"
	}
	return "it is not in force"
}

// Of returns what a client other than Claude Code registers: the hooks of its own files, and those
// of Claude Code's files that it reads. ElsewhereProblems are those of the latter.
func (r Registered) Of(of clients.Client) Registered {
	c := &collector{root: r.root, ids: map[string]int{}}
	for _, one := range r.claudes {
		if name := c.slash(one.from.File); one.from.Scope.IsEverywhere() && of.Reads(name) {
			if _, known := of.Entry.Fatal.File["disableAllHooks"]; known && one.settings.DisableAllHooks.Line > 0 {
				r.Hooks, r.Others, r.Elsewhere, r.ElsewhereProblems, r.Rules = nil, nil, nil, nil, nil
				return r
			}
			one.from.Client = of.Name
			c.addElsewhere(one.from, name, one.data)
		}
	}
	hooks := c.out.Elsewhere
	for _, h := range r.Elsewhere {
		if h.Client == of.Name && h.Scope == InProject {
			hooks = append(hooks, h)
		}
	}
	form := func(h Hook) int { // the events of a file that have Claude Code's form come last
		if of.Events[h.ClientEvent].Claude {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(hooks, func(a, b Hook) int {
		return cmp.Or(cmp.Compare(of.Order(a.Source.File), of.Order(b.Source.File)), cmp.Compare(a.Source.File, b.Source.File), form(a)-form(b))
	})
	r.Hooks, r.Others, r.Elsewhere, r.ElsewhereProblems, r.Rules = hooks, nil, nil, c.out.ElsewhereProblems, nil
	if r.runsAt != "" {
		return r.RunAt(r.runsAt)
	}
	return r
}

// RunAt returns the hooks of a copy of a project as they are launched in another directory, where the
// project is.
func (r Registered) RunAt(dir string) Registered {
	at := func(path string) string {
		if rest, inside := strings.CutPrefix(path, r.root); inside {
			return dir + rest
		}
		return path
	}
	for _, list := range []*[]Hook{&r.Hooks, &r.Others, &r.Elsewhere} {
		*list = slices.Clone(*list)
		for i := range *list {
			h := &(*list)[i]
			h.Root, h.Session, h.PluginRoot = at(h.Root), at(h.Session), at(h.PluginRoot)
		}
	}
	r.runsAt = dir
	return r
}

// Clients returns the clients other than Claude Code whose own files register hooks, or would if
// they were correct.
func (r Registered) Clients() (all []clients.Client) {
	if len(r.Elsewhere)+len(r.ElsewhereProblems) == 0 {
		return nil // the facts need not be read
	}
	for _, c := range clients.Clients() {
		registers := func(h Hook) bool { return h.Client == c.Name }
		tries := func(p suites.Problem) bool { return c.Reads(p.At.File) }
		if slices.ContainsFunc(r.Elsewhere, registers) || slices.ContainsFunc(r.ElsewhereProblems, tries) {
			all = append(all, c)
		}
	}
	return all
}

// ByID returns the hook with an ID, active or not.
func (r Registered) ByID(id string) (Hook, bool) {
	for _, hooks := range [][]Hook{r.Hooks, r.Others, r.Elsewhere} {
		for _, hook := range hooks {
			if hook.ID == id {
				return hook, true
			}
		}
	}
	return Hook{}, false
}

// Find returns the only hook of an event to which a name refers: its ID, or a part of its
// command or of its script's path. Of several, it is the only one whose matcher matches the value.
func (r Registered) Find(event, name, value string) (Hook, bool) {
	if h, ok := r.ByID(name); ok {
		return h, true
	}
	meant := slices.DeleteFunc(slices.Clone(r.Hooks), func(h Hook) bool { return h.Event != event || !h.Answers(name) })
	if len(meant) > 1 && value != "" {
		meant = slices.DeleteFunc(meant, func(h Hook) bool { return !h.Matches(value) })
	}
	if len(meant) != 1 {
		return Hook{}, false
	}
	return meant[0], true
}

// Guess adds hooks for scripts that no registered hook runs.
func (r *Registered) Guess(root string, scripts []string) {
	for _, s := range scripts {
		named := func(h Hook) bool { // an installed copy has the same path below another directory
			return slices.Contains(h.Scripts, s) || h.Scope == InTemplate && strings.Contains(h.Command, "/"+s)
		}
		if slices.ContainsFunc(slices.Concat(r.Hooks, r.Others, r.Elsewhere), named) {
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

// With adds the hooks of the user's own settings, which fire before those of the project. A
// command that both register under the same matcher is one hook, the project's. Either disables
// the hooks of both, but the project may enable what the user disables.
func (r Registered) With(user Registered) Registered {
	same := func(a, b Hook) bool {
		return a.Event == b.Event && a.Matcher == b.Matcher && a.Type == "command" && a.runsAs() == b.runsAs()
	}
	if user.DisabledBy.Line > 0 && r.EnablesHooks {
		by := user.DisabledBy
		user.Problems = slices.DeleteFunc(slices.Clone(user.Problems), func(p suites.Problem) bool { return p.At == by })
		user.Hooks, user.DisabledBy = user.disabled, suites.Position{}
	}
	own := slices.DeleteFunc(slices.Clone(user.Hooks), func(h Hook) bool {
		return slices.ContainsFunc(r.Hooks, func(other Hook) bool { return same(h, other) })
	})
	switch {
	case r.DisabledBy.Line > 0:
		own = nil
	case user.DisabledBy.Line > 0:
		r.DisabledBy, r.Hooks = user.DisabledBy, nil
	}
	r.Hooks = append(own, r.Hooks...)
	r.Rules = slices.Concat(user.Rules, r.Rules)
	r.Others = slices.Concat(user.Others, r.Others)
	r.Problems = slices.Concat(user.Problems, r.Problems)
	r.Dropped, r.Ignored = slices.Concat(user.Dropped, r.Dropped), slices.Concat(user.Ignored, r.Ignored)
	r.Files = slices.Concat(user.Files, r.Files)
	r.Layers = slices.Concat(user.Layers, r.Layers)
	for _, hooks := range [][]Hook{r.Hooks, r.Others} {
		for i := range hooks {
			hooks[i].Layers = layersOf(r.Layers, hooks[i])
		}
	}
	return r
}
