package suites

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// A Check is examined on the machine or in the project instead of firing a hook. Exactly one of
// Tool, File and Registered is set.
type Check struct {
	Need Need

	Tool    string   // a program
	Places  []string // searched in order until the tool is found; see Place
	Minimum string   // version, such as "2.12.0"

	File    string          // slash path from the project's root, or below ~/
	NamedBy *KeyPath        // if this key is set, its value replaces File
	Key     string          // of the JSON in the file, dotted
	Equals  json.RawMessage // the required value of the key

	Registered *Registration
}

// A KeyPath is a key of a JSON file.
type KeyPath struct{ File, Key string }

// A Registration is a required entry of the settings: the hook must fire on the event for each name
// of the matcher. It may fire for more.
type Registration struct{ Event, Matcher, Hook string }

// A Need is the consequence of a failed check.
type Need string

// The needs of a tool. Required and expected tools fail the check if they are absent; an absent
// required one also prevents other suites from running. Files and registrations are always
// expected.
const (
	NeedRequired Need = "required"
	NeedExpected Need = "expected"
	NeedOptional Need = "optional" // its absence is a skip
	NeedAdvisory Need = "advisory" // never fails
)

// Needs lists the needs by their names in documents.
var Needs = []Need{NeedRequired, NeedExpected, NeedOptional, NeedAdvisory}

// A Place is one item of Check.Places: a name in PATH ("claude"), a file ("~/.local/bin/claude",
// "node_modules/.bin/biome"), or a runner with the tool ("uv run bandit").
type Place string

// Runner returns the words before the tool, none if the place has no runner.
func (p Place) Runner() []string {
	words := strings.Fields(string(p))
	return words[:max(len(words)-1, 0)]
}

// IsFile reports whether the place is one file.
func (p Place) IsFile() bool { return len(p.Runner()) == 0 && strings.Contains(string(p), "/") }

// Command returns the shell command that looks there.
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

// Programs lists the programs that the check looks for, without duplicates: names in PATH, and
// files as the check names them.
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

// Summary describes the check in one line.
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

// Decision returns the decision of a check that succeeds.
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

// A Finding is the result of a check.
type Finding struct {
	Holds   bool
	Absent  string // the tool that no place has; "" if something else is wrong
	Detail  string // location of the tool, or the problem, in a few words
	StandIn string // the replacement of the tool, such as "gojq 1"
	Remark  string // a note on a check that succeeds
}

// IsFilter reports whether a tool is a JSON filter, with which a hook reads and writes its own
// JSON. A filter finds no problems itself, and hooks call it so often that reporting its output
// helps no one.
func IsFilter(tool string) bool { return slices.Contains([]string{"jaq", "jq", "gojq"}, tool) }

// IsFetcher reports whether a tool returns content from elsewhere, for which it is not responsible.
func IsFetcher(tool string) bool { return slices.Contains([]string{"curl", "wget"}, tool) }

// FilterProbe shows that a JSON filter works if Filter returns Want for Input.
var FilterProbe = struct{ Filter, Input, Want string }{".a", `{"a":[1,"b"]}`, `[1,"b"]`}

// Digest identifies content, everywhere that contents are compared, by the first 32 hexadecimal
// digits of its SHA-256 sum.
func Digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:16])
}

// ToolsDigest returns the digest of a set of tools, as records contain it.
func ToolsDigest(tools []Tool) string {
	var b strings.Builder
	for _, t := range tools {
		fmt.Fprintf(&b, "%s %s\n", t.Name, t.Digest)
	}
	return Digest([]byte(b.String()))[:16]
}

// ToolSet returns the tools with the given names. A tool that the environment does not list counts
// as absent.
func (e *Environment) ToolSet(names []string) []Tool {
	byName := make(map[string]Tool, len(e.Tools))
	for _, t := range e.Tools {
		byName[t.Name] = t
	}
	set := make([]Tool, len(names))
	for i, name := range names {
		if set[i] = byName[name]; set[i].Name == "" {
			set[i].Name = name
		}
	}
	return set
}
