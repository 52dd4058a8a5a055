package cli

import (
	"errors"
	"strings"
	"testing"

	"github.com/tailscale/hujson"

	"hookwatch/suites/jsontree"
)

// TestInsertion checks that a file with comments keeps everything, and gets the value once.
func TestInsertion(t *testing.T) {
	t.Parallel()
	task := insertion{Path: []string{"tasks"}, Value: map[string]string{"label": "x"}, Present: `"x"`}
	schema := insertion{Path: []string{"yaml.schemas"}, Key: "s.json", Value: []string{"*.yaml"}}
	for _, tt := range []struct {
		name, text string
		in         insertion
		want       string // a part
	}{
		{"none", "", schema, "{\n  \"yaml.schemas\": {\n    \"s.json\": ["},
		{"comments", "// é, //\n{\n  /* [ */ \"tasks\": [ // \"x\"\n    {\"label\": \"a // b\"}, // last, \"quoted\"\n    // \"x\" {\n  ]\n}\n", task, "// last, \"quoted\"\n    // \"x\" {\n    {\n      \"label\": \"x\"\n    }\n  ]\n}\n"},
		{"a comment behind a value without a comma", "{\n  \"tasks\": [\n    1 // one\n  ]\n}", task, "    1, // one\n    {\n"},
		{"commas behind the last values", "{\n  \"a\": [1, ],\n  \"yaml.schemas\": {\"b\": 1,},\n}", schema, "{\"b\": 1,\n    \"s.json\": ["},
		{"quotes", `{"a": "\"//", "tasks": ["\\"]}`, task, `{"a": "\"//", "tasks": ["\\",`},
		{"another schema", `{"yaml.schemas": {"b": "c"}}`, schema, `{"b": "c",`},
	} {
		out, err := tt.in.into([]byte(tt.text))
		if err != nil || !strings.Contains(string(out), tt.want) {
			t.Errorf("%s: %v\n%s", tt.name, err, out)
			continue
		}
		if again, err := tt.in.into(out); err != nil || string(again) != string(out) {
			t.Errorf("%s, a second time: %v\n%s", tt.name, err, again)
		}
	}
	for text, want := range map[string]string{
		"{\n  \"tasks\": {}\n}":      "2:12: tasks is no list",
		"{\"tasks\": [1 2]}":         "1:14: ",
		"{\"tasks\": [] /* open }":   "1:14: ",
		"[]":                         "1:1: want an object",
		strings.Repeat("[", 1<<20):   "1:1: too many values",
		"{\"tasks\": [\"a\nb\" // ]": "1:",
	} {
		if out, err := task.into([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v %s, want %s", text, err, out, want)
		}
	}
}

// FuzzInsertion checks that every text that is accepted keeps its bytes in their order, and has the value.
func FuzzInsertion(f *testing.F) {
	for _, text := range []string{"", "{}", "// a\n{\"tasks\": [1, /* b */ ],}", "{\"tasks\": [{}] // c\n}", "{\"a\": \"//\"}", "\ufeff{\"tasks\": []}", "{\"tasks\": [1] /*,*/ , }"} {
		f.Add([]byte(text))
	}
	in := insertion{Path: []string{"tasks"}, Value: "hookwatch", Present: `"hookwatch"`}
	f.Fuzz(func(t *testing.T, text []byte) {
		out, err := in.into(text)
		if err != nil || string(out) == string(text) || strings.TrimSpace(strings.TrimPrefix(string(text), "\ufeff")) == "" {
			return
		}
		at := 0 // of the next byte of the text, without white space, which a bracket may lose in front of it
		for _, b := range out {
			for at < len(text) && strings.IndexByte(" \t\r\n", text[at]) >= 0 {
				at++
			}
			if at < len(text) && b == text[at] {
				at++
			}
		}
		if rest := strings.TrimSpace(string(text[at:])); rest != "" {
			t.Fatalf("%q is lost of %q in %q", rest, text, out)
		}
		plain := strings.TrimPrefix(string(out), "\ufeff")
		standard, err := hujson.Standardize([]byte(plain))
		doc, err2 := jsontree.Parse(standard)
		if err = errors.Join(err, err2); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		list, _ := doc.Get("tasks")
		if n := len(list.Members); n == 0 || list.Members[n-1].Value.Scalar != "hookwatch" {
			t.Fatalf("%s", out)
		}
	})
}
