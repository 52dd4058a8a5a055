package main

import (
	"maps"
	"slices"
	"strings"
)

// battery are the choices of projects that are not drawn.
type battery struct {
	Rules    []string  `yaml:"rules"`
	Commands []string  `yaml:"commands"`
	Patterns []string  `yaml:"patterns"`
	Paths    []string  `yaml:"paths"`
	Forms    []form    `yaml:"forms"`
	Settings []mistake `yaml:"settings"`
}

// batteries are projects that are complete in one respect, by their names: every rule with every
// command, every pattern with every path, commands of settings, and each mistake in a plugin's file and
// in the project's.
func (d draws) batteries(names string) (all []project) {
	kinds := map[string]func() []project{
		"rules": d.rules, "patterns": d.patterns, "forms": d.forms,
		"plugin": func() []project { return d.spoil([]string{plugin}, d.Mistakes) },
		"settings": func() []project {
			layers := []string{shared}
			for _, l := range d.Layers {
				if l.Other && l.Name != shared {
					layers = append(layers, l.Name)
				}
			}
			return d.spoil(layers, slices.Concat(d.Battery.Settings, d.Mistakes))
		},
	}
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		if names == "all" || slices.Contains(strings.Split(names, ","), name) {
			all = append(all, kinds[name]()...)
		}
	}
	for i := range all {
		all[i].Seed, all[i].Client = uint64(i), d.of.Name
	}
	return all
}

func (d draws) rules() (all []project) {
	for commands := range slices.Chunk(d.Battery.Commands, 14) {
		all = append(all, d.conditions("Bash", "command", d.Battery.Rules, commands))
	}
	return all
}

func (d draws) patterns() []project {
	return []project{d.conditions("Read", "file_path", d.Battery.Patterns, d.Battery.Paths)}
}

// conditions has an entry for each rule and a call for each value.
func (d draws) conditions(tool, key string, rules, values []string) project {
	p := project{Files: []settings{{Layer: user}, {Layer: shared}}}
	for i, rule := range rules {
		p.Entries = append(p.Entries, entry{N: i + 1, Layer: shared, Event: "PreToolUse", Form: d.Forms[0], Keys: map[string]any{"if": rule}})
	}
	for _, value := range values {
		p.Calls = append(p.Calls, call{Tool: tool, Input: map[string]any{key: value}})
	}
	return p
}

func (d draws) forms() []project {
	p := project{Files: []settings{{Layer: user}, {Layer: shared}}, Calls: d.Calls[:1]}
	for i, f := range d.Battery.Forms {
		p.Entries = append(p.Entries, entry{N: i + 1, Layer: shared, Event: "PreToolUse", Form: f, Keys: map[string]any{}})
	}
	return []project{p}
}

// spoil has two entries of some events and one mistake in each layer, which may spoil the first.
func (d draws) spoil(layers []string, mistakes []mistake) (all []project) {
	for some := range slices.Chunk(mistakes, len(layers)) {
		p := project{Calls: d.Calls[:1]}
		for _, l := range d.Layers {
			if l.Name != plugin || layers[0] == plugin {
				p.Files = append(p.Files, settings{Layer: l.Name})
			}
		}
		if layers[0] == plugin {
			p.Plugin = "below"
		}
		for _, event := range []string{"PreToolUse", "PostToolUse", "SessionStart", "Stop"} {
			for range 2 {
				for _, layer := range layers[:len(some)] {
					p.Entries = append(p.Entries, entry{N: len(p.Entries) + 1, Layer: layer, Event: event, Matcher: "*", Form: form{Command: "{rec} {n}"}, Keys: map[string]any{}})
				}
			}
		}
		for i, m := range some {
			at := slices.IndexFunc(p.Files, func(f settings) bool { return f.Layer == layers[i] })
			p.Files[at].Mistake = &m
		}
		all = append(all, p)
	}
	return all
}
