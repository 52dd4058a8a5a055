// Package discover finds the hooks of a project: those that its settings files
// and plugins register, and the scripts that lie in its hooks directories.
package discover

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
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
	Source     suites.Position
	Plugin     string       // the plugin's name; "" for a hook of a settings file
	PluginRoot string       // absolute path of the plugin
	Root       string       // absolute path of the project
	Scripts    []string     // project files that the command names, as slash paths from the root
	Entry      client.Entry // as it is registered
	Direct     []string     // those of Scripts that it starts as programs: they need an execute bit
}

// Hooks reads settings files and plugin directories, relative to root unless
// they are absolute; those that do not exist are left out. Positions hold slash
// paths from the root. It fails when a file that exists cannot be read.
func Hooks(r disk.Reader, root string, settingsPaths []string, pluginDirs []string) (Registered, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return Registered{}, fmt.Errorf("project root: %w", err)
	}
	c := &collector{reader: r, root: root, ids: map[string]bool{}}
	for _, path := range settingsPaths {
		if err := c.settingsFile(path); err != nil {
			return Registered{}, err
		}
	}
	for _, dir := range pluginDirs {
		if err := c.pluginDir(dir); err != nil {
			return Registered{}, err
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

// A scope is where entries come from.
type scope struct {
	name       string // part of every ID
	plugin     string
	pluginRoot string
	settings   string // absolute path of the file
}

func (c *collector) settingsFile(path string) error {
	path = c.absolute(path)
	data, err := c.reader.ReadFile(path, settingsAtMost)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	name := c.slash(path)
	read, problems := settings.Parse(name, data)
	c.add(scope{name: scopeName(name), settings: path}, read, problems)
	return nil
}

func (c *collector) pluginDir(dir string) error {
	dir = c.absolute(dir)
	path := filepath.Join(dir, "hooks", "hooks.json")
	data, err := c.reader.ReadFile(path, settingsAtMost)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("plugin: %w", err)
	}
	plugin := c.pluginName(dir)
	read, problems := settings.ParsePlugin(client.Default, c.slash(path), data)
	c.add(scope{name: "plugin:" + plugin, plugin: plugin, pluginRoot: dir, settings: path}, read, problems)
	return nil
}

// pluginName is what the plugin calls itself, or the name of its directory.
func (c *collector) pluginName(dir string) string {
	var manifest struct {
		Name string `json:"name"`
	}
	data, err := c.reader.ReadFile(filepath.Join(dir, ".claude-plugin", "plugin.json"), settingsAtMost)
	if err == nil && json.Unmarshal(data, &manifest) == nil && manifest.Name != "" {
		return manifest.Name
	}
	return filepath.Base(dir)
}

func (c *collector) add(from scope, read *settings.Settings, problems []suites.Problem) {
	c.out.Files = append(c.out.Files, read.Path)
	for _, problem := range problems {
		if dead := len(read.Dead); dead > 0 {
			problem.Hint += fmt.Sprintf("; until then the client drops the whole file: %d other hooks in it never run", dead)
		}
		c.out.Problems = append(c.out.Problems, problem)
	}
	c.out.Problems = append(c.out.Problems, read.Ignored...)
	if read.DisableAllHooks.Line > 0 && c.out.DisabledBy.Line == 0 {
		c.out.DisabledBy = read.DisableAllHooks
	}
	seen := map[string]bool{}
	for _, entry := range read.Entries {
		hook := c.hook(from, entry)
		// The same command under the same matcher of one file is one hook, the
		// first: the client never runs the second.
		same := hook.Event + "\x00" + hook.Matcher + "\x00" + hook.runsAs()
		if hook.Type == "command" && seen[same] {
			continue
		}
		seen[same] = true
		hook.ID = c.unique(hook.ID)
		c.out.Hooks = append(c.out.Hooks, hook)
	}
}

func (c *collector) hook(from scope, entry client.Entry) Hook {
	hook := Hook{
		Event: entry.Event, Matcher: entry.Matcher, Type: entry.Type, Command: entry.Command, Args: entry.Args,
		If: entry.If, Timeout: entry.Timeout, Source: entry.At,
		Plugin: from.plugin, PluginRoot: from.pluginRoot, Root: c.root, Entry: entry,
	}
	hook.Entry.Plugin = from.plugin != ""
	if hook.Timeout == 0 {
		hook.Timeout = client.DefaultTimeout(entry.Event, entry.Type)
	}
	if hook.Type == "command" {
		hook.Scripts, hook.Direct = newResolver(hook, filepath.Dir(from.settings)).scripts()
	}
	hook.ID = identify(from.name, hook, entry.URL+entry.Prompt)
	return hook
}

// finish lets disableAllHooks turn everything off, whichever file says so.
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
