package catalog

import (
	"time"

	"go.yaml.in/yaml/v4"

	"hookwatch/suites"
)

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
