package catalog

import (
	"bytes"
	"os"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"

	"hookwatch/suites"
)

// A tree contains the parts of a node that the loader uses.
type tree struct {
	Kind             yaml.Kind
	Tag, Value, Name string
	Line, Column     int
	Content          []tree
}

func treeOf(n *yaml.Node) tree {
	t := tree{n.Kind, n.ShortTag(), n.Value, n.Anchor, n.Line, n.Column, nil}
	if n.Kind == yaml.ScalarNode && n.Value == "" && n.Style == 0 {
		t.Line, t.Column = 0, 0 // an empty value has the position of the next token
	}
	for _, c := range n.Content {
		t.Content = append(t.Content, treeOf(c))
	}
	return t
}

// compare reports whether a file was parsed in pieces, and fails if that changed the result.
func compare(t *testing.T, data []byte, n int) bool {
	t.Helper()
	root := parsePieces(data, n)
	if root == nil {
		return false
	}
	var docs []yaml.Node
	if err := yaml.Load(data, &docs, yaml.WithAllDocuments()); err != nil || len(docs) != 1 {
		t.Fatalf("in pieces it is valid, as a whole %d documents, %v\n%q", len(docs), err, data)
	}
	if whole, pieces := treeOf(docs[0].Content[0]), treeOf(root); !reflect.DeepEqual(whole, pieces) {
		t.Errorf("-whole +pieces\n%s", cmp.Diff(whole, pieces))
	}
	return true
}

func TestPieces(t *testing.T) {
	t.Parallel()
	const head = "suite: s\n# a comment\ncases:\n"
	for name, tt := range map[string]struct {
		file string
		want bool
	}{
		"items":                {head + "  - id: a\n    env: {A: b}\n\n# between\n  - id: b\n  - id: c", true},
		"not indented":         {head + "- id: a\n- id: b\n", true},
		"block text":           {head + "  - id: a\n    stdin: |\n      - no item\n     \n  - id: b\n", true},
		"anchors in one item":  {head + "  - id: &a x\n    name: *a\n  - id: &a y\n    name: *a\n", true},
		"inner list":           {head + "  - id: a\n    verify:\n    - x\n    - y\n  - id: b\n", true},
		"one item":             {head + "  - id: a\n", false},
		"alias over a cut":     {head + "  - &a {id: a}\n  - *a\n", false},
		"quotes over a cut":    {head + "  - id: \"a\n  - id: b\"\n", false},
		"brackets over a cut":  {head + "  - [a,\n  - id]\n  - b\n", false},
		"key behind the cases": {head + "  - id: a\n  - id: b\nhook: x\n", false},
		"second document":      {head + "  - id: a\n---\n  - id: b\n", false},
		"other line ends":      {head + "  - id: a\r\n  - id: b\n", false},
		"less indented":        {head + "    - id: a\n  - id: b\n", false},
		"cases elsewhere":      {"a: |\n  b\ncases:\n  x:\n  - id: a\n  - id: b\n", false},
		"cases within text":    {"a: \"\ncases:\n- b\n- c\n\"\n", false},
	} {
		if got := compare(t, []byte(tt.file), 8); got != tt.want {
			t.Errorf("%s: parsed in pieces: %v", name, got)
		}
	}
	for _, n := range []int{2, 3, 7} {
		if !compare(t, many(300), n) {
			t.Errorf("a file of 300 cases was not parsed in %d pieces", n)
		}
	}
}

// A file that is parsed in pieces because of its size loads like a small one.
func TestLargeFile(t *testing.T) {
	t.Parallel()
	data := many(2000)
	lines := bytes.Count(data, []byte("\n"))
	data = append(data, "  - id: LAST\n    nme: x\n    name: last\n    expect: {exit: 0}\n"...)
	s, problems := Load("big.yaml", data)
	want := []suites.Problem{{At: suites.Position{File: "big.yaml", Line: lines + 2, Column: 5}, What: "unknown key nme", Hint: "did you mean name?"}}
	if diff := cmp.Diff(want, problems); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if len(s.Cases) != 2001 || s.Cases[1999].ID != "B01999" || s.Cases[2000].At.Line != lines+1 {
		t.Errorf("%d cases, the last at %v", len(s.Cases), s.Cases[len(s.Cases)-1].At)
	}
}

func FuzzPieces(f *testing.F) {
	f.Add([]byte("suite: s\ncases:\n  - id: a\n  - id: b\n"))
	f.Add([]byte("a: \"\ncases:\n- &a b\n- 'c\n- d'\n- |\n  - e\n"))
	f.Add([]byte("\ncases:\n # c\n - [x,\n - y]\n - ? z\n"))
	f.Fuzz(func(t *testing.T, data []byte) { compare(t, data, 8) })
}

func FuzzLoad(f *testing.F) {
	full, err := os.ReadFile("testdata/full.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(full)
	for _, m := range mistakes {
		if len(m.file) < 2000 {
			f.Add([]byte(m.file))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, problems := Load("f.yaml", data)
		for _, p := range problems {
			if p.What == "" || p.At.File != "f.yaml" {
				t.Errorf("problem without place or text: %+v", p)
			}
		}
		if len(problems) > 0 {
			return
		}
		Check([]suites.Suite{s})
		if s.Name == "" || len(s.Cases) == 0 {
			t.Errorf("accepted without a name or cases: %+v", s)
		}
		for _, c := range s.Cases {
			if c.ID == "" || c.Digest == "" || len(c.Steps) == 0 || c.Summary == "" || c.At.Line == 0 {
				t.Errorf("incomplete: %+v", c)
			}
		}
	})
}
