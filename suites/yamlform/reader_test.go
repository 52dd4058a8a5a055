package yamlform_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"

	"hookwatch/suites/yamlform"
)

// read reads a mapping of lists of texts and returns its problems.
func read(t *testing.T, bounds yamlform.Bounds, text string) (got []string) {
	t.Helper()
	r := yamlform.Reader{File: "f", Bounds: bounds}
	var doc yaml.Node
	if err := yaml.Load([]byte(text), &doc); err != nil {
		r.Syntax([]byte(text), err)
	} else {
		r.Each(doc.Content[0], func(k, v *yaml.Node) {
			r.List(k.Value, v, func(item *yaml.Node) { r.Text(k.Value, item, "say something") })
		})
	}
	r.Sort()
	for _, p := range r.Problems {
		got = append(got, p.Error())
	}
	return got
}

func TestReader(t *testing.T) {
	t.Parallel()
	trusting := yamlform.Bounds{Problems: 10}
	wary := yamlform.Bounds{Problems: 2, Rest: true, Text: 20, Shown: 8}
	for name, tt := range map[string]struct {
		bounds yamlform.Bounds
		text   string
		want   []string
	}{
		"right":          {trusting, "a: [x, y]\nb: &b [z]\nc: *b\n", nil},
		"aliases":        {trusting, "&k a: []\nb: &v ['']\n*k : []\nc: *v\n", []string{"f:1:1: key a is duplicated (first at line 1)", "f:2:8: b: must not be empty (say something)", "f:2:8: c: must not be empty (say something)"}},
		"no list":        {trusting, "a: x\nb: ~\nc: ''\nd: {}\n", []string{`f:1:4: a: want a list, got "x" (put it in brackets: [x])`, "f:2:4: b: want a list, got nothing", `f:3:4: c: want a list, got ""`, "f:4:4: d: want a list, got a mapping"}},
		"no text":        {trusting, "a: [1, [x], ~]\n", []string{`f:1:5: a: want text, got 1 (quote it: "1")`, "f:1:8: a: want text, got a list", `f:1:13: a: want text, got nothing (quote it: "~")`}},
		"tab":            {trusting, "a:\n\tb: []\n", []string{"f:2:1: not valid YAML: found character that cannot start any token (indent with spaces, not tabs)"}},
		"long":           {wary, "a: [" + strings.Repeat("x", 21) + "]\n", []string{"f:1:5: a: 21 bytes of text, more than 20"}},
		"little is said": {wary, "a: \"123456789\\e\"\n", []string{`f:1:4: a: want a list, got "12345678..." (put it in brackets: [12345678...])`}},
		"not obeyed":     {wary, "a: \"\\e[2J\"\n", []string{`f:1:4: a: want a list, got "\x1b[2J" (put it in brackets: ["\x1b[2J"])`}},
		"many":           {wary, "a: x\nb: x\nc: x\n", []string{`f:1:4: a: want a list, got "x" (put it in brackets: [x])`, "f:2:4: more problems like these (mend the first ones)"}},
		"many, trusting": {yamlform.Bounds{Problems: 1}, "a: [~, ~]\nb: x\n", []string{`f:1:5: a: want text, got nothing (quote it: "~")`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, read(t, tt.bounds, tt.text)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// TestFlattenIsBounded checks that a file may repeat much, and that one is refused that repeats a long
// text for every case: 100 cases with 3 MB took 18 s, because each got a copy of its own.
func TestFlattenIsBounded(t *testing.T) {
	t.Parallel()
	merging := func(length, n int) string {
		return "a: &a {x: " + strings.Repeat("y", length) + "}\nb:\n" + strings.Repeat("- {<<: *a, z: 1}\n", n)
	}
	for name, tt := range map[string]struct {
		text   string
		within bool
	}{
		"a long text, seldom": {merging(1_000_000, 10), true},
		"a long text, often":  {merging(1_000_000, 100), false},
		"a short text, often": {merging(100, 10_000), true},
		"a list, often":       {"a: &a [" + strings.Repeat(strings.Repeat("y", 1000)+",", 100) + "]\nb:\n" + strings.Repeat("- [*a]\n", 1000), false},
	} {
		r := yamlform.Reader{File: "f", Bounds: yamlform.Bounds{Problems: 10}}
		var doc yaml.Node
		if err := yaml.Load([]byte(tt.text), &doc); err != nil {
			t.Fatal(err)
		}
		if got := r.Flatten(&doc, "repeat less"); got != tt.within {
			t.Errorf("%s: %v, want %v", name, got, tt.within)
		}
		if !tt.within && (len(r.Problems) != 1 || r.Problems[0].Error() != "f:1:1: aliases make the file too large (repeat less)") {
			t.Errorf("%s: %v", name, r.Problems)
		}
	}
}
