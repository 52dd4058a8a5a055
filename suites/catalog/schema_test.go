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
	for _, name := range builtinNames() {
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

// TestChecks checks all keys of checks, to which the suite's values for firing hooks do not
// apply.
func TestChecks(t *testing.T) {
	t.Parallel()
	file := `suite: dep
hook: h.sh
event: Stop
applies_to: [h.sh, i.sh]
cases:
  - {id: A, name: a, check: {tool: jaq, need: required}}
  - {id: B, name: b, check: {tool: biome, places: [node_modules/.bin/biome, biome, pnpm exec biome], minimum: 2.0.0}}
  - {id: C, name: c, check: {file: s.json, named_by: {file: c.json, key: a.b}, key: off, equals: true}}
  - {id: D, name: d, summary: own words, check: {registered: {event: Stop, matcher: Edit|Write, hook: h.sh}}}
`
	s, problems := Load("dep.yaml", []byte(file))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if diff := cmp.Diff([]string{"h.sh", "i.sh"}, s.AppliesTo); diff != "" {
		t.Errorf("applies_to: -want +got\n%s", diff)
	}
	want := []suites.Check{
		{Need: suites.NeedRequired, Tool: "jaq", Places: []string{"jaq"}},
		{Need: suites.NeedExpected, Tool: "biome", Places: []string{"node_modules/.bin/biome", "biome", "pnpm exec biome"}, Minimum: "2.0.0"},
		{Need: suites.NeedExpected, File: "s.json", NamedBy: &suites.KeyPath{File: "c.json", Key: "a.b"}, Key: "off", Equals: []byte("true")},
		{Need: suites.NeedExpected, Registered: &suites.Registration{Event: "Stop", Matcher: "Edit|Write", Hook: "h.sh"}},
	}
	summaries := []string{"command -v jaq", "biome --version", "s.json off", "own words"}
	for i := range s.Cases {
		c := &s.Cases[i]
		if diff := cmp.Diff(want[i], *c.Check); diff != "" {
			t.Errorf("%s: -want +got\n%s", c.ID, diff)
		}
		if c.Hook != "" || c.Summary != summaries[i] || len(c.Steps) != 1 || c.Steps[0].Event != "" ||
			!slices.Equal(c.Steps[0].Expect.Exit, []int{0}) || c.Steps[0].Expect.Decision != c.Check.Decision() {
			t.Errorf("%+v", c)
		}
	}
	if !schemaAccepts(t, []byte(file)) {
		t.Error("the schema rejects it")
	}
	edited, _ := Load("dep.yaml", []byte("suite: dep\ncases:\n  - {id: A, name: a, check: {tool: jaq, need: expected}}\n"))
	if edited.Cases[0].Digest == s.Cases[0].Digest {
		t.Error("another need leaves the digest unchanged")
	}
}

// TestInventory checks that the suites of the inventory have the number of cases that it lists.
func TestInventory(t *testing.T) {
	t.Parallel()
	all, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, s := range all {
		want, counted := map[string]int{"dep": 29, "ml": 42, "pm": 32}[s.Name]
		if !counted {
			continue
		}
		seen++
		if len(s.Cases) != want || s.Agent != s.Name+"-agent" {
			t.Errorf("%s: %d cases of %s, want %d", s.Name, len(s.Cases), s.Agent, want)
		}
	}
	if seen < 2 {
		t.Errorf("%d suites of the inventory", seen)
	}
}
