package suites

import (
	"encoding/json"
	"slices"
	"strings"
)

// A Check is what a case looks at, on the machine or in the project, instead of
// firing a hook. Exactly one of Tool, File and Registered says what.
type Check struct {
	Need Need

	Tool    string   // a program
	Places  []string // where it is looked for, the first that has it counts; see Place
	Minimum string   // version, such as "2.12.0"

	File    string          // slash path from the project's root, or below ~/
	NamedBy *KeyPath        // a key whose value, where it is set, names the file instead
	Key     string          // of the JSON in the file, dotted
	Equals  json.RawMessage // what the key must hold

	Registered *Registration
}

// A KeyPath is a key of a JSON file.
type KeyPath struct{ File, Key string }

// A Registration is an entry of the settings: the hook must fire on the event
// for each name of the matcher, whatever else it fires for.
type Registration struct{ Event, Matcher, Hook string }

// A Need says what it means that a check does not find what it looks for.
type Need string

// The needs of a tool. Required and expected ones fail; a required one also keeps
// other suites from running. Anything that is not a tool is expected.
const (
	NeedRequired Need = "required"
	NeedExpected Need = "expected"
	NeedOptional Need = "optional" // its absence is a skip
	NeedAdvisory Need = "advisory" // nothing about it fails
)

// Needs lists them as documents name them.
var Needs = []Need{NeedRequired, NeedExpected, NeedOptional, NeedAdvisory}

// A Place is one item of Check.Places: a name to look for in PATH ("claude"), a
// file ("~/.local/bin/claude", "node_modules/.bin/biome"), or the words of a
// runner and the tool ("uv run bandit").
type Place string

// Runner are the words before the tool; none where no runner is meant.
func (p Place) Runner() []string {
	words := strings.Fields(string(p))
	return words[:max(len(words)-1, 0)]
}

// IsFile reports whether the place is one file.
func (p Place) IsFile() bool { return len(p.Runner()) == 0 && strings.Contains(string(p), "/") }

// Command is what a shell would be told to look there.
func (p Place) Command() string {
	switch {
	case len(p.Runner()) > 0:
		return string(p) + " --version"
	case p.IsFile():
		return "test -x " + string(p)
	default:
		return "command -v " + string(p)
	}
}

// Programs lists what the check looks for, each once: names in PATH, and files
// as the check names them.
func (c *Check) Programs() []string {
	if c.Tool == "" {
		return nil
	}
	names := []string{c.Tool}
	for _, p := range c.Places {
		place := Place(p)
		name := string(place)
		if runner := place.Runner(); len(runner) > 0 {
			name = runner[0]
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Summary says in a line what is looked at.
func (c *Check) Summary() string {
	switch {
	case c.Registered != nil:
		on := c.Registered.Event
		if c.Registered.Matcher != "" {
			on += " " + c.Registered.Matcher
		}
		return on + ": " + c.Registered.Hook
	case c.File != "" && c.Key != "":
		return c.File + " " + c.Key
	case c.File != "":
		return c.File
	case c.Minimum != "":
		return c.Tool + " --version"
	}
	commands := make([]string, len(c.Places))
	for i, p := range c.Places {
		commands[i] = Place(p).Command()
	}
	return strings.Join(commands, " || ")
}

// Decision is the word for a check that finds what it looks for.
func (c *Check) Decision() string {
	switch {
	case c.Registered != nil:
		return "registered"
	case c.File != "" && c.Key == "":
		return "exists"
	case len(c.Equals) > 0:
		return "valid"
	case c.Minimum != "":
		return ">= " + c.Minimum
	default:
		return "present"
	}
}

// A Finding is what a check came to.
type Finding struct {
	Holds   bool
	Absent  string // the tool that is nowhere; "" when something else is wrong
	Told    string // where it is, or what is wrong, in a few words
	StandIn string // what stands in for the tool, such as "gojq 1"
	Remark  string // worth a word although it holds
}
