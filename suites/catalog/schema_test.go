package catalog

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"

	"hookwatch/suites"
)

var compiled = sync.OnceValues(func() (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("suite.schema.json", doc); err != nil {
		return nil, err
	}
	return c.Compile("suite.schema.json")
})

// validate checks a file that is YAML against the schema.
func validate(t *testing.T, data []byte) error {
	t.Helper()
	s, err := compiled()
	if err != nil {
		t.Fatal(err)
	}
	var docs []any
	if err := yaml.Load(data, &docs, yaml.WithAllDocuments(), yaml.WithUniqueKeys(false)); err != nil {
		return err
	}
	if len(docs) == 0 {
		docs = []any{nil}
	}
	text, err := json.Marshal(docs[0])
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	return s.Validate(value)
}

func schemaAccepts(t *testing.T, data []byte) bool { return validate(t, data) == nil }

func TestSchemaAcceptsSuites(t *testing.T) {
	t.Parallel()
	full, err := os.ReadFile("testdata/full.yaml")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{"full": full}
	for _, name := range BuiltinNames() {
		if files[name], err = builtin.ReadFile("builtin/" + name + ".yaml"); err != nil {
			t.Fatal(err)
		}
	}
	for name, data := range files {
		if err := validate(t, data); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func fieldNames[T any](fields []field[T]) (names []string) {
	for _, f := range fields {
		names = append(names, f.name)
	}
	slices.Sort(names)
	return names
}

// The loader's tables and the schema name the same keys.
func TestSchemaKeysAgree(t *testing.T) {
	t.Parallel()
	type object struct {
		Properties map[string]any
	}
	var top object
	raw := map[string]json.RawMessage{}
	if err := json.Unmarshal(Schema(), &raw); err != nil {
		t.Fatal(err)
	}
	defs := map[string]json.RawMessage{}
	if err := json.Unmarshal(raw["$defs"], &defs); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(Schema(), &top); err != nil {
		t.Fatal(err)
	}
	tables := map[string][]string{
		"": fieldNames(suiteFields), "case": slices.Sorted(slices.Values(append(fieldNames(caseFields), "each"))), "step": fieldNames(stepFields), "expect": fieldNames(expectFields),
		"stream": fieldNames(streamFields), "expected_file": fieldNames(fileFields), "fixture": fieldNames(fixtureFields),
		"repo": fieldNames(repoFields), "route": fieldNames(routeFields), "gate": fieldNames(gateFields), "project": {"files"},
		"check": fieldNames(checkFields), "named_by": fieldNames(namedByFields), "registered": fieldNames(registeredFields),
	}
	for def, want := range tables {
		o := top
		if def != "" {
			o = object{}
			if err := json.Unmarshal(defs[def], &o); err != nil {
				t.Fatal(def, err)
			}
		}
		var got []string
		for name := range o.Properties {
			got = append(got, name)
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -loader +schema\n%s", def, diff)
		}
	}
	var expect struct {
		Properties struct{ Effect struct{ Enum []string } }
	}
	if err := json.Unmarshal(defs["expect"], &expect); err != nil {
		t.Fatal(err)
	}
	var check struct {
		Properties struct{ Need struct{ Enum []string } }
	}
	if err := json.Unmarshal(defs["check"], &check); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(suites.Needs, check.Properties.Need.Enum); diff != "" {
		t.Errorf("needs: -suites +schema\n%s", diff)
	}
	if diff := cmp.Diff(effects, expect.Properties.Effect.Enum); diff != "" {
		t.Errorf("effects: -suites +schema\n%s", diff)
	}
}
