package depend

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"hookwatch/suites"
)

// checked are the files that a check looks at; a tool is none of them.
func (g *Graph) checked(c *suites.Check) []suites.Input {
	var all []suites.Input
	add := func(p, because string) {
		all = append(all, suites.Input{Path: p, Digest: g.files.get(p).digest, Because: because, By: suites.Needed})
	}
	if c.Registered != nil {
		for _, s := range g.project.Settings {
			add(g.files.slash(s), "settings of the project")
		}
	}
	if c.File != "" {
		add(g.home(c.File), "the case checks it")
	}
	if by := c.NamedBy; by != nil {
		p := g.home(by.File)
		add(p, "it may name the file that the case checks")
		if named := g.named(p, by.Key); named != "" {
			add(g.home(named), "the case checks it")
		}
	}
	return all
}

// home is the slash path of a file that may lie below HOME.
func (g *Graph) home(name string) string {
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		if dir, err := os.UserHomeDir(); err == nil {
			name = filepath.Join(dir, rest)
		}
	}
	return g.files.slash(name)
}

// named is the text that a dotted key of a JSON file holds.
func (g *Graph) named(p, key string) string {
	data, err := g.files.read(p)
	if err != nil {
		return ""
	}
	value := json.RawMessage(data)
	for _, name := range strings.Split(key, ".") {
		var object map[string]json.RawMessage
		if json.Unmarshal(value, &object) != nil {
			return ""
		}
		value = object[name]
	}
	var text string
	_ = json.Unmarshal(value, &text) // what is no text names nothing
	return text
}
