package markers

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseRef(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       []Ref
	}{
		{"one section", "docs/a.md §Dependencies", []Ref{{"docs/a.md", "Dependencies"}}},
		{"no section", ".claude/settings.json", []Ref{{".claude/settings.json", ""}}},
		{"inherited source", "a.json §Pre, §Post", []Ref{{"a.json", "Pre"}, {"a.json", "Post"}}},
		{"nested", "a.md §Stop §Integration", []Ref{{"a.md", "Stop §Integration"}}},
		{"two sources", "a.json, docs/b.md §C", []Ref{{"a.json", ""}, {"docs/b.md", "C"}}},
		{"semicolon", "a.json; b.md §C", []Ref{{"a.json", ""}, {"b.md", "C"}}},
		{"wrapped in a section", "a.md §Note on\n  independent blocks", []Ref{{"a.md", "Note on independent blocks"}}},
		{"wrapped before a section", "a.json\n§x.y", []Ref{{"a.json", "x.y"}}},
		{"wrapped inside a path", "docs/specs/\n  adr.md §D1", []Ref{{"docs/specs/adr.md", "D1"}}},
		{"quoted source", "`a b/c.sh` §main", []Ref{{"a b/c.sh", "main"}}},
		{"quoted words", "a.sh §run `-x, -y` flags, §b `c`", []Ref{{"a.sh", "run -x, -y flags"}, {"a.sh", "b c"}}},
		{"comma in a name", "a.sh §lint, config interaction", []Ref{{"a.sh", "lint, config interaction"}}},
		{"odd backtick", "a.sh §it`s, §b", []Ref{{"a.sh", "it s"}, {"a.sh", "b"}}},
		{"line", "a.sh:12", []Ref{{"a.sh:12", ""}}},
		{"empty parts", ", a.sh §x, ,", []Ref{{"a.sh", "x"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := ParseRef(tt.text)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("ParseRef(%q) (-want +got):\n%s", tt.text, diff)
			}
		})
	}
}

func TestParseRefErrors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":           "names no source",
		" , ":        "names no source",
		"§D3":        "starts with a section",
		"unresolved": "still unresolved",
	} {
		if refs, err := ParseRef(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseRef(%q) = %v, %v; want an error with %q", text, refs, err, want)
		}
	}
}

func FuzzParseRef(f *testing.F) {
	for _, s := range []string{"a.md §B, §C", "§", "`a`, b §c §", "a.sh §it`s, x", "docs/\n a.md"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		refs, err := ParseRef(text)
		if (err == nil) != (len(refs) > 0) {
			t.Fatalf("ParseRef(%q) = %v, %v", text, refs, err)
		}
		for _, r := range refs {
			if r.Source == "" || strings.ContainsAny(r.String(), "\n\r`") {
				t.Errorf("ParseRef(%q) gives %q", text, r)
			}
		}
	})
}
