package main

import (
	"maps"
	"slices"
)

// battery are the choices of projects that are not drawn.
type battery struct {
	Rules    []string `yaml:"rules"`
	Commands []string `yaml:"commands"`
	Patterns []string `yaml:"patterns"`
	Paths    []string `yaml:"paths"`
}

// batteries returns projects that are complete in one respect: every rule with every command, every
// pattern with every path, and every mistake in a plugin's file.
func (d draws) batteries() (all []project) {
	conditions := func(tool, key string, rules, values []string) project {
		p := project{Files: []settings{{Layer: user}, {Layer: shared}}}
		for i, rule := range rules {
			p.Entries = append(p.Entries, entry{N: i + 1, Layer: shared, Event: "PreToolUse", Form: d.Forms[0], Keys: map[string]any{"if": rule}})
		}
		for _, value := range values {
			p.Calls = append(p.Calls, call{Tool: tool, Input: map[string]any{key: value}})
		}
		return p
	}
	for commands := range slices.Chunk(d.Battery.Commands, 14) {
		all = append(all, conditions("Bash", "command", d.Battery.Rules, commands))
	}
	all = append(all, conditions("Read", "file_path", d.Battery.Patterns, d.Battery.Paths))
	for _, m := range d.Mistakes {
		p := project{Plugin: "below", Files: []settings{{Layer: user}, {Layer: shared}, {Layer: plugin, Mistake: &m}}, Calls: d.Calls[:1]}
		for i, event := range []string{"PreToolUse", "PostToolUse", "SessionStart", "Stop"} {
			p.Entries = append(p.Entries, entry{N: 2*i + 1, Layer: plugin, Event: event, Matcher: "*", Form: d.Forms[8], Keys: maps.Clone(map[string]any{})},
				entry{N: 2*i + 2, Layer: plugin, Event: event, Matcher: "*", Form: d.Forms[8], Keys: maps.Clone(map[string]any{})})
		}
		all = append(all, p)
	}
	for i := range all {
		all[i].Seed = uint64(i)
	}
	return all
}
