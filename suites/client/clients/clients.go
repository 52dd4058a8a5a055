// Package clients describes the programs that run hooks: Claude Code, whose behavior package client
// models, and others. Each is a file of data/, with the cells that were measured on it in another.
//
// A client that was run has a measured version. The facts of the others are only documented, and
// every fact that a document does not state is unknown: no effect is predicted for it.
package clients

import (
	"embed"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"go.yaml.in/yaml/v4"

	"hookwatch/suites"
	"hookwatch/suites/client"
	"hookwatch/suites/pattern"
)

// Claude is the name of the client that package client models.
const Claude = "claude"

// A Client is one program that runs hooks.
type Client struct {
	Name  string // as in --client
	Title string // in sentences
	// Measured is the version that was run; empty if the facts are only documented.
	Measured string
	// Documented is the address of the page or file that the facts were read in.
	Documented string
	On         string // date of the measurement or of the reading
	// Files are the hook files in a project, as globs of slash paths from any directory, in the order in
	// which the client reads them.
	Files []string
	// NamedOnly reports that only the places of the files are known.
	NamedOnly bool `yaml:"named_only"`
	Entry     Entry
	Launch    Launch
	Matcher   Matcher
	// Tools are the client's names of tools, by Claude Code's.
	Tools  map[string]string
	Events map[string]Event // by the client's name
	// Unmeasured are further events that its documentation or its schema names.
	Unmeasured []string
	// Fields are the client's names of payload fields, by Claude Code's; an empty name is a field
	// that the client does not send.
	Fields map[string]string `yaml:"payload"`
	// ClaudeFields are the same for hooks of Claude Code's files.
	ClaudeFields map[string]string `yaml:"claude_payload"`
	// Inputs are the fields of tool_input of tools that have others, by Claude Code's tool; {NAME} is
	// Claude Code's field.
	Inputs map[string]map[string]string
	// Responses are the texts that it sends as tool_response, or objects of texts, by Claude Code's tool;
	// {NAME} is a field of Claude Code's.
	Responses map[string]any
	// ClaudeResponses are the same for hooks of events in Claude Code's form.
	ClaudeResponses map[string]any `yaml:"claude_responses"`
	// Values are its words for values of a payload, by Claude Code's field and value.
	Values map[string]map[string]string
	// Adds are fields of every payload that Claude Code sends in no payload, or not in every one, with a
	// value of each.
	Adds    map[string]any
	Accepts Accepts
	Outputs []Rule
	Live    Live
	Agent   Agent
}

// An Agent describes the hook that gives the model the failures of an edit; empty if it was not run with the client.
type Agent struct {
	Matcher  string // the tools that edit files or run commands
	TopLevel bool   // additionalContext is read at the top level, not in hookSpecificOutput
	Skill    string // slash path of the skill that teaches the model; "" if none is written
	Empty    string // a hook file without hooks; {} if it is ""
	Needs    string // what the user must do before the client runs the hook, as a part of a sentence
}

// Context returns the output by which a hook of one of Claude Code's events gives the model a text.
func (c Client) Context(event, text string) any {
	if c.Agent.TopLevel {
		return map[string]string{"additionalContext": text}
	}
	own, _ := c.EventFor(event, "")
	return map[string]any{"hookSpecificOutput": map[string]string{"hookEventName": own, "additionalContext": text}}
}

// An Entry describes the keys of a registered hook.
type Entry struct {
	Command []string // the keys of the command, the preferred first
	Timeout struct {
		Keys    []string
		Unit    string  // s or ms
		Default float64 // seconds
	}
	Ignored []string // keys of Claude Code without effect
	// Dir is the key of the directory in which the command runs, from the session's; "" if there is
	// none.
	Dir string
	// Env is the key of an object of variables that the hook gets; "" if there is none.
	Env string
	// Fatal are mistakes for which the client drops the whole file.
	Fatal struct {
		Only []string // another key of a JSON file than these
		// A value of another kind: string, non-empty text, boolean, object, list, whole number, positive
		// number, or another value than this one. A key with ! is required.
		File, Group, Entry map[string]string
		// Alone reports that in files of its own it drops only the entry with such a mistake.
		Alone bool
		// Another type than these, with the keys of which one needs one, separated by bars; none if that has
		// no such effect.
		Types map[string]string
		BOM   bool // a byte order mark
		Twice bool // one of these keys twice
	}
	Nested bool // entries are only read below a matcher's hooks
	Typed  bool // an entry without a type never runs
	// Settings are keys next to events that are none.
	Settings []string
}

// Launch describes the environment of a hook.
type Launch struct {
	// Shell are the program and the options before a command; empty for /bin/sh -c.
	Shell []string
	// Sets are the variables that the client adds, with their values, in which {root} is the project's
	// directory and {hooks} that of the hook's file. A variable with the latter is only set for hooks of
	// a file that has any name in its directory.
	Sets map[string]string
	// Sockets reports that the standard streams of hooks are sockets, which cannot be opened by a path such
	// as /dev/stdin (on Linux).
	Sockets bool
	// Repeats reports that a command runs as often as it is registered, and not once for an event.
	Repeats bool
	// Expands are variables that it replaces in the command by the project's directory, which it quotes if
	// that has a blank: quotes around the variable then break the path.
	Expands []string
	// Denials are the denials that the model is sent if several hooks deny: first, the one registered
	// first, or all; empty for the last to finish.
	Denials string
	// Until are the effects of a hook after which no further one of the event runs. If there are any, hooks
	// run one after the other: those of a file's own events before those of Claude Code's.
	Until []suites.Effect
}

// An Event is a moment at which a client runs hooks.
type Event struct {
	As   string // Claude Code's event of the same meaning; empty if it has none
	Tool string // Claude Code's tool, if the event is of one tool only
	// Claude reports that the event is of hooks in Claude Code's files, and has its form.
	Claude bool
	// Lacks are fields, by the client's names, that its payload does not have and those of others have.
	Lacks []string
	// Adds are further fields of the payload, as in Client.
	Adds map[string]any
	// Unmatched reports that its matchers do not count.
	Unmatched bool
	// Last reports that of several hooks with context only that of the last is sent to the model.
	Last bool
	// Alone are outputs beside which the model is sent no text of another hook.
	Alone []When
}

// Clients returns all clients, Claude Code first, then measured and documented ones.
func Clients() []Client { return slices.Clone(load()) }

// ByName returns the client with a name.
func ByName(name string) (Client, bool) {
	for _, c := range load() {
		if c.Name == name {
			return c, true
		}
	}
	return Client{}, false
}

// Parse returns the clients that a comma-separated list names, in its order.
func Parse(list string) (all []Client, err error) {
	for name := range strings.SplitSeq(list, ",") {
		c, ok := ByName(strings.TrimSpace(name))
		switch {
		case !ok:
			hint := "known are " + strings.Join(Names(), ", ")
			if near := pattern.Nearest(strings.ToLower(name), Names()); near != "" {
				hint = "did you mean " + near + "?"
			}
			return nil, fmt.Errorf("no client %q (%s)", strings.TrimSpace(name), hint)
		case c.NamedOnly:
			return nil, fmt.Errorf("of %s only the places of its hook files are known, not what it does with an output", c.Title)
		case !slices.ContainsFunc(all, func(o Client) bool { return o.Name == c.Name }):
			all = append(all, c)
		}
	}
	return all, nil
}

// Names returns the names of the clients whose behavior is known.
func Names() (names []string) {
	for _, c := range load() {
		if !c.NamedOnly {
			names = append(names, c.Name)
		}
	}
	return names
}

// Known describes the source of the facts: "measured on 0.171.0" or "documented".
func (c Client) Known() string {
	switch {
	case c.Name == Claude:
		return "measured on " + string(client.Default)
	case c.Measured != "":
		return "measured on " + c.Measured
	default:
		return documented
	}
}

// documented is the source of facts that were only read.
const documented = "documented, not measured"

// EventFor returns the client's name of one of Claude Code's events for hooks of a file, and whether
// it has such an event.
func (c Client) EventFor(event, file string) (string, bool) {
	if c.Name == Claude {
		_, ok := client.EventByName(event)
		return event, ok
	}
	if e, ok := c.Events[event]; ok && e.Claude && c.Reads(file) {
		return event, true
	}
	for _, name := range slices.Sorted(maps.Keys(c.Events)) {
		if e := c.Events[name]; e.As == event && e.Tool == "" && !e.Claude {
			return name, true
		}
	}
	return "", false
}

// Sets reports whether the client sets a variable for hooks that are in no plugin.
func (c Client) Sets(variable string) bool { return has(c.Launch.Sets, variable) }

// Variables returns the variables that some client sets for hooks, and those that authors take for
// such ones by their names.
func Variables() (all []string) {
	for _, c := range load() {
		name := strings.ToUpper(c.Name)
		all = append(slices.AppendSeq(all, maps.Keys(c.Launch.Sets)), name+"_PROJECT_DIR", name+"_PLUGIN_ROOT")
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Command returns the arguments with which the client starts a command.
func (c Client) Command(command string) []string {
	if len(c.Launch.Shell) == 0 {
		return []string{"/bin/sh", "-c", command}
	}
	return append(slices.Clone(c.Launch.Shell), command)
}

// Env returns the variables, as NAME=value, that the client adds for the hooks of a project's file, of
// which the slash path is given; "" for a script that no file registers.
func (c Client) Env(root, file string) (env []string) {
	at := c.Order(file)
	pairs := []string{"{root}", root}
	if at >= 0 && strings.Contains(c.Files[at], "*") {
		pairs = append(pairs, "{hooks}", filepath.Join(root, filepath.FromSlash(path.Dir(c.Files[at]))))
	}
	for _, name := range slices.Sorted(maps.Keys(c.Launch.Sets)) {
		if value := strings.NewReplacer(pairs...).Replace(c.Launch.Sets[name]); value != "{hooks}" {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// Ignores reports whether a key of an entry has no effect.
func (c Client) Ignores(key string) bool { return slices.Contains(c.Entry.Ignored, key) }

// DefaultTimeout returns the time limit of a hook whose entry has none.
func (c Client) DefaultTimeout() time.Duration {
	return time.Duration(c.Entry.Timeout.Default * float64(time.Second))
}

// Reads reports whether the client reads a file of a project, by its slash path.
func (c Client) Reads(file string) bool { return c.Order(file) >= 0 }

// Order returns the position of a file among those that the client reads, in its order.
func (c Client) Order(file string) int {
	return slices.IndexFunc(c.Files, func(place string) bool { return isAt(file, place) })
}

// Home returns the directory of a project whose sessions read a hook file, by its slash path; ""
// for the root.
func (c Client) Home(file string) string {
	for _, place := range c.Files {
		if isAt(file, place) {
			parts := strings.Split(file, "/")
			return strings.Join(parts[:len(parts)-strings.Count(place, "/")-1], "/")
		}
	}
	return ""
}

// isAt reports whether a slash path ends with the elements of a glob.
func isAt(file, place string) bool {
	elements := strings.Count(place, "/") + 1
	parts := strings.Split(file, "/")
	if len(parts) < elements {
		return false
	}
	ok, _ := path.Match(place, strings.Join(parts[len(parts)-elements:], "/"))
	return ok
}

// ReadBy returns the clients that read a file of a project.
func ReadBy(file string) []Client {
	return slices.DeleteFunc(Clients(), func(c Client) bool { return !c.Reads(file) })
}

// IsHookFile reports whether a slash path may be a hook file of a client other than Claude Code. It
// is cheap: the data is only read for trees that have such a file.
func IsHookFile(file string) bool {
	dot := strings.HasPrefix(file, ".") || strings.Contains(file, "/.")
	if !dot || !slices.Contains([]string{".json", ".toml"}, path.Ext(file)) {
		return false
	}
	return !strings.HasSuffix(path.Dir(file), ".claude")
}

//go:embed data
var data embed.FS

// load reads the facts once. It ignores errors because a test ensures that there are none.
var load = sync.OnceValue(func() []Client {
	all, _ := read()
	return all
})

func read() (all []Client, err error) {
	files, err := data.ReadDir("data")
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		if strings.HasSuffix(file.Name(), cellsSuffix) {
			continue
		}
		text, err := data.ReadFile("data/" + file.Name())
		if err != nil {
			return nil, err
		}
		var c Client
		if err := yaml.Load(text, &c, yaml.WithKnownFields()); err != nil {
			return nil, fmt.Errorf("%s: %w", file.Name(), err)
		}
		all = append(all, c)
	}
	slices.SortStableFunc(all, func(a, b Client) int { return a.order() - b.order() })
	return all, nil
}

// order sorts clients by how much is known of them.
func (c Client) order() int {
	switch {
	case c.Name == Claude:
		return 0
	case c.Measured != "":
		return 1
	case c.NamedOnly:
		return 3
	default:
		return 2
	}
}

const cellsSuffix = ".cells.yaml"

// A Cell is an output at one event, with what the client was observed to do.
type Cell struct {
	Case   string
	Event  string // the client's name
	Output client.Output
	Effect suites.Effect
	Sees   string // text that the model was sent; empty if none
}

// Cells returns what was measured on the client.
func (c Client) Cells() (all []Cell, err error) {
	text, err := data.ReadFile("data/" + c.Name + cellsSuffix)
	if err != nil {
		return nil, err
	}
	var rows []struct {
		Case   string
		Output struct {
			Exit           int
			Signal         string
			TimedOut       bool `yaml:"timed_out"`
			Stdout, Stderr string
		}
		Then []struct {
			At     []string
			Effect suites.Effect
			Sees   string
		}
	}
	if err := yaml.Load(text, &rows, yaml.WithKnownFields()); err != nil {
		return nil, fmt.Errorf("%s%s: %w", c.Name, cellsSuffix, err)
	}
	for _, row := range rows {
		for _, then := range row.Then {
			for _, event := range then.At {
				out := client.Output{
					Exit: row.Output.Exit, Signal: row.Output.Signal, TimedOut: row.Output.TimedOut,
					Stdout: []byte(strings.ReplaceAll(row.Output.Stdout, "EVENT", c.Events[event].As)), Stderr: []byte(row.Output.Stderr),
				}
				all = append(all, Cell{row.Case, event, out, then.Effect, then.Sees})
			}
		}
	}
	return all, nil
}
