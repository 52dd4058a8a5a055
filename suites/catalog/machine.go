package catalog

import (
	"strings"

	"go.yaml.in/yaml/v4"

	"hookwatch/suites"
	"hookwatch/suites/pattern"
)

const wantPlace = "a name, a file, or one of npx, bunx, pnpm exec and uv run with the tool"

var checkFields = []field[suites.Check]{
	{"need", func(r *reader, k string, n *yaml.Node, c *suites.Check) {
		c.Need = suites.Need(r.Choice(k, n, suites.Needs))
	}},
	{"tool", func(r *reader, k string, n *yaml.Node, c *suites.Check) {
		c.Tool = r.matching(k, n, toolName, "a program's name")
	}},
	{"places", func(r *reader, k string, n *yaml.Node, c *suites.Check) {
		r.List(k, n, func(item *yaml.Node) { c.Places = append(c.Places, r.matching(k, item, placeForm, wantPlace)) })
		if n.Kind == yaml.SequenceNode && len(n.Content) == 0 {
			r.Add(n, "places: must not be empty", "")
		}
	}},
	{"minimum", func(r *reader, k string, n *yaml.Node, c *suites.Check) {
		c.Minimum = r.matching(k, n, versionNumber, "a version such as 2.12.0")
	}},
	{"file", func(r *reader, k string, n *yaml.Node, c *suites.Check) { c.File = r.checkedFile(k, n) }},
	{"named_by", func(r *reader, k string, n *yaml.Node, c *suites.Check) {
		c.NamedBy = &suites.KeyPath{}
		decode(r, k, namedByFields, n, c.NamedBy)
		r.required(n, k, "file", "key")
	}},
	{"key", func(r *reader, k string, n *yaml.Node, c *suites.Check) {
		c.Key = r.matching(k, n, keyPath, "keys joined by dots")
	}},
	{"equals", func(r *reader, _ string, n *yaml.Node, c *suites.Check) { c.Equals = encode(r.json(n)) }},
	{"registered", func(r *reader, k string, n *yaml.Node, c *suites.Check) {
		c.Registered = &suites.Registration{}
		decode(r, k, registeredFields, n, c.Registered)
		r.required(n, k, "event", "hook")
	}},
}

var namedByFields = []field[suites.KeyPath]{
	{"file", func(r *reader, k string, n *yaml.Node, p *suites.KeyPath) { p.File = r.checkedFile(k, n) }},
	{"key", func(r *reader, k string, n *yaml.Node, p *suites.KeyPath) {
		p.Key = r.matching(k, n, keyPath, "keys joined by dots")
	}},
}

var registeredFields = []field[suites.Registration]{
	{"event", func(r *reader, k string, n *yaml.Node, g *suites.Registration) {
		g.Event = r.event(k, n)
	}},
	{"matcher", func(r *reader, k string, n *yaml.Node, g *suites.Registration) {
		g.Matcher = r.matching(k, n, nameList, "names joined by |")
	}},
	{"hook", func(r *reader, k string, n *yaml.Node, g *suites.Registration) { g.Hook = r.hookPath(k, n) }},
}

var nameList = pattern.Lazy(`^[A-Za-z0-9_]+(\|[A-Za-z0-9_]+)*$`)

// checkedFile takes a file of the project, or one below HOME.
func (r *reader) checkedFile(name string, n *yaml.Node) string {
	if strings.HasPrefix(n.Value, "~/") {
		return r.matching(name, n, oneLine, wantLine)
	}
	return r.localPath(name, n)
}

// subjects are the keys of which a check has exactly one, and those that go
// with one of them alone.
var (
	subjects  = []string{"tool", "file", "registered"}
	goingWith = []struct{ key, with string }{
		{"need", "tool"}, {"places", "tool"}, {"minimum", "tool"},
		{"named_by", "file"}, {"key", "file"}, {"equals", "key"},
	}
)

// check takes what a case looks at instead of firing a hook.
func (r *reader) check(name string, n *yaml.Node) *suites.Check {
	c := &suites.Check{Need: suites.NeedExpected}
	before := len(r.Problems)
	decode(r, name, checkFields, n, c)
	if n.Kind != yaml.MappingNode {
		return c
	}
	var first string
	for _, s := range subjects {
		at := lookup(n, s)
		switch {
		case at == nil:
		case first == "":
			first = s
		default:
			r.Add(at, name+": "+s+" cannot stand beside "+first, "write a case for each")
		}
	}
	if first == "" && len(r.Problems) == before {
		r.Add(n, "a check needs one of "+strings.Join(subjects, ", "), "such as check: {tool: jq}")
	}
	for _, g := range goingWith {
		at := lookup(n, g.key)
		if at != nil && lookup(n, g.with) == nil && (first != "" || len(r.Problems) == before) {
			r.Add(at, name+": "+g.key+" goes with "+g.with, "")
		}
	}
	if c.Tool != "" && len(c.Places) == 0 {
		c.Places = []string{c.Tool}
	}
	return c
}

// firing are the keys of a case that say how a hook is fired.
var firing = []string{
	"hook", "event", "tool", "timeout", "layer", "serial", "env", "gates", "absent_tools", "programs", "project", "command", "file_path",
	"payload", "payload_raw", "unset", "cwd", "stdin", "args", "fixtures", "delegate", "expect", "control", "chain", "registered", "repo", "server", "steps",
}

// onlyChecks reports keys that fire a hook in a case that checks.
func (r *reader) onlyChecks(n *yaml.Node) {
	for _, k := range firing {
		if at := lookup(n, k); at != nil {
			r.Add(at, k+" cannot stand beside check", "a check fires no hook")
		}
	}
}

// checked is the step by which a check's record speaks the language of the others.
func checked(c *suites.Check) []suites.Step {
	none := 0
	return []suites.Step{{Expect: suites.Expectation{Exit: &none, Decision: c.Decision()}}}
}
