package depend

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"hookwatch/suites"
)

// TestChecked checks that a check depends on the files that it examines, and on no others.
func TestChecked(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write := func(name, content string) {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("hooks/config.json", `{"sub": {"file": "own.json"}}`)
	g := New(Project{Root: root, HookDirs: []string{"hooks"}, Settings: []string{"settings.json"}})
	paths := func(id string, c suites.Check) (paths []string) {
		for _, in := range g.Inputs(&suites.Case{Suite: "dep", ID: id, Check: &c, Digest: id}) {
			paths = append(paths, in.Path)
			if in.By != suites.Needed {
				t.Errorf("%s depends on %s only as %q", id, in.Path, in.By)
			}
		}
		return paths
	}
	by := &suites.KeyPath{File: "hooks/config.json", Key: "sub.file"}
	for _, tt := range []struct {
		id    string
		check suites.Check
		want  []string
	}{
		{"A", suites.Check{Tool: "jaq", Places: []string{"jaq"}}, nil},
		{"B", suites.Check{File: "a.json"}, []string{"a.json"}},
		{"C", suites.Check{File: "a.json", NamedBy: by}, []string{"a.json", "hooks/config.json", "own.json"}},
		{"D", suites.Check{Registered: &suites.Registration{Event: "Stop", Hook: "hooks/h.sh"}}, []string{"settings.json"}},
	} {
		if got := paths(tt.id, tt.check); !slices.Equal(got, tt.want) {
			t.Errorf("%+v depends on %v, want %v", tt.check, got, tt.want)
		}
	}
	write("hooks/config.json", `{"sub": {"file": "other.json"}}`)
	g.Refresh([]string{"hooks/config.json"})
	if got := paths("C", suites.Check{File: "a.json", NamedBy: by}); !slices.Equal(got, []string{"a.json", "hooks/config.json", "other.json"}) {
		t.Errorf("with another file named: %v", got)
	}
}
