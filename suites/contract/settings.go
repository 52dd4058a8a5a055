package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"hookwatch/suites"
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
		if hooks, found := root.get("hooks"); found {
			p.hooks(hooks)
		} else {
			p.fatal(root.at, `a plugin's hooks.json has no key "hooks"`, `wrap the events: {"hooks": {...}}`)
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
	version  Version
	plugin   bool
	problems []suites.Problem
}

func (p *settingsParser) fatal(at suites.Position, what, hint string) {
	p.problems = append(p.problems, suites.Problem{At: at, What: what, Hint: hint})
}

func (p *settingsParser) ignore(at suites.Position, what, hint string) {
	p.settings.Ignored = append(p.settings.Ignored, suites.Problem{At: at, What: what, Hint: hint})
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
func (p *settingsParser) root(path string, data []byte) (jsonValue, bool) {
	if len(bytes.TrimSpace(data)) == 0 {
		return jsonValue{}, false
	}
	root, problem := parseJSON(path, data)
	switch {
	case problem != nil:
		p.problems = append(p.problems, *problem)
	case root.is != '{':
		p.fatal(root.at, "the file holds "+root.describe()+", not an object", "start it with {")
	default:
		return root, true
	}
	return root, false
}

func (p *settingsParser) readSettings(root jsonValue) {
	for _, key := range []string{"permissions", "env"} {
		if value, given := root.get(key); given && value.is != '{' {
			p.fatal(value.at, key+" is "+value.describe()+", not an object", "the client drops the whole file for one bad setting")
		}
	}
	if value, given := root.get("disableAllHooks"); given {
		switch value.scalar {
		case true:
			p.settings.DisableAllHooks = value.at
		case false:
		default:
			p.fatal(value.at, "disableAllHooks is "+value.describe(), "write true or false, without quotes")
		}
	}
	if hooks, given := root.get("hooks"); given {
		p.hooks(hooks)
	}
}

func (p *settingsParser) hooks(hooks jsonValue) {
	if hooks.is != '{' {
		p.fatal(hooks.at, "hooks is "+hooks.describe()+", not an object", "write {\"PreToolUse\": [...]}")
		return
	}
	for i, member := range hooks.members {
		for _, later := range hooks.members[i+1:] {
			if later.key == member.key {
				p.ignore(member.at, member.key+" stands twice: the client takes the last one", "merge the two lists")
				break
			}
		}
		if last, _ := hooks.get(member.key); last.at == member.value.at {
			p.event(member)
		}
	}
}

func (p *settingsParser) event(member jsonMember) {
	event, known := EventByName(member.key)
	switch {
	case (!known || !event.Known(p.version)) && p.plugin && p.version.old():
		p.fatal(member.at, "no event is called "+member.key, "client 2.1.197 drops all hooks of the plugin for it")
	case !known || !event.Known(p.version):
		p.ignore(member.at, "no event is called "+member.key+": its hooks never run", "event names are case-sensitive, as in PreToolUse")
	case member.value.is != '[':
		p.ignore(member.value.at, member.key+" is "+member.value.describe()+": its hooks never run", "write a list of {\"matcher\": ..., \"hooks\": [...]}")
	default:
		for _, group := range member.value.items {
			p.group(member.key, group)
		}
	}
}

func (p *settingsParser) group(event string, group jsonValue) {
	const shape = `write {"matcher": "...", "hooks": [{"type": "command", "command": "..."}]}`
	if group.is != '{' {
		p.fatal(group.at, "an entry of "+event+" is "+group.describe()+", not an object", shape)
		return
	}
	matcher := ""
	if value, given := group.get("matcher"); given {
		text, ok := value.text()
		if !ok {
			p.fatal(value.at, "matcher is "+value.describe()+", not text", "leave it out to match everything")
		}
		matcher = text
	}
	hooks, given := group.get("hooks")
	switch {
	case !given:
		p.fatal(group.at, "an entry of "+event+" has no hooks list", shape)
	case hooks.is != '[':
		p.fatal(hooks.at, "hooks is "+hooks.describe()+", not a list", shape)
	default:
		for _, hook := range hooks.items {
			p.entry(event, matcher, hook)
		}
	}
}

// seconds reads a timeout: a number above zero, fractions allowed. What is too
// long for a Duration is the longest there is.
func seconds(value jsonValue) (time.Duration, error) {
	number, ok := value.scalar.(json.Number)
	if !ok {
		return 0, fmt.Errorf("timeout is %s, not a number", value.describe())
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
