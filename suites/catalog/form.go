package catalog

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"

	"hookwatch/suites"
	"hookwatch/suites/pattern"
)

// The form of a suite file is defined once, in the tables of fields.go and parts.go: Load, Write
// and Schema all use them.

// A form defines how a value is read from YAML, written as YAML and described by a JSON Schema.
type form[V any] struct {
	// read sets v, or leaves it unchanged and reports a problem. name is the key, for messages.
	read  func(r *reader, name string, n *yaml.Node, v *V)
	write func(v *V) *yaml.Node
	empty func(v *V) bool // a key with such a value is left out; if nil, it never is
	// schema returns the members of the schema's object, without its braces.
	schema func(d *definitions) string
}

// A field is one key of a mapping that is decoded into a T.
type field[T any] struct {
	name   string
	places places // where the key is allowed, if not everywhere in the table
	read   func(r *reader, name string, n *yaml.Node, t *T)
	write  func(t *T) *yaml.Node // returns nil if the key is left out
	schema func(d *definitions) string
}

// key returns a field for the value that at returns. doc describes it in the schema; it may be
// empty if the form describes itself.
func key[T, V any](name, doc string, f form[V], at func(t *T) *V) field[T] {
	return field[T]{
		name: name,
		read: func(r *reader, name string, n *yaml.Node, t *T) { f.read(r, name, n, at(t)) },
		write: func(t *T) *yaml.Node {
			if v := at(t); f.empty == nil || !f.empty(v) {
				return f.write(v)
			}
			return nil
		},
		schema: func(d *definitions) string { return describe(doc, f.schema(d)) },
	}
}

// in allows the key in these places only. A schema that is used in several of them is defined
// once and referenced.
func (f field[T]) in(p places) field[T] {
	f.places = p
	if body, several := f.schema, p&^inCheck; several&(several-1) != 0 {
		f.schema = func(d *definitions) string {
			text := body(d)
			if strings.HasPrefix(text, `"$ref"`) {
				return text
			}
			return d.refer(f.name, func() string { return text })
		}
	}
	return f
}

// unless leaves the key out for some values of T.
func (f field[T]) unless(omitted func(t *T) bool) field[T] {
	write := f.write
	f.write = func(t *T) *yaml.Node {
		if omitted(t) {
			return nil
		}
		return write(t)
	}
	return f
}

// A mapping is a form with known keys.
type mapping[T any] struct {
	name     string // in the schema's definitions; "" inlines the schema
	doc      string
	label    string // in messages; if empty, the key
	a        string // the subject of messages about required keys, such as "a gate"; if empty, the label
	initial  T
	fields   []field[T]
	required []string
	rules    string // members of the schema for combinations of keys
	check    func(r *reader, name string, n *yaml.Node, t *T)
}

func (m *mapping[T]) form() form[T] {
	return form[T]{
		read: func(r *reader, name string, n *yaml.Node, t *T) {
			*t = m.initial
			label := cmp.Or(m.label, name)
			decode(r, label, m.fields, n, t)
			r.require(n, cmp.Or(m.a, label), m.required...)
			if m.check != nil {
				m.check(r, name, n, t)
			}
		},
		write: func(t *T) *yaml.Node { return encodeFields(m.fields, t) },
		schema: func(d *definitions) string {
			body := func() string {
				return describe(m.doc, objectSchema(d, m.fields, m.required, m.rules))
			}
			if m.name == "" {
				return body()
			}
			return d.refer(m.name, body)
		},
	}
}

// decode reads a mapping with the table of its keys.
func decode[T any](r *reader, what string, fields []field[T], n *yaml.Node, t *T) {
	if !r.mapping(what, n) {
		return
	}
	r.Each(n, func(k, v *yaml.Node) {
		for i := range fields {
			if f := &fields[i]; f.name == k.Value {
				f.read(r, f.name, v, t)
				return
			}
		}
		names := fieldNames(fields)
		hint := pattern.NearestHint(k.Value, names)
		switch {
		case hint != "":
		case n.Style&yaml.FlowStyle != 0 && v.ShortTag() == "!!null" && v.Value == "": // {command: echo a, b}
			hint = "quote a text that contains a comma"
		default:
			hint = "known here: " + strings.Join(names, ", ")
		}
		r.Add(k, "unknown key "+k.Value, hint)
	})
}

// encodeFields writes a mapping with the table of its keys.
func encodeFields[T any](fields []field[T], t *T) *yaml.Node {
	out := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	for _, f := range fields {
		if value := f.write(t); value != nil {
			out.Content = append(out.Content, scalar(f.name), value)
		}
	}
	return out
}

func fieldNames[T any](fields []field[T]) []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	return names
}

// lift converts fields of a part to fields of the whole.
func lift[P, T any](fields []field[P], part func(*T) *P) []field[T] {
	lifted := make([]field[T], len(fields))
	for i, f := range fields {
		lifted[i] = field[T]{
			name: f.name, places: f.places, schema: f.schema,
			read:  func(r *reader, name string, n *yaml.Node, t *T) { f.read(r, name, n, part(t)) },
			write: func(t *T) *yaml.Node { return f.write(part(t)) },
		}
	}
	return lifted
}

// definitions are the parts of a schema that are referenced, in the order of their first use.
type definitions struct {
	names  []string
	bodies map[string]string
}

// refer returns a reference to a definition, which it creates on first use.
func (d *definitions) refer(name string, body func() string) string {
	if _, made := d.bodies[name]; !made {
		d.names = append(d.names, name)
		d.bodies[name] = "" // the body may refer to itself
		d.bodies[name] = body()
	}
	return fmt.Sprintf(`"$ref": "#/$defs/%s"`, name)
}

func (d *definitions) String() string {
	items := make([]string, len(d.names))
	for i, name := range d.names {
		items[i] = fmt.Sprintf("    %s: {%s}", quote(name), d.bodies[name])
	}
	return "\"$defs\": {\n" + strings.Join(items, ",\n") + "\n  }"
}

// objectSchema returns the schema of a mapping with these keys, one per line.
func objectSchema[T any](d *definitions, fields []field[T], required []string, rules string) string {
	properties := make([]string, len(fields))
	for i, f := range fields {
		properties[i] = fmt.Sprintf("      %s: {%s}", quote(f.name), f.schema(d))
	}
	text := "\"type\": \"object\", \"additionalProperties\": false,"
	if len(required) > 0 {
		text += " \"required\": " + quote(required) + ","
	}
	text += " \"properties\": {\n" + strings.Join(properties, ",\n") + "\n    }"
	if rules != "" {
		text += ",\n    " + rules
	}
	return text
}

func describe(doc, body string) string {
	switch {
	case doc == "":
		return body
	case body == "":
		return `"description": ` + quote(doc)
	default:
		return `"description": ` + quote(doc) + ", " + body
	}
}

func quote(v any) string { return string(encode(v)) }

// SchemaFile is the name of the JSON Schema beside a suite file that hookwatch writes. The file begins
// with SchemaLine, by which editors find it.
const (
	SchemaFile = "suite.schema.json"
	SchemaLine = "# yaml-language-server: $schema=" + SchemaFile + "\n"
)

// Schema returns the JSON Schema of a suite file.
func Schema() []byte {
	tables()
	d := &definitions{bodies: map[string]string{}}
	root := objectSchema(d, suiteFields, []string{"suite", "cases"}, together(inSuite))
	text := "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\", \"title\": \"hookwatch suite\",\n  " + root + ",\n  " + d.String() + "\n}\n"
	if !json.Valid([]byte(text)) {
		panic("catalog: the schema is no JSON:\n" + text)
	}
	return []byte(text)
}

// Write returns a file that Load reads as the same suite. It relies on no defaults: each case
// has all values that apply to it. If ascii is set, all other characters are escaped.
func Write(s suites.Suite, ascii bool) ([]byte, error) {
	tables()
	file := suiteForm{suite: s.Name, agent: s.Agent, appliesTo: s.AppliesTo}
	file.cases = &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	for i := range s.Cases {
		c := formOf(&s.Cases[i])
		file.cases.Content = append(file.cases.Content, encodeFields(caseFields, &c))
	}
	return yaml.Dump(encodeFields(suiteFields, &file), yaml.WithIndent(2), yaml.WithLineWidth(100), yaml.WithUnicode(!ascii))
}

func formOf(c *suites.Case) caseForm {
	f := caseForm{id: c.ID, name: c.Name, summary: c.Summary, contradicts: c.Contradicts, check: c.Check}
	f.category, f.verify = c.Category, c.Verify
	if c.Check != nil {
		return f // the other keys are for firing a hook
	}
	around := c.WantedEnv()
	f.client = c.Client
	f.hook, f.registered, f.chain, f.control, f.repo, f.server = c.Hook, c.Registered, c.Chain, c.Control, c.Repo, around.Server
	f.layer, f.serial, f.timeout, f.budget, f.gates, f.env, f.project = c.Layer, c.Serial, c.Timeout, c.Budget, c.Gates, c.Env, c.Project
	f.absentTools, f.programs, f.unset, f.cwd = around.AbsentTools, around.Programs, around.Unset, around.Cwd
	if f.registered != "" {
		f.hook = ""
	}
	s := &c.Steps[0]
	if inherits := s.Hook == "" && s.Registered == "" && s.Env == nil; inherits && len(c.Steps) == 1 {
		f.stepForm.Step = *s
		f.event, f.tool = s.Event, s.Tool
		return f
	}
	for _, s := range c.Steps {
		f.steps = append(f.steps, stepForm{Step: s})
	}
	return f
}
