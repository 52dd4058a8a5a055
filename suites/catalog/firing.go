package catalog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"hookwatch/suites"
	"hookwatch/suites/pattern"
)

// json turns a YAML value into what encoding/json makes of its JSON, and
// reports what JSON cannot say.
func (r *reader) json(n *yaml.Node) any {
	switch n.Kind {
	case yaml.MappingNode:
		object := make(map[string]any, len(n.Content)/2)
		r.Each(n, func(k, v *yaml.Node) { object[k.Value] = r.json(v) })
		return object
	case yaml.SequenceNode:
		array := make([]any, len(n.Content))
		for i, c := range n.Content {
			array[i] = r.json(c)
		}
		return array
	default:
		return r.jsonScalar(n)
	}
}

func (r *reader) jsonScalar(n *yaml.Node) any {
	switch n.ShortTag() {
	case "!!str", "!!timestamp":
		return n.Value // a date is text in JSON
	case "!!null":
		return nil
	case "!!bool", "!!int", "!!float":
		var v any
		err := n.Load(&v)
		if f, ok := v.(float64); err != nil || ok && (math.IsNaN(f) || math.IsInf(f, 0)) {
			break
		}
		return v
	}
	r.Wrong(n, "payload", "a value that JSON has", "")
	return nil
}

// encode writes JSON as the client does: & and < stay as they are.
func encode(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("catalog: a value of YAML is not JSON: " + err.Error()) // json has seen to it
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

// payload takes a JSON object; keys come out sorted, so that equal payloads are
// equal texts.
func (r *reader) payload(name string, n *yaml.Node) (map[string]any, json.RawMessage) {
	if !r.mapping(name, n) {
		return nil, nil
	}
	object, ok := r.json(n).(map[string]any)
	if !ok {
		return nil, nil
	}
	return object, encode(object)
}

var answerFields = []field[suites.Answer]{
	{"tool", func(r *reader, k string, n *yaml.Node, a *suites.Answer) { a.Tool = r.tool(k, n) }},
	{"input", func(r *reader, k string, n *yaml.Node, a *suites.Answer) { _, a.Input = r.payload(k, n) }},
	{"text", func(r *reader, k string, n *yaml.Node, a *suites.Answer) { a.Text = r.AnyText(k, n) }},
	{"delay", func(r *reader, k string, n *yaml.Node, a *suites.Answer) {
		a.Delay = r.duration(k, n, time.Millisecond)
	}},
}

// answer takes one answer of the scripted model: a call, or text.
func (r *reader) answer(name string, n *yaml.Node) (a suites.Answer) {
	decode(r, name, answerFields, n, &a)
	if n.Kind != yaml.MappingNode {
		return a
	}
	tool, text := lookup(n, "tool"), lookup(n, "text")
	switch {
	case tool != nil && text != nil:
		r.Add(text, "text cannot stand beside tool", "an answer calls a tool, or says something")
	case tool == nil && text == nil:
		r.Add(n, "an answer needs tool or text", "such as {tool: Edit, input: {...}}, or {text: done}")
	case (tool == nil) != (lookup(n, "input") == nil):
		r.Add(n, "tool and input go together", "")
	}
	return a
}

var programFields = []field[suites.Program]{
	{"name", func(r *reader, k string, n *yaml.Node, p *suites.Program) {
		p.Name = r.matching(k, n, toolName, "a program's name")
	}},
	{"script", func(r *reader, k string, n *yaml.Node, p *suites.Program) { p.Script = r.text(k, n) }},
	{"stdout", func(r *reader, k string, n *yaml.Node, p *suites.Program) { p.Stdout = r.AnyText(k, n) }},
	{"stderr", func(r *reader, k string, n *yaml.Node, p *suites.Program) { p.Stderr = r.AnyText(k, n) }},
	{"exit", func(r *reader, k string, n *yaml.Node, p *suites.Program) { p.Exit = r.whole(k, n, 0, 255) }},
}

// answers are the keys that a program without a script has.
var answers = []string{"stdout", "stderr", "exit"}

// programs takes a case's own programs.
func (r *reader) programs(name string, n *yaml.Node) (programs []suites.Program) {
	r.List(name, n, func(item *yaml.Node) {
		var p suites.Program
		decode(r, name, programFields, item, &p)
		r.required(item, "a program", "name")
		for _, k := range answers {
			if at := lookup(item, k); at != nil && p.Script != "" {
				r.Add(at, k+" cannot stand beside script", "the script says it")
			}
		}
		at := lookup(item, "name")
		switch {
		case at == nil:
		case slices.Contains(shellOwn, p.Name):
			r.Add(at, name+": "+p.Name+" is the shell's own", "no hook in sh or bash starts a program of that name")
		case slices.ContainsFunc(programs, func(other suites.Program) bool { return other.Name == p.Name }):
			r.Add(at, name+": "+p.Name+" stands twice", "")
		}
		programs = append(programs, p)
	})
	return programs
}

// shellOwn are commands that sh and bash carry out themselves: they look for no
// program.
var shellOwn = strings.Fields(`alias bg bind break builtin caller cd command compgen complete compopt
	continue declare dirs disown echo enable eval exec exit export false fc fg getopts hash help history
	jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly return set shift
	shopt source suspend test time times trap true type typeset ulimit umask unalias unset wait`)

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
