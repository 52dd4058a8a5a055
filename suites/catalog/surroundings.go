package catalog

import (
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"hookwatch/suites"
	"hookwatch/suites/pattern"
)

var variableName = pattern.Lazy(`^[A-Za-z_][A-Za-z0-9_]*$`)

// variables takes environment variables and lays them over those given.
func (r *reader) variables(name string, n *yaml.Node, over map[string]string) map[string]string {
	if !r.mapping(name, n) {
		return over
	}
	v := make(map[string]string, len(over)+len(n.Content)/2)
	for k, value := range over {
		v[k] = value
	}
	r.Each(n, func(k, value *yaml.Node) {
		if !variableName().MatchString(k.Value) {
			r.Add(k, fmt.Sprintf("%s: %q is no variable's name", name, k.Value), "letters, digits and _ only")
			return
		}
		v[k.Value] = r.AnyText(name+"."+k.Value, value)
	})
	return v
}

// variableNames takes names of variables.
func (r *reader) variableNames(name string, n *yaml.Node) (v []string) {
	r.List(name, n, func(c *yaml.Node) { v = append(v, r.matching(name, c, variableName, "a variable's name")) })
	return v
}

// files takes contents by their paths.
func (r *reader) files(name string, n *yaml.Node) map[string]string {
	if !r.mapping(name, n) {
		return nil
	}
	v := make(map[string]string, len(n.Content)/2)
	r.Each(n, func(k, content *yaml.Node) {
		v[r.localPath(name, k)] = r.AnyText(name+"."+k.Value, content)
	})
	return v
}

// localPath takes a slash path that stays below where it starts.
func (r *reader) localPath(name string, n *yaml.Node) string {
	p := r.AnyText(name, n)
	if clean := path.Clean(p); p == "" || path.IsAbs(p) || clean == "." || clean == ".." || strings.HasPrefix(clean, "../") {
		r.Wrong(n, name, "a path within the project", "")
	}
	return p
}

func (r *reader) hookPath(name string, n *yaml.Node) string {
	p := r.matching(name, n, oneLine, wantLine)
	if path.IsAbs(p) || strings.HasPrefix(p, "~") {
		r.Wrong(n, name, "a path from the project's root", "write it without "+p[:1]+", such as .claude/hooks/guard.sh")
	}
	return p
}

func (r *reader) project(name string, n *yaml.Node) *suites.ProjectOverride {
	p := &suites.ProjectOverride{}
	decode(r, name, []field[suites.ProjectOverride]{
		{"files", func(r *reader, k string, n *yaml.Node, p *suites.ProjectOverride) { p.Files = r.files(k, n) }},
	}, n, p)
	return p
}

var repoFields = []field[suites.Repo]{
	{"branch", func(r *reader, k string, n *yaml.Node, p *suites.Repo) {
		p.Branch = r.matching(k, n, oneLine, wantLine)
	}},
	{"commit", func(r *reader, k string, n *yaml.Node, p *suites.Repo) { p.Commit = r.files(k, n) }},
	{"stage", func(r *reader, k string, n *yaml.Node, p *suites.Repo) { p.Stage = r.files(k, n) }},
	{"modify", func(r *reader, k string, n *yaml.Node, p *suites.Repo) { p.Modify = r.files(k, n) }},
	{"worktree", func(r *reader, k string, n *yaml.Node, p *suites.Repo) {
		p.Worktree = r.matching(k, n, oneLine, wantLine)
	}},
	{"merge", func(r *reader, k string, n *yaml.Node, p *suites.Repo) { p.Merge = r.files(k, n) }},
	{"delete", func(r *reader, k string, n *yaml.Node, p *suites.Repo) {
		r.List(k, n, func(c *yaml.Node) { p.Delete = append(p.Delete, r.localPath(k, c)) })
	}},
}

var methodName = pattern.Lazy(`^[A-Z]+$`)

var routeFields = []field[suites.Route]{
	{"method", func(r *reader, k string, n *yaml.Node, t *suites.Route) {
		t.Method = r.matching(k, n, methodName, "a method such as POST")
	}},
	{"path", func(r *reader, k string, n *yaml.Node, t *suites.Route) {
		t.Path = r.text(k, n)
		if hint := pattern.GlobHint(t.Path); hint != "" {
			r.Wrong(n, k, "a valid pattern", hint)
		}
	}},
	{"contains", func(r *reader, k string, n *yaml.Node, t *suites.Route) { t.Contains = r.text(k, n) }},
	{"status", func(r *reader, k string, n *yaml.Node, t *suites.Route) { t.Status = r.whole(k, n, 100, 599) }},
	{"reply", func(r *reader, k string, n *yaml.Node, t *suites.Route) { t.Reply = r.AnyText(k, n) }},
	{"delay", func(r *reader, k string, n *yaml.Node, t *suites.Route) { t.Delay = r.duration(k, n, 0) }},
}

func (r *reader) route(n *yaml.Node) suites.Route {
	t := suites.Route{Status: 200}
	decode(r, "server", routeFields, n, &t)
	return t
}

// oldest is the greatest age of a fixture, twenty years.
const oldest = 175_200 * time.Hour

var fixtureFields = []field[suites.Fixture]{
	{"path", func(r *reader, k string, n *yaml.Node, f *suites.Fixture) { f.Path = r.text(k, n) }},
	{"content", func(r *reader, k string, n *yaml.Node, f *suites.Fixture) { f.Content = r.AnyText(k, n) }},
	{"mode", func(r *reader, k string, n *yaml.Node, f *suites.Fixture) { f.Mode = r.mode(k, n) }},
	{"age", func(r *reader, k string, n *yaml.Node, f *suites.Fixture) { f.Age = r.age(k, n) }},
	{"fill", func(r *reader, k string, n *yaml.Node, f *suites.Fixture) { f.Fill = r.Truth(k, n) }},
}

func (r *reader) fixture(n *yaml.Node) suites.Fixture {
	var f suites.Fixture
	decode(r, "fixtures", fixtureFields, n, &f)
	r.required(n, "a fixture", "path")
	if f.Fill {
		if _, err := suites.Moments(f.Content, time.Time{}); err != nil {
			r.Add(lookup(n, "content"), "content: "+err.Error(), "")
		}
	}
	return f
}

// age takes how long ago something was, in whole seconds.
func (r *reader) age(name string, n *yaml.Node) time.Duration {
	d, err := time.ParseDuration(n.Value)
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str" || err != nil || d < time.Second || d%time.Second != 0 || d > oldest {
		r.Wrong(n, name, "an age from 1s to 175200h, such as 15m", "")
		return 0
	}
	return d
}

// mode takes permission bits, written in base 8 as everywhere.
func (r *reader) mode(name string, n *yaml.Node) uint32 {
	digits := strings.TrimPrefix(strings.TrimPrefix(n.Value, "0"), "o")
	v, err := strconv.ParseUint(digits, 8, 32)
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!int" || !strings.HasPrefix(n.Value, "0") || err != nil || v == 0 || v > 0o777 {
		r.Wrong(n, name, "permissions such as 0755", "")
		return 0
	}
	return uint32(v)
}

var gateFields = []field[suites.Gate]{
	{"tool", func(r *reader, k string, n *yaml.Node, g *suites.Gate) { g.Tool = r.matching(k, n, oneLine, wantLine) }},
	{"policy", func(r *reader, k string, n *yaml.Node, g *suites.Gate) {
		g.Policy = suites.GatePolicy(r.Choice(k, n, []string{string(suites.GateSkip), string(suites.GateFail)}))
	}},
	{"min_version", func(r *reader, k string, n *yaml.Node, g *suites.Gate) {
		g.MinVersion = r.matching(k, n, versionNumber, `a version such as "2.12.0"`)
	}},
}

// gates takes a list of tools, each a name or a mapping with its policy.
func (r *reader) gates(name string, n *yaml.Node) (gates []suites.Gate) {
	r.List(name, n, func(c *yaml.Node) {
		g := suites.Gate{Policy: suites.GateSkip}
		if c.Kind == yaml.MappingNode {
			decode(r, name, gateFields, c, &g)
			r.required(c, "a gate", "tool")
		} else {
			g.Tool = r.matching(name, c, oneLine, wantLine)
		}
		gates = append(gates, g)
	})
	return gates
}

// required reports keys that a mapping lacks.
func (r *reader) required(n *yaml.Node, what string, keys ...string) {
	for _, k := range keys {
		if n.Kind == yaml.MappingNode && lookup(n, k) == nil {
			r.Add(n, what+" needs "+k, "")
		}
	}
}
