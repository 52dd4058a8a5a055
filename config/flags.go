package config

import (
	"strconv"
	"strings"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v4"

	"hookwatch/suites"
)

// set reads the value of one key.
func (s *source) set(k key, n *yaml.Node) {
	s.nodes[k.path] = n
	switch v := k.read(s, k.path, n).(type) {
	case nil:
	case map[string]GatePolicy:
		s.gates = v
	case []suites.Deny:
		s.denies = v
	default:
		s.values[k.path] = v
	}
}

// readEnv takes the HOOKWATCH_ variables. An empty one counts as unset.
func readEnv(lookup func(string) (string, bool)) *source {
	s := newSource("")
	for _, k := range keys {
		if k.env == "" {
			continue
		}
		s.File = "HOOKWATCH_" + k.env
		if v, ok := lookup(s.File); ok && v != "" {
			s.set(k, valueNode(k, v))
		}
	}
	return s
}

// AddFlags registers the settings that have a flag. Their defaults stand in the
// usage text: an unset flag says nothing.
func AddFlags(flags *pflag.FlagSet) {
	for _, k := range keys {
		if k.flag != "" {
			flags.String(k.flag, "", k.usage+" (HOOKWATCH_"+k.env+")")
		}
	}
}

// readFlags takes the flags that were set on the command line.
func readFlags(flags *pflag.FlagSet) *source {
	s := newSource("")
	if flags == nil {
		return s
	}
	for _, k := range keys {
		f := flags.Lookup(k.flag)
		if f == nil || !f.Changed {
			continue
		}
		s.File = "--" + k.flag
		v := f.Value.String()
		if slice, ok := f.Value.(pflag.SliceValue); ok {
			v = strings.Join(slice.GetSlice(), ",")
		}
		s.set(k, valueNode(k, v))
	}
	return s
}

// valueNode is a variable's or flag's text as if it stood in the file; the
// items of a list are separated by commas.
func valueNode(k key, text string) *yaml.Node {
	if _, isList := k.def.([]string); isList {
		seq := &yaml.Node{Kind: yaml.SequenceNode}
		for item := range strings.SplitSeq(text, ",") {
			if item = strings.TrimSpace(item); item != "" {
				seq.Content = append(seq.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: item})
			}
		}
		return seq
	}
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
	if _, isText := k.def.(string); isText {
		return n
	}
	if _, err := strconv.Atoi(text); err == nil {
		n.Tag = "!!int"
	}
	if _, isTruth := k.def.(bool); isTruth {
		if b, err := strconv.ParseBool(text); err == nil {
			n.Tag, n.Value = "!!bool", strconv.FormatBool(b)
		}
	}
	return n
}
