package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"hookwatch/suites"
	"hookwatch/suites/jsontree"
)

// Settings is what the client reads from one settings file or plugin.
type Settings struct {
	Path string
	// Dropped tells that the client ignores the whole file without a word,
	// because of one entry in it. Nothing in it is in force then.
	Dropped bool
	// Entries are the hooks in force, in the file's order; none when Dropped.
	Entries []Entry
	// Dead are the hooks that would be in force if the file were not dropped.
	Dead []Entry
	// Ignored are parts that the client leaves out alone, while the rest holds.
	Ignored []suites.Problem
	// DisableAllHooks stands where the file turns every hook off, of other
	// settings files as well; zero when it does not.
	DisableAllHooks suites.Position
}

// An Entry is one registered hook.
type Entry struct {
	Event   string
	Matcher string // "" when omitted
	Type    string // command, http, prompt, agent or mcp_tool
	Command string
	Args    []string // not nil, be it empty: the exec form, without a shell
	URL     string   // of an http hook
	Prompt  string   // of a prompt or agent hook
	If      string   // permission rule that a tool call must match
	// Timeout is what the entry says, 0 when it says nothing; see DefaultTimeout.
	Timeout time.Duration
	Async   bool
	Once    bool
	At      suites.Position // of the entry itself
}

// ParseSettings tells what the client does with a settings file. Any problem in
// the list makes it drop the whole file, silently when it runs without a person:
// every hook in it is dead. Positions name the entry that does so. Observed,
// except for wrong types of keys other than type, command, timeout, matcher and
// permissions, which are taken to follow the same validation.
func ParseSettings(path string, data []byte) (*Settings, []suites.Problem) {
	p := &settingsParser{settings: &Settings{Path: path}, version: Default}
	if root, ok := p.root(path, data); ok {
		p.readSettings(root)
	}
	return p.finish()
}

// ParsePlugin tells what a client of version v does with a plugin's hooks.json,
// whose hooks stand below a key "hooks". One unknown event name loses all of
// the plugin's hooks on 2.1.197, and itself alone on 2.1.329.
func ParsePlugin(v Version, path string, data []byte) (*Settings, []suites.Problem) {
	p := &settingsParser{settings: &Settings{Path: path}, version: v, plugin: true}
	if root, ok := p.root(path, data); ok {
		if hooks, found := root.Get("hooks"); found {
			p.hooks(hooks)
		} else {
			p.fatal(root.Start, `a plugin's hooks.json has no key "hooks"`, `wrap the events: {"hooks": {...}}`)
		}
	}
	return p.finish()
}

// DefaultTimeout is the time that the client gives a hook whose entry says
// nothing: documented, except for SessionEnd, observed on client 2.1.197.
func DefaultTimeout(event, hookType string) time.Duration {
	switch {
	case event == "SessionEnd":
		return 1500 * time.Millisecond
	case hookType == "prompt":
		return 30 * time.Second
	case hookType == "agent":
		return 60 * time.Second
	case event == "UserPromptSubmit":
		return 30 * time.Second
	case event == "MessageDisplay":
		return 10 * time.Second
	default:
		return 600 * time.Second
	}
}

// A settingsParser collects what one file says.
type settingsParser struct {
	settings *Settings
	source   source
	version  Version
	plugin   bool
	problems []suites.Problem
}

// fatal notes a problem at an offset of the file.
func (p *settingsParser) fatal(at int, what, hint string) {
	p.problems = append(p.problems, suites.Problem{At: p.source.position(at), What: what, Hint: hint})
}

func (p *settingsParser) ignore(at int, what, hint string) {
	p.settings.Ignored = append(p.settings.Ignored, suites.Problem{At: p.source.position(at), What: what, Hint: hint})
}

// finish turns hooks of a file with a problem into dead ones.
func (p *settingsParser) finish() (*Settings, []suites.Problem) {
	s := p.settings
	if len(p.problems) > 0 {
		s.Dropped, s.Dead, s.Entries, s.DisableAllHooks = true, s.Entries, nil, suites.Position{}
	}
	return s, p.problems
}

// root decodes the file. An empty one says nothing and has no problem.
func (p *settingsParser) root(path string, data []byte) (jsontree.Value, bool) {
	if len(bytes.TrimSpace(data)) == 0 {
		return jsontree.Value{}, false
	}
	p.source = newSource(path, data)
	root, err := jsontree.Parse(p.source.data)
	switch {
	case err != nil:
		p.problems = append(p.problems, p.source.syntaxProblem(err))
	case root.Kind != '{':
		p.fatal(root.Start, "the file holds "+describe(root)+", not an object", "start it with {")
	default:
		return root, true
	}
	return root, false
}

func (p *settingsParser) readSettings(root jsontree.Value) {
	for _, key := range []string{"permissions", "env"} {
		if value, given := root.Get(key); given && value.Kind != '{' {
			p.fatal(value.Start, key+" is "+describe(value)+", not an object", "the client drops the whole file for one bad setting")
		}
	}
	if value, given := root.Get("disableAllHooks"); given {
		switch value.Scalar {
		case true:
			p.settings.DisableAllHooks = p.source.position(value.Start)
		case false:
		default:
			p.fatal(value.Start, "disableAllHooks is "+describe(value), "write true or false, without quotes")
		}
	}
	if hooks, given := root.Get("hooks"); given {
		p.hooks(hooks)
	}
}

func (p *settingsParser) hooks(hooks jsontree.Value) {
	if hooks.Kind != '{' {
		p.fatal(hooks.Start, "hooks is "+describe(hooks)+", not an object", "write {\"PreToolUse\": [...]}")
		return
	}
	for i, member := range hooks.Members {
		for _, later := range hooks.Members[i+1:] {
			if later.Key == member.Key {
				p.ignore(member.At, member.Key+" stands twice: the client takes the last one", "merge the two lists")
				break
			}
		}
		if last, _ := hooks.Get(member.Key); last.Start == member.Value.Start {
			p.event(member)
		}
	}
}

func (p *settingsParser) event(member jsontree.Member) {
	event, known := EventByName(member.Key)
	switch {
	case (!known || !event.Known(p.version)) && p.plugin && p.version.old():
		p.fatal(member.At, "no event is called "+member.Key, "client 2.1.197 drops all hooks of the plugin for it")
	case !known || !event.Known(p.version):
		p.ignore(member.At, "no event is called "+member.Key+": its hooks never run", "event names are case-sensitive, as in PreToolUse")
	case member.Value.Kind != '[':
		p.ignore(member.Value.Start, member.Key+" is "+describe(member.Value)+": its hooks never run", "write a list of {\"matcher\": ..., \"hooks\": [...]}")
	default:
		for _, group := range member.Value.Members {
			p.group(member.Key, group.Value)
		}
	}
}

func (p *settingsParser) group(event string, group jsontree.Value) {
	const shape = `write {"matcher": "...", "hooks": [{"type": "command", "command": "..."}]}`
	if group.Kind != '{' {
		p.fatal(group.Start, "an entry of "+event+" is "+describe(group)+", not an object", shape)
		return
	}
	matcher := ""
	if value, given := group.Get("matcher"); given {
		text, ok := textOf(value)
		if !ok {
			p.fatal(value.Start, "matcher is "+describe(value)+", not text", "leave it out to match everything")
		}
		matcher = text
	}
	hooks, given := group.Get("hooks")
	switch {
	case !given:
		p.fatal(group.Start, "an entry of "+event+" has no hooks list", shape)
	case hooks.Kind != '[':
		p.fatal(hooks.Start, "hooks is "+describe(hooks)+", not a list", shape)
	default:
		for _, hook := range hooks.Members {
			p.entry(event, matcher, hook.Value)
		}
	}
}

// seconds reads a timeout: a number above zero, fractions allowed. What is too
// long for a Duration is the longest there is.
func seconds(value jsontree.Value) (time.Duration, error) {
	number, ok := value.Scalar.(json.Number)
	if !ok {
		return 0, fmt.Errorf("timeout is %s, not a number", describe(value))
	}
	s, err := number.Float64()
	switch {
	case s <= 0:
		return 0, fmt.Errorf("timeout is %s, not above zero", number)
	case err != nil, s >= math.MaxInt64/float64(time.Second):
		return math.MaxInt64, nil
	default:
		return max(time.Duration(s*float64(time.Second)), 1), nil
	}
}
