// Package discover finds the hooks of a project: those that its settings files
// and plugins register, and the scripts that lie in its hooks directories.
package discover

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/client/settings"
	"hookwatch/suites/disk"
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

// Hooks reads the settings files of a project, relative to root unless they are
// absolute, and what else registers hooks; files that do not exist are left out.
// Positions hold slash paths from the root. It fails when a file that exists
// cannot be read; what else cannot is a problem.
func Hooks(r disk.Reader, root string, settingsPaths []string, more []Source) (Registered, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return Registered{}, fmt.Errorf("project root: %w", err)
	}
	c := &collector{reader: r, root: root, ids: map[string]bool{}}
	for _, path := range settingsPaths {
		if err := c.read(Source{File: c.absolute(path), Scope: InProject}); err != nil {
			return Registered{}, err
		}
	}
	for _, source := range more {
		if err := c.read(source); err != nil { // nobody named it: the rest holds all the same
			problem := suites.Problem{At: suites.Position{File: c.slash(source.File)}, What: err.Error()}
			c.out.Problems = append(c.out.Problems, problem)
		}
	}
	return c.finish(), nil
}

// For lists the hooks that fire when the event's matched field holds value, in
// order. Identical commands run once, as the client has it. A hook with an `if`
// is taken to fire on a tool event, whose call it may match, and never elsewhere.
func (r Registered) For(event, value string) []Hook {
	about, _ := client.EventByName(event)
	seen := map[string]bool{}
	var firing []Hook
	for _, hook := range r.Hooks {
		if hook.Event != event || !client.Match(event, hook.Matcher, value) || hook.If != "" && !about.Tool {
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
		in := strings.Contains(h.Command, name) || slices.ContainsFunc(h.Scripts, func(s string) bool { return strings.Contains(s, name) })
		if h.Event == event && in {
			meant = append(meant, h)
		}
	}
	if len(meant) != 1 {
		return Hook{}, false
	}
	return meant[0], true
}

// runsAs is equal for hooks of one event of which the client runs only one.
func (h Hook) runsAs() string {
	if h.Type != "command" {
		return h.ID
	}
	raw, _ := json.Marshal([]any{h.Plugin, h.Command, h.Args, h.If}) // strings always encode
	return string(raw)
}

// A collector gathers what the files say.
type collector struct {
	reader disk.Reader
	root   string
	out    Registered
	ids    map[string]bool
}

// settingsAtMost bounds a settings file, in bytes.
const settingsAtMost = 1 << 20

// read takes the hooks of one file.
func (c *collector) read(from Source) error {
	data, err := c.reader.ReadFile(from.File, settingsAtMost)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil && from.Plugin != "":
		return fmt.Errorf("plugin: %w", err)
	case err != nil:
		return err
	}
	name := c.slash(from.File)
	parse := settings.Parse
	switch from.Scope {
	case InPlugin:
		parse = func(path string, data []byte) (*settings.Settings, []suites.Problem) {
			return settings.ParsePlugin(client.Default, path, data)
		}
	case InDocument:
		parse = parseDocument
	}
	read, problems := parse(name, data)
	c.add(from, read, problems)
	return nil
}

// add takes what one file says.
func (c *collector) add(from Source, read *settings.Settings, problems []suites.Problem) {
	c.out.Files = append(c.out.Files, read.Path)
	c.others(from, read)
	if from.Scope == InTemplate {
		return // the client never sees it
	}
	for _, problem := range problems {
		if dead := len(read.Dead); dead > 0 {
			problem.Hint += fmt.Sprintf("; until then the client drops the whole file: %d other hooks in it never run", dead)
		}
		c.out.Dropped = append(c.out.Dropped, problem)
	}
	c.out.Ignored = append(c.out.Ignored, read.Ignored...)
	c.out.Problems = append(append(c.out.Problems, c.out.Dropped[len(c.out.Dropped)-len(problems):]...), read.Ignored...)
	if from.Scope.Everywhere() && read.DisableAllHooks.Line > 0 && c.out.DisabledBy.Line == 0 {
		c.out.DisabledBy = read.DisableAllHooks
	}
	if from.Scope.Everywhere() {
		c.out.Hooks = append(c.out.Hooks, c.hooks(from, read.Entries)...)
	}
}

// others takes what a file registers and the client does not launch.
func (c *collector) others(from Source, read *settings.Settings) {
	if !from.Scope.Everywhere() {
		c.out.Others = append(c.out.Others, c.hooks(from, read.Entries)...)
	}
	dead := c.hooks(from, read.Dead)
	for i := range dead {
		dead[i].Dead = true
	}
	c.out.Others = append(c.out.Others, dead...)
}

// hooks makes hooks of a file's entries. The same command under the same matcher
// is one hook, the first: the client never runs the second.
func (c *collector) hooks(from Source, entries []client.Entry) (all []Hook) {
	seen := map[string]bool{}
	for _, entry := range entries {
		hook := c.hook(from, entry)
		same := hook.Event + "\x00" + hook.Matcher + "\x00" + hook.runsAs()
		if hook.Type == "command" && seen[same] {
			continue
		}
		seen[same] = true
		hook.ID = c.unique(hook.ID)
		all = append(all, hook)
	}
	return all
}

func (c *collector) hook(from Source, entry client.Entry) Hook {
	hook := Hook{
		Event: entry.Event, Matcher: entry.Matcher, Type: entry.Type, Command: entry.Command, Args: entry.Args,
		If: entry.If, Timeout: entry.Timeout, Source: entry.At, Entry: entry,
		Scope: from.Scope, Session: from.Session, Plugin: from.Plugin, PluginRoot: from.PluginRoot, Root: c.root,
	}
	hook.Entry.Plugin = from.Scope == InPlugin
	if hook.Timeout == 0 {
		hook.Timeout = client.DefaultTimeout(entry.Event, entry.Type)
	}
	if hook.Type == "command" {
		hook.Scripts, hook.Direct = newResolver(hook, filepath.Dir(from.File)).scripts()
	}
	hook.ID = identify(c.scopeOf(from), hook, entry.URL+entry.Prompt)
	return hook
}

// finish lets disableAllHooks turn everything off, whichever file says so.
// scopeOf is the part of an ID that says where a hook is registered.
func (c *collector) scopeOf(from Source) string {
	if from.Scope == InPlugin {
		return "plugin:" + from.Plugin
	}
	return scopeName(c.slash(from.File))
}

// Start is the absolute path of the directory where a session starts in which the
// hook is in force, as far as it lies in the tree.
func (h Hook) Start() string { return cmp.Or(h.Session, h.Root) }

func (c *collector) finish() Registered {
	if c.out.DisabledBy.Line > 0 {
		c.out.Problems = append(c.out.Problems, suites.Problem{
			At: c.out.DisabledBy, What: "disableAllHooks turns every hook off, those of other settings files too",
			Hint: "remove it, or set it to false, to have hooks again",
		})
		c.out.Hooks = nil
	}
	return c.out
}

func (c *collector) absolute(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(c.root, path)
}

// slash is the slash path from the root, or the absolute path of a file outside.
func (c *collector) slash(path string) string {
	if relative, inside := within(c.root, path); inside {
		return relative
	}
	return filepath.ToSlash(path)
}

// within is the slash path of path from dir, if it lies in it.
func within(dir, path string) (string, bool) {
	relative, err := filepath.Rel(dir, path)
	if err != nil || relative == ".." || strings.HasPrefix(relative, ".."+string(filepath.Separator)) {
		return "", false
	}
	return filepath.ToSlash(relative), true
}
