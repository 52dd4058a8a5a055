package config

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"

	"hookwatch/suites/client/clients"
)

// schemaAccepts reports whether a file is YAML and valid according to the schema.
func schemaAccepts(t *testing.T, data []byte) bool {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	const name = "https://example.com/schema.json" // a relative one is a file of this directory
	if err := c.AddResource(name, doc); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile(name)
	if err != nil {
		t.Fatal(err)
	}
	var docs []any
	if err := yaml.Load(data, &docs, yaml.WithAllDocuments(), yaml.WithUniqueKeys(false)); err != nil || len(docs) == 0 {
		return false
	}
	text, err := json.Marshal(docs[0])
	if err != nil {
		return false
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return compiled.Validate(value) == nil
}

func TestExampleHasEveryDefault(t *testing.T) {
	t.Parallel()
	if !schemaAccepts(t, Example()) {
		t.Error("the schema rejects the example")
	}
	s := parseFile("example.yaml", Example())
	if len(s.Problems) > 0 {
		t.Fatalf("the example has problems: %v", s.Problems)
	}
	if diff := cmp.Diff(defaultGates, s.gates); diff != "" {
		t.Errorf("gates: -default +example\n%s", diff)
	}
	for _, k := range keys {
		if !s.has(k.path) {
			t.Errorf("%s is missing", k.path)
		} else if diff := cmp.Diff(k.def, s.values[k.path]); diff != "" {
			t.Errorf("%s: -default +example\n%s", k.path, diff)
		}
		if k.env != "" && (!bytes.Contains(example, []byte("HOOKWATCH_"+k.env)) || !bytes.Contains(example, []byte("--"+k.flag))) {
			t.Errorf("%s: its variable or flag is not mentioned", k.path)
		}
	}
	got := new(Config)
	if err := got.merge(s, newSource(""), newSource("")); err != nil || !cmp.Equal(defaults(), got) {
		t.Errorf("the example merged: %v\n%s", err, cmp.Diff(defaults(), got))
	}
}

// Config's fields, the table of keys and the schema have the same settings.
func TestKeysAgree(t *testing.T) {
	t.Parallel()
	var table []string
	for _, k := range keys {
		table = append(table, k.path)
	}
	fields := append(fieldPaths(reflect.TypeFor[Config](), ""), "gates", "denies")
	slices.Sort(table)
	slices.Sort(fields)
	if diff := cmp.Diff(table, fields); diff != "" {
		t.Errorf("-table +fields of Config\n%s", diff)
	}
	var s schemaNode
	if err := json.Unmarshal(Schema(), &s); err != nil {
		t.Fatal(err)
	}
	names := s.check(t, "")
	slices.Sort(names)
	if diff := cmp.Diff(table, names); diff != "" {
		t.Errorf("-table +schema\n%s", diff)
	}
}

func fieldPaths(t reflect.Type, prefix string) []string {
	var paths []string
	for i := range t.NumField() {
		tag := t.Field(i).Tag.Get("mapstructure")
		switch {
		case tag == "-":
		case t.Field(i).Type.Kind() == reflect.Struct:
			paths = append(paths, fieldPaths(t.Field(i).Type, tag+".")...)
		default:
			paths = append(paths, prefix+tag)
		}
	}
	return paths
}

type schemaNode struct {
	Description string
	Default     json.RawMessage
	Properties  map[string]schemaNode
}

// check lists the settings below and compares their defaults with the example.
func (s schemaNode) check(t *testing.T, prefix string) []string {
	var example map[string]any
	if err := yaml.Load(Example(), &example); err != nil {
		t.Fatal(err)
	}
	var names []string
	for name, p := range s.Properties {
		if p.Description == "" {
			t.Errorf("%s%s has no description", prefix, name)
		}
		if p.Properties != nil {
			names = append(names, p.check(t, name+".")...)
			continue
		}
		names = append(names, prefix+name)
		value := any(example[name])
		if prefix != "" {
			value = example[strings.TrimSuffix(prefix, ".")].(map[string]any)[name]
		}
		want, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		var compact bytes.Buffer
		if err := json.Compact(&compact, p.Default); err != nil || compact.String() != string(want) {
			t.Errorf("%s%s: default %s, want %s as in the example (%v)", prefix, name, p.Default, want, err)
		}
	}
	return names
}

// TestSchemaNamesClients requires that the schema offers exactly the clients that the file may name.
func TestSchemaNamesClients(t *testing.T) {
	t.Parallel()
	var described struct {
		Properties struct {
			Clients struct {
				Items struct {
					Enum []string `json:"enum"`
				} `json:"items"`
			} `json:"clients"`
		} `json:"properties"`
	}
	if err := json.Unmarshal(Schema(), &described); err != nil {
		t.Fatal(err)
	}
	known := clients.Names()
	slices.Sort(known)
	if got := described.Properties.Clients.Items.Enum; !slices.Equal(got, known) {
		t.Errorf("the schema names the clients %q, known are %q", got, known)
	}
}
