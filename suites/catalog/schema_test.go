package catalog

import (
	"bytes"
	"encoding/json"
	"os"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"
)

var compiled = sync.OnceValues(func() (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		return nil, err
	}
	const name = "https://example.com/suite.schema.json" // a relative one is a file of this directory
	c := jsonschema.NewCompiler()
	if err := c.AddResource(name, doc); err != nil {
		return nil, err
	}
	return c.Compile(name)
})

// validate checks a YAML file against the schema.
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
