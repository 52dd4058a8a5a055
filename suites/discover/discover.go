// Package discover finds the hooks of a project: those that its settings files and plugins
// register, and the scripts in its hooks directories.
package discover

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/client/clients"
	"hookwatch/suites/disk"
)

// Hooks reads the settings files of a project, relative to root unless they are absolute, and
// the other sources in more; files that do not exist are skipped. Positions contain slash paths
// from the root. It returns an error if an existing settings file cannot be read; for other
// sources that is a problem in the result.
func Hooks(r disk.Reader, root string, settingsPaths []string, more []Source) (Registered, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return Registered{}, fmt.Errorf("project root: %w", err)
	}
	c := &collector{reader: r, root: root, out: Registered{root: root}, ids: map[string]int{}}
	var all []parsed
	for _, path := range settingsPaths {
		one, err := c.read(Source{File: c.makeAbsolute(path), Scope: InProject})
		if err != nil {
			return Registered{}, err
		}
		all = append(all, one)
	}
	for _, source := range more {
		one, err := c.read(source)
		if err != nil { // the user did not name it, so the rest is still valid
			problem := suites.Problem{At: suites.Position{File: c.slash(source.File)}, What: err.Error()}
			c.out.Problems = append(c.out.Problems, problem)
		}
		all = append(all, one)
	}
	c.layers(all)
	for _, one := range all {
		switch {
		case one.data == nil:
		case one.from.Client != "":
			c.addElsewhere(one.from, c.slash(one.from.File), one.data)
		default:
			c.out.claudes = append(c.out.claudes, one)
			c.add(one.from, one.settings, one.problems)
		}
	}
	return c.finish(), nil
}

// A parsed is a file that registers hooks. Its data is nil if there is none.
type parsed struct {
	from     Source
	data     []byte
	settings *client.Settings // nil for another client's file
	problems []suites.Problem
}

// A collector collects the hooks of the files.
type collector struct {
	reader disk.Reader
	root   string
	out    Registered
	ids    map[string]int // to the last number that follows it
}

func (c *collector) read(from Source) (parsed, error) {
	data, err := c.reader.ReadFile(from.File, settingsAtMost)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return parsed{}, nil
	case err != nil && from.Plugin != "":
		return parsed{}, fmt.Errorf("plugin: %w", err)
	case err != nil:
		return parsed{}, err
	}
	one := parsed{from: from, data: append([]byte{}, data...)}
	if from.Client != "" {
		return one, nil
	}
	parse := client.ParseSettings
	switch from.Scope {
	case InPlugin:
		parse = func(path string, data []byte) (*client.Settings, []suites.Problem) {
			return client.ParsePlugin(client.Default, path, data)
		}
	case InDocument:
		parse = parseDocument
	}
	one.settings, one.problems = parse(c.slash(from.File), data)
	if from.Refused.What != "" {
		one.problems = append(one.problems, from.Refused)
		one.settings.Dead, one.settings.Entries = append(one.settings.Dead, one.settings.Entries...), nil
	}
	return one, nil
}

// layers collects the variables of the settings, which count for commands in any file.
func (c *collector) layers(all []parsed) {
	for _, scope := range []Scope{InUser, InHome, InProject, InDirectory} {
		for _, one := range all {
			if one.settings != nil && one.from.Scope == scope && len(one.settings.Env) > 0 {
				c.out.Layers = append(c.out.Layers, Layer{one.settings.Path, filterVariables(one.settings.Env, scope), scope, one.from.Session})
			}
		}
	}
}

func (c *collector) addElsewhere(from Source, name string, data []byte) {
	of, _ := clients.ByName(from.Client)
	hooks, problems := of.Hooks(name, data)
	c.out.ElsewhereProblems = append(c.out.ElsewhereProblems, problems...)
	for _, found := range hooks {
		hook := c.hook(from, found.Entry)
		hook.ClientEvent, hook.ClientMatcher, hook.Inert = found.Event, found.Matcher, found.Ignored
		if hook.Timeout = found.Entry.Timeout; hook.Timeout == 0 {
			hook.Timeout = of.DefaultTimeout()
		}
		hook.ID = c.makeUnique(found.Event + strings.TrimPrefix(hook.ID, hook.Event))
		c.out.Elsewhere = append(c.out.Elsewhere, hook)
	}
}

func (c *collector) add(from Source, read *client.Settings, problems []suites.Problem) {
	c.out.Files = append(c.out.Files, read.Path)
	c.addOthers(from, read)
	if from.Scope == InTemplate {
		return // the client never reads it
	}
	for _, problem := range problems {
		switch dead := len(read.Dead); {
		case dead == 1:
			problem.Hint += "; until then the client drops the whole file: its hook never runs"
		case dead > 1:
			problem.Hint += fmt.Sprintf("; until then the client drops the whole file: its %d hooks never run", dead)
		}
		c.out.Dropped = append(c.out.Dropped, problem)
	}
	c.out.Ignored = append(c.out.Ignored, read.Ignored...)
	c.out.Problems = append(append(c.out.Problems, c.out.Dropped[len(c.out.Dropped)-len(problems):]...), read.Ignored...)
	if from.Scope.IsEverywhere() {
		if read.DisableAllHooks.Line > 0 || read.EnablesHooks {
			c.out.DisabledBy, c.out.EnablesHooks = read.DisableAllHooks, read.EnablesHooks // the last file counts
		}
		c.out.Rules = append(c.out.Rules, read.Rules...)
		c.out.Hooks = append(c.out.Hooks, c.hooks(from, read.Entries)...)
	}
}

// addOthers adds hooks that a file registers and the client does not launch.
func (c *collector) addOthers(from Source, read *client.Settings) {
	if !from.Scope.IsEverywhere() {
		c.out.Others = append(c.out.Others, c.hooks(from, read.Entries)...)
	}
	dead := c.hooks(from, read.Dead)
	for i := range dead {
		dead[i].Dead = true
	}
	c.out.Others = append(c.out.Others, dead...)
}

// hooks returns the hooks for a file's entries. The same command under the same matcher is one
// hook, the first, because the client never runs the second.
func (c *collector) hooks(from Source, entries []client.Entry) (all []Hook) {
	seen := map[string]bool{}
	for _, entry := range entries {
		hook := c.hook(from, entry)
		same := hook.Event + "\x00" + hook.Matcher + "\x00" + hook.runsAs()
		if hook.Type == "command" && seen[same] {
			continue
		}
		seen[same] = true
		hook.ID = c.makeUnique(hook.ID)
		all = append(all, hook)
	}
	return all
}

func (c *collector) hook(from Source, entry client.Entry) Hook {
	hook := Hook{
		Event: entry.Event, Matcher: entry.Matcher, Type: entry.Type, Command: entry.Command, Args: entry.Args,
		If: entry.If, Timeout: entry.Timeout, Source: entry.At, Entry: entry, Client: from.Client,
		Scope: from.Scope, Session: from.Session, Plugin: from.Plugin, PluginRoot: from.PluginRoot, Root: c.root, Servers: from.Servers,
	}
	hook.Entry.Plugin = from.Scope == InPlugin
	hook.Layers = layersOf(c.out.Layers, hook)
	hook.Timeout = cmp.Or(hook.Timeout, client.DefaultTimeout(entry.Event, entry.Type))
	if hook.Type == "command" {
		hook.Scripts, hook.Direct = newResolver(hook, filepath.Dir(from.File)).scripts()
	}
	hook.ID = identify(c.scopeOf(from), hook, entry.URL+entry.Prompt)
	return hook
}

// scopeOf returns the part of an ID that identifies the place where a hook is registered.
func (c *collector) scopeOf(from Source) string {
	if from.Scope == InPlugin {
		return "plugin:" + from.Plugin
	}
	return scopeName(c.slash(from.File))
}

// finish returns the collected hooks. It drops all of them if the setting that counts disables them.
func (c *collector) finish() Registered {
	if c.out.DisabledBy.Line > 0 {
		c.out.Problems = append(c.out.Problems, suites.Problem{
			At: c.out.DisabledBy, What: "disableAllHooks turns every hook off, those of other settings files too",
			Hint: "remove it, or set it to false, to have hooks again",
		})
		c.out.Hooks, c.out.disabled = nil, c.out.Hooks
	}
	return c.out
}

func (c *collector) makeAbsolute(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(c.root, path)
}

// slash returns the slash path from the root, or the absolute path of a file outside it.
func (c *collector) slash(path string) string {
	if relative, inside := relativeTo(c.root, path); inside {
		return relative
	}
	return filepath.ToSlash(path)
}

// makeUnique returns an ID with a number if another hook has the same one: an ID ignores differences
// such as a trailing space, with which the client has another command.
func (c *collector) makeUnique(id string) string {
	candidate := id
	for c.ids[candidate] > 0 {
		c.ids[id]++
		candidate = id + "-" + strconv.Itoa(c.ids[id])
	}
	c.ids[candidate] = 1
	return candidate
}
