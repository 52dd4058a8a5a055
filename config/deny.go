package config

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"

	"hookwatch/suites"
	"hookwatch/suites/yamlform"
)

// denyKeys are the keys of an entry of denies.
var denyKeys = []string{"hook", "tool", "command", "file", "prompt"}

// denies takes inputs that hooks must stop.
func denies(s *source, name string, n *yaml.Node) any {
	if n.Kind == yaml.SequenceNode && len(n.Content) > mostItems {
		return s.add(n, fmt.Sprintf("%s: %d entries, more than %d", name, len(n.Content), mostItems), "")
	}
	var all []suites.Deny
	s.List(name, n, func(c *yaml.Node) {
		all = append(all, s.deny(fmt.Sprintf("%s[%d]", name, len(all)), c))
	})
	return all
}

// deny takes one entry: a hook, and one of what can be sent to it.
func (s *source) deny(name string, n *yaml.Node) (d suites.Deny) {
	const example = "write {hook: guard.sh, command: rm -rf /}"
	if n.Kind != yaml.MappingNode {
		s.Wrong(n, name, "a hook and an input", example)
		return d
	}
	d.At = s.At(n)
	values := map[string]*string{"hook": &d.Hook, "tool": &d.Tool, "command": &d.Command, "file": &d.File, "prompt": &d.Prompt}
	var sent []string
	known := len(s.Problems)
	s.Each(n, func(k, v *yaml.Node) {
		into, ok := values[k.Value]
		if !ok {
			s.Add(k, "unknown key "+name+"."+yamlform.Shown(k.Value, shownText), "known here: "+strings.Join(denyKeys, ", "))
			return
		}
		if *into = s.Text(name+"."+k.Value, v, "leave it out"); k.Value != "hook" && k.Value != "tool" {
			sent = append(sent, k.Value)
		}
	})
	switch {
	case len(s.Problems) > known:
	case d.Hook == "":
		s.Add(n, name+": no hook", example)
	case len(sent) != 1:
		s.Add(n, name+": want one of command, file and prompt", example)
	case d.Tool != "" && d.Prompt != "":
		s.Add(n, name+": a prompt is sent to no tool", "leave tool out")
	}
	return d
}
