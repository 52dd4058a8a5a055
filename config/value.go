package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"hookwatch/suites/pattern"
	"hookwatch/suites/yamlform"
)

// A ByteSize is a number of bytes.
type ByteSize int64

// The units of sizes are powers of 1000, and those with an i powers of 1024.
const (
	KB  ByteSize = 1000
	MB           = 1000 * KB
	GB           = 1000 * MB
	KiB ByteSize = 1024
	MiB          = 1024 * KiB
	GiB          = 1024 * MiB
)

var sizeUnits = map[string]ByteSize{
	"b": 1, "kb": KB, "mb": MB, "gb": GB, "kib": KiB, "mib": MiB, "gib": GiB,
}

// anyText reads a text, which may be empty.
var anyText = reader{`"type": "string"`, func(s *source, name string, n *yaml.Node) any { return s.AnyText(name, n) }}

// text reads a text that is not empty.
var text = reader{`"$ref": "#/$defs/text"`, func(s *source, name string, n *yaml.Node) any {
	return s.Text(name, n, "leave it out to keep the default")
}}

// item reads a text within a list, which must not be empty.
var item = reader{`"$ref": "#/$defs/text"`, func(s *source, name string, n *yaml.Node) any { return s.Text(name, n, "") }}

// glob reads a path or a pattern of paths.
var glob = reader{`"$ref": "#/$defs/text"`, func(s *source, name string, n *yaml.Node) any {
	p := s.Text(name, n, "")
	if hint := pattern.GlobHint(p); hint != "" {
		return s.add(n, fmt.Sprintf("%s: %s is no valid pattern", name, yamlform.Quote(p, shownText)), hint)
	}
	return p
}}

var variableName = pattern.Lazy(`^[A-Za-z_][A-Za-z0-9_]*$`)

// variable reads the name of an environment variable.
var variable = reader{`"type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]*$"`, func(s *source, name string, n *yaml.Node) any {
	p := s.Text(name, n, "")
	if p != "" && !variableName().MatchString(p) {
		return s.add(n, fmt.Sprintf("%s: %s is no variable's name", name, yamlform.Quote(p, shownText)), "letters, digits and _ only")
	}
	return p
}}

// choice reads one of the given words.
func choice(words ...string) reader {
	return reader{`"enum": ` + encode(words), func(s *source, name string, n *yaml.Node) any { return s.Choice(name, n, words) }}
}

// list reads a list of values.
func list(of reader) reader {
	return reader{`"type": "array", "items": {` + of.schema + "}", func(s *source, name string, n *yaml.Node) any {
		if n.Kind == yaml.SequenceNode && len(n.Content) > mostItems {
			return s.add(n, fmt.Sprintf("%s: %d entries, more than %d", name, len(n.Content), mostItems), "")
		}
		items := []string{}
		s.List(name, n, func(c *yaml.Node) {
			v, _ := of.read(s, fmt.Sprintf("%s[%d]", name, len(items)), c).(string)
			items = append(items, v)
		})
		return items
	}}
}

// whole reads a whole number from 0.
var whole = reader{`"type": "integer", "minimum": 0`, func(s *source, name string, n *yaml.Node) any {
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!int" {
		return s.wrong(n, name, "a whole number", "")
	}
	i, err := strconv.Atoi(n.Value)
	if err != nil || i < 0 {
		return s.wrong(n, name, "a whole number, 0 or more", "")
	}
	return i
}}

// truth reads true or false.
var truth = reader{`"type": "boolean"`, func(s *source, name string, n *yaml.Node) any { return s.Truth(name, n) }}

// duration reads a duration with its unit, which must not be negative.
var duration = reader{`"$ref": "#/$defs/duration"`, func(s *source, name string, n *yaml.Node) any {
	const want = "a duration such as 30s, 500ms or 2m"
	if n.Kind != yaml.ScalarNode {
		return s.wrong(n, name, want, "")
	}
	d, err := time.ParseDuration(n.Value)
	switch {
	case n.ShortTag() == "!!int" && d == 0:
		return s.wrong(n, name, want, fmt.Sprintf("add a unit: %ss", yamlform.Show(n.Value, shownText)))
	case err != nil:
		return s.wrong(n, name, want, "")
	case d < 0:
		return s.wrong(n, name, "a duration of 0s or more", "")
	}
	return d
}}

// positive reads a duration of more than 0.
func positive(of reader) reader {
	return reader{`"$ref": "#/$defs/positive"`, func(s *source, name string, n *yaml.Node) any {
		v := of.read(s, name, n)
		if v == time.Duration(0) {
			return s.wrong(n, name, "a duration of more than 0s", "")
		}
		return v
	}}
}

// String returns the size with its unit, in the form that size reads.
func (b ByteSize) String() string {
	for _, u := range []struct {
		name string
		size ByteSize
	}{{"GB", GB}, {"GiB", GiB}, {"MB", MB}, {"MiB", MiB}, {"KB", KB}, {"KiB", KiB}} {
		if b >= u.size && b%u.size == 0 {
			return strconv.FormatInt(int64(b/u.size), 10) + u.name
		}
	}
	return strconv.FormatInt(int64(b), 10) + "B"
}

var sizePattern = pattern.Lazy(`^([0-9]+) ?([A-Za-z]+)$`)

// size reads a number of bytes with its unit, which must not be 0.
var size = reader{`"$ref": "#/$defs/size"`, func(s *source, name string, n *yaml.Node) any {
	const want = "a size such as 10MB"
	m := sizePattern().FindStringSubmatch(n.Value)
	if n.Kind != yaml.ScalarNode || m == nil {
		return s.wrong(n, name, want, "units: B, KB, MB, GB, KiB, MiB, GiB")
	}
	unit, known := sizeUnits[strings.ToLower(m[2])]
	count, err := strconv.ParseInt(m[1], 10, 64)
	if !known || err != nil || count == 0 || count > (1<<62)/int64(unit) {
		return s.wrong(n, name, want, "units: B, KB, MB, GB, KiB, MiB, GiB")
	}
	return ByteSize(count) * unit
}}

var gatePolicies = []string{string(GateFail), string(GateSkip)}

// policies reads the policies for missing tools, by tool.
var policies = reader{`"$ref": "#/$defs/gates", "default": {"biome": "fail"}`, func(s *source, name string, n *yaml.Node) any {
	if n.Kind != yaml.MappingNode {
		return s.wrong(n, name, "tools with a policy", "write gates: {shellcheck: skip}")
	}
	if len(n.Content) > 2*mostItems {
		return s.add(n, fmt.Sprintf("%s: %d entries, more than %d", name, len(n.Content)/2, mostItems), "")
	}
	gates := map[string]GatePolicy{}
	s.Each(n, func(k, v *yaml.Node) {
		if k.Value == "" {
			s.add(k, name+": a tool's name must not be empty", "")
			return
		}
		gates[k.Value] = GatePolicy(s.Choice(name+"."+yamlform.Show(k.Value, shownText), v, gatePolicies))
	})
	return gates
}}

// A VerifyPolicy is the effect of a marker that does not resolve.
type VerifyPolicy string

// VerifyStrict runs nothing, VerifyWarn warns, and VerifyOff ignores it.
const (
	VerifyStrict VerifyPolicy = "strict"
	VerifyWarn   VerifyPolicy = "warn"
	VerifyOff    VerifyPolicy = "off"
)

// A PreflightPolicy is the effect of a missing requirement on a full run.
type PreflightPolicy string

// PreflightAbort stops the run before it starts; PreflightReport continues and reports it.
const (
	PreflightAbort  PreflightPolicy = "abort"
	PreflightReport PreflightPolicy = "report"
)

// A GatePolicy is the result of cases gated by a missing tool.
type GatePolicy string

// GateSkip skips the cases; GateFail fails them.
const (
	GateSkip GatePolicy = "skip"
	GateFail GatePolicy = "fail"
)

// A Home is the HOME of hooks.
type Home string

// HomeReal is the user's own, as far as isolation shows it; HomeEmpty is a new one.
const (
	HomeReal  Home = "real"
	HomeEmpty Home = "empty"
)

// A TracePolicy decides when cases are run once more to record what they execute.
type TracePolicy string

// TraceWatch does so when idle while watching; TraceAlways after single runs too.
const (
	TraceWatch  TracePolicy = "watch"
	TraceAlways TracePolicy = "always"
	TraceNever  TracePolicy = "never"
)
