package main

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestDocumentOperators(t *testing.T) {
	t.Parallel()
	const text = `{
  "a": "x",
  "list": [1, true],
  "deep": {"k": null},
  "none": []
}
`
	d, err := NewDocument("config.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]string{
		"key-value": {
			"change : \"changed\"\n", "change .a: {\n  \"a\": \"xx\",", "change .list: {\n  \"a\": \"x\",\n  \"list\": [],",
			"change .list[0]: {\n  \"a\": \"x\",\n  \"list\": [11,", "change .deep.k: {\n  \"a\": \"x\",\n  \"list\": [1, true],\n  \"deep\": {\"k\": true}",
		},
		"key-remove": {
			"take away .a: {\n  \"list\"", "take away .list[0]: {\n  \"a\": \"x\",\n  \"list\": [true]",
			"take away .list[1]: {\n  \"a\": \"x\",\n  \"list\": [1]", "take away .none: {\n  \"a\": \"x\",\n  \"list\": [1, true],\n  \"deep\": {\"k\": null}\n}",
			"take away .deep.k: {\n  \"a\": \"x\",\n  \"list\": [1, true],\n  \"deep\": {},",
		},
		"key-add": {
			"add to : {\"added\": \"yes\", \n", "add to .list: {\n  \"a\": \"x\",\n  \"list\": [\"added\", 1",
			"add to .none: {\n  \"a\": \"x\",\n  \"list\": [1, true],\n  \"deep\": {\"k\": null},\n  \"none\": [\"added\"]",
		},
		"key-space": {"space behind .deep: {\n  \"a\": \"x\",\n  \"list\": [1, true],\n  \"deep\": {\"k\": null}\n\n,"},
	} {
		var made []string
		for _, c := range DocumentOperators[name](d) {
			m, ok := d.Mutant(name, c)
			if !ok {
				t.Errorf("%s: %s gives no mutant", name, c.What)
				continue
			}
			if !json.Valid(m.Content) {
				t.Errorf("%s: %s is no JSON: %s", name, c.What, m.Content)
			}
			made = append(made, m.What+": "+string(m.Content))
		}
		for _, w := range want {
			if !slices.ContainsFunc(made, func(m string) bool { return strings.HasPrefix(m, w) }) {
				t.Errorf("%s made\n%s\nnone of them %q", name, strings.Join(made, "\n"), w)
			}
		}
	}
	if _, ok := d.Mutant("key-space", DocumentOperators["key-value"](d)[0]); ok {
		t.Error("a changed value was taken for white space")
	}
	if _, err := NewDocument("x.json", []byte("{")); err == nil {
		t.Error("half a document was taken for one")
	}
}

// Edits of configuration and settings are scored by the keys that hooks read. Which
// cases they select is what counts here: .ci/mutate runs them.
func TestDocumentsAreScored(t *testing.T) {
	t.Parallel()
	o, err := parse([]string{
		"-project", "../../suites/reference/linters", "-suites", "pm", "-ids", "P01,P02,P31", "-max", "6",
		"-only", "key-value,key-remove,key-add,key-space", "-dry", "-v",
	})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := measure(t.Context(), o, &out); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	text := out.String()
	for _, want := range []string{"which its hook reads", "key-remove", "key-space"} {
		if !strings.Contains(text, want) {
			t.Errorf("output lacks %q:\n%s", want, text)
		}
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "key-space ") && !strings.Contains(line, "  0 selected   0 marked") {
			t.Errorf("white space selects: %s", line)
		}
		if strings.Contains(line, ".protected_files") && !strings.Contains(line, "  0 selected") {
			t.Errorf("a key that the hook does not read selects: %s", line)
		}
	}
}

func TestLeast(t *testing.T) {
	t.Parallel()
	o, err := parse([]string{"-project", torture, "-suites", "torture", "-ids", "T02", "-max", "1", "-only", "comment", "-least", "2"})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := measure(t.Context(), o, &out); err == nil || !strings.Contains(err.Error(), "0 mutants changed an outcome, want 2") {
		t.Errorf("%v\n%s", err, out.String())
	}
}

// Whatever a document holds, its mutants are documents.
func FuzzDocument(f *testing.F) {
	for _, seed := range []string{`{"a": [1, {"b": null}], "c": "x,:"}`, `[]`, `"x"`, `{"a": 1, "a": 2}`, "[ ]\n", `{"\u0061": {}} 2`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := NewDocument("x.json", []byte(text))
		if err != nil {
			return
		}
		for name, of := range DocumentOperators {
			for _, c := range of(d) {
				if m, ok := d.Mutant(name, c); ok && !json.Valid(m.Content) {
					t.Errorf("%s: %s of %q is %q", name, c.What, text, m.Content)
				}
			}
		}
	})
}
